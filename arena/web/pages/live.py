"""A hand as everybody may follow it: as a page has it, and as a stream sends it moment by moment.

Who watches sees what lies open on the table and how many cards each seat has, in the words of the
narration; and not how long anybody thought, which is not published while a hand runs. This module
knows no request and no HTML.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from arena.narration.language import Detail
from arena.narration.sentences import PUBLIC, language
from arena.referee.live import Hand
from arena.session.hand_log import Step
from arena.session.recorded_hand import RecordedHand, RecordedStep
from arena.web.pages.board import Board
from arena.web.pages.moments import START, moment_document, narrator
from arena.web.streams.hands import Form


def as_recorded(hand: Hand) -> RecordedHand:
    """A hand as far as it has been played, with all its cards: for readers who know no others than
    `Perspective` lets them see."""
    names = tuple(name for _, name in hand.shown)
    steps = tuple(map(_recorded_step, tuple(hand.log.steps)))
    table = hand.table
    return RecordedHand(
        hand.id, table.id, hand.number, table.round, names, table.rules, steps, void=""
    )


def _recorded_step(step: Step) -> RecordedStep:
    return RecordedStep(step.seq, step.at_ms, step.events, None)


def as_watched(hand: RecordedHand) -> RecordedHand:
    """A recorded hand as those had it who watched: without the times that turns took, and without
    what bots wrote."""
    return hand._replace(
        steps=tuple(step._replace(charged_ms=None, note="") for step in hand.steps)
    )


def until(hand: RecordedHand, events: int | None) -> RecordedHand:
    """A hand up to a number of events; None for all of them."""
    if events is None:
        return hand
    return hand._replace(steps=tuple(step for step in hand.steps if step.first < events))


def moments_form(query: Mapping[str, Any]) -> Form:
    """The form of a stream in which each step is a moment, as the viewer draws it."""
    lang, detail = query["lang"], Detail(query["detail"])

    def writer(hand: Hand) -> Callable[[Step], Any]:
        names = tuple(name for _, name in hand.shown)
        by = narrator(language(lang), names, hand.table.rules, reader=PUBLIC, detail=detail)
        point = START
        before: Board | None = None

        def write(step: Step) -> dict[str, Any] | None:
            nonlocal point, before
            moments = []
            for moment in by.moments((_recorded_step(step),), point):
                moments.append(moment_document(moment, before))
                before = moment.board
            point = point.after(step.events)
            return {"hand": hand.id, "moments": moments} if moments else None

        return write

    return Form(f"moments/{lang}/{detail}", "moments", writer)
