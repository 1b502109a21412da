"""The played examples of the rules in the viewer: each option's, at any of its moments.

An example is a few cards and some moves, or whole hands in a row; the engine plays it when it is
asked for first. Moves that it refuses have no event: what they say stands with the moment before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import orjson

from arena.errors import BadInput, NotFound
from arena.narration.sentences import ABOVE, language
from arena.reference.entries import said, written
from arena.reference.examples import EXAMPLES
from arena.reference.scenes import (
    SEATS,
    Example,
    ExampleTable,
    Sat,
    Step,
    difference,
    hands_of,
    rules_of,
    steps_of,
    without,
)
from arena.rules import EMPTY, Ruleset, evolve
from arena.rules.cards import IDS, spoken
from arena.rules.options import OPTIONS
from arena.rules.presets import PRESETS
from arena.session.recorded_hand import RecordedStep
from arena.web.api.documents import JSON
from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.problems import Code
from arena.web.api.queries import Param
from arena.web.api.services import Call
from arena.web.pages.board import faces
from arena.web.pages.hands import AT, LANG, LANGUAGE_NAMES, moves_from, tricks_of
from arena.web.pages.moments import (
    HandMoment,
    Line,
    Narrator,
    head_document,
    moment_document,
    narrator,
)
from arena.web.pages.rendering import PAGE_COST, page, page_endpoint

HAND = Param("hand", "integer", "Which hand of an example that has several.", 1, least=1, most=9)
REFUSED = "refused"


class PlayedHand(NamedTuple):
    """A hand of an example. names: by seat; refusals: what was refused, each with the number of the
    last event before it."""

    rules: Ruleset
    names: tuple[str, ...]
    steps: tuple[RecordedStep, ...]
    refusals: tuple[tuple[int, str], ...] = ()

    def narrator(self, lang: str) -> Narrator:
        """Who tells it, with all cards."""
        return narrator(language(lang), self.names, self.rules, reader=ABOVE)

    def lines(self, by: Narrator) -> list[Line]:
        """What each step says; what was refused after it stands at its end."""
        lines = [line for line, _ in by.lines(self.steps)]
        ends = [*(line.at for line in lines[1:]), len(self) + 1]
        return [self._with_refusals(line, end) for line, end in zip(lines, ends, strict=True)]

    def moments(self, by: Narrator) -> Iterator[HandMoment]:
        """What each step says, and the board after it."""
        for line, moment in zip(self.lines(by), by.moments(self.steps), strict=True):
            yield moment._replace(line=line)

    def __len__(self) -> int:
        return sum(len(step.events) for step in self.steps)

    def _with_refusals(self, line: Line, end: int) -> Line:
        texts = [text for at, text in self.refusals if line.at <= at < end]
        if not texts:
            return line
        return line._replace(text=" ".join([line.text, *texts]), notable=(*line.notable, REFUSED))


@cache
def played(option: str) -> tuple[PlayedHand, ...]:
    """The hands of an option's example."""
    example = EXAMPLES[option]
    rules = rules_of(example)
    if isinstance(example, ExampleTable):
        return tuple(_whole(rules, hand) for hand in hands_of(rules, example))
    return (_scene(rules, steps_of(rules, example)),)


def _whole(rules: Ruleset, hand: Sat) -> PlayedHand:
    names = tuple(SEATS[player] for player in hand.after.seating)
    return PlayedHand(rules, names, tuple(_recorded(hand.steps)))


def _scene(rules: Ruleset, steps: Sequence[Step]) -> PlayedHand:
    refusals, at = [], -1
    for step in steps:
        at += len(step.events)
        if step.refused is not None:
            refusals.append((at, _refusal(step)))
    accepted = tuple(_recorded([step.events for step in steps if step.refused is None]))
    return PlayedHand(rules, tuple(SEATS[: rules.players]), accepted, tuple(refusals))


def _recorded(steps: Sequence[Sequence[Any]]) -> Iterator[RecordedStep]:
    first = 0
    for events in steps:
        yield RecordedStep(first, 0, tuple(events), None)
        first += len(events)


def _refusal(step: Step) -> str:
    """What was tried and why it was refused, as a sentence."""
    seat, *words = step.text.split()
    tried = ", ".join(spoken(word) if word in IDS else word for word in words)
    return f"{seat} tries: {tried}. Refused: {step.refused}."


def example_page(call: Call) -> Reply:
    """Show the played example of an option of the rules at one of its moments."""
    option, number = call.path["option"], call.query["hand"]
    example = _example(option)
    at, lang = call.query["at"], call.query["lang"]
    hand = _hand(call, option, number)

    def values() -> Mapping[str, Any]:
        return {
            **_about(option, example),
            **_shown(hand, at, lang),
            "number": number,
            "other": call.queries.long_work.computing(partial(difference, option, example)),
        }

    return page(call, "example.html", (option, number, at, lang), basis=None, values=values)


def example_moments(call: Call) -> Reply:
    """Get all moments of the played example of an option: what the viewer draws it from."""
    option, lang, number = call.path["option"], call.query["lang"], call.query["hand"]
    _example(option)
    hand = _hand(call, option, number)

    def render() -> bytes:
        by, before, documents = hand.narrator(lang), None, []
        for moment in hand.moments(by):
            documents.append(moment_document(moment, before))
            before = moment.board
        return orjson.dumps({**head_document(by, option, over=True), "moments": documents})

    compute = partial(call.queries.long_work.computing, render)
    key = "example", option, number, lang
    kept = call.services.pages.page(key, None, media=JSON, render=compute)
    return Reply(kept.body, etag=kept.etag, credit=-PAGE_COST)


def _example(option: str) -> Example:
    if option not in EXAMPLES:
        raise NotFound(option, "the rules have no option of that name; /rules lists them")
    return EXAMPLES[option]


def _hand(call: Call, option: str, number: int) -> PlayedHand:
    hands = call.queries.long_work.computing(partial(played, option))
    if number > len(hands):
        raise BadInput("hand", number, f"1 to {len(hands)}")
    return hands[number - 1]


def _about(option: str, example: Example) -> Mapping[str, Any]:
    """What an example is of."""
    return {
        "option": OPTIONS[option],
        "preset": example.preset,
        "source": PRESETS[example.preset].says,
        "settings": said(example.options),
        "without": written(without(option, example)),
        "hands": len(played(option)),
        "whole": isinstance(example, ExampleTable),
    }


def _shown(hand: PlayedHand, at: int | None, lang: str) -> Mapping[str, Any]:
    """The board at a moment, the sentences, and where one can go."""
    by = hand.narrator(lang)
    lines = hand.lines(by)
    moment = lines[0].at if at is None else at
    if not 0 <= moment < len(hand):
        raise BadInput("at", moment, f"an event, 0 to {len(hand) - 1}")
    events = [event for step in hand.steps for event in step.events]
    tricks = tricks_of(lines)
    return {
        "board": by.board(evolve(EMPTY, events[: moment + 1])),
        "faces": faces(by.words, hand.rules),
        "tricks": tricks,
        "at": moment,
        "current": next((line.at for line in lines if line.at >= moment), None),
        "last": len(events) - 1,
        "moves": moves_from(tricks, moment),
        "lang": lang,
        "languages": LANGUAGE_NAMES,
    }


def endpoints() -> tuple[Endpoint, ...]:
    """The routes of the examples."""
    path, bad = "/rules/examples/{option}", (Code.NOT_FOUND, Code.BAD_VALUE)
    return (
        page_endpoint(path, example_page, query=(AT, LANG, HAND), codes=bad),
        Endpoint(
            "GET",
            f"{path}/moments",
            example_moments,
            "moments",
            query=(LANG, HAND),
            codes=bad,
            further=(304,),
        ),
    )
