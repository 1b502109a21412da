"""One bot against another, in the hands that they shared."""

from __future__ import annotations

import pytest

from arena.tournament.head_to_head import gap, records
from arena.tournament.ratings import rate
from arena.tournament.reporting.report_documents import cross_document
from arena.tournament.results import HandResult, forfeit, settle
from arena.tournament.standings import compile_standings
from arena.tournament.superiority import separations
from arena.tournament.tallies import tally
from tests.tournament.simulation import played
from tests.tournament.test_ratings import LADDER, TWELVE

HANDS = played(TWELVE, LADDER, seed=1, hands=5)


def hand(block: str, *bots: str, ties: bool = False) -> HandResult:
    places = [1] * len(bots) if ties else list(range(1, len(bots) + 1))
    return settle(bots, places, block=block, pool="p")


@pytest.mark.slow
def test_the_records_are_those_of_the_cross_table() -> None:
    standings = compile_standings(HANDS)
    (group,) = cross_document(standings)["groups"]
    order = [bot["bot"] for bot in group["bots"]]
    for i, bot in enumerate(order):
        met = records(standings.ratings.tally, bot)
        assert {other: record.ahead for other, record in met.items()} == {
            order[j]: group["ahead"][i][j] for j in range(len(order)) if group["shared"][i][j]
        }
        assert all(met[order[j]].hands == group["shared"][i][j] for j in range(12) if i != j)


def test_what_one_has_won_the_other_has_lost_with_the_same_error() -> None:
    counted = tally(HANDS)
    one = records(counted, "bot03")["bot08"]
    other = records(counted, "bot08")["bot03"]
    assert one.ahead + other.ahead == one.hands == other.hands
    assert one.error == pytest.approx(other.error)


def test_ties_are_halves_and_forfeited_hands_count_against_who_was_out() -> None:
    hands = [
        hand("b1", "a", "b", "c", ties=True),
        forfeit(["a", "b", "c"], ["c"], block="b2", pool="p"),
    ]
    met = records(tally(hands), "a")
    assert (met["b"].hands, met["b"].ahead) == (1, 0.5)
    assert (met["c"].hands, met["c"].ahead) == (2, 1.5)


def test_a_single_block_has_no_error_and_a_clean_record_is_not_sure() -> None:
    assert records(tally([hand("b1", "a", "b")] * 9), "a")["b"].error is None
    clean = records(tally([hand(f"b{n}", "a", "b") for n in range(10)]), "a")["b"]
    assert clean.share == 1.0
    assert clean.error is not None
    assert 0.1 < clean.error < 0.4


def test_hands_that_go_together_in_a_block_leave_it_less_sure() -> None:
    mixed = [hand(f"b{n}", *pair) for n in range(8) for pair in (("a", "b"), ("b", "a"))]
    alike = [hand(f"b{n}", *(("a", "b") if n % 2 else ("b", "a"))) for n in range(8)] * 2
    sure, unsure = (records(tally(hands), "a")["b"].error for hands in (mixed, alike))
    assert sure is not None
    assert unsure is not None
    assert unsure > 1.2 * sure


def test_a_bot_without_a_hand_has_met_nobody() -> None:
    counted = tally([hand("b1", "a", "b")], roster=["c"])
    assert records(counted, "c") == {}
    assert records(counted, "nobody") == {}


def test_the_gap_is_that_of_the_separations() -> None:
    group = rate(HANDS).groups[0]
    (said,) = separations(group, ["bot09", "bot02"], {"bot09": 10, "bot02": 10})
    between = gap(group, "bot09", "bot02")
    assert between == pytest.approx((said.gap, said.error, said.superiority))
    assert gap(group, "bot02", "bot09").elo == pytest.approx(-said.gap)
