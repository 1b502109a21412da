"""Results without what cards explain: the mean stays, the spread shrinks, by others' blocks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import BadInput
from arena.tournament.luck import DealtHand, dealt_hand, luck
from arena.tournament.reporting.luck_reports import luck_document, luck_text
from arena.tournament.results import HandResult
from tests.tournament.simulation import hand

BOTS = ("a", "b", "c", "d")
RANKS = 14


def session(seed: int, *, blocks: int = 40, worth: float = 0.3) -> list[DealtHand]:
    """Hands of four in which strength, cards and chance decide; good cards are those of rank 12."""
    chance = np.random.default_rng(seed)
    hands = []
    for block in range(blocks):
        for _ in range(3):
            cards = chance.multivariate_hypergeometric([4] * RANKS, 14, size=4) - 1.0
            score = np.arange(4) * 0.3 + worth * cards[:, 12] + chance.normal(size=4)
            order = [BOTS[at] for at in np.argsort(-score)]
            by_seat = [tuple(row) for row in cards.tolist()]
            hands.append(dealt_hand(hand(*order, block=f"{block:03}"), BOTS, by_seat))
    return hands


def test_luck_goes_with_the_bot_whatever_its_place() -> None:
    dealt = dealt_hand(hand("c", "a"), ("a", "b", "c"), [(1.0,), (2.0,), (3.0,)])
    assert dealt.luck == ((3.0,), (1.0,))


@pytest.mark.slow
def test_the_mean_stays_and_the_spread_shrinks() -> None:
    found = [luck(session(seed, worth=2.0)).bots for seed in range(30)]
    plain = np.array([[each.plain.mean for each in bots] for bots in found])
    adjusted = np.array([[each.adjusted.mean for each in bots] for bots in found])
    lucks = plain - adjusted
    assert (np.abs(lucks.mean(axis=0)) < 3.5 * lucks.std(axis=0, ddof=1) / math.sqrt(30)).all()
    assert adjusted.var(axis=0).sum() < 0.75 * plain.var(axis=0).sum()
    assert 0.25 < np.mean([luck(session(seed, worth=2.0)).saved for seed in range(5)]) < 0.8


def test_cards_that_decide_nothing_take_next_to_nothing_away() -> None:
    saved = [luck(session(seed, worth=0.0)).saved for seed in range(10)]
    assert -0.2 < np.mean(saved) < 0.02


def test_no_block_has_a_part_in_what_its_own_cards_are_worth() -> None:
    """A guest plays in one block only: whatever it wins there, the correction is the same."""
    hands, corrections = session(1), set()
    for at, line_up in enumerate((("guest", "a", "b"), ("b", "a", "guest"))):
        cards = [(0.0,) * 12 + (by, -by) for by in (2.0, -1.0, -1.0)]
        guest = dealt_hand(hand(*line_up, block="999"), ("guest", "a", "b"), cards)
        (found,) = [each for each in luck([*hands, guest]).bots if each.bot == "guest"]
        assert found.plain.mean == 1 - at
        corrections.add(found.luck)
    (correction,) = {round(each, 12) for each in corrections}
    assert correction > 0.05


@pytest.mark.slow
@given(st.permutations(range(30)))
def test_the_order_of_hands_changes_nothing(order: list[int]) -> None:
    hands = session(2, blocks=10)
    assert luck([hands[at] for at in order]) == luck(hands)


def test_ties_count_half() -> None:
    zero = ((0.0,) * RANKS,) * 3
    result = HandResult("x", "p", ("a", "b", "c"), (1, 1, 3))
    hands = [DealtHand(result._replace(block=str(block)), zero) for block in range(10)]
    shares = {each.bot: each.plain.mean for each in luck(hands).bots}
    assert shares == {"a": 0.75, "b": 0.75, "c": 0.0}


def test_few_blocks_are_refused() -> None:
    with pytest.raises(BadInput, match="9; expected 10 or more"):
        luck(session(3, blocks=9))


def test_table_and_document_name_bots_best_first_and_say_that_it_is_not_official() -> None:
    found = luck(session(4))
    text = luck_text(found, {"d": "茶"})
    best = sorted(found.bots, key=lambda each: -each.adjusted.mean)
    named = ["茶" if each.bot == "d" else each.bot for each in best]
    assert [line.split()[0] for line in text.splitlines()[1:5]] == named
    assert "Not the official number" in text
    bots = luck_document(found, {"d": "茶"})["bots"]
    assert isinstance(bots, list)
    assert [each["name"] for each in bots] == named
    assert bots[0]["adjusted_percent"] == pytest.approx(
        bots[0]["ahead_percent"] - bots[0]["luck_percent"], abs=0.02
    )


def test_nothing_is_known_of_the_error_of_one_block() -> None:
    guest = hand("guest", "a", block="999")
    hands = [*session(5), dealt_hand(guest, ("a", "guest"), [(0.0,) * RANKS] * 2)]
    (row,) = [
        each
        for each in luck_document(luck(hands), {})["bots"]  # type: ignore[attr-defined]
        if each["bot"] == "guest"
    ]
    assert (row["ahead_error_percent"], row["adjusted_error_percent"]) == (None, None)
    assert " - " in luck_text(luck(hands), {})
