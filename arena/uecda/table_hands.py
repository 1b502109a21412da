"""The hands that clients of a gateway play: who sits in them, what they share, what comes next.

May not know ports or sockets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Protocol

from arena.client import Client
from arena.client.problems import KitError
from arena.documents import Document
from arena.uecda import arena_sessions as sessions
from arena.uecda.arena_player import ArenaPlayer, HandPlace
from arena.uecda.cells import Cells
from arena.uecda.party import wire_numbers
from arena.uecda.seat_feed import NumberedEvents

QUIET_S: Final = 0.05
"""When nothing has been heard of a hand for so long, its log is asked: others than clients of this
gateway are to move, or a client thinks."""


class HandGroup:
    """Those of this gateway who play a hand. news_s: when something was heard of it last; is_asked:
    has the arena been asked what comes next? round: of its table, when nothing does."""

    def __init__(self, view: Mapping[str, Any], *, news_s: float) -> None:
        self.hand = str(view["hand"])
        self.table = str(view["table"])
        self.number = int(view["number"])
        self.players: list[ArenaPlayer] = []
        self.news_s = news_s
        self.is_asked = False
        self.round: int | None = None


class TableHost(Protocol):
    """What the hands ask of the gateway."""

    def seated(self, near: ArenaPlayer) -> Mapping[str, int]:
        """The numbers of all bots that have sat down; where two are equal, that one counts which
        sits where `near` does."""

    def view_of(self, player: ArenaPlayer) -> tuple[str, Mapping[str, Any] | None]:
        """The session that a player is in, and its document, if that is known."""

    def began(self, player: ArenaPlayer) -> None:
        """A player has a hand to play."""

    def end_last(self, player: ArenaPlayer) -> None:
        """A player has been shown the end of its session."""

    def fail(self, player: ArenaPlayer, error: KitError) -> None:
        """A player cannot go on."""


class TableHands:
    """All hands that are being played. players: gives all players; seconds: the time."""

    def __init__(
        self,
        host: TableHost,
        players: Callable[[], Sequence[ArenaPlayer]],
        seconds: Callable[[], float],
    ) -> None:
        self._host = host
        self._players = players
        self._seconds = seconds
        self._groups: dict[str, HandGroup] = {}
        self._asked: set[str] = set()

    @property
    def is_playing(self) -> bool:
        """Is a hand being played?"""
        return bool(self._groups)

    def find(self, player: ArenaPlayer, hand: str) -> None:
        """A player is asked in a hand that it does not know."""
        if hand not in self._asked:
            self._asked.add(hand)
            player.look_up(
                lambda client: sessions.hand_document(client, hand),
                partial(self.take_hand, player),
            )

    def find_current(self, player: ArenaPlayer, session: str) -> None:
        """A player waits for its first hand at a table."""
        bot = player.bot
        if not player.is_idle:
            return
        player.look_up(
            lambda client: sessions.current_hand(client, session, bot),
            partial(self.take_hand, player),
        )

    def take_hand(self, player: ArenaPlayer, result: Document | KitError | None) -> None:
        """A hand that was asked for."""
        if isinstance(result, KitError):
            self._host.fail(player, result)
        elif result is not None:
            self._begin(player, result)

    def _begin(self, asker: ArenaPlayer, view: Mapping[str, Any]) -> None:
        """A hand is known: all who sit in it begin it."""
        hand = str(view["hand"])
        group = self._groups.get(hand)
        if group is None:
            group = self._groups[hand] = HandGroup(view, news_s=self._seconds())
        bots = [str(seat["bot"]) for seat in view["seats"]]
        numbers = self._host.seated(asker)
        for player in self._players():
            if player.bot in bots and not player.is_over and player not in group.players:
                group.players.append(player)
                self._host.began(player)
                player.begin(_place(view, bots, numbers, player.bot))

    def share(self, player: ArenaPlayer, events: NumberedEvents) -> None:
        """What one was sent, others at its table may know."""
        group = self._group(player)
        if group is None:
            return
        group.news_s = self._seconds()
        for other in group.players:
            if other is not player:
                other.hear(group.hand, events)

    def share_cells(self, player: ArenaPlayer, number: int, cells: Cells) -> None:
        """If the event of this number is a play, its client has written it so."""
        group = self._group(player)
        for each in group.players if group else ():
            if each.hand is not None and self._group(each) is group:
                each.hand.feed.write(number, cells)

    def _group(self, player: ArenaPlayer) -> HandGroup | None:
        return self._groups.get(player.hand.place.id) if player.hand else None

    def end(self, player: ArenaPlayer) -> None:
        """A player is at the end of its hand: find out what comes next, once for all."""
        group = self._group(player)
        if group is None:
            return
        if group.is_asked:
            self.settle(player)
            return
        group.is_asked = True
        session, view = self._host.view_of(player)
        table, number = group.table, group.number

        def look(client: Client) -> Document | int:
            of = int((view or client.session(session))["hands_per_table"])
            return sessions.what_follows(client, table, number, of=of, pause=player.pause)

        player.look_up(look, partial(self._take_following, player, group))

    def _take_following(
        self, player: ArenaPlayer, group: HandGroup, result: Document | int | KitError
    ) -> None:
        if isinstance(result, KitError):
            group.is_asked = False
            self._host.fail(player, result)
        elif isinstance(result, int):
            group.round = result
            for each in group.players:
                self.settle(each)
        else:
            self._begin(player, result)

    def settle(self, player: ArenaPlayer) -> None:
        """Show a player the end of its last hand, if it is known that no other one follows."""
        group, hand = self._group(player), player.hand
        view = self._host.view_of(player)[1]
        if group is None or view is None or hand is None or hand.ended is None or hand.is_done:
            return
        if sessions.is_over(view) or (
            group.round is not None and sessions.is_last_round(view, group.round)
        ):
            player.end_hand(last=True)
            self._host.end_last(player)

    def follow(self) -> None:
        """Ask for the logs of hands of which nothing was heard for a moment: one player asks for
        all at its table, each in turn."""
        now_s = self._seconds()
        for group in self._groups.values():
            if now_s - group.news_s < QUIET_S or any(p.is_reading for p in group.players):
                continue
            reader = next((p for p in group.players if p.may_follow(group.hand)), None)
            if reader is not None:
                group.players.remove(reader)
                group.players.append(reader)
                reader.read_log()

    def forget(self) -> None:
        """Drop hands that nobody plays any more."""
        for group in [*self._groups.values()]:
            if not any(player.plays(group.hand) for player in group.players):
                del self._groups[group.hand]


def _place(
    view: Mapping[str, Any], bots: Sequence[str], known: Mapping[str, int], own: str
) -> HandPlace:
    """Where a bot sits in a hand, by the numbers that its client knows."""
    seating = [int(player) for player in view["seating"]]
    line_up = [bots[seating.index(player)] for player in range(len(bots))]
    numbers = wire_numbers(line_up, known, own)
    return HandPlace(
        id=str(view["hand"]),
        table=str(view["table"]),
        number=int(view["number"]),
        seat=bots.index(own),
        seating=tuple(numbers[player] for player in seating),
    )
