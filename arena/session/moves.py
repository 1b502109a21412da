"""Moves: what the events of a hand say of who answered whose play, and of what was given to whom.

For the alerts (`arena.tournament.moves`). It follows only what that needs, cards held and the play
on the table, and judges nothing. Events may come from a record file of anybody: what does not fit
raises BadInput, nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.errors import BadInput
from arena.rules.cards import JOKER_RANK, JOKERS, RANK_MASKS
from arena.rules.events import (
    Asked,
    Cleared,
    Dealt,
    Discarded,
    Event,
    Expired,
    Gave,
    Passed,
    Played,
    Question,
    Reversed,
    Swapped,
)
from arena.rules.melds import Kind
from arena.tournament.moves import Gift, HandMoves, Reaction

FOLLOWED = frozenset(
    {
        "dealt",
        "asked",
        "gave",
        "swapped",
        "discarded",
        "reversed",
        "cleared",
        "expired",
        "played",
        "passed",
    }
)
"""The events that are needed, by their names on the wire."""
NATURAL_RANKS = len(RANK_MASKS)
FEW = 3
"""With so few cards, or fewer, a bot is about to go out."""


def hand_moves(events: Iterable[Event], seats: Sequence[str]) -> HandMoves:
    """The moves of one hand; `seats`: the bots by seat. Raises BadInput for impossible events."""
    table = _Follower(seats)
    for event in events:
        table.take(event)
    return HandMoves(tuple(table.reactions), tuple(table.gifts))


class _Follower:
    """A hand as far as it has been followed. held: masks by seat; top: seat and meld, if any."""

    def __init__(self, seats: Sequence[str]) -> None:
        self.seats = seats
        self.reactions: list[Reaction] = []
        self.gifts: list[Gift] = []
        self._held = [0] * len(seats)
        self._dealt = list(self._held)
        self._titles: tuple[str | None, ...] = (None,) * len(seats)
        self._top: Played | None = None
        self._reversed = {"hand": False, "trick": False}
        self._asked: set[int] = set()
        self._expired = False

    def take(self, event: Event) -> None:
        """One more event."""
        if isinstance(event, Dealt):
            self._deal(event)
        elif isinstance(event, Asked):
            self._asked |= {question.seat for question in event.questions if _is_free(question)}
        elif isinstance(event, Gave):
            self._give(event)
        elif isinstance(event, Swapped):
            self._dealt[self._seat(event.seat)] = event.other
            self._dealt[self._seat(event.to)] = event.cards
            self._held = list(self._dealt)
        elif isinstance(event, Discarded):
            self._held[self._seat(event.seat)] &= ~event.cards
        elif isinstance(event, Reversed):
            self._reversed[str(event.scope)] = bool(event.on)
        elif isinstance(event, Cleared):
            self._clear()
        elif isinstance(event, Expired):
            self._expired = True
        elif isinstance(event, Played | Passed):
            self._answer(event)

    def _seat(self, seat: object) -> int:
        if type(seat) is not int or not 0 <= seat < len(self.seats):
            raise BadInput("seat", seat, f"0 to {len(self.seats) - 1}")
        return seat

    def _deal(self, event: Dealt) -> None:
        titles = event.titles if isinstance(event.titles, list | tuple) else ()
        if not len(event.hands) == len(titles) == len(self.seats):
            raise BadInput("dealt", len(event.hands), f"{len(self.seats)} hands and titles")
        self._held, self._dealt = list(event.hands), list(event.hands)
        self._titles = tuple(titles)

    def _give(self, event: Gave) -> None:
        giver, receiver = self._seat(event.seat), self._seat(event.to)
        share = _share(event.cards, self._dealt[giver])
        if share is not None and giver in self._asked and not self._expired:
            stratum = (str(self._titles[giver]), str(event.by))
            self.gifts.append(Gift(self.seats[giver], self.seats[receiver], stratum, share))
        self._asked.discard(giver)
        self._expired = False
        self._held[giver] &= ~event.cards
        self._held[receiver] |= event.cards

    def _clear(self) -> None:
        self._top = None
        self._reversed["trick"] = False

    def _answer(self, event: Played | Passed) -> None:
        seat, top = self._seat(event.seat), self._top
        if top is not None and top.seat != seat and not self._expired:
            self._react(event, seat, top)
        self._expired = False
        if isinstance(event, Played):
            self._held[seat] &= ~event.meld.cards
            self._top = event

    def _react(self, event: Played | Passed, seat: int, top: Played) -> None:
        """Note an answer to a set that could have been beaten by another without jokers."""
        backwards = self._reversed["hand"] != self._reversed["trick"]
        to_beat = _strength(top.meld.high, backwards)
        cheapest = _cheapest(self._held[seat], top.meld.size, to_beat, backwards=backwards)
        if top.meld.kind is not Kind.SET or cheapest is None:
            return
        spent = None
        if isinstance(event, Played):
            spent = float(_strength(event.meld.high, backwards) - cheapest)
        stratum = (
            min(top.meld.size, FEW),
            cheapest,
            min((self._held[seat].bit_count() - 1) // FEW, FEW),
            self._held[top.seat].bit_count() <= FEW,
        )
        self.reactions.append(Reaction(self.seats[seat], self.seats[top.seat], stratum, spent))


def _is_free(question: Question) -> bool:
    """Is it a question for cards to give that leaves a choice?"""
    choices = [mask.bit_count() > count for way in question.ways for mask, count in way]
    return question.kind == "give" and (len(question.ways) > 1 or any(choices))


def _strength(rank: int, backwards: bool) -> int:
    return NATURAL_RANKS - 1 - rank if backwards and rank < JOKER_RANK else rank


def _cheapest(held: int, size: int, to_beat: int, *, backwards: bool) -> int | None:
    """The strength of the weakest set of that size that beats another; None if there is none."""
    strengths = [
        strength
        for rank, mask in enumerate(RANK_MASKS)
        if (strength := _strength(rank, backwards)) > to_beat and (held & mask).bit_count() >= size
    ]
    if size == 1 and to_beat < JOKER_RANK and held & JOKERS:
        strengths.append(JOKER_RANK)
    return min(strengths, default=None)


def _share(given: int, held: int) -> float | None:
    """How strong a gift was: the share of the other cards that are weaker, from 0 to 1."""
    kept = held & ~given
    if not given or not kept or given & ~held:
        return None
    weaker, below = 0.0, 0
    for mask in (*RANK_MASKS, JOKERS):
        here = (kept & mask).bit_count()
        weaker += (given & mask).bit_count() * (below + here / 2)
        below += here
    return weaker / given.bit_count() / kept.bit_count()
