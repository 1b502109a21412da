"""What is being played in this process: sessions, tables, hands, open turns.

All of it is a shortcut for a fold of the log and can be thrown away at any time: `absorb` is the
only function that moves a hand on, whether the step has just been written or is read back after a
restart. Who changes a hand holds its lock; the lock of a table comes before that of its hand, the
lock of a session before that of its tables. This module writes to no store and reads no clock.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from orjson import dumps, loads

from arena import sitting, wire
from arena.referee.clock import SessionClock
from arena.referee.deals import Shuffle, renumbered, stream_key
from arena.referee.names import turn_id
from arena.referee.plans import Plan, Terms
from arena.referee.probation import Allowance, Chances, allowance
from arena.referee.spots import Spot, alone
from arena.rules import EMPTY, Menu, State, evolve, hides, legal, redact
from arena.rules.commands import Command, Deal, Expire
from arena.rules.events import Event
from arena.store.port import StepRow
from arena.tournament.results import HandResult
from arena.tournament.seatings import seating

NO_FAULT = "server"
"""The cause that is the arena's own fault and counts against nobody."""
ABSENCE = ("timeout", "illegal", "absent")
"""Causes that count towards `absent_after`."""


Meta = Mapping[str, Any]


@dataclass(slots=True)
class Step:
    """One entry of a hand's log, read back into values. turn: the turn it closed, "" for the deal.
    Treat it as frozen.

    meta: `clock_ms` session time; for a turn `seat`, `opened_ms`, `seen_ms`, `charged_ms`,
    `bank_ms` (what is left), `late`, `refused` (in this hand so far), `cause`; for the deal
    `commitment`. written: the events as plain data, not redacted.
    """

    seq: int
    at_ms: int
    turn: str
    command: Command
    events: tuple[Event, ...]
    meta: Meta
    written: tuple[dict[str, Any], ...]


class Fault(NamedTuple):
    """The referee answered for a player."""

    player: int
    seat: int
    seq: int
    cause: str


@dataclass(slots=True)
class Told:
    """A turn document, with the state of the hand that it tells of; hints: with `legal`."""

    state: State
    hints: bool
    document: dict[str, Any]


@dataclass(eq=False, slots=True)
class Turn:
    """A turn that waits for a seat. Times are in session time.

    terms: the clock of its session. given: what it may take of that, as last looked at. number:
    grows with every turn offered in this process, the cursor of polls. told: the latest document.
    """

    id: str
    hand: Hand
    seat: int
    since: int
    bot: str
    terms: Terms
    opened_ms: int
    given: Allowance
    number: int = 0
    seen_ms: int | None = None
    refused: int = 0
    told: Told | None = None
    _menu: tuple[State, Menu] | None = None

    def menu(self) -> Menu:
        """What the seat may answer now, worked out once for each state of the hand, whose lock is
        held."""
        state = self.hand.state
        if self._menu is None or self._menu[0] is not state:
            self._menu = state, legal(self.hand.table.rules, state, self.seat)
        return self._menu[1]

    @property
    def on_probation(self) -> bool:
        """Is its seat on probation now?"""
        return self.hand.table.on_probation(self.hand.seating[self.seat])

    @property
    def sits_out(self) -> bool:
        """Is its seat on probation, and has let so many turns pass that nobody waits for it now?"""
        return self.on_probation and self.hand.chances[self.seat].sits_out

    @property
    def allowance(self) -> Allowance:
        """What this turn may take; that grows while it is open, when its bot is proven."""
        if self.given.unproven and self.bot in self.hand.table.session.answered_ms:
            self.given = self.given.proven()
        return self.given

    @property
    def deadline_ms(self) -> int:
        """When its time and bank are spent; the grace comes on top."""
        given = self.allowance
        return self.opened_ms + given.move_ms + given.bank_ms

    @property
    def due_ms(self) -> int:
        """The last moment at which an answer is taken."""
        return self.deadline_ms + self.terms.grace_ms

    def charged_ms(self, now_ms: int) -> int:
        """What an answer at this moment of session time is charged: all but the grace.

        Never more than there was: if the referee answers late, that is not the bot's time.
        """
        taken_ms = max(0, now_ms - self.opened_ms - self.terms.grace_ms)
        given = self.allowance
        return min(taken_ms, given.move_ms + given.bank_ms)

    def bank_after_ms(self, charged_ms: int) -> int:
        """What an answer that is charged so much leaves of the bank, all of it."""
        given = self.allowance
        drawn_ms = max(0, charged_ms - given.move_ms)
        return given.kept_ms + max(0, given.bank_ms - drawn_ms)

    def is_late(self, charged_ms: int) -> bool:
        """Does an answer that is charged so much draw on the bank?"""
        return charged_ms > self.allowance.move_ms


class Session:
    """A session that has been started. out: bots that left it, with the cause.

    schedule: as it is stored; roster, rounds, to_come: what it says (see `drawing`); rounds_made:
    rounds whose tables exist. results: of ended tables, by their status, for rounds that follow
    from them. names: bot names by id. masks: what bots are called instead by all but staff; empty
    unless the board is pseudonymous (see `boards`); masked: how many entries that is for.
    answered_ms: session time of each bot's last accepted answer at a table that was open here.
    """

    def __init__(
        self, session: str, plan: Plan, *, secret: bytes, clock: SessionClock, status: str
    ) -> None:
        self.id = session
        self.plan = plan
        self.secret = secret
        self.clock = clock
        self.status = status
        self.lock = threading.RLock()
        self.rounds: tuple[tuple[tuple[int, ...], ...], ...] = ()
        self.roster: tuple[str, ...] = ()
        self.schedule: str | None = None
        self.to_come: int | None = 0
        self.rounds_made = 0
        self.names: dict[str, str] = {}
        self.masks: Mapping[str, str] = {}
        self.masked = 0
        self.house: set[str] = set()
        self.out: dict[str, str] = {}
        self.answered_ms: dict[str, int] = {}
        self.tables: dict[str, Table] = {}
        self.results: dict[str, tuple[str, tuple[HandResult, ...]]] = {}

    def shown(self, bot: str) -> tuple[str, str]:
        """A bot as the others at its table are told of it: its id and its name."""
        mask = self.masks.get(bot)
        return mask or bot, mask or self.names[bot]

    @property
    def offering(self) -> bool:
        """Are turns offered now?"""
        return self.status == "running"


class Table:
    """A table that is being played. Lists are by player, the index in `players`.

    spot: what it shares with others; rules: the session's ruleset for so many players;
    spent_ms: taken from the bank; streak: faults in a row; faulty: per ended hand the players that
    failed, in the order of failing; began_ms: session time of its first deal; previous: the last
    turn's `{"charged_ms", "late"}`.
    """

    def __init__(
        self,
        table: str,
        session: Session,
        *,
        round_: int,
        players: Sequence[str],
        spot: Spot | None = None,
    ) -> None:
        self.id = table
        self.session = session
        self.spot = spot or alone(table)
        self.rules = session.plan.rules_at(len(players))
        self.round = round_
        self.players = tuple(players)
        self.lock = threading.RLock()
        self.sitting = sitting.start(self.rules)
        self.spent_ms = [0] * len(players)
        self.streak = [0] * len(players)
        self.previous: list[dict[str, Any] | None] = [None] * len(players)
        self.faulty: list[tuple[int, ...]] = []
        self.hand: Hand | None = None
        self.began_ms: int | None = None

    def on_probation(self, player: int) -> bool:
        """Has a player failed so often in a row that it gets little time until it answers?"""
        return self.streak[player] >= self.session.plan.clock.absent_after

    def allowance(self, player: int) -> Allowance:
        """What a player's next turn may take."""
        return allowance(
            self.session.plan.clock,
            self.spent_ms[player],
            is_proven=self.players[player] in self.session.answered_ms,
            on_probation=self.on_probation(player),
        )


class Hand:
    """A hand that is being played, or read back.

    seating: player by seat; bots: by seat; turns: open turns by seat; refused: refused answers by
    seat; chances: by seat; last: by seat, how many events there were when its latest turn was
    closed; open_from: from this event on, everybody may know all of them; ours: this process wrote
    the last step.

    lock: who holds it may not take it again (one that may costs greenlets twice as much).
    """

    def __init__(self, hand: str, table: Table, *, number: int, seating: Sequence[int]) -> None:
        self.id = hand
        self.table = table
        self.number = number
        self.seating = tuple(seating)
        self.bots = tuple(table.players[player] for player in self.seating)
        self.commitment = ""
        self.lock = threading.Lock()
        self.state: State = EMPTY
        self.steps: list[Step] = []
        self.events: list[Event] = []
        self.written: list[dict[str, Any]] = []
        self.turns: dict[int, Turn] = {}
        self.refused = [0] * len(seating)
        self.chances = [Chances() for _ in seating]
        self.last = [0] * len(seating)
        self.open_from = 0
        self.faults: list[Fault] = []
        self.closed = False
        self.ours = True

    @property
    def seq(self) -> int:
        """How many events have been folded."""
        return len(self.events)

    @cached_property
    def shown(self) -> tuple[tuple[str, str], ...]:
        """The bots by seat, as all but staff are told of them."""
        return tuple(map(self.table.session.shown, self.bots))

    @cached_property
    def heading(self) -> dict[str, Any]:
        """Where this hand belongs, as every turn document says it."""
        return {
            "session": self.table.session.id,
            "table": self.table.id,
            "hand": self.id,
            "hand_number": self.number,
            "hands": self.table.session.plan.hands_per_table,
        }

    def bot(self, seat: int) -> str:
        """The bot on a seat."""
        return self.bots[seat]

    def turn(self, turn: str) -> Turn | None:
        """An open turn by its id."""
        for each in self.turns.values():
            if each.id == turn:
                return each
        return None

    def seat_of(self, bot: str) -> int | None:
        """The seat of a bot, None if it does not sit here."""
        return self.bots.index(bot) if bot in self.bots else None


@dataclass(slots=True)
class Moved:
    """What a step has changed: turns that closed, turns that opened, and whether the hand ended."""

    hand: Hand
    closed: Sequence[Turn]
    opened: Sequence[Turn]
    over: bool


def absorb(hand: Hand, step: Step, opened_ms: int) -> Moved:
    """Move a hand on by one step of its log. opened_ms: session time from which new turns count."""
    if hides(step.events):
        for number, event in enumerate(step.events, step.seq + 1):
            if redact(event, None) is not event:
                hand.open_from = number
    hand.steps.append(step)
    hand.events += step.events
    hand.written += step.written
    state = hand.state = evolve(hand.state, step.events)
    _account(hand, step)
    turns, over = hand.turns, state.over
    waiting = () if over else state.open
    closed: list[Turn] = []
    opened: list[Turn] = []
    for turn in tuple(turns.values()):
        if (turn.seat, turn.since) not in waiting:
            del turns[turn.seat]
            closed.append(turn)
    for seat, since in waiting:
        if seat not in turns:
            opened.append(_open(hand, seat, since, opened_ms))
    return Moved(hand, closed, opened, over)


def _account(hand: Hand, step: Step) -> None:
    """Bank, faults, refusals and the last turn of the seat whose turn this step closed."""
    if not step.turn:
        hand.commitment = step.meta.get("commitment", "")
        if hand.table.began_ms is None:
            hand.table.began_ms = step.meta["clock_ms"]
        return
    meta, table = step.meta, hand.table
    seat = meta["seat"]
    player = hand.seating[seat]
    charged_ms = meta["charged_ms"]
    late_ms = charged_ms - table.session.plan.clock.move_ms
    if late_ms > 0:
        table.spent_ms[player] += late_ms
    table.previous[player] = {"charged_ms": charged_ms, "late": meta["late"]}
    hand.refused[seat] = meta["refused"]
    hand.last[seat] = step.seq
    if isinstance(step.command, Expire):
        _note_fault(hand, Fault(player, seat, step.seq, step.command.cause))
        return
    answered_ms, bot = table.session.answered_ms, table.players[player]
    answered_ms[bot] = max(meta["clock_ms"], answered_ms.get(bot, 0))
    if table.streak[player]:
        table.streak[player] = 0
        hand.chances[seat] = Chances()


def _note_fault(hand: Hand, fault: Fault) -> None:
    if fault.cause != NO_FAULT:
        hand.faults.append(fault)
    if hand.table.on_probation(fault.player):
        hand.chances[fault.seat].note(fault.cause)
    if fault.cause in ABSENCE:
        hand.table.streak[fault.player] += 1


def _open(hand: Hand, seat: int, since: int, opened_ms: int) -> Turn:
    turn = Turn(
        turn_id(hand.id, since, seat),
        hand,
        seat,
        since,
        hand.bots[seat],
        hand.table.session.plan.clock,
        opened_ms,
        hand.table.allowance(hand.seating[seat]),
        refused=hand.refused[seat],
    )
    hand.turns[seat] = turn
    return turn


def failed_players(hand: Hand) -> tuple[int, ...]:
    """Players that failed in this hand, each once, in the order of failing."""
    return tuple(dict.fromkeys(fault.player for fault in hand.faults))


def note_ended(hand: Hand) -> None:
    """Count an ended hand at its table: titles and points, and who failed in it."""
    table = hand.table
    table.faulty.append(failed_players(hand))
    if hand.state.over:
        table.sitting = sitting.after_hand(table.rules, table.sitting, hand.seating, hand.state)


def seated(table: Table, number: int, *, secret: bytes) -> tuple[int, ...]:
    """Who sits where in the next hand, which has this number: player by seat.

    A function of the session's secret, the table's block and the number. A ruleset that moves the
    players itself wins over the session's `reseat_every`.
    """
    seed = stream_key(secret, table.spot.block, number=0, label="seating")
    moves = table.rules.table.seats != "fixed"
    every = 0 if moves else table.session.plan.reseat_every
    order = seating(len(table.players), number, seed=seed, reseat_every=every)
    cut = len(order) - table.spot.turned
    return sitting.seating_for(table.rules, table.sitting, order[cut:] + order[:cut])


def dealt(table: Table, order: Sequence[int], shuffle: Shuffle) -> Deal:
    """The deal of the table's next hand. order: player by seat.

    Where tables share their shuffles, every seat gets the same cards at all of them, whoever deals.
    """
    deck, lots = shuffle.deck, shuffle.lots
    deal = sitting.next_deal(table.rules, table.sitting, tuple(order), deck=deck, lots=lots)
    if not table.spot.shared:
        return deal
    return deal._replace(deck=renumbered(sitting.by_seat(table.rules, deal)))


def make_step(
    seq: int, at_ms: int, *, turn: str, command: Command, events: Sequence[Event], meta: Meta
) -> Step:
    """A step that is about to be written."""
    written = tuple(map(wire.kept_event, events))
    return Step(seq, at_ms, turn, command, tuple(events), meta, written)


def read_step(row: StepRow) -> Step:
    """A step from its row."""
    written = tuple(loads(row.events))
    return Step(
        row.seq,
        row.at_ms,
        row.turn,
        wire.read_command(loads(row.command)),
        tuple(wire.read_event(event) for event in written),
        loads(row.meta),
        written,
    )


def tell(
    events: Sequence[Event], written: Sequence[dict[str, Any]], seat: int | None
) -> list[dict[str, Any]]:
    """Events as plain data, as a seat (None: a spectator) may know them.

    What everybody may know was written once and is used again; treat it as frozen.
    """
    if not hides(events):
        return list(written)
    told = []
    for event, plain in zip(events, written, strict=True):
        seen = redact(event, seat)
        told.append(plain if seen is event else wire.write_event(seen))
    return told


def tell_from(hand: Hand, first: int, seat: int | None) -> list[dict[str, Any]]:
    """The events of a hand from one number on; see `tell`."""
    written = hand.written[first:]
    return written if first >= hand.open_from else tell(hand.events[first:], written, seat)


def write_step(hand: str, step: Step) -> StepRow:
    """The row of a step."""
    return StepRow(
        hand,
        step.seq,
        step.at_ms,
        step.turn,
        dumps(wire.write_command(step.command)).decode(),
        dumps(step.written).decode(),
        len(step.events),
        dumps(step.meta).decode(),
    )
