"""A contest of its own: one table of five in this process, clients on a port and house bots.

The engine is the referee, `arena.match.tables` plays the hands; this module seats the players,
shows the seats what happens and keeps the time. No HTTP and no database. One thread: while a client
is waited for, all connections are served.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Final, NamedTuple

from arena.errors import ArenaError
from arena.match.kit import KitPlayer
from arena.match.local import HEURISTIC, make_bot
from arena.match.tables import PlayedHand, Player, SeatView, TableSetup, play_hands
from arena.rules import Ruleset, compile_ruleset, default, redact
from arena.rules.commands import Answer
from arena.rules.events import Ended, Played
from arena.tournament.random_stream import Seed
from arena.uecda.cells import Cells
from arena.uecda.codec import PLAYERS
from arena.uecda.greeting import distinct
from arena.uecda.seat import ClientSeat, SeatAnswer
from arena.uecda.sockets import ClientSockets

PRESET: Final = "uecda"
RESEAT_EVERY: Final = 3
BLOCK: Final = "block 000001"
HOUSE: Final = "house"
LOOK_S: Final = 0.25
"""So often at least it is looked whether somebody wants the contest to stop."""


class Fill(NamedTuple):
    """Who takes the seats that clients leave free, and how many seconds after the first client."""

    bot: str
    after_s: float


class ContestTerms(NamedTuple):
    """How a contest is played. fill: in turn until the table is full; none: it waits for five
    clients. move_ms: for an answer; bank_ms: for what is beyond that, in all between two resets of
    the classes."""

    hands: int
    seed: Seed
    fill: tuple[Fill, ...] = ()
    move_ms: int = 5_000
    bank_ms: int = 60_000

    @property
    def rules(self) -> Ruleset:
        """The rules of the contest."""
        return compile_ruleset({"preset": PRESET})


class ContestPlayer(NamedTuple):
    """Who plays at the table. seat: of a client, None for a house bot; bot: its source."""

    name: str
    seat: ClientSeat | None = None
    bot: str = ""


class Contest:
    """One session at one table. said: takes lines for people.

    First `gather`, then `play`; `stop` may be called at any time, by a signal as well.
    """

    def __init__(
        self,
        terms: ContestTerms,
        said: Callable[[str], None],
        *,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self.terms = terms
        self.rules = terms.rules
        self.players: list[ContestPlayer] = []
        self.is_stopping = False
        self._said = said
        self._seconds = seconds
        self._first_s: float | None = None
        self._is_gathered = False

    @property
    def clients(self) -> list[ClientSeat]:
        """The seats of clients, by number."""
        return [player.seat for player in self.players if player.seat is not None]

    @property
    def is_deserted(self) -> bool:
        """Have all clients gone?"""
        return all(seat.is_absent for seat in self.clients)

    def stop(self) -> None:
        """Let the hand that is being played be the last one."""
        self.is_stopping = True

    def now_s(self) -> float:
        """The time, for deadlines."""
        return self._seconds()

    # Before the first hand

    def admit(self, name: str) -> ClientSeat | None:
        """A client has come: its seat, or None if it comes too late."""
        self._free_last()
        if self._is_gathered or len(self.players) == PLAYERS:
            return None
        seat = ClientSeat(len(self.players))
        own = distinct(name, [player.name for player in self.players])
        self.players.append(ContestPlayer(own, seat))
        if self._first_s is None:
            self._first_s = self.now_s()
        self._said(f"{own} is player {seat.player}")
        return seat

    def _free_last(self) -> None:
        """Who has left before the first hand frees its number, if no later one has been given."""
        while self.players and self.players[-1].seat and self.players[-1].seat.is_absent:
            self.players.pop()
        if not self.players:
            self._first_s = None

    def gather(self, sockets: ClientSockets) -> bool:
        """Wait until the table is full. False if it was stopped before."""
        while not self.is_stopping:
            self._free_last()
            if len(self.players) == PLAYERS or self._is_due():
                self._fill()
                return True
            sockets.pump(LOOK_S)
        return False

    def _is_due(self) -> bool:
        fill, first_s = self.terms.fill, self._first_s
        if not fill or first_s is None:
            return False
        return self.now_s() >= first_s + max(each.after_s for each in fill)

    def _fill(self) -> None:
        """House bots for the free seats, and for those whose clients have gone: the numbers of the
        others have been sent and cannot be changed."""
        self._is_gathered = True
        bots = cycle([fill.bot for fill in self.terms.fill] or [HEURISTIC])
        for at in range(PLAYERS):
            seat = self.players[at].seat if at < len(self.players) else None
            if seat is None or seat.is_absent:
                name = distinct(HOUSE, [player.name for player in self.players])
                self.players[at : at + 1] = [ContestPlayer(name, bot=next(bots))]

    # Hands

    def setting(self) -> TableSetup:
        """The table that is played, once it is full."""
        rules = self.rules
        return TableSetup(
            rules,
            block=BLOCK,
            pool=f"{rules.fingerprint}/{rules.players}",
            bots=tuple(player.name for player in self.players),
            hands=self.terms.hands,
            seed=self.terms.seed,
            shuffles=BLOCK,
            seats=BLOCK,
            reseat_every=RESEAT_EVERY,
        )

    def play(self, sockets: ClientSockets) -> Iterator[PlayedHand]:
        """Play hand by hand, until the last one, until `stop`, or until all clients have gone."""
        setting = self.setting()
        table = _ContestTable(self, setting, sockets)
        for hand in play_hands(setting, table.players):
            yield hand
            if table.is_over:
                return


class _ContestTable:
    """What the players of a contest share: what has been shown to the seats, and the time."""

    def __init__(self, contest: Contest, setting: TableSetup, sockets: ClientSockets) -> None:
        self._contest = contest
        self._setting = setting
        self._sockets = sockets
        self._hand = 0
        self._shown = 0
        self._seats: list[tuple[int, ClientSeat]] = []
        self._written: Cells | None = None
        self._banks_ms = [0] * PLAYERS
        self.is_over = False
        self.players: list[Player] = [
            _SeatedClient(self, each.seat) if each.seat else _SeatedBot(self, each.bot, number)
            for number, each in enumerate(contest.players)
        ]

    @property
    def setting(self) -> TableSetup:
        """The table."""
        return self._setting

    def show(self, look: SeatView) -> None:
        """Tell all clients what has happened since the last time."""
        if look.hand != self._hand:
            self._begin(look)
        elif self._shown == len(look.events):
            return
        seats = self._seats
        for event in look.events[self._shown :]:
            written = self._written if isinstance(event, Played) else None
            if isinstance(event, Ended):
                self.is_over = self._is_last(look.hand)
            for at, seat in seats:
                seat.tell(redact(event, at), last=self.is_over, written=written)
        self._shown = len(look.events)
        self._written = None
        self._sockets.flush([seat for _, seat in seats])

    def _begin(self, look: SeatView) -> None:
        """A new hand; the seats hear of it in the order of their classes."""
        self._hand, self._shown = look.hand, 0
        if not look.state.setup.before:  # no classes
            self._banks_ms = [self._contest.terms.bank_ms] * PLAYERS
        before = look.state.setup.before or tuple(range(PLAYERS))
        numbered = [(at, self._contest.players[look.seating[at]].seat) for at in before]
        self._seats = [(at, seat) for at, seat in numbered if seat is not None]
        for at, seat in self._seats:
            seat.begin_hand(at, look.seating)

    def _is_last(self, hand: int) -> bool:
        contest = self._contest
        return hand == contest.terms.hands or contest.is_stopping or contest.is_deserted

    def wait(self, seat: ClientSeat) -> SeatAnswer:
        """The answer of a client, or what stands in its place."""
        contest = self._contest
        began_s = contest.now_s()
        limit_s = (contest.terms.move_ms + self._banks_ms[seat.player]) / 1000
        while (answer := seat.answer()) is None:
            left_s = began_s + limit_s - contest.now_s()
            if left_s <= 0:
                answer = seat.give_up()
                break
            self._sockets.pump(min(left_s, LOOK_S))
        self._charge(seat.player, contest.now_s() - began_s)
        return answer

    def _charge(self, player: int, took_s: float) -> None:
        over_ms = round(1000 * took_s) - self._contest.terms.move_ms
        self._banks_ms[player] = max(0, self._banks_ms[player] - max(0, over_ms))

    def accepted(self, written: Cells | None) -> None:
        """How a client has written the play that it has just made."""
        self._written = written


class _SeatedClient:
    """A client as a player of the table."""

    def __init__(self, table: _ContestTable, seat: ClientSeat) -> None:
        self.note = ""
        self._table = table
        self._seat = seat

    def answer(self, look: SeatView, refused: ArenaError | None) -> Answer:
        """Its answer; a refused one is a pass, in the exchange the strongest cards."""
        if refused is None:
            self._table.show(look)
            answer = self._table.wait(self._seat)
        else:
            answer = self._seat.refuse(str(refused))
        self.note = answer.trouble
        self._table.accepted(self._seat.written)
        return answer.answer

    def hand_over(self, look: SeatView) -> None:
        """The hand has ended."""
        self._table.show(look)


class _SeatedBot:
    """A house bot as a player of the table."""

    def __init__(self, table: _ContestTable, source: str, number: int) -> None:
        setting = table.setting
        seed = f"{setting.seed!r}/{number}"
        self.note = ""
        self._table = table
        self._inner = KitPlayer(make_bot(source, seed=seed), setting, name=setting.bots[number])

    def answer(self, look: SeatView, refused: ArenaError | None) -> Answer:
        """Its answer; the referee's if it has none, for no player of a contest is thrown out."""
        self._table.show(look)
        answer = None if refused is not None else self._inner.answer(look, refused)
        self.note = self._inner.note
        return default(look.setting.rules, look.state, look.seat) if answer is None else answer

    def hand_over(self, look: SeatView) -> None:
        """The hand has ended."""
        self._table.show(look)
        self._inner.hand_over(look)
