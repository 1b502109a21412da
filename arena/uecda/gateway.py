"""A gateway: clients of the contest as ordinary bots of a running arena.

Clients sit down at ports, five to a party; each becomes a bot that enters a session over HTTP, as
any bot does. Everything is in one thread but the requests, which have lanes of their own. The
arena is the referee: this module brings together who sits where, and shares what is public.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from itertools import cycle
from typing import Any, Final, NamedTuple

from arena.client import Client
from arena.client.problems import KitError
from arena.client.retry import Backoff
from arena.documents import Document
from arena.statuses import IN_PLAY, OVER, SessionStatus
from arena.uecda import arena_sessions as sessions
from arena.uecda.arena_player import ArenaPlayer, PlayerTerms
from arena.uecda.arena_sessions import ContestForm
from arena.uecda.cells import Cells
from arena.uecda.contest import Fill
from arena.uecda.fill_bot import FillBot
from arena.uecda.keys import BotKey, Keys
from arena.uecda.lanes import Outcomes, RequestLane
from arena.uecda.party import Party, SeatPort
from arena.uecda.seat import ClientSeat
from arena.uecda.seat_feed import NumberedEvents
from arena.uecda.sockets import ClientSockets, ListeningPort, listen
from arena.uecda.table_hands import QUIET_S, TableHands

BACKOFF: Final = Backoff(most_s=1.0)
"""The clocks of the arena go on as soon as it is back."""
LOOK_S: Final = 0.25
"""So often at least time is looked at; while hands are played, every QUIET_S."""
USUAL_FILL: Final = "sample_bots.heuristic:Heuristic"


class GatewayTerms(NamedTuple):
    """How a gateway works. form: of the session that it creates for each party, None where the
    sessions are there; fill: who takes free seats; rejoin: may a client come back?

    wait_s: for how long the arena may hold a request; patience_s: for how long it may be away;
    watch_s: how often sessions are looked at.
    """

    url: str
    form: ContestForm | None = None
    fill: tuple[Fill, ...] = ()
    rejoin: bool = False
    wait_s: float = 25.0
    patience_s: float = 120.0
    watch_s: float = 1.0


class Gateway:
    """All parties of a gateway. say: takes lines for people.

    `listen`, then `pump` again and again until `is_over`, then `finish`; `close` in any case.
    """

    def __init__(
        self,
        terms: GatewayTerms,
        keys: Keys,
        say: Callable[[str], None],
        *,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self.terms = terms
        self.parties: list[Party] = []
        self._active: list[Party] = []
        self.failures = 0
        self._keys = keys
        self._say = say
        self._seconds = seconds
        self._outcomes = Outcomes(self._wake)
        self._play = PlayerTerms(sessions.uecda_rules(), terms.wait_s, seconds)
        self._ports: list[SeatPort] = []
        self._views: dict[str, Mapping[str, Any]] = {}
        self._hands = TableHands(self, self._playing, seconds)
        self._held: list[tuple[ArenaPlayer, BotKey]] = []
        self.is_stopping = False
        self._sockets: ClientSockets | None = None
        self._office = self._lane(terms.form.token if terms.form else None)
        self._watcher = self._lane(terms.form.token if terms.form else None)
        self._fill = cycle([fill.bot for fill in terms.fill] or [USUAL_FILL])

    def _wake(self) -> None:
        if self._sockets is not None:
            self._sockets.wake()

    def _lane(self, token: str | None = None) -> RequestLane:
        url, patience_s = self.terms.url, self.terms.patience_s
        return RequestLane(
            self._outcomes,
            lambda sleep: Client(url, token, patience_s=patience_s, backoff=BACKOFF, sleep=sleep),
        )

    # Ports

    @contextmanager
    def listen(self, ports: Iterable[SeatPort], host: str) -> Iterator[list[SeatPort]]:
        """Let clients sit down at these ports of an address; with the numbers of free ports where
        0 was asked for. Raises BadInput where nobody can listen."""
        with ExitStack() as stack:
            served = []
            for port in ports:
                listener = stack.enter_context(closing(listen(host, port.port)))
                bound = port._replace(port=listener.getsockname()[1])
                self._ports.append(bound)
                served.append(ListeningPort(listener, partial(self.admit, bound)))
            self._sockets = stack.enter_context(closing(ClientSockets(served, self._say)))
            self._watch(0.0)
            yield self._ports

    @property
    def players(self) -> list[ArenaPlayer]:
        """All clients that have sat down."""
        return [player for party in self.parties for player in party.players]

    def _playing(self) -> list[ArenaPlayer]:
        """Those whose parties are not over."""
        return [player for party in self._active for player in party.players]

    @property
    def is_deserted(self) -> bool:
        """Have all clients gone before the end?"""
        players = self.players
        return bool(players) and all(player.has_left for player in players)

    @property
    def is_over(self) -> bool:
        """Is there nothing to play any more?"""
        return bool(self._ports) and all(map(self._is_closed, self._ports))

    def _is_closed(self, port: SeatPort) -> bool:
        parties = [party for party in self.parties if party.port == port]
        if not all(party.is_over for party in parties):
            return False
        if self.terms.form is None and self._status(port.session) in OVER:
            return True
        return bool(parties) and not port.is_queue

    def admit(self, port: SeatPort, name: str) -> ClientSeat | None:
        """A client has come: its seat, None if there is none for it."""
        parties = [party for party in self.parties if party.port == port]
        if self.terms.rejoin and (seat := self._rejoin(parties, name)) is not None:
            return seat
        party = parties[-1] if parties else None
        if party is not None:
            self._free(party)
        if party is None or (party.next_number is None and port.is_queue):
            party = self._new_party(port)
        number = party.next_number
        if number is None or self._status(party.session) in OVER:
            return None
        return self._sit_down(party, ClientSeat(number), port.bot or name, name)

    def _rejoin(self, parties: Iterable[Party], name: str) -> ClientSeat | None:
        for player in (player for party in parties if party.is_begun for player in party.players):
            if player.called == name and player.is_absent and not player.is_over:
                player.incoming = ClientSeat(player.number)
                player.incoming.title = player.seat.title
                self._say(f"{player.name} is back and plays from the next hand on")
                return player.incoming
        return None

    def _new_party(self, port: SeatPort) -> Party:
        form = self.terms.form
        party = Party(port, port.session if form is None else "")
        self.parties.append(party)
        self._active.append(party)
        if form is not None:
            self._office.ask(
                lambda client: sessions.create_contest(client, form),
                partial(self._take_session, party),
            )
        return party

    def _take_session(self, party: Party, result: str | KitError) -> None:
        if isinstance(result, KitError):
            self._say(f"no session for port {party.port.port}: {result}")
            for player in party.players:
                self.fail(player, result)
            party.is_begun = True
            return
        party.session = result
        self._say(f"port {party.port.port} plays session {result}")
        for player in party.players:
            self._enter(party, player)

    def _sit_down(self, party: Party, seat: ClientSeat, bot: str, name: str) -> ClientSeat:
        player = ArenaPlayer(bot, seat, lanes=(self._lane(), self._lane()), host=self)
        player.called = name
        party.members[seat.player] = player
        if party.first_s is None:
            party.first_s = self._seconds()
        self._say(f"{name} is player {player.number} at port {party.port.port}")
        player.ask(
            lambda client: self._keys.sign_in(client, bot),
            partial(self._take_key, party, player),
        )
        return seat

    def _take_key(self, party: Party, player: ArenaPlayer, result: BotKey | KitError) -> None:
        if isinstance(result, KitError):
            self.fail(player, result)
            return
        token = result.token
        self._held.append((player, result))
        player.name, player.bot = result.called, result.bot
        for seat in player.seats:
            seat.title = _title(player, party)
        player.look_up(lambda client: setattr(client, "token", token), lambda _: None)
        if party.session:
            self._enter(party, player)

    def _enter(self, party: Party, player: ArenaPlayer) -> None:
        if not player.bot or player.is_absent:
            return  # it is signing in, or has gone meanwhile
        session, bot = party.session, player.bot
        player.ask(
            lambda client: sessions.enter(client, session, bot),
            partial(self._take_entry, party, player),
        )

    def _take_entry(self, party: Party, player: ArenaPlayer, result: KitError | None) -> None:
        if isinstance(result, KitError):
            self.fail(player, result)
            return
        self._say(f"{player.called} plays as {player.name} in session {party.session}")
        player.play(self._play)

    # Before the first hand

    def _gather(self, party: Party, now_s: float) -> None:
        """Free numbers, fill them, and begin when there are five."""
        self._free(party)
        party.note_leaving()
        gone = [player.number for player in party.players if player.is_absent and player.is_over]
        fill = self.terms.fill
        if fill and party.is_due(now_s, max(each.after_s for each in fill)):
            gone += party.free
        for number in gone if party.session else ():
            self._fill_seat(party, number)
        if self.terms.form is not None and party.is_ready and not party.is_starting:
            party.is_starting = True
            session = party.session
            self._office.ask(
                lambda client: sessions.start(client, session),
                partial(self._take_start, party),
            )

    def _free(self, party: Party) -> None:
        if not party.is_begun:
            party.free_last()

    def _let_go(self, party: Party) -> None:
        """Clients that have left before the first hand: so do their bots."""
        for player in party.leaving:
            if player.is_over or player.is_withdrawn or player.is_busy:
                continue
            if player.is_entered:
                player.withdraw(party.session, playing=False)
            else:
                player.close()

    def _fill_seat(self, party: Party, number: int) -> None:
        bot = FillBot(next(self._fill), number, lane=self._lane(), fail=self._fail_fill)
        party.members[number] = bot
        self._say(f"{bot.name} takes seat {number} at port {party.port.port}")
        bot.play(party.session, self._keys)

    def _fail_fill(self, bot: FillBot, error: KitError) -> None:
        self.failures += 1
        self._say(f"{bot.name} cannot play: {error}")

    def _take_start(self, party: Party, result: KitError | None) -> None:
        party.is_begun = True
        if isinstance(result, KitError):
            self.failures += 1
            self._say(f"session {party.session} does not begin: {result}")
            self._end(party.players, f"session {party.session} does not begin")

    # Sessions

    def _status(self, session: str) -> str:
        return str(self._views.get(session, {}).get("status", ""))

    def _watch(self, pause_s: float) -> None:
        """Look at all sessions, again and again."""
        watched = {port.session for port in self._ports if self.terms.form is None}
        watched |= {party.session for party in self.parties if party.session and not party.is_over}
        lane = self._watcher

        def look(client: Client) -> list[Document]:
            lane.pause(pause_s)
            return [sessions.view_of(client, session) for session in sorted(watched)]

        lane.ask(look, self._take_views)

    def _take_views(self, result: list[Document] | KitError) -> None:
        if isinstance(result, KitError):
            self.failures += 1
            self._say(str(result))
            self._end(self.players, "the arena is away")
            for party in self.parties:
                party.is_begun = True
            return
        for view in result:
            self._take_view(view)
        self._watch(self.terms.watch_s)

    def _take_view(self, view: Mapping[str, Any]) -> None:
        session = str(view["session"])
        before = self._status(session)
        self._views[session] = view
        if view["status"] != before and (before or view["status"] in OVER):
            self._say(f"session {session} is {view['status']}")
        parties = [party for party in self.parties if party.session == session]
        for party in parties:
            party.is_begun = party.is_begun or view["status"] in (*IN_PLAY, *OVER)
            for player in party.players:
                if not player.is_over:
                    self._settle(player, view)

    def _settle(self, player: ArenaPlayer, view: Mapping[str, Any]) -> None:
        """What a session's document means for one who plays in it."""
        hand, status, session = player.hand, view["status"], str(view["session"])
        is_between = hand is None or hand.is_done or hand.ended is not None
        self._hands.settle(player)
        if player.is_over:
            return
        if status == SessionStatus.CANCELLED:
            self._end([player], f"session {session} was cancelled")
        elif status == SessionStatus.FINISHED and is_between:
            self._end([player], f"session {session} is over")
        elif status in IN_PLAY and is_between and player.is_entered:
            self._hands.find_current(player, session)

    def _end(self, players: Iterable[ArenaPlayer], why: str) -> None:
        """These cannot play on, and there is no message for that."""
        for player in players:
            if not player.is_over:
                player.close()
                self._dismiss(player, why)

    def _dismiss(self, player: ArenaPlayer, why: str) -> None:
        for seat in player.seats:
            seat.dismissed = why

    # Hands

    def hand_begins(self, player: ArenaPlayer, hand: str) -> None:
        """A player is asked in a hand that it does not know."""
        self._hands.find(player, hand)

    def hand_ends(self, player: ArenaPlayer) -> None:
        """A player is at the end of its hand."""
        self._hands.end(player)

    def share(self, player: ArenaPlayer, events: NumberedEvents) -> None:
        """What one was sent, others at its table may know."""
        self._hands.share(player, events)

    def share_cells(self, player: ArenaPlayer, number: int, cells: Cells) -> None:
        """If the event of this number is a play, its client has written it so."""
        self._hands.share_cells(player, number, cells)

    def seated(self, near: ArenaPlayer) -> Mapping[str, int]:
        """The numbers of all bots that have sat down, those at the port of one counting most."""
        own = self._party_of(near)
        others = [party for party in self.parties if party is not own]
        members = [m for party in (*others, own) for m in party.members.values()]
        return {member.bot: member.number for member in members}

    def _party_of(self, player: ArenaPlayer) -> Party:
        return next(p for p in self.parties if player in p.members.values())

    def view_of(self, player: ArenaPlayer) -> tuple[str, Mapping[str, Any] | None]:
        """The session that a player is in, and its document, if that is known."""
        session = self._party_of(player).session
        return session, self._views.get(session)

    def began(self, player: ArenaPlayer) -> None:
        """A player has a hand to play."""
        self._party_of(player).is_begun = True

    def end_last(self, player: ArenaPlayer) -> None:
        """A player has been shown the end of its session."""
        player.close()

    def void_hand(self, player: ArenaPlayer) -> None:
        """The hand of a player was voided: no message says so."""
        self._dismiss(player, "its hand was voided")

    def fail(self, player: ArenaPlayer, error: KitError) -> None:
        """A player cannot go on."""
        self.failures += 1
        self._say(f"{player.name} cannot play: {error}")
        self._end([player], "the arena does not let it play")

    def say(self, text: str) -> None:
        """A line for people."""
        self._say(text)

    # Time

    def pump(self) -> None:
        """Serve whoever has something, for a moment."""
        assert self._sockets is not None, "it serves ports"
        self._sockets.pump(QUIET_S if self._hands.is_playing else LOOK_S)
        self._outcomes.handle()
        now_s = self._seconds()
        for party in self._active:
            if not party.is_begun:
                self._gather(party, now_s)
            elif not self.terms.rejoin:
                self._withdraw(party)
            self._let_go(party)
        for player in self._playing():
            if not player.is_over:
                player.tick(now_s)
                player.advance()
        self._release()
        self._hands.follow()
        self._hands.forget()
        self._sockets.flush([seat for player in self._playing() for seat in player.seats])
        self._active = [party for party in self._active if not party.is_over]

    def _release(self) -> None:
        """Let others have the names of those that play no more."""
        for player, key in self._held:
            if player.is_over:
                self._keys.release(key)
        self._held = [held for held in self._held if not held[0].is_over]

    def _withdraw(self, party: Party) -> None:
        """Those whose clients have gone for good."""
        for player in party.players:
            is_in = player.is_entered and not (player.is_withdrawn or player.is_over)
            if is_in and player.is_absent:
                self._say(f"{player.name} is withdrawn: the arena answers for it")
                player.withdraw(party.session, playing=True)

    def stop(self) -> None:
        """Stop: the arena goes on without the clients."""
        self.is_stopping = True

    def finish(self) -> None:
        """Let the clients read all that they have been sent, and go."""
        if self._sockets is not None:
            self._sockets.finish()

    def close(self) -> None:
        """Ask for nothing more."""
        for party in self.parties:
            for member in party.members.values():
                member.close()
        for player, _ in self._held:
            player.close()
        self._keys.close()
        self._office.close()
        self._watcher.close()


def _title(player: ArenaPlayer, party: Party) -> str:
    return f"{player.name} (player {player.number} at port {party.port.port})"
