"""A client as a bot of an arena: what it is told and answers, and how its session ends."""

from __future__ import annotations

import threading

import pytest

from arena.client.problems import ArenaProblem
from arena.errors import Refused
from arena.rules import EMPTY, compile_ruleset, decide, default, evolve, redact
from arena.rules.cards import parse
from arena.rules.commands import Expire, Give, Pass, Play
from arena.rules.events import Cause
from arena.uecda.pilot import Mates, Pilot, SeatRules, body_of, numbers_of
from arena.uecda.seat import ClientSeat, SeatAnswer
from arena.wire import read_answer, write_event
from tests.rules.dealing import deal, play_out
from tests.uecda.clients import Client, lucky, wild

UECDA = compile_ruleset({"preset": "uecda"})
BOTS = ("b-a", "b-b", "b-c", "b-d", "b-e")


def test_own_number_and_those_of_mates_stay_and_the_others_get_what_is_free() -> None:
    assert numbers_of(BOTS, 2, 0, {}) == (1, 2, 0, 3, 4)
    assert numbers_of(BOTS, 2, 3, {"b-c": 3, "b-e": 0}) == (1, 2, 3, 4, 0)
    assert numbers_of(BOTS[::-1], 2, 3, {"b-c": 3, "b-e": 0}) == (0, 4, 3, 2, 1)
    mates = {bot: number for number, bot in enumerate(("b-e", "b-c", "b-a", "b-d", "b-b"))}
    assert numbers_of(BOTS, 0, 2, mates) == (2, 4, 1, 3, 0)


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (Pass(1), {"pass": True}),
        (Give(1, parse(["S3", "JK"])), {"cards": ["S3", "JK"]}),
        (Play(1, parse(["S3", "JK"]), (1,)), {"cards": ["S3", "JK"], "as": ["H3"]}),
        (Play(1, parse(["JK"])), {"cards": ["JK"]}),
    ],
)
def test_an_answer_is_written_as_the_arena_takes_it(answer, body) -> None:
    assert body_of(SeatAnswer(answer)) == body
    assert body_of(SeatAnswer(answer, "late")) == {**body, "note": "late"}


@pytest.mark.parametrize("seed", range(4))
def test_the_rules_of_a_seat_allow_what_the_arena_does_and_nothing_else(seed: int) -> None:
    _, steps = play_out(UECDA, seed, places=(1, 0, 3, 2, 4))
    own, state = [SeatRules(UECDA) for _ in range(5)], EMPTY
    for command, events in steps:
        if isinstance(command, Play | Give):
            own[command.seat].check(command)
            is_tribute = isinstance(command, Give) and command.seat not in (1, 0)
            for other in () if is_tribute else parse_all():  # of tributes there is but one
                one = type(command)(command.seat, other)
                assert allows(own[command.seat], one) == takes(state, one)
        for event in events:
            for seat, rules in enumerate(own):
                rules.add(redact(event, seat))
        state = evolve(state, events)


def parse_all():
    """Some cards to try."""
    return [parse(names) for names in (["S3"], ["D2"], ["JK"], ["S3", "H3"], ["HA", "C7"])]


def allows(rules, answer):
    try:
        rules.check(answer)
    except Refused:
        return False
    return True


def takes(state, answer):
    try:
        decide(UECDA, state, answer)
    except Refused:
        return False
    return True


class OneBotArena:
    """Stands in for an arena over HTTP: one bot at table after table, the others as the referee
    would play. tables: how many hands each has; void_at: the turn of the bot at which its hand is
    made void; expires: turns of the bot, by number, for which its answer comes too late."""

    def __init__(self, tables=(2,), *, seat=0, void_at=0, expires=(), left_ms=65_000):
        self.plan = [(t, n, of) for t, of in enumerate(tables, 1) for n in range(1, of + 1)]
        self.seat, self.void_at, self.expires, self.left_ms = seat, void_at, expires, left_ms
        self.logs, self.answers, self.asked = {}, [], 0
        self.hand, self.state, self.told, self.turn = "", EMPTY, 0, None
        self.over = self.withdrawn = False
        self._deal()

    def _deal(self):
        if not self.plan:
            self.over = True
            return
        table, number, of = self.plan.pop(0)
        self.number, self.of, self.table = number, of, f"t{table}"
        self.hand, self.told, self.state = f"t{table}-h{number}", 0, EMPTY
        self.logs[self.hand] = []
        places = (0, 1, 2, 3, 4) if number > 1 else ()
        self._append(decide(UECDA, EMPTY, deal(UECDA, len(self.logs), places=places)))
        self._advance()

    def _append(self, events):
        self.logs[self.hand] += events
        self.state = evolve(self.state, events)

    def _advance(self):
        """The others move until it is the bot's turn, or the next hand's."""
        while not self.state.over:
            seat = self.state.open[0][0]
            if seat == self.seat:
                self.asked += 1
                if self.asked == self.void_at:
                    return self._deal()
                self.turn = f"{self.hand}.{self.state.seq}"
                return None
            self._append(decide(UECDA, self.state, default(UECDA, self.state, seat)))
        self.turn = None
        return self._deal()

    def turns(self, wait=0, **_):
        if self.turn is None or self.over:
            return {"turns": []}
        events = self.logs[self.hand][self.told :]
        written = [write_event(redact(event, self.seat)) for event in events]
        document = {
            "turn": self.turn,
            "session": "s",
            "table": self.table,
            "hand": self.hand,
            "hand_number": self.number,
            "hands": self.of,
            "seat": self.seat,
            "players": [{"bot": bot} for bot in BOTS],
            "events": written,
            "events_from": self.told,
            "remaining_ms": self.left_ms,
            "bank_ms": 0,
        }
        return {"turns": [document]}

    def answer(self, turn, body, *, wait=0):
        assert turn == self.turn
        self.answers.append(body)
        self.told = len(self.logs[self.hand])
        if len(self.answers) in self.expires:
            self._append(decide(UECDA, self.state, Expire(self.seat, Cause.TIMEOUT)))
            self._advance()
            raise ArenaProblem(410, {"code": "too_late", "detail": "too late", "turn": turn})
        answer = read_answer(UECDA, self.state, self.seat, body)
        self._append(decide(UECDA, self.state, answer))
        self._advance()
        return {"accepted": True, "next": self.turns()["turns"]}

    def hand_events(self, hand, *, after=0, wait=0):
        events = [write_event(redact(event, self.seat)) for event in self.logs[hand][after:]]
        return {"events": events, "over": hand != self.hand or self.over}

    def withdraw(self, session):
        self.withdrawn = True

    def session(self, session):
        return {"status": "finished" if self.over else "running"}


class Wire:
    """Stands in for the connections: `wake` delivers at once; `changed` is their lock."""

    def __init__(self, seat, client):
        self.changed = threading.Condition()
        self.seat, self.client = seat, client

    def wake(self):
        seat, client = self.seat, self.client
        if seat.dismissed:
            seat.leave()
        while messages := seat.output():
            seat.receive(client.receive(b"".join(messages)))


def flown(choose=None, **arena):
    """A whole session of one client: the client, its seat and the arena."""
    client, seat = Client("probe", choose or lucky(1)), ClientSeat(3)
    client.sent()
    own = OneBotArena(**arena)
    pilot = Pilot(own, "s", seat, Wire(seat, client), rules=UECDA, mates=Mates())
    pilot.run()
    return client, seat, own, pilot


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 2, 4])
def test_a_client_plays_hand_after_hand_and_table_after_table_to_the_end(seat: int) -> None:
    client, own, arena, pilot = flown(tables=(2, 1, 2), seat=seat)
    assert (client.ended, client.hand, pilot.hands) == (2, 5, 5)
    assert (client.number, own.refused, own.dismissed) == (3, 0, "")
    assert any("cards" in body for body in arena.answers)


@pytest.mark.slow
def test_what_the_rules_refuse_is_never_sent() -> None:
    client, seat, arena, _ = flown(wild(2), tables=(3,))
    assert client.ended == 2
    notes = [body["note"] for body in arena.answers if "note" in body]
    assert len(notes) == seat.refused > 3
    assert all(note.startswith("refused: ") for note in notes)


@pytest.mark.slow
def test_an_answer_that_the_arena_gets_too_late_is_a_pass_and_the_client_stays_in_step() -> None:
    client, seat, _, _ = flown(tables=(2,), expires=(1, 3, 4))
    assert (client.ended, seat.is_behind) == (2, False)


@pytest.mark.slow
def test_for_a_silent_client_the_answer_is_sent_before_the_deadline() -> None:
    client, seat, arena, _ = flown(lambda *_: None, tables=(1,), left_ms=20)
    assert client.ended is None
    assert seat.late == len(arena.answers)
    assert {body["note"] for body in arena.answers} == {"late"}


def test_a_hand_that_is_made_void_has_no_end_so_the_client_has_to_go() -> None:
    client, seat, _, _ = flown(tables=(2,), void_at=3)
    assert (client.ended, seat.dismissed) == (None, "the hand was made void")


def test_a_session_that_ends_before_the_first_hand_closes_the_connection() -> None:
    client, seat, _, pilot = flown(tables=())
    assert (client.ended, pilot.hands, seat.dismissed) == (None, 0, "the session has ended")


def test_who_leaves_before_the_first_hand_is_taken_out_of_the_session() -> None:
    arena, seat = OneBotArena(tables=(1,)), ClientSeat(0)
    arena.turns = lambda *_, **__: {"turns": []}
    seat.leave()
    wire = Wire(seat, Client("probe", lucky(1)))
    Pilot(arena, "s", seat, wire, rules=UECDA, mates=Mates()).run()
    assert arena.withdrawn
    assert arena.answers == []


def test_of_lone_jokers_only_the_latest_hands_are_kept() -> None:
    mates = Mates()
    for number in range(40):
        mates.note_joker(f"h{number}", (number,))
    assert list(mates.lone_jokers) == [f"h{number}" for number in range(24, 40)]
