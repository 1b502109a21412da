"""The engine behind a small face: a hand at one moment, what may be answered, and what follows.

Nothing here changes: `play` returns another state and leaves this one as it is, so a state is its
own clone and may be shared between threads. It knows no rule; all of them are in `arena.rules`.
"""

from __future__ import annotations

from arena.compiled.classes import mypyc_attr
from arena.rules import Menu, Ruleset, State, decide, evolve, legal
from arena.rules.commands import Answer


@mypyc_attr(acyclic=True, free_list_len=1)
class GameState:
    """A hand at one moment, with its ruleset. rules: compiled; state: as `arena.rules` has it."""

    __slots__ = ("rules", "state")

    rules: Ruleset
    state: State

    def __init__(self, rules: Ruleset, state: State) -> None:
        self.rules = rules
        self.state = state

    @property
    def seat(self) -> int:
        """The seat that is asked now; where several are asked at once the first of them; -1 when
        the hand is over."""
        state = self.state
        if state.to_move >= 0:
            return state.to_move
        return state.questions[0].seat if state.questions else -1

    @property
    def seats(self) -> tuple[int, ...]:
        """All seats that are asked now."""
        return tuple(seat for seat, _ in self.state.open)

    def legal(self, seat: int | None = None) -> Menu:
        """What a seat may answer now, in canonical order: a sequence of answers for `play`.

        seat: the one that is asked if None. Empty for a seat that is not asked, and when the hand
        is over.
        """
        asked = self.seat if seat is None else seat
        return legal(self.rules, self.state, asked if asked >= 0 else 0)

    def play(self, answer: Answer) -> GameState:
        """The hand after an answer and all that follows from it.

        Raises `arena.errors.Refused` with the reason where the rules do not allow it.
        """
        state = self.state
        return GameState(self.rules, evolve(state, decide(self.rules, state, answer)))

    def result(self) -> tuple[int, ...] | None:
        """The seats from best to last when the hand is over, None before."""
        return self.state.places or None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GameState):
            return NotImplemented
        return self.rules is other.rules and self.state == other.state

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<GameState seat {self.seat} of {self.rules.players}, {self.state!r}>"
