"""What the hands of a session say of one bot, and of two."""

from __future__ import annotations

import pytest

from arena.session.profiles import pairing, profile, row_of
from arena.session.scoring import ScoredHand, played
from arena.tournament.standings import Entrant, Standings, compile_standings

BOTS = ("b-a", "b-b", "b-c")


def hand(number: int, places: list[int], **members: object) -> ScoredHand:
    """A hand of the three; places: player by player, best to last."""
    said = {
        "places": places,
        "finish": [1, 2, 3],
        "faults": [],
        "forfeits": [],
        "points": [5, 3, 0],
        "moves": [10, 20, 30],
        "charged_ms": [100, 400, 900],
        **members,
    }
    name = f"cup-r{number:02}-t01-h001"
    return played(said, bots=BOTS, seating=(0, 1, 2), block=f"b{number}", pool="p", hand=name)


HANDS = [
    hand(1, [0, 1, 2]),
    hand(2, [0, 2, 1]),
    hand(3, [1, 0, 2], faults=[{"player": 2, "cause": "timeout", "seat": 2, "seq": 9}]),
    hand(4, [2, 1, 0]),
    hand(5, [0, 1, 2], forfeits=[2], faults=[]),
]


@pytest.fixture(scope="module")
def standings() -> Standings:
    entrants = [Entrant(bot, name=bot[-1]) for bot in (*BOTS, "b-d")]
    return compile_standings([each.result for each in HANDS], entrants)


def test_a_bot_is_found_by_its_id_or_its_name_and_by_the_id_first(standings: Standings) -> None:
    assert row_of(standings, "b-a") == row_of(standings, "a")
    assert row_of(standings, "nobody") is None
    named = compile_standings([], [Entrant("x", name="y"), Entrant("y", name="x")])
    found = row_of(named, "x")
    assert found is not None
    assert found.name == "y"


def test_places_faults_and_times_are_those_of_its_hands(standings: Standings) -> None:
    row = row_of(standings, "a")
    assert row is not None
    said = profile(standings, HANDS, row)
    assert said.places == {1: 2, 2: 1, 3: 1}
    assert said.faults == {}
    assert (said.moves, said.charged_ms) == (50, 500)
    assert [each.hand for each in said.hands] == [each.hand for each in HANDS]
    assert [each.played for each in said.hands] == [True] * 4 + [False]
    failed = row_of(standings, "c")
    assert failed is not None
    assert profile(standings, HANDS, failed).faults == {"timeout": 1}


def test_the_best_hands_are_those_that_nobody_expected(standings: Standings) -> None:
    row = row_of(standings, "c")
    assert row is not None
    said = profile(standings, HANDS, row)
    assert said.best[0].hand == "cup-r04-t01-h001"
    assert said.best[0].surplus > 1
    assert all(each.surplus < 0 for each in said.worst)
    assert said.worst[0].surplus <= said.worst[-1].surplus
    assert "cup-r05-t01-h001" not in [each.hand for each in said.worst]


def test_what_is_left_behind_beyond_expectation_adds_up_to_nothing(standings: Standings) -> None:
    rows = [row_of(standings, bot) for bot in BOTS]
    said = [profile(standings, HANDS, row) for row in rows if row is not None]
    for number in range(4):
        assert sum(each.hands[number].surplus for each in said) == pytest.approx(0)


def test_two_bots_have_the_hands_that_they_shared(standings: Standings) -> None:
    a, c = row_of(standings, "a"), row_of(standings, "c")
    assert a is not None
    assert c is not None
    said = pairing(standings, HANDS, a, c)
    assert said.record is not None
    assert (said.record.hands, said.record.ahead) == (5, 4)
    assert [(each.place, each.other_place) for each in said.hands[:4]] == [
        (1, 3),
        (1, 2),
        (2, 3),
        (3, 1),
    ]
    assert said.gap is not None
    assert said.gap.elo > 0


def test_who_never_met_has_neither_record_nor_difference(standings: Standings) -> None:
    a, d = row_of(standings, "a"), row_of(standings, "d")
    assert a is not None
    assert d is not None
    assert pairing(standings, HANDS, a, d)[2:] == (None, None, ())
    said = profile(standings, HANDS, d)
    assert (said.met, said.hands, said.best, said.worst) == ((), (), (), ())
