"""The state of a hand: the fold of its events, and nothing that could be worked out from the rest.

`arena.rules.evolve` makes states and writes to one only before anybody else has it; from then on it
is immutable and may be shared between threads: a test holds that nothing else writes to one. (A
`NamedTuple`, which Python itself would guard, took 8 % longer over every hand.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Final, NamedTuple

from arena.rules.commands import Lots
from arena.rules.events import Due, Pending, Played, Promised, Question
from arena.rules.melds import Meld

NO_MARKS: Final[Mapping[str, int]] = {}
Wishes = tuple[tuple[int, int | None], ...]


class Setup(NamedTuple):
    """What is fixed before the first move; a value of its own, since hardly any event changes it.

    dealer: -1 before the deal; blind: the cards never dealt; before: the seats of the hand before,
    best to last; titles: by seat; lots: from the deal; wishes (by giver), promised: the unfinished
    exchange; thrown, contenders: unfinished janken.
    """

    dealer: int = -1
    blind: int = 0
    before: tuple[int, ...] = ()
    titles: tuple[str | None, ...] = ()
    lots: Lots = Lots()
    wishes: tuple[tuple[int, Wishes], ...] = ()
    promised: tuple[Promised, ...] = ()
    thrown: tuple[int, ...] = ()
    contenders: tuple[int, ...] = ()


NOTHING_DEALT: Final = Setup()


@dataclass(slots=True, repr=False)
class State:
    """A hand at one moment.

    seq: events folded; held: masks by seat; table, gone: cards on the table and out of play;
    cleared: those of `gone` that everybody has seen; trick: plays on the table; to_move, since:
    whose move since which event (-1: nobody); questions, queue, due: see `events.Asked`; active:
    seats still in the hand; passed: since the last play; barred: until the clear; acted: have had a
    turn in this trick (masks of seats); idle: passes since the last play; lead_passes: seats that
    passed in a row on the empty table; revolution, pending, jack: reversals; direction: 1 or -1;
    trick_marks, hand_marks: memory of rules; out, fouled, fallen: seats in order;
    places: best to last when over.
    """

    seq: int = 0
    held: tuple[int, ...] = ()
    table: int = 0
    gone: int = 0
    cleared: int = 0
    trick: tuple[Played, ...] = ()
    to_move: int = -1
    since: int = 0
    questions: tuple[Question, ...] = ()
    queue: tuple[Pending, ...] = ()
    due: Due | None = None
    active: int = 0
    passed: int = 0
    barred: int = 0
    acted: int = 0
    idle: int = 0
    lead_passes: tuple[int, ...] = ()
    revolution: bool = False
    pending: bool = False
    jack: bool = False
    direction: int = 1
    trick_marks: Mapping[str, int] = field(default_factory=lambda: NO_MARKS)
    hand_marks: Mapping[str, int] = field(default_factory=lambda: NO_MARKS)
    out: tuple[int, ...] = ()
    fouled: tuple[int, ...] = ()
    fallen: tuple[int, ...] = ()
    places: tuple[int, ...] = ()
    setup: Setup = NOTHING_DEALT

    def copy(self) -> State:
        """The same, for `evolve` to write to."""
        new = NEW(State)
        new.seq = self.seq
        new.held = self.held
        new.table = self.table
        new.gone = self.gone
        new.cleared = self.cleared
        new.trick = self.trick
        new.to_move = self.to_move
        new.since = self.since
        new.questions = self.questions
        new.queue = self.queue
        new.due = self.due
        new.active = self.active
        new.passed = self.passed
        new.barred = self.barred
        new.acted = self.acted
        new.idle = self.idle
        new.lead_passes = self.lead_passes
        new.revolution = self.revolution
        new.pending = self.pending
        new.jack = self.jack
        new.direction = self.direction
        new.trick_marks = self.trick_marks
        new.hand_marks = self.hand_marks
        new.out = self.out
        new.fouled = self.fouled
        new.fallen = self.fallen
        new.places = self.places
        new.setup = self.setup
        return new

    def __repr__(self) -> str:
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        given = {name: v for name, v in values.items() if v != getattr(EMPTY, name)}
        return f"State({given})"

    @property
    def players(self) -> int:
        """How many seats there are; 0 before the deal."""
        return len(self.held)

    @property
    def pile(self) -> Meld | None:
        """The meld to beat, None on an empty table."""
        return self.trick[-1].meld if self.trick else None

    @property
    def owner(self) -> int:
        """Who laid the pile; -1 on an empty table."""
        return self.trick[-1].seat if self.trick else -1

    @property
    def order_reversed(self) -> bool:
        """Is the order in force reversed? Revolution XOR jack reversal (AM-03, AM-25)."""
        return self.revolution is not self.jack

    @property
    def over(self) -> bool:
        """Is the hand finished?"""
        return bool(self.places)

    @property
    def open(self) -> tuple[tuple[int, int], ...]:
        """The turns that wait now: (seat, number of the event that opened it)."""
        if self.questions:
            return tuple((q.seat, q.since) for q in self.questions)
        return ((self.to_move, self.since),) if self.to_move >= 0 else ()

    def question_for(self, seat: int) -> Question | None:
        """The question that waits for a seat, if any."""
        for question in self.questions:
            if question.seat == seat:
                return question
        return None


NEW: Final = State.__new__
EMPTY: Final = State()
