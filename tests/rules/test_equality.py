"""Four revolutions in a hand leave nobody rich or poor."""

from __future__ import annotations

from random import Random

from arena.rules import EMPTY, State, compile_ruleset, decide, evolve
from arena.rules.events import Reversed
from arena.rules.ruleset import Ruleset
from arena.sitting import Sitting, after_hand, next_deal, start
from tests.rules.dealing import lots, play_out, play_sitting
from tests.rules.table import after, holds, table

TRIPLES = {
    "shimin_byodo": True,
    "kakumei_triples": ["6", "7", "9"],
    "kakumei_timing": "immediate",
}
HANDS = "A S6 H6 D6 C3 C4 / B S7 H7 D7 C5 C8 / C S9 H9 D9 ST HT"


def ended(rules: Ruleset, revolutions: int) -> State:
    """A hand that is over, with so many revolutions."""
    state, _ = play_out(rules, 5)
    marks = {"revolutions": revolutions} if revolutions else {}
    return state.changed(hand_marks=marks)


def opening(rules: Ruleset, sitting: Sitting) -> State:
    drawn = lots(rules.players, Random(1))
    deck = Random(2).sample(rules.deck, len(rules.deck))
    deal = next_deal(rules, sitting, tuple(range(rules.players)), deck=deck, lots=drawn)
    return evolve(EMPTY, decide(rules, EMPTY, deal))


def test_every_revolution_is_counted_for_the_hand() -> None:
    """rests: XV-shimin_byodo"""
    scene = after(table(TRIPLES, HANDS), "A S6 H6 D6")
    assert scene.state.hand_marks["revolutions"] == 1
    after(scene, "B S7 H7 D7 !too_low, B pass, C pass, A C4, B pass, C pass, A C3")
    after(scene, "B pass, C pass, B S7 H7 D7")
    holds(scene, revolution=False)
    assert scene.state.hand_marks["revolutions"] == 2


def test_a_revolution_that_calls_a_pending_one_off_counts_too() -> None:
    """rests: XV-shimin_byodo AM-02"""
    options = TRIPLES | {"kakumei_timing": "next_clear"}
    scene = after(table(options, HANDS), "A S6 H6 D6, B S7 H7 D7, C S9 H9 D9")
    holds(scene, pending=True)
    assert scene.state.hand_marks["revolutions"] == 3


def test_a_revolution_that_is_declined_does_not_count() -> None:
    """rests: XV-shimin_byodo XV-kakumei_choice"""
    scene = after(table(TRIPLES | {"kakumei_optional": True}, HANDS), "A S6 H6 D6, A declines")
    assert "revolutions" not in scene.state.hand_marks


def test_after_four_revolutions_the_next_hand_has_neither_titles_nor_exchange() -> None:
    """rests: XV-shimin_byodo"""
    rules = compile_ruleset({"options": TRIPLES | {"first_lead": "lot"}})
    seating = tuple(range(rules.players))
    three = after_hand(rules, start(rules), seating, ended(rules, 3))
    assert opening(rules, three).questions
    four = after_hand(rules, start(rules), seating, ended(rules, 4))
    state = opening(rules, four)
    assert (state.questions, state.setup.before) == ((), ())
    assert state.setup.titles == (None,) * rules.players
    assert four.places == three.places
    assert four.dealer == three.dealer


def test_the_hand_after_that_one_has_titles_again() -> None:
    """rests: XV-shimin_byodo"""
    rules = compile_ruleset({"options": TRIPLES})
    seating = tuple(range(rules.players))
    equal = after_hand(rules, start(rules), seating, ended(rules, 4))
    assert opening(rules, after_hand(rules, equal, seating, ended(rules, 0))).questions


def test_over_many_hands_titles_are_missing_just_after_four_revolutions() -> None:
    """rests: XV-shimin_byodo"""
    options = {
        "shimin_byodo": True,
        "kakumei_set": 3,
        "kakumei": True,
        "kakumei_sequence": 4,
        "jokers": 2,
    }
    rules = compile_ruleset({"options": options})
    equal, after_equal = False, 0
    for number, hand in enumerate(play_sitting(rules, 60, seed=3)):
        assert bool(hand.opening.setup.before) == (number > 0 and not equal)
        after_equal += equal
        turned = [
            event
            for _, events in hand.steps
            for event in events
            if isinstance(event, Reversed) and event.scope == "pending"
        ]
        equal = len(turned) >= 4
    assert after_equal


def test_without_the_option_revolutions_change_no_titles() -> None:
    rules = compile_ruleset({"options": {"kakumei": True}})
    seating = tuple(range(rules.players))
    assert opening(rules, after_hand(rules, start(rules), seating, ended(rules, 9))).questions
