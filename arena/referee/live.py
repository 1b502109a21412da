"""What is being played in this process: sessions, tables, hands, open turns.

All of it is a shortcut for a fold of the log and can be thrown away at any time: `apply_step` is
the only function that moves a hand on, whether the step has just been written or is read back after
a restart. Who changes a hand holds its lock; the lock of a table comes before that of its hand, the
lock of a session before that of its tables. This module writes to no store and reads no clock.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from arena.errors import DamagedHand
from arena.proofs.chance import RoundKeys
from arena.referee.clock import SessionClock
from arena.rules import Menu, State, legal
from arena.rules.commands import Expire
from arena.session.config import SessionConfig, TimeControl
from arena.session.deal_groups import DealGroup
from arena.session.hand_log import HandLog, Step, TableLog
from arena.session.names import turn_id
from arena.session.time_control import Allowance, allowance
from arena.statuses import SessionStatus
from arena.tournament.results import HandResult


@dataclass(slots=True)
class CachedDocument:
    """A turn document, and the state of the hand that it describes; hints: with `legal`."""

    state: State
    hints: bool
    document: dict[str, Any]


class Charge(NamedTuple):
    """What an answer costs. bank_ms: what it leaves of the bank, all of it; late: does it draw on
    the bank?"""

    charged_ms: int
    bank_ms: int
    late: bool


@dataclass(eq=False, slots=True)
class Turn:
    """A turn that waits for a seat. Times are in session time.

    time_control: of its seat. given: what it may take of that, as last looked at. number: grows
    with every turn offered in this process, the cursor of polls. cached: the latest document.
    """

    id: str
    hand: Hand
    seat: int
    since: int
    bot: str
    time_control: TimeControl
    opened_ms: int
    given: Allowance
    number: int = 0
    seen_ms: int | None = None
    refused: int = 0
    cached: CachedDocument | None = None
    _menu: tuple[State, Menu] | None = None

    def menu(self) -> Menu:
        """What the seat may answer now, worked out once for each state of the hand, whose lock is
        held."""
        state = self.hand.log.state
        if self._menu is None or self._menu[0] is not state:
            self._menu = state, legal(self.hand.table.rules, state, self.seat)
        return self._menu[1]

    @property
    def on_probation(self) -> bool:
        """Is its seat on probation now?"""
        return self.hand.table.log.on_probation(self.hand.seating[self.seat])

    @property
    def sits_out(self) -> bool:
        """Is its seat on probation, and has it let pass enough turns that nobody waits for it?"""
        return self.on_probation and self.hand.log.chances[self.seat].sits_out

    @property
    def allowance(self) -> Allowance:
        """What this turn may take; that grows while it is open, when its bot is proven."""
        if self.given.unproven and self.bot in self.hand.table.session.answered_ms:
            self.given = self.given.proven()
        return self.given

    @property
    def due_ms(self) -> int:
        """The last moment at which an answer is taken: time and bank are spent, and the grace."""
        given = self.allowance
        return self.opened_ms + given.move_ms + given.bank_ms + self.time_control.grace_ms

    @property
    def deadline_ms(self) -> int:
        """When its time and bank are spent; the grace comes on top."""
        return self.due_ms - self.time_control.grace_ms

    def charge(self, now_ms: int) -> Charge:
        """What an answer at this moment of session time costs: all time but the grace.

        Never more than there was: if the referee answers late, that is not the bot's time.
        """
        given = self.allowance
        taken_ms = max(0, now_ms - self.opened_ms - self.time_control.grace_ms)
        charged_ms = min(taken_ms, given.move_ms + given.bank_ms)
        drawn_ms = max(0, charged_ms - given.move_ms)
        return Charge(charged_ms, given.kept_ms + given.bank_ms - drawn_ms, late=drawn_ms > 0)


class Session:
    """A session that has been started. out: bots that left it, with the cause.

    secret: to which the arena is committed; keys: what deals, seats and draws follow from, by
    round.
    document, schedule: as they are stored; roster, rounds, to_come: what the schedule says (see
    `stored_schedule`); ending: it ends when the hands that run have ended; rounds_made: rounds
    whose tables exist. results: of ended tables, by their status, for rounds that follow from them.
    names: bot names by id. people: the clocks of those that are people's. pseudonyms: what bots are
    called instead by all but staff; empty unless the board is pseudonymous (see `display_names`);
    pseudonym_count: how many entries that is for.
    answered_ms: session time of each bot's last accepted answer at a table that was open here.
    fault_counts: as `notices.faults` keeps them. given_up: another referee plays it by now.
    """

    def __init__(
        self,
        session: str,
        config: SessionConfig,
        *,
        secret: bytes,
        clock: SessionClock,
        status: SessionStatus,
    ) -> None:
        self.id = session
        self.config = config
        self.secret = secret
        self.keys = RoundKeys(secret)
        self.clock = clock
        self.status = status
        self.lock = threading.RLock()
        self.rounds: tuple[tuple[tuple[int, ...], ...], ...] = ()
        self.roster: tuple[str, ...] = ()
        self.document = ""
        self.schedule: str | None = None
        self.to_come: int | None = 0
        self.rounds_made = 0
        self.ending = False
        self.names: dict[str, str] = {}
        self.people: dict[str, str] = {}
        self.pseudonyms: Mapping[str, str] = {}
        self.pseudonym_count = 0
        self.house: set[str] = set()
        self.out: dict[str, str] = {}
        self.answered_ms: dict[str, int] = {}
        self.tables: dict[str, Table] = {}
        self.results: dict[str, tuple[str, tuple[HandResult, ...]]] = {}
        self.fault_counts: dict[str, int] = {}
        self.given_up = False

    def shown(self, bot: str) -> tuple[str, str]:
        """A bot as the others at its table are told of it: its id and its name."""
        mask = self.pseudonyms.get(bot)
        return mask or bot, mask or self.names[bot]

    @property
    def offering(self) -> bool:
        """Are turns offered now?"""
        return self.status == SessionStatus.RUNNING


class Table:
    """A table that is being played. log: what it is so far; group: what it shares with others; key:
    what its deals and seats follow from (that of its round, if none is given); rules: the session's
    ruleset for this number of players. damage: which log of its hands is not what was written; then
    it is not played on (see `quarantine`)."""

    def __init__(
        self,
        table: str,
        session: Session,
        *,
        round_: int,
        players: Sequence[str],
        group: DealGroup | None = None,
        key: bytes | None = None,
    ) -> None:
        self.id = table
        self.session = session
        self.key = session.keys.of_round(round_) if key is None else key
        self.log = TableLog(
            table, session.config, players=players, group=group, people=session.people
        )
        self.group = self.log.group
        self.rules = self.log.rules
        self.players = self.log.players
        self.round = round_
        self.lock = threading.RLock()
        self.hand: Hand | None = None
        self.damage: DamagedHand | None = None


class Hand:
    """A hand that is being played, or read back.

    log: its steps and what follows from them; seating: player by seat; bots: by seat; turns: open
    turns by seat.

    lock: who holds it may not take it again (one that may costs greenlets twice as much).
    """

    def __init__(self, hand: str, table: Table, *, number: int, seating: Sequence[int]) -> None:
        self.id = hand
        self.table = table
        self.log = HandLog(hand, table.log, number=number, seating=seating)
        self.number = number
        self.seating = self.log.seating
        self.bots = tuple(table.players[player] for player in self.seating)
        self.lock = threading.Lock()
        self.turns: dict[int, Turn] = {}
        self.closed = False

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
            "hands": self.table.session.config.hands_per_table,
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


def apply_step(hand: Hand, step: Step, opened_ms: int) -> Moved:
    """Move a hand on by one step of its log. opened_ms: session time from which new turns count."""
    log, turns = hand.log, hand.turns
    log.append(step)
    if step.turn and not isinstance(step.command, Expire):  # its bot is proven, at all tables
        answered_ms, bot = hand.table.session.answered_ms, hand.bots[step.meta["seat"]]
        answered_ms[bot] = max(step.meta["clock_ms"], answered_ms.get(bot, 0))
    waiting = log.waiting
    closed: list[Turn] = []
    opened: list[Turn] = []
    for turn in tuple(turns.values()):
        if (turn.seat, turn.since) not in waiting:
            del turns[turn.seat]
            closed.append(turn)
    for seat, since in waiting:
        if seat not in turns:
            opened.append(_open(hand, seat, since, opened_ms))
    return Moved(hand, closed, opened, log.state.over)


def _open(hand: Hand, seat: int, since: int, opened_ms: int) -> Turn:
    session, table, player = hand.table.session, hand.table.log, hand.seating[seat]
    time_control, bot = table.clocks[player], hand.bots[seat]
    given = allowance(
        time_control,
        table.spent_ms[player],
        is_proven=bot in session.answered_ms,
        on_probation=table.on_probation(player),
    )
    name, refused = turn_id(hand.id, since, seat), hand.log.refused[seat]
    turn = Turn(name, hand, seat, since, bot, time_control, opened_ms, given, refused=refused)
    hand.turns[seat] = turn
    return turn
