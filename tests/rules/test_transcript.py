"""A hand in words: who did what, and what followed from it."""

from __future__ import annotations

from arena.errors import Reason, Refused
from arena.reference.scenes import with_hands
from arena.rules import EMPTY, Ruleset, State, compile_ruleset, decide, evolve, redact
from arena.rules.cards import parse
from arena.rules.commands import Discard, Expire, Pass, Play
from arena.rules.events import Event
from arena.rules.transcript import Voice, describe, hand_lines, move_line, refusal_line, transcript
from tests.rules.dealing import play_out

VOICE = Voice()


def table(options: dict[str, object], hands: str) -> tuple[Ruleset, State]:
    """A ruleset for three and a hand with these cards, A to lead."""
    rules = compile_ruleset({"preset": "pagat", "options": {"players": 3, **options}})
    return rules, with_hands(rules, hands)


def test_a_line_says_what_was_played_and_by_which_rule_something_followed() -> None:
    rules, state = table({"hachi_giri": True}, "A S8 H8 S3 / B HK / C CK")
    events = decide(rules, state, Play(0, parse(["S8", "H8"])))
    assert move_line(VOICE, state, events) == (
        "A  S8 H8              「八切り」 hachi_giri: cleared; A leads"
    )


def test_players_may_have_names_and_cards_may_be_spoken() -> None:
    rules, state = table({}, "A S8 S3 / B HK / C CK")
    events = decide(rules, state, Play(0, parse(["S8"])))
    voice = Voice(("Aki", "Chi", "Emi"), spoken=True)
    assert describe(voice, state, events) == ("Aki", "eight of spades", ["Chi to play"])
    assert hand_lines(voice, state)[0] == "Aki: three of spades, eight of spades"


def test_a_joker_is_told_with_what_it_stands_for() -> None:
    rules, state = table({}, "A S8 S9 JK S3 / B HK / C CK")
    events = decide(rules, state, Play(0, parse(["S8", "S9", "JK"])))
    assert describe(VOICE, state, events)[1] == "S8 S9 JK as ST"


def test_an_answer_of_the_referee_names_its_cause() -> None:
    rules, state = table({}, "A S8 S3 / B HK / C CK")
    events = decide(rules, state, Expire(0, "timeout"))
    assert describe(VOICE, state, events) == ("A", "S3 (timeout)", ["B to play"])


def test_a_refusal_names_its_reason() -> None:
    refused = Refused(Reason.SUIT_LOCKED, "the suits are locked", rule="shibari")
    assert refusal_line(VOICE, 1, "H9", refused) == (
        "B  H9                 refused: suit_locked (「縛り」 shibari)"
    )


def test_hidden_cards_are_told_by_their_number() -> None:
    rules, state = table({"ten_discard": "on_play"}, "A ST HT S3 S4 S5 / B HK / C CK")
    state = evolve(state, decide(rules, state, Play(0, parse(["ST", "HT"]))))
    events = decide(rules, state, Discard(0, parse(["S3", "S4"])))
    seen: list[Event] = [redact(event, 1) for event in events]
    assert describe(VOICE, state, events)[1] == "throws away S3 S4"
    assert describe(VOICE, state, [seen[0]])[1] == "throws away 2 cards"


def test_a_pass_that_clears_says_who_leads() -> None:
    rules, state = table({}, "A S8 S3 / B HK / C CK")
    for command in (Play(0, parse(["S8"])), Pass(1)):
        state = evolve(state, decide(rules, state, command))
    events = decide(rules, state, Pass(2))
    assert describe(VOICE, state, events) == ("C", "pass", ["cleared", "A leads"])


def test_a_whole_hand_has_a_line_for_each_step() -> None:
    _, steps = play_out(compile_ruleset("ru+tens+kakumei"), 5, places=(1, 0, 3, 2))
    lines = transcript([events for _, events in steps], EMPTY)
    assert len(lines) == len(steps)
    assert "the hand ends" in lines[-1]
