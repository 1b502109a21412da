"""A position: a hand at one moment as one seat may know it, or as it is.

It says where each card is, as far as that is known. `arena.game.notation` writes it as a line of
text and `arena.game.reading` reads it; `arena.game.observing` works it out from events;
`arena.game.worlds` fills in what is not known, and `arena.game.solving` says what is sure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from arena.errors import BadInput
from arena.game.hand_state import GameState
from arena.game.places import BLIND, HIDDEN, JOKER_KIND, FaceDown, Places, Whereabouts
from arena.game.solution import MOST_STEPS, Solution
from arena.game.worlds import Chance, draw_worlds
from arena.rules import Menu, Ruleset, State
from arena.rules.cards import mask_of
from arena.rules.commands import Lots
from arena.rules.events import Event

OPENING = ("exchange", "janken", "instant_wins")
"""The rules whose questions are asked before the first lead."""


@dataclass(frozen=True, slots=True)
class Position:
    """A hand at one moment. Made by `parse`, `of_events` and `of_state`.

    ruleset: in short form; seat: whose knowledge it is, None where all is known; state: what is
    known of the hand, in which others hold only the cards that they are known to hold; counts:
    cards held, by seat; never: by seat, the kinds of which the unknown cards are none (as a mask
    of first copies); batches: unknown cards that left the game face down; whereabouts: cards of
    which more is known than that they are somewhere.
    """

    ruleset: str
    rules: Ruleset
    seat: int | None
    state: State
    counts: tuple[int, ...]
    never: tuple[int, ...] = ()
    batches: tuple[FaceDown, ...] = ()
    whereabouts: tuple[Whereabouts, ...] = ()

    @staticmethod
    def parse(text: str) -> Position:
        """The position of a line of text. Raises `BadInput` with the field and its column."""
        from arena.game.reading import read_position

        return read_position(text)

    @staticmethod
    def of_state(rules: Ruleset, state: State, *, ruleset: str = "") -> Position:
        """The position in which everything is known. ruleset: in short form, if it has one."""
        counts = tuple(held.bit_count() for held in state.held)
        return Position(ruleset or _written(rules), rules, None, normal(rules, state), counts)

    @staticmethod
    def of_events(
        rules: Ruleset, events: Iterable[Event], *, seat: int, ruleset: str = ""
    ) -> Position:
        """What a seat may know after some events of a hand, from its deal on.

        What the seat may not know of them is left out, if they say it. ruleset: in short form, if
        it has one.
        """
        from arena.game.observing import observe

        return observe(ruleset or _written(rules), rules, events, seat=seat)

    def __str__(self) -> str:
        from arena.game.notation import write_position

        return write_position(self)

    @property
    def asked(self) -> int:
        """The seat that is asked: this seat if it is; else the first that is; -1 when the hand is
        over."""
        seats = [seat for seat, _ in self.state.open]
        if self.seat in seats:
            return seats[seats.index(self.seat)]
        return seats[0] if seats else -1

    def legal(self) -> Menu:
        """What the seat that is asked may answer. Raises `BadInput` where this seat does not know
        that, since another one is asked."""
        if self.seat is not None and self.asked not in (self.seat, -1):
            raise BadInput("position", str(self), f"a turn of seat {self.seat}")
        return GameState(self.rules, self.state).legal(self.asked)

    def game_state(self) -> GameState:
        """The state, where all of it is known. Raises `BadInput` for the position of a seat."""
        if self.seat is not None:
            raise BadInput("position", str(self), "one in which everything is known (seat=all)")
        return GameState(self.rules, self.state)

    def worlds(
        self, n: int, rng: Chance, *, weight: Callable[[GameState], float] | None = None
    ) -> list[GameState]:
        """`n` states that agree with the position, independent of each other.

        Each card that is not known is anywhere with equal probability where it may be. rng: a
        `random.Random`. weight: from 0 to 1, the share of such states to be kept. Raises
        `BadInput` where nothing agrees with the position.
        """
        return draw_worlds(self, n, rng, weight)

    def every_world(self) -> list[GameState]:
        """All states that agree with the position, as `arena.game.every_world` lists them.

        Raises `BadInput` where there are too many, none, or before the first lead.
        """
        from arena.game.every_world import every_world

        return every_world(self)

    def solve(self, *, place: int | None = None, most_steps: int = MOST_STEPS) -> Solution:
        """The places that each answer of the seat that is asked is sure of, by exact search.

        place: only whether this one is. most_steps: how many answers are tried. Raises `BadInput`
        where that is not enough, and as `arena.game.solving` says.
        """
        from arena.game.solving import solve

        return solve(self, place=place, most_steps=most_steps)

    @property
    def free(self) -> int:
        """The mask of the cards of which nothing is known."""
        state = self.state
        placed = state.table | state.gone | state.setup.blind
        for cards in state.held:
            placed |= cards
        for each in self.whereabouts:
            placed |= each.cards
        return mask_of(self.rules.deck) & ~placed

    @property
    def places(self) -> Places:
        """The places of cards that are not known: number, room and the kinds that are not there."""
        state, rules = self.state, self.rules
        never = self.never or (0,) * len(state.held)
        held = [
            (seat, count - cards.bit_count(), never[seat])
            for seat, (count, cards) in enumerate(zip(self.counts, state.held, strict=True))
        ]
        batches = [(HIDDEN, batch.size, batch.never) for batch in self.batches]
        blind = (BLIND, rules.deal.blind - state.setup.blind.bit_count(), JOKER_KIND)
        return tuple(place for place in (*held, *batches, blind) if place[1] > 0)


def normal(rules: Ruleset, state: State) -> State:
    """The same state as if it were the first: without numbers of events, and with those lots only
    that may still matter."""
    leader = state.setup.lots.leader if opening(state) else ()
    idle = state.setup.lots.idle if rules.play.idle_by_lot and not state.places else ()
    setup = state.setup._replace(lots=Lots(leader=leader, idle=idle))
    questions = tuple(question._replace(since=0) for question in state.questions)
    return state.changed(seq=0, since=0, questions=questions, setup=setup)


def opening(state: State) -> bool:
    """Is something asked before the first lead?"""
    return bool(state.questions) and state.questions[0].rule in OPENING


def _written(rules: Ruleset) -> str:
    """The short form of a ruleset."""
    from arena.game.notation import written_ruleset

    return written_ruleset(rules.options)
