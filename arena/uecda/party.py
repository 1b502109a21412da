"""Who sits down together: five numbers of a port, clients and bots that fill the rest.

A number is given when a client has come and cannot be changed any more; it is free again only if no
later one has been given. May not know the arena or sockets.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from arena.documents import Document
from arena.uecda.arena_player import ArenaPlayer
from arena.uecda.codec import PLAYERS
from arena.uecda.fill_bot import FillBot

Member = ArenaPlayer | FillBot
FIRST: Final = 0


class SeatPort(NamedTuple):
    """A port on which clients sit down. session: which they play in; bot: as which bot the one
    client plays that may come there, "" where five may, by the names that they say; number: of that
    one; is_queue: does a new party begin with each five?"""

    port: int
    session: str
    bot: str = ""
    number: int = FIRST
    is_queue: bool = False


class Party:
    """Those who sit down together. members: by number; is_begun: is it being played?

    session: "" as long as it has not been created; first_s: when the first client came;
    is_starting: has the arena been asked to begin? leaving: those who have left before.
    """

    def __init__(self, port: SeatPort, session: str) -> None:
        self.port = port
        self.session = session
        self.members: dict[int, Member] = {}
        self.first_s: float | None = None
        self.is_begun = self.is_starting = False
        self.leaving: list[ArenaPlayer] = []

    @property
    def players(self) -> list[ArenaPlayer]:
        """Those with clients."""
        return [each for each in self.members.values() if isinstance(each, ArenaPlayer)]

    @property
    def free(self) -> list[int]:
        """The numbers that nobody has."""
        return [number for number in range(PLAYERS) if number not in self.members]

    @property
    def next_number(self) -> int | None:
        """The number of the client that comes next, None if there is none."""
        if self.is_begun or (self.port.bot and self.members):
            return None
        number = 1 + max(self.members, default=self.port.number - 1)
        return number if number < PLAYERS else None

    @property
    def is_ready(self) -> bool:
        """Are there five, all of them in the session, and nobody else?"""
        if any(player.is_absent for player in self.players):
            return False
        if not all(player.is_over for player in self.leaving):
            return False
        return not self.free and all(each.is_entered for each in self.members.values())

    @property
    def is_over(self) -> bool:
        """Has it been played to its end, or is nobody left?"""
        return self.is_begun and all(player.is_over for player in self.players)

    def free_last(self) -> None:
        """Whoever has the highest number and has left frees it."""
        while self.members:
            last = self.members[max(self.members)]
            if isinstance(last, FillBot) or not last.is_absent:
                return
            del self.members[last.number]
            self.leaving.append(last)
            if not self.players:
                self.first_s = None

    def note_leaving(self) -> None:
        """Note who has left by now and keeps its number."""
        gone = [player for player in self.players if player.is_absent]
        self.leaving += [player for player in gone if player not in self.leaving]

    def is_due(self, now_s: float, after_s: float) -> bool:
        """Is it time to fill the free numbers?"""
        first_s = self.first_s
        return first_s is not None and not self.port.bot and now_s >= first_s + after_s


def wire_numbers(line_up: list[str], known: Mapping[str, int], own: str) -> tuple[int, ...]:
    """The numbers by which a table's players go for one of its clients, in line-up order.

    known: the numbers that bots have got; own: the bot of the client, whose number stands. Two that
    sat down at different ports may have the same: then one goes by a free number.
    """
    numbers: dict[str, int] = {}
    for bot in (own, *line_up):
        number = known.get(bot)
        if number is not None and number not in numbers.values():
            numbers.setdefault(bot, number)
    free = iter(n for n in range(PLAYERS) if n not in numbers.values())
    return tuple(numbers[bot] if bot in numbers else next(free) for bot in line_up)


def party_document(party: Party) -> Document:
    """Who played where, for programs."""
    members = [_member(member) for _, member in sorted(party.members.items())]
    return {"port": party.port.port, "session": party.session or None, "players": members}


def _member(member: Member) -> Document:
    named: Document = {"number": member.number, "name": member.name, "bot": member.bot or None}
    if isinstance(member, FillBot):
        return {**named, "client": False}
    counts = {"hands": member.hands, **member.counts, "absent": member.has_left}
    return {**named, "client": True, **counts}
