"""A gateway: clients of the UECda contest as bots of a running arena, over HTTP as any bot.

It runs outside the referee, so that a client that hangs or a flood of connections cannot hurt the
arena. One thread serves all connections, and each client has one that talks to the arena for it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from arena.client.flags import BotSettings
from arena.client.main import enter, signed_in
from arena.client.problems import ArenaProblem, ArenaUnreachable, KitError
from arena.errors import ArenaError
from arena.rules import Ruleset
from arena.uecda.codec import PLAYERS
from arena.uecda.pilot import Mates, Pilot
from arena.uecda.seat import ClientSeat
from arena.uecda.sockets import ClientSockets

LOG = logging.getLogger("arena.uecda")
LOOK_S: Final = 0.25
EXPECTED: Final = (ArenaProblem, ArenaUnreachable, KitError, ArenaError)


class GatewayTerms(NamedTuple):
    """Where clients play. session: the id of one by the contest's rules; code: for registering."""

    url: str
    session: str
    rules: Ruleset
    code: str | None = None
    owner: str | None = None


@dataclass
class ClientGroup:
    """Clients that came to one port, and sit at one table on the wire."""

    seats: list[ClientSeat] = field(default_factory=list)
    mates: Mates = field(default_factory=Mates)


class PortRule(NamedTuple):
    """Who may come to a port. bot: only one client, which plays as this bot; is_queue: as many as
    come, in groups of five."""

    bot: str = ""
    is_queue: bool = False


class GatewayClient:
    """A client and what has become of it. bot: its name in the arena; trouble: why it had to go."""

    def __init__(self, name: str, seat: ClientSeat) -> None:
        self.name, self.seat = name, seat
        self.bot = self.trouble = ""
        self.pilot: Pilot | None = None
        self.is_done = False

    @property
    def hands(self) -> int:
        """How many hands it has played."""
        return self.pilot.hands if self.pilot else 0


class Gateway:
    """All clients of a gateway. said: takes lines for people."""

    def __init__(self, terms: GatewayTerms, said: Callable[[str], None]) -> None:
        self.clients: list[GatewayClient] = []
        self.is_stopping = False
        self._terms, self._said = terms, said
        self._sockets: ClientSockets | None = None

    def admitting(self, rule: PortRule) -> Callable[[str], ClientSeat | None]:
        """Who comes to a port of this rule gets a seat, unless there is none."""
        group = ClientGroup()
        most = 1 if rule.bot else PLAYERS

        def admit(name: str) -> ClientSeat | None:
            nonlocal group
            while group.seats and group.seats[-1].is_absent:
                group.seats.pop()
            if len(group.seats) == most and rule.is_queue:
                group = ClientGroup()
            if len(group.seats) == most or self.is_stopping:
                return None
            seat = ClientSeat(len(group.seats))
            group.seats.append(seat)
            self._begin(GatewayClient(rule.bot or name, seat), group)
            return seat

        return admit

    def stop(self) -> None:
        """Stop: the arena goes on without the clients."""
        self.is_stopping = True

    def run(self, sockets: ClientSockets) -> bool:
        """Serve until the session is over for all clients that came. False if it was stopped."""
        self._sockets = sockets
        while not self.is_stopping:
            sockets.pump(LOOK_S)
            if self.clients and all(client.is_done for client in self.clients):
                sockets.finish()
                return True
        return False

    def _begin(self, client: GatewayClient, group: ClientGroup) -> None:
        self.clients.append(client)
        self._said(f"{client.name} is player {client.seat.player} of its table")
        thread = threading.Thread(
            target=self._play, args=(client, group), name=client.name, daemon=True
        )
        thread.start()

    def _play(self, client: GatewayClient, group: ClientGroup) -> None:
        """The life of one client in the arena, at a thread's top."""
        try:
            self._live(client, group)
        except EXPECTED as error:
            self._dismiss(client, str(error))
        except Exception as error:  # the other clients play on
            LOG.exception("%s cannot play any more", client.name)
            self._dismiss(client, f"{type(error).__name__}: {error}")
        finally:
            client.is_done = True

    def _live(self, client: GatewayClient, group: ClientGroup) -> None:
        terms, sockets = self._terms, self._sockets
        assert sockets is not None, "clients come while the gateway runs"
        chosen = BotSettings(url=terms.url, code=terms.code, owner=terms.owner)
        with signed_in(chosen, default_name=client.name) as me:
            client.bot = me.name
            group.mates.numbers[str(me.client.whoami()["id"])] = client.seat.player
            enter(me, [terms.session])
            self._said(f"{client.name} plays as {me.name}")
            client.pilot = Pilot(
                me.client,
                terms.session,
                client.seat,
                sockets,
                rules=terms.rules,
                mates=group.mates,
            )
            client.pilot.run()

    def _dismiss(self, client: GatewayClient, why: str) -> None:
        """The client cannot play: its connection is closed."""
        sockets = self._sockets
        assert sockets is not None, "clients come while the gateway runs"
        with sockets.changed:
            client.trouble = client.seat.dismissed = why
        sockets.wake()
