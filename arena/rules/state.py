"""The state of a hand: the fold of its events, and nothing that could be worked out from the rest.

`arena.rules.evolve` makes states and writes to one only before anybody else has it; from then on it
is immutable and may be shared between threads: a test holds that nothing else writes to one. (A
`NamedTuple`, which Python itself would guard, took 8 % longer over every hand.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, NamedTuple

from arena.compiled.classes import mypyc_attr
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


@mypyc_attr(acyclic=True, free_list_len=1)
@dataclass(slots=True, repr=False, init=False)
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

    seq: int
    held: tuple[int, ...]
    table: int
    gone: int
    cleared: int
    trick: tuple[Played, ...]
    to_move: int
    since: int
    questions: tuple[Question, ...]
    queue: tuple[Pending, ...]
    due: Due | None
    active: int
    passed: int
    barred: int
    acted: int
    idle: int
    lead_passes: tuple[int, ...]
    revolution: bool
    pending: bool
    jack: bool
    direction: int
    trick_marks: Mapping[str, int]
    hand_marks: Mapping[str, int]
    out: tuple[int, ...]
    fouled: tuple[int, ...]
    fallen: tuple[int, ...]
    places: tuple[int, ...]
    setup: Setup

    def __init__(self, of: State | None = None) -> None:
        if of is None:
            self.seq = 0
            self.held = ()
            self.table = 0
            self.gone = 0
            self.cleared = 0
            self.trick = ()
            self.to_move = -1
            self.since = 0
            self.questions = ()
            self.queue = ()
            self.due = None
            self.active = 0
            self.passed = 0
            self.barred = 0
            self.acted = 0
            self.idle = 0
            self.lead_passes = ()
            self.revolution = False
            self.pending = False
            self.jack = False
            self.direction = 1
            self.trick_marks = NO_MARKS
            self.hand_marks = NO_MARKS
            self.out = ()
            self.fouled = ()
            self.fallen = ()
            self.places = ()
            self.setup = NOTHING_DEALT
            return
        self.seq = of.seq
        self.held = of.held
        self.table = of.table
        self.gone = of.gone
        self.cleared = of.cleared
        self.trick = of.trick
        self.to_move = of.to_move
        self.since = of.since
        self.questions = of.questions
        self.queue = of.queue
        self.due = of.due
        self.active = of.active
        self.passed = of.passed
        self.barred = of.barred
        self.acted = of.acted
        self.idle = of.idle
        self.lead_passes = of.lead_passes
        self.revolution = of.revolution
        self.pending = of.pending
        self.jack = of.jack
        self.direction = of.direction
        self.trick_marks = of.trick_marks
        self.hand_marks = of.hand_marks
        self.out = of.out
        self.fouled = of.fouled
        self.fallen = of.fallen
        self.places = of.places
        self.setup = of.setup

    def changed(self, **values: Any) -> State:
        """The same but for some fields; raises `AttributeError` for a name that is none."""
        new = State(self)
        for name, value in values.items():
            setattr(new, name, value)
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


EMPTY: Final = State()
