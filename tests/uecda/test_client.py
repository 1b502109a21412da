"""Bots of the kit as clients: sessions, servers that deviate, bots with faults, bad messages."""

from __future__ import annotations

import struct
from functools import partial

import pytest

from arena.client import Bot
from arena.errors import BadInput
from arena.rules import compile_ruleset
from arena.uecda.client import BotClient
from tests.uecda.bots import HEURISTIC, LOWEST, RANDOM, RULES, InMemory, bots, session

TABLE, INT = 480, 4
MIXED = (HEURISTIC, RANDOM, LOWEST, RANDOM, RANDOM)


def agreed(joined, hands):
    """All clients have followed the same session to its end."""
    finishes = [tuple(int(bot[3]) for bot in hand.result.bots) for hand in hands]
    for each in joined:
        report = each.client.report
        assert each.client.is_over
        assert report.finishes == finishes
        assert (report.refused, report.faults, report.differing) == (0, 0, 0)
        assert report.differences == {}
        assert report.answers > len(hands)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_five_bots_play_a_session_without_a_refusal_or_a_difference(seed: int) -> None:
    joined, hands = session(bots(*MIXED, seed=seed), hands=4, seed=seed)
    agreed(joined, hands)
    points = [line.points for line in joined[0].client.points]
    assert sum(points) == 4 * 15
    assert points == sorted(points, reverse=True)


def patched(message, cells):
    """A table with some cells changed: (row, column) -> value."""
    values = list(struct.unpack(">120I", message))
    for (row, column), value in cells.items():
        values[15 * row + column] = value
    return struct.pack(">120I", *values)


class Rewriting:
    """Changes the tables of a server on their way to one client. start, hand, field: functions from
    the rows of a table to the cells that are changed; flag: from a flag to another."""

    def __init__(self, *, start=None, hand=None, field=None, flag=None):
        nothing = lambda rows: {}  # noqa: E731
        self.rewrite = {"start": start or nothing, "hand": hand or nothing}
        self.rewrite["field"] = field or nothing
        self.flag = flag or (lambda value: value)
        self.life, self.waiting = self.follow(), b""
        self.wanted = next(self.life)

    def __call__(self, data):
        self.waiting += data
        out = b""
        while len(self.waiting) >= self.wanted[1]:
            message, self.waiting = (
                self.waiting[: self.wanted[1]],
                self.waiting[self.wanted[1] :],
            )
            kind = self.wanted[0]
            if kind in self.rewrite:
                values = struct.unpack(">120I", message)
                rows = [values[15 * row : 15 * row + 15] for row in range(8)]
                out += patched(message, self.rewrite[kind](rows))
            elif kind == "flag":
                out += struct.pack(">I", self.flag(*struct.unpack(">I", message)))
            else:
                out += message
            self.wanted = self.life.send(message)
        return out

    def follow(self):
        yield "number", INT
        while True:
            yield "start", TABLE
            end = 0
            while not end:
                hand = yield "hand", TABLE
                if struct.unpack_from(">I", hand, 4 * 77)[0]:
                    yield "flag", INT
                yield "field", TABLE
                (end,) = struct.unpack(">I", (yield "end", INT))


def tribute_in_counts(rows):
    """The Java server counts the tribute already in its start table."""
    cells = {(5, 3): 2, (5, 4): 1}
    counts, classes = rows[6][:5], rows[6][5:10]
    if sorted(classes) == [0, 1, 2, 3, 4]:
        gift = {0: 2, 1: 1, 2: 0, 3: -1, 4: -2}
        return cells | {(6, n): counts[n] + gift[classes[n]] for n in range(5)}
    return cells | {(6, 5 + n): 2 for n in range(5)}


SERVERS = {
    "the C++ server of koganie": partial(
        Rewriting,
        start=lambda rows: {
            (5, 3): 0,
            (5, 4): 1,
            **({(6, 5 + n): 2 for n in range(5)} if not any(rows[6][5:10]) else {}),
        },
        field=lambda rows: {(5, 2): 1},
        flag=lambda value: 7 if value == 8 else value,
    ),
    "the Java server": partial(
        Rewriting,
        start=tribute_in_counts,
        hand=lambda rows: {(5, 1): 2},
        field=lambda rows: {(5, 2): 1},
        flag=lambda value: 9,
    ),
    "a server whose field tables say only the cards": partial(
        Rewriting, field=lambda rows: {(row, n): 0 for row in (5, 6, 7) for n in range(15)}
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("server", SERVERS)
def test_tables_in_which_other_servers_write_other_cells_are_read(server: str) -> None:
    rewriters = iter([SERVERS[server]() for _ in range(5)])
    players = bots(RANDOM, LOWEST, LOWEST, LOWEST, LOWEST)
    joined, hands = session(players, hands=3, seed=3, rewriter=lambda: next(rewriters))
    agreed(joined, hands)


RULES_OF_OTHERS = {
    "who has made the last play may not play on it": {"trick": "unbeaten"},
    "the first of the hand before leads": {"next_lead": "winner"},
    "no lock": {"shibari": "off"},
    "the last to pass leads where the owner is out": {"out_lead": "sole_survivor"},
    "who passes may play again": {"pass_lockout": False},
}


@pytest.mark.slow
@pytest.mark.parametrize("deviation", RULES_OF_OTHERS)
def test_a_server_with_other_rules_is_followed_to_the_end(deviation: str) -> None:
    rules = compile_ruleset({"preset": "uecda", "options": RULES_OF_OTHERS[deviation]})
    joined, hands = session(bots(*MIXED), hands=3, seed=6, rules=rules)
    finishes = [tuple(int(bot[3]) for bot in hand.result.bots) for hand in hands]
    for each in joined:
        assert each.client.is_over
        assert each.client.report.finishes == finishes
    differing = sum(each.client.report.differing for each in joined)
    assert differing > 0


class Faulty(Bot):
    """Every second answer is no legal one, or none at all."""

    second_tries = 0

    def __init__(self):
        self.calls = 0

    def play(self, turn):
        self.calls += 1
        if self.calls % 3 == 0:
            raise ValueError("a mistake")
        return {"cards": ["JK", "S3", "H4"]} if self.calls % 3 == 1 else turn.legal[-1]

    def give(self, turn):
        return ["S3", "H4", "D5"]


@pytest.mark.slow
def test_what_a_bot_does_wrong_costs_it_moves_and_not_the_session(caplog) -> None:
    joined, hands = session([Faulty(), *bots(*[LOWEST] * 4)], hands=2, seed=8)
    report, conduct = joined[0].client.report, joined[0].client.conduct
    assert len(report.finishes) == len(hands) == 2
    assert report.faults > 0
    assert conduct.errors > 0
    assert (report.refused, report.differing) == (0, 0)
    assert "a mistake" in caplog.text


@pytest.mark.slow
def test_messages_may_come_in_any_pieces() -> None:
    whole, _ = session(bots(*[LOWEST] * 5), hands=1, seed=4)
    pieces, _ = session(bots(*[LOWEST] * 5), hands=1, seed=4, piece=7)
    assert [each.up for each in whole] == [each.up for each in pieces]


# What no server says


def fresh(name="probe"):
    return BotClient(bots(LOWEST)[0], RULES, name=name, hands=1)


def number(value):
    return struct.pack(">I", value)


SEATED = {(6, 10 + n): n for n in range(5)}


def test_the_profile_is_sent_first_with_the_version_and_the_name() -> None:
    cells = struct.unpack(">120I", fresh("mybot").output())
    assert cells[0] == 20070
    assert bytes(cells[15:30]).rstrip(b"\0") == b"mybot"
    assert not any(cells[30:])


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n", "player number is 1213486160; expected 0 to 4"),
        (number(2) + bytes(TABLE), "the mark of a start table, is 0"),
        (number(2) + patched(bytes(TABLE), {(5, 0): 1}), "row 6, seats is"),
        (
            number(2)
            + patched(bytes(TABLE), {(5, 0): 1, **SEATED})
            + patched(bytes(TABLE), {(5, 2): 1, (5, 3): 3, **SEATED}),
            "the player, is 3; expected player 2 if the table says that it is his turn",
        ),
    ],
)
def test_what_is_no_message_of_the_protocol_is_named(messages: bytes, said: str) -> None:
    client = fresh()
    with pytest.raises(BadInput, match=said):
        client.receive(messages)


def test_a_name_that_the_protocol_cannot_say_is_refused() -> None:
    with pytest.raises(BadInput, match="at most 15 characters"):
        fresh("a-name-that-is-too-long")


@pytest.mark.slow
def test_bytes_after_the_end_change_nothing() -> None:
    joined, _ = session(bots(*[LOWEST] * 5), hands=1, seed=4)
    joined[0].client.receive(bytes(1000))
    assert isinstance(joined[0], InMemory)
    assert joined[0].client.output() == b""
