"""The moments of a hand: what each step says, and the board after it, for one reader.

The pages draw from these values on the server, the script of the viewer draws the same from their
JSON, one hand in one document or moment by moment while it is played. Words, and what a reader may
know, come from the narration; nothing here knows a request or HTML.

The JSON of a board is what has changed since the moment before it, or everything in the first
(`board.changes`). Cards are names; how they are drawn stands once, at the head of the document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from arena.narration.language import Detail, Language, Speaker
from arena.narration.sentences import Perspective, narrate
from arena.rules import EMPTY, Ruleset, State, evolve
from arena.rules.events import Cleared, Event, Played
from arena.session.recorded_hand import RecordedStep
from arena.tournament.reporting.markup import printable
from arena.web.pages.board import AREAS, Board, board, changes, faces

LONG_THOUGHT_MS = 5_000
NOTABLE = {
    "revolution": "revolution",
    "cut": "cleared by a rule",
    "lock": "lock",
    "out": "out",
    "foul": "forbidden last play",
    "fall": "fall",
    "fault": "answered by the referee",
}
LONG_THOUGHT = "long thought"


def seconds_text(ms: int) -> str:
    """A time as it is shown: begun tenths are left out, and what is less than one is not worth a
    word."""
    tenths = ms // 100
    return f"{tenths // 10}.{tenths % 10} s" if tenths else ""


class Line(NamedTuple):
    """What one step says.

    at: the number of its last event; trick: from 1; seat: whom it is about, -1 for nobody; notable:
    words for what is; charged_ms: what the turn cost, None where there was none.
    """

    at: int
    trick: int
    seat: int
    text: str
    notable: tuple[str, ...]
    charged_ms: int | None

    @property
    def seconds(self) -> str:
        """What the turn cost, as it is shown."""
        return seconds_text(self.charged_ms or 0)


class HandMoment(NamedTuple):
    """What one step says, and the board after it."""

    line: Line
    board: Board


class Progress(NamedTuple):
    """How far a hand has come. trick: from 1; play: the cards that were played last."""

    state: State = EMPTY
    trick: int = 1
    play: tuple[str, ...] = ()

    def after(self, events: Iterable[Event]) -> Progress:
        """The point after some events."""
        state, trick, play = evolve(self.state, events), self.trick, self.play
        for event in events:
            if isinstance(event, Played):
                play = event.meld.codes
            elif isinstance(event, Cleared) and not state.over:
                trick += 1
        return Progress(state, trick, play)


START = Progress()


class Narrator(NamedTuple):
    """Who puts a hand into moments: in which words, for which reader, by which rules."""

    words: Language
    speaker: Speaker
    rules: Ruleset
    reader: Perspective

    def lines(
        self, steps: Iterable[RecordedStep], since: Progress = START
    ) -> Iterator[tuple[Line, Progress]]:
        """What each step says, if anything, with the point after it. since: the point before."""
        for step in steps:
            line = self.line(step, since)
            since = since.after(step.events)
            if line is not None:
                yield line, since

    def moments(
        self, steps: Iterable[RecordedStep], since: Progress = START
    ) -> Iterator[HandMoment]:
        """The moment after each step that says something. since: the point before them."""
        for line, point in self.lines(steps, since):
            yield HandMoment(line, self.board(point))

    def board(self, point: Progress) -> Board:
        """The board as the reader may see it. What was played last lies faded on an empty table."""
        drawn = board(self.words, self.speaker, self.rules, point.state, reader=self.reader)
        return drawn if drawn.pile else drawn._replace(under=point.play)

    def line(self, step: RecordedStep, since: Progress) -> Line | None:
        """What one step says; None if it says nothing. since: the point before it."""
        sentences = list(
            narrate(self.words, self.speaker, step.events, reader=self.reader, state=since.state)
        )
        if not sentences:
            return None
        notable = [NOTABLE[each.notable] for each in sentences if each.notable]
        if step.charged_ms is not None and step.charged_ms >= LONG_THOUGHT_MS:
            notable.append(LONG_THOUGHT)
        return Line(
            step.first + len(step.events) - 1,
            since.trick,
            sentences[0].seat,
            self.words.between.join(each.text for each in sentences),
            tuple(dict.fromkeys(notable)),
            step.charged_ms,
        )


def narrator(
    words: Language,
    names: Iterable[str],
    rules: Ruleset,
    *,
    reader: Perspective,
    detail: Detail = Detail.NORMAL,
) -> Narrator:
    """The narrator of a hand of these players, by seat."""
    speaker = Speaker(tuple(map(printable, names)), rules.table.titles, detail)
    return Narrator(words, speaker, rules, reader)


def moment_document(moment: HandMoment, before: Board | None) -> dict[str, Any]:
    """A moment as JSON; before: the board of the moment before it, None for the first."""
    return {**moment.line._asdict(), "board": changes(moment.board, before)}


def moments_document(
    by: Narrator,
    hand: str,
    moments: Iterable[HandMoment],
    *,
    over: bool = True,
    pause: Callable[[], None] = lambda: None,
) -> Mapping[str, Any]:
    """Moments of a hand as JSON, from the first on. pause: is called between two pieces of the
    work."""
    documents, before = [], None
    for moment in moments:
        documents.append(moment_document(moment, before))
        before = moment.board
        pause()
    return {**_head(by, hand, over=over), "moments": documents}


def _head(by: Narrator, hand: str, *, over: bool) -> dict[str, Any]:
    """What holds for all moments of a hand. near: the seat that is drawn nearest; areas: where
    seats are drawn, clockwise from it."""
    names = by.speaker.names
    return {
        "hand": hand,
        "lang": by.words.code,
        "detail": by.speaker.detail,
        "seat": by.reader.seat,
        "near": by.reader.seat or 0,
        "names": names,
        "areas": AREAS[len(names)],
        "cards": {name: face._asdict() for name, face in faces(by.words, by.rules).items()},
        "over": over,
    }
