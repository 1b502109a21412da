"""The played examples of the rules in the viewer: each option's, at any of its moments.

An example is a few cards and some moves, or whole hands in a row; the engine plays it when somebody
asks for it first. A move that it refuses has no event: it stands with the moment before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple
from urllib.parse import urlencode

import orjson

from arena.errors import NotFound
from arena.narration.language import Detail
from arena.reference.entries import said, written
from arena.reference.examples import EXAMPLES
from arena.reference.scenes import (
    SEATS,
    ExampleSitting,
    ExampleStep,
    ExampleTable,
    difference,
    hands_of,
    rules_of,
    steps_of,
    without,
)
from arena.rules import Ruleset
from arena.rules.cards import IDS, spoken
from arena.rules.events import Event
from arena.rules.options import OPTIONS
from arena.session.recorded_hand import RecordedHand, RecordedStep
from arena.web.api.documents import JSON
from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.problems import Code
from arena.web.api.services import Call
from arena.web.pages.hands import (
    AT,
    DETAIL,
    LANG,
    LOG,
    PLAY,
    SEAT,
    SPEED,
    THEME,
    HandView,
    moves_from,
    tricks_of,
    viewer_values,
)
from arena.web.pages.moments import HandMoment, Line, Narrator, moments_document
from arena.web.pages.rendering import PAGE_COST, data_block, page, page_endpoint

REFUSED = "refused"


class ShownExample(NamedTuple):
    """A hand of an example. refusals: what was refused, each with the number of the last event
    before it."""

    hand: RecordedHand
    refusals: tuple[tuple[int, str], ...] = ()

    def lines(self, by: Narrator) -> list[Line]:
        """What each step says; what was refused after it stands at its end."""
        return self.with_refusals([line for line, _ in by.lines(self.hand.steps)])

    def with_refusals(self, lines: Sequence[Line]) -> list[Line]:
        """All lines of the hand, with what was refused."""
        ends = [*(line.at for line in lines[1:]), len(self.hand.events)]
        return [self._with_refusals(line, end) for line, end in zip(lines, ends, strict=True)]

    def moments(self, by: Narrator) -> Iterator[HandMoment]:
        """What each step says, and the board after it."""
        moments = list(by.moments(self.hand.steps))
        lines = self.with_refusals([moment.line for moment in moments])
        for line, moment in zip(lines, moments, strict=True):
            yield moment._replace(line=line)

    def _with_refusals(self, line: Line, end: int) -> Line:
        texts = [text for at, text in self.refusals if line.at <= at < end]
        if not texts:
            return line
        return line._replace(text=" ".join([line.text, *texts]), notable=(*line.notable, REFUSED))


@cache
def played(option: str) -> tuple[ShownExample, ...]:
    """The hands of an option's example."""
    example = EXAMPLES[option]
    rules = rules_of(example)
    if isinstance(example, ExampleTable):
        hands = enumerate(hands_of(rules, example), 1)
        return tuple(_whole(option, number, rules, hand=hand) for number, hand in hands)
    return (_scene(option, rules, steps_of(rules, example)),)


def _whole(option: str, number: int, rules: Ruleset, *, hand: ExampleSitting) -> ShownExample:
    names = [SEATS[player] for player in hand.after.seating]
    return ShownExample(_recorded(option, number, rules, names=names, steps=hand.steps))


def _scene(option: str, rules: Ruleset, steps: Sequence[ExampleStep]) -> ShownExample:
    refusals, at = [], -1
    for step in steps:
        at += len(step.events)
        if step.refused is not None:
            refusals.append((at, _refusal(step)))
    accepted = [step.events for step in steps if step.refused is None]
    hand = _recorded(option, 1, rules, names=SEATS[: rules.players], steps=accepted)
    return ShownExample(hand, tuple(refusals))


def _recorded(
    option: str,
    number: int,
    rules: Ruleset,
    *,
    names: Iterable[str],
    steps: Iterable[Sequence[Event]],
) -> RecordedHand:
    recorded, first = [], 0
    for events in steps:
        recorded.append(RecordedStep(first, 0, tuple(events), None))
        first += len(events)
    return RecordedHand(option, option, number, 1, tuple(names), rules, tuple(recorded), "")


def _refusal(step: ExampleStep) -> str:
    """What was tried and why it was refused, as a sentence."""
    seat, *words = step.text.split()
    tried = ", ".join(spoken(word) if word in IDS else word for word in words)
    return f"{seat} tries: {tried}. Refused: {step.refused}."


def example_page(call: Call) -> Reply:
    """Show the played example of an option of the rules at one of its moments."""
    return _page(call, 1)


def example_hand(call: Call) -> Reply:
    """Show one hand of an option's example that has several, by its number from 1."""
    return _page(call, _number(call))


def _page(call: Call, number: int) -> Reply:
    option, view = call.path["option"], _view(call)
    chosen = tuple(call.query[each] for each in ("at", "log", "theme"))
    of = _hand(call, option, number)

    def values() -> Mapping[str, Any]:
        return {**_about(call, option), "number": number, **_shown(of, view, *chosen)}

    return page(call, "example.html", (option, number, view, *chosen), basis=None, values=values)


def example_moments(call: Call) -> Reply:
    """Get all moments of a hand of an option's example: what the viewer draws it from."""
    option, view, number = call.path["option"], _view(call), _number(call)
    of = _hand(call, option, number)
    by = view.narrator(of.hand)

    def render() -> bytes:
        return orjson.dumps(moments_document(by, option, of.moments(by)))

    compute = partial(call.queries.long_work.computing, render)
    key = "example", option, number, view
    kept = call.services.pages.page(key, None, media=JSON, render=compute)
    return Reply(kept.body, etag=kept.etag, credit=-PAGE_COST)


def _view(call: Call) -> HandView:
    return HandView(call.query["seat"], call.query["lang"], Detail(call.query["detail"]))


def _number(call: Call) -> int:
    """The number of a hand in a path; 0 for what is no number."""
    text = call.path["number"]
    return int(text) if text.isascii() and text.isdigit() else 0


def _hand(call: Call, option: str, number: int) -> ShownExample:
    """A hand of an example. Raises NotFound."""
    if option not in EXAMPLES:
        raise NotFound(option, "the rules have no option of that name; /rules lists them")
    hands = call.queries.long_work.computing(partial(played, option))
    if not 1 <= number <= len(hands):
        raise NotFound(option, f"its example has the hands 1 to {len(hands)}")
    return hands[number - 1]


def _about(call: Call, option: str) -> Mapping[str, Any]:
    """What an example is of, and how it goes without its option."""
    example = EXAMPLES[option]
    compute = call.queries.long_work.computing
    return {
        "option": OPTIONS[option],
        "preset": example.preset,
        "settings": said(example.options),
        "without": written(without(option, example)),
        "other": compute(partial(difference, option, example)),
        "hands": len(played(option)),
    }


def _shown(
    of: ShownExample, view: HandView, at: int | None, log: str, theme: str | None
) -> Mapping[str, Any]:
    """What the viewer shows, with what was refused. Raises BadInput."""
    values = viewer_values(of.hand, view, at, log, theme)
    by = view.narrator(of.hand)
    moments = list(of.moments(by))
    tricks = tricks_of([moment.line for moment in moments])
    moves = moves_from(tricks, values["at"])
    inline = data_block(moments_document(by, of.hand.hand, moments))
    shown = {"tricks": tricks, "moves": moves, "inline": inline, "data": _data(of.hand, view)}
    return {**values, **shown}


def _data(hand: RecordedHand, view: HandView) -> Mapping[str, str]:
    """What the viewer's script has to know."""
    seat = {} if view.seat is None else {"seat": view.seat}
    query = urlencode({**seat, "lang": view.lang, "detail": view.detail})
    return {"moments": f"/rules/examples/{hand.hand}/{hand.number}/moments?{query}"}


def endpoints() -> tuple[Endpoint, ...]:
    """The routes of the examples."""
    path, bad = "/rules/examples/{option}", (Code.NOT_FOUND, Code.BAD_VALUE)
    query = (AT, SEAT, LANG, DETAIL, LOG, THEME, SPEED, PLAY)
    return (
        page_endpoint(path, example_page, query=query, codes=bad),
        page_endpoint(f"{path}/{{number}}", example_hand, query=query, codes=bad),
        Endpoint(
            "GET",
            f"{path}/{{number}}/moments",
            example_moments,
            "moments",
            query=(SEAT, LANG, DETAIL),
            codes=bad,
            further=(304,),
        ),
    )
