"""The log of a hand and what follows from it: a pure fold, for live play and for verification.

`HandLog.append` is the only way in which a hand goes on, whether the step has just been written, is
read back after a restart, or comes from a record file. What a table is so far (`TableLog`) follows
from the logs of its hands. Nothing here knows a store, a lock or a clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from arena import sitting, wire
from arena.proofs.chain import LogHasher
from arena.rules import EMPTY, State, evolve, hides, redact
from arena.rules.commands import Command, Deal, Expire
from arena.rules.events import Cause, Event
from arena.session.config import SessionConfig
from arena.session.deal_groups import DealGroup, alone
from arena.session.deals import Shuffle, renumbered, stream_key
from arena.session.people import PeopleClocks
from arena.session.time_control import Chances, time_control_of
from arena.tournament.pairing.seatings import seating

ABSENCE = (Cause.TIMEOUT, Cause.ILLEGAL, Cause.ABSENT)
"""Causes that count towards `absent_after`."""

Meta = Mapping[str, Any]
Written = dict[str, Any]
"""An event as plain data, with all cards. It is used again: never change it."""


class Step(NamedTuple):
    """One entry of a hand's log. turn: the turn it closed, "" for the deal.

    meta: `clock_ms` session time; for a turn `seat`, `opened_ms`, `seen_ms`, `charged_ms`,
    `bank_ms` (what is left), `late`, `refused` (in this hand so far), `cause`, and what its bot
    sent beside the answer (`arena.wire.remarks`); for the deal `commitment`. written: the events as
    plain data, not redacted. hash: of the log up to and with this step; empty where it is not kept.
    """

    seq: int
    at_ms: int
    turn: str
    command: Command
    events: tuple[Event, ...]
    meta: Meta
    written: tuple[Written, ...]
    hash: bytes = b""


class Fault(NamedTuple):
    """The referee answered for a player."""

    player: int
    seat: int
    seq: int
    cause: str


class TableLog:
    """What a table is so far: its line-up and what follows from its hands. Lists are by player,
    the index in `players`.

    config: of its session; rules: those for this number of players; group: what it shares with
    other tables; clocks: what each may take; spent_ms: taken from the bank; streak: faults in a
    row; faulty: per ended hand the players that failed, in the order of failing; began_ms: session
    time of its first deal; previous: the last turn's `{"charged_ms", "late"}`.
    """

    __slots__ = (
        "began_ms",
        "clocks",
        "config",
        "faulty",
        "group",
        "id",
        "players",
        "previous",
        "rules",
        "sitting",
        "spent_ms",
        "streak",
    )

    def __init__(
        self,
        table: str,
        config: SessionConfig,
        *,
        players: Sequence[str],
        group: DealGroup | None = None,
        people: PeopleClocks = MappingProxyType({}),
    ) -> None:
        self.id = table
        self.config = config
        self.players = tuple(players)
        self.rules = config.rules_at(len(players))
        self.group = group or alone(table)
        self.clocks = tuple(time_control_of(player, config.clock, people) for player in players)
        self.sitting = sitting.start(self.rules)
        self.spent_ms = [0] * len(players)
        self.streak = [0] * len(players)
        self.previous: list[dict[str, Any] | None] = [None] * len(players)
        self.faulty: list[tuple[int, ...]] = []
        self.began_ms: int | None = None

    def on_probation(self, player: int) -> bool:
        """Has a player failed so often in a row that it gets little time until it answers?"""
        return self.streak[player] >= self.clocks[player].absent_after

    def end(self, hand: HandLog) -> None:
        """Count a hand that has ended: titles and points, and who failed in it."""
        self.faulty.append(hand.failed_players())
        if hand.state.over:
            self.sitting = sitting.after_hand(self.rules, self.sitting, hand.seating, hand.state)


class HandLog:
    """The steps of a hand, and what follows from them.

    seating: player by seat; written: all events as plain data; refused: refused answers by seat;
    chances: by seat; last: by seat, how many events there were when its latest turn was closed;
    open_from: from this event on, everybody may know all of them. hasher: what hashes the steps,
    None where nobody needs it; head: the hash of the last one.
    """

    __slots__ = (
        "chances",
        "commitment",
        "events",
        "faults",
        "hasher",
        "head",
        "id",
        "last",
        "number",
        "open_from",
        "refused",
        "seating",
        "state",
        "steps",
        "table",
        "written",
    )

    def __init__(self, hand: str, table: TableLog, *, number: int, seating: Sequence[int]) -> None:
        self.id = hand
        self.table = table
        self.number = number
        self.seating = tuple(seating)
        self.commitment = ""
        self.hasher: LogHasher | None = None
        self.head = b""
        self.state: State = EMPTY
        self.steps: list[Step] = []
        self.events: list[Event] = []
        self.written: list[Written] = []
        self.refused = [0] * len(seating)
        self.chances = [Chances() for _ in seating]
        self.last = [0] * len(seating)
        self.open_from = 0
        self.faults: list[Fault] = []

    @property
    def seq(self) -> int:
        """How many events have been folded."""
        return len(self.events)

    def hash_with(self, hasher: LogHasher) -> None:
        """Hash the steps; before the first of them."""
        self.hasher, self.head = hasher, hasher.start

    @property
    def waiting(self) -> tuple[tuple[int, int], ...]:
        """The turns that are open: seat, and the number of the event that opened it."""
        return () if self.state.over else self.state.open

    def append(self, step: Step) -> None:
        """Go on by one step."""
        if hides(step.events):
            for number, event in enumerate(step.events, step.seq + 1):
                if redact(event, None) is not event:
                    self.open_from = number
        self.head = step.hash
        self.steps.append(step)
        self.events += step.events
        self.written += step.written
        self.state = evolve(self.state, step.events)
        if step.turn:
            self._account(step)
        else:
            self._begin(step)

    def _begin(self, deal: Step) -> None:
        self.commitment = deal.meta.get("commitment", "")
        if self.table.began_ms is None:
            self.table.began_ms = deal.meta["clock_ms"]

    def _account(self, step: Step) -> None:
        """Bank, faults, refusals and the last turn of the seat whose turn this step closed."""
        meta, table = step.meta, self.table
        seat = meta["seat"]
        player = self.seating[seat]
        charged_ms = meta["charged_ms"]
        late_ms = charged_ms - table.clocks[player].move_ms
        if late_ms > 0:
            table.spent_ms[player] += late_ms
        table.previous[player] = {"charged_ms": charged_ms, "late": meta["late"]}
        self.refused[seat] = meta["refused"]
        self.last[seat] = step.seq
        if isinstance(step.command, Expire):
            self._note_fault(Fault(player, seat, step.seq, step.command.cause))
        elif table.streak[player]:
            table.streak[player] = 0
            self.chances[seat] = Chances()

    def _note_fault(self, fault: Fault) -> None:
        if fault.cause != Cause.SERVER:
            self.faults.append(fault)
        if self.table.on_probation(fault.player):
            self.chances[fault.seat].note(fault.cause)
        if fault.cause in ABSENCE:
            self.table.streak[fault.player] += 1

    def failed_players(self) -> tuple[int, ...]:
        """Players that failed in this hand, each once, in the order of failing."""
        return tuple(dict.fromkeys(fault.player for fault in self.faults))

    def events_from(self, first: int, seat: int | None) -> list[Written]:
        """The events from one number on as plain data; see `events_for`."""
        written = self.written[first:]
        if first >= self.open_from:
            return written
        return events_for(self.events[first:], written, seat)


def log_receipt(seq: int, head: bytes) -> dict[str, Any]:
    """How long a log is, and its hash: proof of what a bot was sent."""
    return {"seq": seq, "hash": head.hex()}


def events_for(
    events: Sequence[Event], written: Sequence[Written], seat: int | None
) -> list[Written]:
    """Events as plain data, as a seat (None: a spectator) may know them."""
    if not hides(events):
        return list(written)
    visible = []
    for event, plain in zip(events, written, strict=True):
        known = redact(event, seat)
        visible.append(plain if known is event else wire.write_event(known))
    return visible


def next_seating(table: TableLog, number: int, *, secret: bytes) -> tuple[int, ...]:
    """Who sits where in the next hand, which has this number: player by seat.

    A function of the key of the table's round (`secret`), the table's block and the number. A
    ruleset that moves the players itself wins over the session's `reseat_every`.
    """
    seed = stream_key(secret, table.group.block, number=0, label="seating")
    moves = table.rules.table.seats != "fixed"
    every = 0 if moves else table.config.reseat_every
    order = seating(len(table.players), number, seed=seed, reseat_every=every)
    cut = len(order) - table.group.turned
    return sitting.seating_for(table.rules, table.sitting, order[cut:] + order[:cut])


def next_deal(table: TableLog, order: Sequence[int], shuffle: Shuffle) -> Deal:
    """The deal of the table's next hand. order: player by seat.

    Where tables share their shuffles, every seat gets the same cards at all of them, whoever deals.
    """
    deck, lots = shuffle.deck, shuffle.lots
    deal = sitting.next_deal(table.rules, table.sitting, tuple(order), deck=deck, lots=lots)
    if not table.group.shared:
        return deal
    return deal._replace(deck=renumbered(sitting.by_seat(table.rules, deal)))


def prepare_step(
    seq: int, at_ms: int, *, turn: str, command: Command, events: Sequence[Event], meta: Meta
) -> Step:
    """A step that is about to be written."""
    written = tuple(map(wire.shared_event, events))
    return Step(seq, at_ms, turn, command, tuple(events), meta, written)
