"""The state of a hand: the fold of its events, and nothing that could be worked out from the rest.

Only `arena.rules.evolve` makes states. Treat one as frozen: it may be shared between threads.
"""

from __future__ import annotations

from collections.abc import Mapping

from arena.rules.commands import Lots
from arena.rules.events import Due, Pending, Played, Promised, Question
from arena.rules.melds import Meld

NO_MARKS: Mapping[str, int] = {}
Wishes = tuple[tuple[int, int | None], ...]


class State:
    """A hand at one moment.

    seq: events folded; held: masks by seat; table, gone, blind: cards on the table, out of play,
    and never dealt; cleared: those of `gone` that everybody has seen; trick: plays on the table;
    to_move, since: whose move since which event (-1: nobody); questions, queue, due: see
    `events.Asked`; active: seats still in the hand; passed: since the last play; barred: until the
    clear; acted: have had a turn in this trick (masks of seats); idle: passes since the last play;
    lead_passes: seats that passed in a row on the empty table; revolution, pending, jack:
    reversals; direction: 1 or -1; trick_marks, hand_marks: memory of rules; out, fouled: seats in
    order; fallen: seat or -1; dealer, before, titles, lots: from the deal; wishes (by giver),
    promised, thrown, contenders: unfinished exchange and janken; places: best to last when over.
    """

    seq: int
    held: tuple[int, ...]
    table: int
    gone: int
    cleared: int
    blind: int
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
    fallen: int
    dealer: int
    before: tuple[int, ...]
    titles: tuple[str | None, ...]
    lots: Lots
    wishes: tuple[tuple[int, Wishes], ...]
    promised: tuple[Promised, ...]
    thrown: tuple[int, ...]
    contenders: tuple[int, ...]
    places: tuple[int, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = {k: v for k, v in self.__dict__.items() if v != EMPTY.__dict__[k]}
        return f"State({shown})"

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
    def turned(self) -> bool:
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


def state_of(fields: Mapping[str, object]) -> State:
    """A state with these fields, all of them."""
    state = State()
    state.__dict__.update(fields)
    return state


EMPTY = state_of(
    {
        "seq": 0,
        "held": (),
        "table": 0,
        "gone": 0,
        "cleared": 0,
        "blind": 0,
        "trick": (),
        "to_move": -1,
        "since": 0,
        "questions": (),
        "queue": (),
        "due": None,
        "active": 0,
        "passed": 0,
        "barred": 0,
        "acted": 0,
        "idle": 0,
        "lead_passes": (),
        "revolution": False,
        "pending": False,
        "jack": False,
        "direction": 1,
        "trick_marks": NO_MARKS,
        "hand_marks": NO_MARKS,
        "out": (),
        "fouled": (),
        "fallen": -1,
        "dealer": -1,
        "before": (),
        "titles": (),
        "lots": Lots(),
        "wishes": (),
        "promised": (),
        "thrown": (),
        "contenders": (),
        "places": (),
    }
)
