"""A bot of the kit as a client of somebody else's UECda server, as a state machine.

Bytes from the server go in, in any pieces; bytes for it come out. In between the bot is asked, with
the turn documents of a local match (`arena.uecda.shadow` says what is true in them). No socket, no
clock of its own: how long the bot thinks, `KitPlayer` measures.

What the bot does wrong costs it a move and not the session: an error of its code or an answer that
is not legal becomes a pass, in the exchange the lowest cards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from arena.client.bot import Bot
from arena.client.watch import Watch
from arena.errors import BadInput
from arena.match.conduct import Conduct
from arena.match.kit import KitPlayer
from arena.match.tables import SeatView, TableSetup, answered
from arena.rules import Ruleset
from arena.rules.cards import codes
from arena.rules.commands import Answer, Expire, Give, Pass, Play
from arena.rules.events import Event, Gave, Passed, Played
from arena.uecda.cells import CARD_CELLS, NOTHING, Cells, strongest, write_hand, write_meld
from arena.uecda.codec import (
    ACCEPTED,
    GOES_ON,
    HAND_OVER,
    PLAYERS,
    SESSION_OVER,
    MessageBuffer,
    Table,
    read_hand_table,
    read_start,
    write_profile,
    write_submission,
)
from arena.uecda.points import PointsLine, points_table
from arena.uecda.shadow import Shadow

LABEL: Final = "uecda"
END_FLAGS: Final = (GOES_ON, HAND_OVER, SESSION_OVER)


class OwnAnswer(NamedTuple):
    """What the bot has answered, or the referee in its place. cells: as they are sent."""

    answer: Answer
    cells: Cells


@dataclass
class ClientReport:
    """What a session was. finishes: the players of each hand, best to last, as far as is known.

    answers: sent, gifts and passes among them; refused: plays that the server did not accept;
    faults: turns for which the bot had no legal answer. differing: hand tables that said otherwise
    than the shadow, which was mended; differences: how often what.
    """

    finishes: list[tuple[int, ...]] = field(default_factory=list)
    answers: int = 0
    refused: int = 0
    faults: int = 0
    differing: int = 0
    differences: Counter[str] = field(default_factory=Counter)


class BotClient:
    """One session of one bot. name: at most 15 characters of ASCII. hands: what the bot reads as
    the length of the session, which the protocol does not say. said: takes lines for people; ended:
    is called after each hand; order: see `Shadow`.

    player: its number, None before the server has said it; hand: the number of the hand, 0 before
    the first. Raises BadInput for a name that cannot be sent.
    """

    def __init__(
        self,
        bot: Bot,
        rules: Ruleset,
        *,
        name: str,
        hands: int,
        said: Callable[[str], None] = lambda line: None,
        ended: Callable[[BotClient], None] = lambda client: None,
        watch: Watch | None = None,
        order: Sequence[int] = (),
    ) -> None:
        self.name = name
        self.player: int | None = None
        self.hand = 0
        self.is_over = False
        self.report = ClientReport()
        self._bot, self._rules, self._hands = bot, rules, hands
        self._said, self._ended, self._watch = said, ended, watch
        self._order = order
        self._kit: KitPlayer | None = None
        self._shadow: Shadow | None = None
        self._incoming = MessageBuffer()
        self._outgoing = [write_profile(name)]
        self._life = self._live()
        self._wants_table = next(self._life)

    @property
    def conduct(self) -> Conduct:
        """Errors of the bot's code, and its longest thought."""
        return Conduct() if self._kit is None else self._kit.conduct

    @property
    def points(self) -> list[PointsLine]:
        """The contest's table of points, of the hands whose end is known."""
        known = [finish for finish in self.report.finishes if len(finish) == PLAYERS]
        return points_table(known, self._rules.table.points)

    def output(self) -> bytes:
        """What is to be sent now."""
        data = b"".join(self._outgoing)
        self._outgoing.clear()
        return data

    def receive(self, data: bytes) -> None:
        """Bytes have come from the server.

        Raises BadInput for what is no message of the protocol, Unavailable if the bot leaves.
        """
        self._incoming.feed(data)
        while not self.is_over and (message := self._next()) is not None:
            try:
                self._wants_table = self._life.send(message)
            except StopIteration:
                self.is_over = True

    def _next(self) -> Table | None:
        if self._wants_table:
            return self._incoming.table()
        number = self._incoming.integer()
        return None if number is None else (number,)

    # The session, message by message

    def _live(self) -> Generator[bool, Table, None]:
        player = (yield False)[0]
        if player >= PLAYERS:
            raise BadInput("player number", player, f"0 to {PLAYERS - 1}")
        self._sit_down(player)
        flag = HAND_OVER
        while flag == HAND_OVER:
            flag = yield from self._hand(player)
        self._settle(None)

    def _sit_down(self, player: int) -> None:
        self.player = player
        names = [f"player-{number}" for number in range(PLAYERS)]
        names[player] = f"{self.name} ({player})"
        setting = TableSetup(
            self._rules,
            block=LABEL,
            pool=LABEL,
            bots=tuple(names),
            hands=self._hands,
            seed=0,
            shuffles=LABEL,
            seats=LABEL,
        )
        self._setting = setting
        self._kit = KitPlayer(self._bot, setting, watch=self._watch, name=self.name)
        self._said(f"{self.name} is player {player}")

    def _hand(self, player: int) -> Generator[bool, Table, int]:
        """One hand; the flag with which it ends."""
        table = yield True
        start = read_start(table)
        self._settle(table)
        self.hand += 1
        shadow = self._shadow = Shadow(self._rules, player, start, order=self._order)
        if start.give:
            self._give(shadow, start.cards, start.give)
        flag = GOES_ON
        while flag == GOES_ON:
            flag = yield from self._turn(shadow)
        return flag

    def _turn(self, shadow: Shadow) -> Generator[bool, Table, int]:
        """One turn; the flag after it."""
        table = read_hand_table((yield True))
        if table.own != (table.player == self.player):
            expected = f"player {self.player} if the table says that it is his turn, else another"
            raise BadInput("cell [5][3], the player,", table.player, expected)
        self._note(*shadow.before(table))
        own: Answer | None = None
        if table.own:
            asked = self._ask(shadow)
            self._send(asked.cells)
            accepted = (yield False)[0] == ACCEPTED
            own = self._as_accepted(shadow, asked, accepted=accepted)
        field_table = yield True
        self._note(shadow.after(field_table[:CARD_CELLS], own), counts=False)
        flag = (yield False)[0]
        if flag not in END_FLAGS:
            raise BadInput("end flag", flag, "0, 1 or 2")
        if flag != GOES_ON:
            self._note(shadow.end(), counts=False)
        return flag

    def _as_accepted(self, shadow: Shadow, asked: OwnAnswer, *, accepted: bool) -> Answer:
        """What the answer was for the server: a refused play is a pass."""
        if accepted or not isinstance(asked.answer, Play):
            return asked.answer
        self.report.refused += 1
        cards = " ".join(codes(asked.answer.cards))
        self._said(f"hand {self.hand}: the server has refused {cards}")
        return Pass(shadow.seat)

    def _settle(self, start: Table | None) -> None:
        """The end of the hand before. start: the start table of the next one, if there is one."""
        shadow, kit = self._shadow, self._kit
        if shadow is None or kit is None:
            return
        if start is not None:
            self._note(shadow.settle(read_start(start).roster), counts=False)
        self.report.finishes.append(shadow.finish)
        kit.hand_over(self._view(shadow))
        self._ended(self)

    # The bot

    def _view(self, shadow: Shadow) -> SeatView:
        return SeatView(
            self._setting, self.hand, shadow.seating, shadow.seat, shadow.state, shadow.events
        )

    def _ask(self, shadow: Shadow) -> OwnAnswer:
        """What the bot answers; the referee's answer if it has none that is legal."""
        assert self._kit is not None, "nobody is asked before he has a seat"
        step = answered(self._view(shadow), self._kit)
        self.report.answers += 1
        self.report.faults += isinstance(step.command, Expire)
        return next(written for event in step.events if (written := _written(event)) is not None)

    def _give(self, shadow: Shadow, held: int, count: int) -> None:
        """The cards for the exchange."""
        if shadow.ask():
            asked = self._ask(shadow)
            assert isinstance(asked.answer, Give), "who is asked to give, gives"
            shadow.give(asked.answer.cards)
            self._send(asked.cells)
            return
        self._note("exchange")
        self.report.answers += 1
        weakest = held & ~strongest(held, held.bit_count() - count)
        self._send(write_hand(weakest))

    def _send(self, cells: Cells) -> None:
        self._outgoing.append(write_submission(cells))

    def _note(self, *differences: str, counts: bool = True) -> None:
        """What the server has said otherwise than the shadow. counts: in a hand table."""
        found = [what for what in differences if what]
        if not found:
            return
        self.report.differing += counts
        for what in found:
            self.report.differences[what] += 1
            if self.report.differences[what] == 1:
                self._said(f"hand {self.hand}: {EXPLAINED[what]}")


EXPLAINED: Final = {
    "end": "the hand ends otherwise than by the rules of the contest",
    "out": "the server has others out of cards than the plays say",
    "table": "the server clears the table at another time",
    "order": "the server has another order of the cards",
    "lock": "the server locks suits otherwise",
    "turn": "the server has another player to move",
    "cards": "the server says otherwise who holds which or how many cards",
    "play": "the server has accepted a play that the rules do not allow",
    "places": "the next classes are not the places of the hand before",
    "exchange": "the server asks for cards that its classes do not owe",
}
"""For people, once each: what differed, and that the bot plays on with what the server says."""


def _written(event: Event) -> OwnAnswer | None:
    """An answer as its first event says it, and its cells."""
    match event:
        case Played():
            meld = event.meld
            play = Play(event.seat, meld.cards, meld.roles or None)
            return OwnAnswer(play, write_meld(meld))
        case Passed():
            return OwnAnswer(Pass(event.seat), NOTHING)
        case Gave():
            return OwnAnswer(Give(event.seat, event.cards), write_hand(event.cards))
        case _:
            return None
