"""Whole sessions without sockets: every cell of every message, clocks, house bots, records."""

from __future__ import annotations

import pytest

from arena.match.recording import record_lines
from arena.records.verify import verify
from arena.uecda.codec import PLAYERS
from arena.uecda.contest import Contest, ContestTerms, Fill
from tests.uecda.clients import Client, lucky, rows_of, table, wild
from tests.uecda.golden import HANDS, SEED, golden_streams, replayed
from tests.uecda.memory import MemorySockets, contest, five, played
from tests.uecda.model import Model, check

LOWEST = "sample_bots.lowest:Lowest"


def checked(clients, hands):
    """The model's report of a session without a mismatch."""
    report = check([c.down for c in clients], [c.up for c in clients], hands=hands)
    assert report.mismatches == []
    assert [c.ended for c in clients] == [2] * PLAYERS
    return report


@pytest.mark.slow
@pytest.mark.parametrize("seed", [9, 24])
def test_every_cell_of_a_session_is_as_described(seed: int) -> None:
    clients = five()
    hands = played(clients, hands=4, seed=seed)
    report = checked(clients, 4)
    finishes = [tuple(int(bot[-1]) for bot in hand.result.bots) for hand in hands]
    assert report.finishes == finishes


@pytest.mark.slow
@pytest.mark.parametrize("cut", [480, 77])
def test_plays_against_the_rules_are_passes_and_nothing_else_happens(cut: int) -> None:
    clients = five(wild)
    table_, sockets = contest(clients, hands=4, seed=3, cut=cut)
    hands = list(table_.play(sockets))
    report = checked(clients, 4)
    assert sum(report.refused.values()) > 20
    assert all(hand.result.faults == () for hand in hands)
    assert sum(seat.refused for seat in table_.clients) >= sum(report.refused.values())


@pytest.mark.slow
def test_a_recorded_session_is_played_again_to_the_byte() -> None:
    clients = replayed()
    played(clients, hands=HANDS, seed=SEED)
    down, up = golden_streams()
    assert [bytes(c.down) for c in clients] == down
    assert [bytes(c.up) for c in clients] == up


def test_the_recorded_session_has_all_that_is_rare() -> None:
    model = Model(*golden_streams(), hands=HANDS)
    report = model.run()
    assert report.mismatches == []
    rare = ("revolution", "lock", "eight", "joker", "lone joker", "spade 3", "exchange")
    assert all(model.seen[what] for what in rare)


@pytest.mark.slow
def test_seats_change_every_three_hands_and_classes_begin_anew_after_a_hundred() -> None:
    silent = [Client(f"probe{n}", lambda *_: rows_of()) for n in range(5)]
    hands = played(silent, hands=101, seed=1)
    seatings = [hand.seating for hand in hands]
    assert all(len(set(seatings[at : at + 3])) == 1 for at in range(0, 99, 3))
    assert len(set(seatings)) > 10
    with_classes = [bool(hand.steps[0].command.places) for hand in hands]
    assert [n for n, classes in enumerate(with_classes, start=1) if not classes] == [1, 101]


def quiet_after(turns, choose):
    """Plays so many turns and then says nothing."""
    left = [turns]

    def chosen(client, rows, pile):
        left[0] -= 1
        return choose(client, rows, pile) if left[0] >= 0 else None

    return chosen


@pytest.mark.slow
def test_for_a_client_that_falls_silent_it_is_passed_and_the_others_end_well() -> None:
    clients = [*five()[:4], Client("mute", quiet_after(3, lucky(9)))]
    table_, sockets = contest(clients, hands=2, seed=4, move_ms=1000, bank_ms=3000)
    hands = list(table_.play(sockets))
    assert [c.ended for c in clients] == [2, 2, 2, 2, None]
    mute = table_.clients[4]
    notes = [step.note for hand in hands for step in hand.steps]
    assert notes.count("late") == mute.late > 1
    assert sockets.now_s == pytest.approx(mute.late + 3, abs=0.5)
    assert mute.is_behind
    assert all(hand.result.faults == () for hand in hands)


@pytest.mark.slow
def test_a_late_answer_is_thrown_away_and_the_client_is_in_step_again() -> None:
    slow = Client("slow", lucky(9))
    inner, held = slow.choose, []

    def choose(client, rows, pile):
        answer = inner(client, rows, pile)
        if len(held) == 0:
            held.append(answer)
            return None
        return answer

    slow.choose = choose
    clients = [*five()[:4], slow]
    table_, sockets = contest(clients, hands=2, seed=4, move_ms=1000, bank_ms=0)
    hands = table_.play(sockets)
    next(hands)
    sockets.to_seat(table_.clients[4], table(held[0]))
    assert len(list(hands)) == 1
    assert [c.ended for c in clients] == [2] * 5
    assert table_.clients[4].late >= 1
    assert not table_.clients[4].is_behind


@pytest.mark.slow
def test_a_client_that_goes_is_answered_for_and_the_others_end_well() -> None:
    clients = five()
    table_, sockets = contest(clients, hands=2, seed=6)
    inner = clients[2].choose

    def choose(client, rows, pile):
        if client.hand == 1 and len(client.up) > 2000:
            table_.clients[2].leave()
        return inner(client, rows, pile)

    clients[2].choose = choose
    hands = list(table_.play(sockets))
    assert [clients[n].ended for n in (0, 1, 3, 4)] == [2] * 4
    assert clients[2].ended is None
    assert table_.clients[2].has_left_early
    assert "absent" in {step.note for step in hands[1].steps}


def test_when_all_have_gone_the_session_ends_with_the_hand() -> None:
    clients = five()
    table_, sockets = contest(clients, hands=50)
    for seat in table_.clients:
        seat.leave()
    assert len(list(table_.play(sockets))) == 1
    assert table_.is_deserted


@pytest.mark.slow
def test_stopped_it_ends_with_the_hand_and_says_so() -> None:
    clients = five()
    table_, sockets = contest(clients, hands=50)
    hands = []
    for hand in table_.play(sockets):
        hands.append(hand)
        table_.stop()
    assert len(hands) == 2
    assert [c.ended for c in clients] == [2] * 5


@pytest.mark.slow
def test_house_bots_take_the_seats_that_are_free_after_the_time_that_was_said() -> None:
    sockets = MemorySockets()
    said = []
    terms = ContestTerms(2, 1, (Fill(LOWEST, 20.0),))
    table_ = Contest(terms, said.append, seconds=sockets.seconds)
    client = Client("probe", lucky(1))
    sockets.now_s = 7.0
    sockets.join(table_, client)
    assert table_.gather(sockets)
    assert sockets.now_s == pytest.approx(27.0, abs=0.3)
    names = [player.name for player in table_.players]
    assert names == ["probe", "house", "house-2", "house-3", "house-4"]
    assert len(list(table_.play(sockets))) == 2
    assert client.ended == 2
    assert said == ["probe is player 0"]


def admitted(*names):
    """A contest that waits for five, and the seats of some clients."""
    table_ = Contest(ContestTerms(1, 1), lambda line: None)
    return table_, [table_.admit(name) for name in names]


def test_equal_names_get_a_number_and_a_sixth_client_no_seat() -> None:
    table_, seats = admitted(*["murata"] * 5, "okada")
    assert [player.name for player in table_.players][:3] == ["murata", "murata-2", "murata-3"]
    assert seats[5] is None


def test_who_leaves_before_the_first_hand_frees_its_number_if_it_is_the_last_one() -> None:
    table_, seats = admitted("a", "b", "c")
    seats[2].leave()
    assert table_.admit("d").player == 2
    seats[0].leave()
    assert table_.admit("e").player == 3
    assert table_.admit("f").player == 4
    assert table_.gather(MemorySockets())
    assert [player.name for player in table_.players] == ["house", "b", "d", "e", "f"]


@pytest.mark.slow
def test_what_was_played_is_a_record_that_can_be_verified() -> None:
    clients = five(wild)
    table_, sockets = contest(clients, hands=3, seed=8)
    setting = table_.setting()
    lines = list(record_lines(setting, table_.play(sockets), number=1, session="uecda"))
    report = verify(lines)
    assert (report.findings, report.hands) == ((), 3)
    assert '"note":"refused: ' in "".join(lines)
