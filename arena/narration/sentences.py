"""Sentences out of events: what happened, event by event, and how things stand.

The state is folded from all events; a sentence is made from an event as its reader may know it
(`arena.rules.redact`), and uses of the state only what everybody knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from arena.errors import BadInput
from arena.narration.english import ENGLISH
from arena.narration.japanese import JAPANESE
from arena.narration.language import Language, Speaker
from arena.rules import EMPTY, Menu, Ruleset, State, evolve, redact, see
from arena.rules import events as e
from arena.rules.legal import PASSES
from arena.rules.options import OPTIONS

LANGUAGES = {words.code: words for words in (ENGLISH, JAPANESE)}


class Perspective(NamedTuple):
    """Who reads: a seat, everybody (None), or somebody who sees all cards (`above`)."""

    seat: int | None = None
    above: bool = False

    def event(self, event: e.Event) -> e.Event:
        """An event as the reader may know it."""
        return event if self.above else redact(event, self.seat)

    def hands(self, state: State) -> tuple[int, ...]:
        """The cards of each seat; 0 where the reader does not know them."""
        if self.above:
            return state.held
        return tuple(held if p == self.seat else 0 for p, held in enumerate(state.held))


PUBLIC = Perspective()
ABOVE = Perspective(above=True)


class Sentence(NamedTuple):
    """What one event says.

    number: of the event in its hand, from 0; seat: whom it is about, -1 for nobody; notable: what a
    reader may want to jump to, "" if it is nothing of the kind; rule: the option that made it
    happen, "" for the game itself.
    """

    number: int
    seat: int
    text: str
    notable: str = ""
    rule: str = ""


def language(code: str) -> Language:
    """A language by its code. Raises BadInput."""
    if code not in LANGUAGES:
        raise BadInput("language", code, "one of " + ", ".join(LANGUAGES))
    return LANGUAGES[code]


def narrate(
    words: Language,
    speaker: Speaker,
    events: Iterable[e.Event],
    *,
    reader: Perspective,
    state: State = EMPTY,
) -> Iterator[Sentence]:
    """A sentence for each event that says something. events: with all cards; state: before them."""
    for event in events:
        state = evolve(state, (event,))
        known = reader.event(event)
        phrase = words.phrases[type(known)](speaker, state, known)
        if phrase:
            rule = getattr(known, "by", "")
            text = words.sentence(phrase, OPTIONS.get(rule))
            yield Sentence(state.seq - 1, getattr(known, "seat", -1), text, notable(known), rule)


def notable(event: e.Event) -> str:
    """A word for what a reader may want to jump to; "" for everything else."""
    match event:
        case e.Reversed(scope="hand"):
            return "revolution"
        case e.Cleared(by=rule) if rule:
            return "cut"
        case e.Marked(
            name="suit_lock" | "number_lock" | "colour_lock" | "rank_limit", value=value
        ) if value:
            return "lock"
        case e.Out():
            return "out"
        case e.Fouled():
            return "foul"
        case e.Fell():
            return "fall"
        case e.Expired():
            return "fault"
    return ""


def describe_position(
    words: Language, speaker: Speaker, rules: Ruleset, state: State, *, reader: Perspective
) -> list[str]:
    """How things stand, in lines, as the reader may know it."""
    return words.position(speaker, see(rules, state, reader.seat), reader.hands(state))


def describe_answers(words: Language, menu: Menu) -> list[str]:
    """Each answer of a menu in words, in its order."""
    passes = [words.answer(PASSES[menu.seat])] if menu.may_pass else []
    return [*passes, *map(words.answer, menu.melds), *map(words.answer, menu.others)]
