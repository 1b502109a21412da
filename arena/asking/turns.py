"""What a bot is asked, and what it replied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from arena import wire
from arena.documents import Document
from arena.errors import ArenaError
from arena.game import Position
from arena.rules import Ruleset, State, decide, redact
from arena.rules.commands import Answer
from arena.rules.events import Event
from arena.session.hand_log import log_receipt

NO_COMMITMENT = "0" * 64
NO_HASH = bytes(32)
"""What a bot is asked here proves nothing."""


@dataclass(frozen=True, kw_only=True)
class GivenTurn:
    """A turn that a bot will be asked.

    state: of the hand, with all cards; seat: who is asked; events: of the hand until then, from its
    deal on, of which the bot is sent those from `since` on and may ask for all: what the seat may
    not know of them is left out here. hand: its number, for turns of one hand; None for a hand of
    its own. players: names by seat. more: members of the turn document in place of ours.
    """

    rules: Ruleset
    state: State
    seat: int
    events: Sequence[Event] = ()
    since: int = 0
    hand: int | None = None
    players: Sequence[str] = ()
    more: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def of_position(position: Position, rng: Random) -> GivenTurn:
        """The turn of the seat that is asked in a position.

        rng: finds one of the states that agree with it. What the seat sees is the same in all of
        them. The turn carries the line, if it is of one seat, in the place of the events that led
        there. Raises `BadInput` where another seat is asked than the one whose position it is, and
        where nobody is.
        """
        position.legal()
        state = position.worlds(1, rng)[0].state
        more = {} if position.seat is None else {"position": str(position)}
        return GivenTurn(rules=position.rules, state=state, seat=position.asked, more=more)

    def fields(self, bots: Sequence[tuple[str, str]], *, hints: bool) -> Document:
        """What the turn document says of the game. bots: id and name by seat; hints: with `legal`.

        Whoever gets it treats it as frozen.
        """
        game = wire.turn_fields(self.rules, self.state, self.seat, hints=hints, bots=bots)
        return {
            "fingerprint": self.rules.fingerprint,
            "commitment": NO_COMMITMENT,
            "previous": None,
            **game,
            "events_from": self.since,
            "events": self.told(self.events[self.since :]),
            "log": log_receipt(len(self.events), NO_HASH),
        }

    def told(self, events: Sequence[Event]) -> list[Document]:
        """Events as the seat that is asked may know them."""
        return [wire.write_event(redact(event, self.seat)) for event in events]

    def decided(self, body: Mapping[str, Any]) -> tuple[Answer, tuple[Event, ...]]:
        """What an answer means, and what would follow. Raises `Refused` or `BadInput`."""
        answer = wire.read_answer(self.rules, self.state, self.seat, body)
        return answer, tuple(decide(self.rules, self.state, answer))


class BadAnswer(NamedTuple):
    """An answer that was refused. body: as it was sent, None where it could not be read."""

    body: Mapping[str, Any] | None
    why: str


class TurnReply(NamedTuple):
    """What a bot made of a turn.

    answer: what was accepted, None if nothing was; body: as it was sent; refused: what it had sent
    before, in order; ms: from when the turn was sent to the answer that was accepted, None without;
    trouble: why nothing was accepted.
    """

    turn: GivenTurn
    answer: Answer | None
    body: Mapping[str, Any] | None
    refused: tuple[BadAnswer, ...] = ()
    ms: float | None = None
    trouble: str = ""


def why(error: ArenaError | str) -> str:
    """Why an answer was refused, in a line."""
    return " ".join(str(error).split())
