"""A hand in the protocol's terms: a fold of its events as one seat may see them, and the tables
that follow from it.

Pure. It knows no rule: events say results. It may not send anything or know what was sent.
"""

from __future__ import annotations

from arena.rules.events import (
    Cleared,
    Dealt,
    Event,
    Gave,
    Marked,
    Played,
    Reversed,
)
from arena.uecda.cells import NOTHING, Cells, write_meld
from arena.uecda.codec import FieldTable, HandTable, RosterRow, Situation, StartTable

GIFTS = (2, 1, 0, 0, 0)
"""How many cards a player chooses and gives, by class."""
POOR = (3, 4)


class WireHand:
    """One hand. seat: whose hand tables are written; seating: player by seat."""

    def __init__(self, seat: int, seating: tuple[int, ...]) -> None:
        self.seat = seat
        self.seating = seating
        self._seat_of = tuple(seating.index(player) for player in range(len(seating)))
        self.held = 0
        self.empty = True
        self.is_dealt = False
        self._first_held = 0
        self._dealt: tuple[int, ...] = ()
        self._counts: list[int] = []
        self._classes: tuple[int, ...] = ()
        self._paid = 0
        self._cells = NOTHING
        self._revolution = self._jack = self._lock = False

    @property
    def is_ready(self) -> bool:
        """Are the cards dealt and the tributes paid, so that the start table can be written?"""
        return self.is_dealt and (not self._classes or self._paid == len(POOR))

    @property
    def gift(self) -> int:
        """How many cards the seat chooses and gives in the exchange."""
        return GIFTS[self._classes[self.seat]] if self._classes else 0

    def class_of(self, seat: int) -> int:
        """0 daifugo to 4 daihinmin; 0 for everybody where there are no classes."""
        return self._classes[seat] if self._classes else 0

    def apply(self, event: Event, written: Cells | None = None) -> None:
        """Fold an event. written: the cells as the player wrote a play, if it wrote any."""
        match event:
            case Dealt():
                self._deal(event)
            case Gave():
                self._give(event)
            case Played():
                self._play(event, written)
            case Cleared():
                self._cells, self.empty = NOTHING, True
                self._lock = self._jack = False
            case Reversed(scope="hand"):
                self._revolution = event.on
            case Reversed(scope="trick"):
                self._jack = event.on
            case Marked(name="suit_lock"):
                self._lock = bool(event.value)

    def _deal(self, event: Dealt) -> None:
        self.is_dealt = True
        self.held = self._first_held = event.hands[self.seat]
        self._dealt = event.counts
        self._counts = [*event.counts]
        if event.places:
            self._classes = tuple(map(event.places.index, range(len(event.places))))

    def _give(self, event: Gave) -> None:
        self._counts[event.seat] -= event.size
        self._counts[event.to] += event.size
        if event.seat == self.seat:
            self.held &= ~event.cards
        elif event.to == self.seat:
            self.held |= event.cards
        if self.class_of(event.seat) in POOR:
            self._paid += 1
            if event.to == self.seat:
                self._first_held = self.held

    def _play(self, event: Played, written: Cells | None) -> None:
        self._counts[event.seat] -= event.meld.size
        if event.seat == self.seat:
            self.held &= ~event.meld.cards
        self._cells = write_meld(event.meld) if written is None else written
        self.empty = False

    def start_table(self) -> StartTable:
        """The start table: with the tribute for the rich, before it for the poor."""
        return StartTable(self._first_held, self.gift, self._roster(self._dealt))

    def hand_table(self, mover: int) -> HandTable:
        """The table before a turn. mover: the seat whose turn it is."""
        player = self.seating[mover]
        return HandTable(
            self.held, mover == self.seat, player, self._situation(), self._roster(self._counts)
        )

    def field_table(self, actor: int) -> FieldTable:
        """The table after a turn. actor: the seat that has played or passed."""
        player = self.seating[actor]
        return FieldTable(self._cells, player, self._situation(), self._roster(self._counts))

    def _situation(self) -> Situation:
        return Situation(self.empty, self._jack, self._revolution, self._lock)

    def _roster(self, counts: list[int] | tuple[int, ...]) -> RosterRow:
        seat_of = self._seat_of
        return RosterRow(
            tuple([counts[seat] for seat in seat_of]),
            tuple([self.class_of(seat) for seat in seat_of]),
            self.seating,
        )
