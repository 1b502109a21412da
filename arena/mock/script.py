"""The script of a mock arena: which cards are dealt, and what the others answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.errors import BadInput
from arena.rules import Ruleset
from arena.rules.cards import CODES, IDS
from arena.session.config import SessionConfig, read_config, settled
from arena.wire.short_answers import short_answer

SAMPLE = "sample_bots.lowest:Lowest"
MEMBERS = ("name", "ruleset", "seats", "legal", "clock", "seat", "others", "seed", "hands")
OF_SESSION = ("name", "ruleset", "seats", "legal", "clock")
OF_HAND = ("deal", "dealer", "leader", "answers", "expect")


@dataclass(frozen=True)
class ScriptedHand:
    """A hand. deal: cards by seat, for the seats that are named; dealer: None for whoever it is;
    leader: who leads where chance decides that, None for whoever it is; answers: of the other
    seats, in the order of their turns; expect: of the bot, in the order of its turns."""

    deal: Mapping[int, tuple[str, ...]]
    dealer: int | None = None
    leader: int | None = None
    answers: tuple[str, ...] = ()
    expect: tuple[str, ...] = ()


@dataclass(frozen=True)
class MockScript:
    """What is played.

    session: members of a session's document: ruleset, seats, clock, legal. seat: where the bot
    sits in the first hand. others: the bot of the kit that answers where the script does not, as
    `module:Class`. seed: of all that is not in the script. hands: at least one.
    """

    session: Mapping[str, Any]
    config: SessionConfig
    seat: int
    others: str
    seed: int
    hands: tuple[ScriptedHand, ...]

    @property
    def rules(self) -> Ruleset:
        """The ruleset, compiled."""
        return self.config.rules


def read_script(document: Mapping[str, Any]) -> MockScript:
    """A script from its document. Raises `BadInput` with the member that is wrong."""
    _only(document, MEMBERS, "script")
    session = {"name": "mock", **{name: document[name] for name in OF_SESSION if name in document}}
    hands = document.get("hands", [{}])
    if not isinstance(hands, list) or not hands:
        raise BadInput("hands", hands, "a list of one or more hands")
    session["hands_per_table"] = len(hands)
    config = read_config(settled(session))
    return MockScript(
        session,
        config,
        seat=_whole(document.get("seat", 0), "seat", below=config.seats),
        others=_text(document.get("others", SAMPLE), "others"),
        seed=_whole(document.get("seed", 1), "seed", below=2**63),
        hands=tuple(_hand(hand, n, config.rules) for n, hand in enumerate(hands, start=1)),
    )


def _hand(value: Any, number: int, rules: Ruleset) -> ScriptedHand:
    where = f"hand {number}"
    if not isinstance(value, Mapping):
        raise BadInput(where, value, "a table with deal, answers, expect")
    _only(value, OF_HAND, where)
    seats = {name: value[name] for name in ("dealer", "leader") if name in value}
    for name, seat in seats.items():
        _whole(seat, f"{where}: {name}", below=rules.players)
    return ScriptedHand(
        _deal(value.get("deal", {}), where, rules),
        seats.get("dealer"),
        seats.get("leader"),
        _answers(value.get("answers", []), f"{where}: answers"),
        _answers(value.get("expect", []), f"{where}: expect"),
    )


def _deal(value: Any, where: str, rules: Ruleset) -> dict[int, tuple[str, ...]]:
    """Cards by seat. Raises `BadInput` for what is no card, and for more of one than there are."""
    if not isinstance(value, Mapping):
        raise BadInput(f"{where}: deal", value, 'cards by seat, such as {0 = "S3 D4 JK"}')
    left = [CODES[card] for card in rules.deck]
    dealt: dict[int, tuple[str, ...]] = {}
    for key, text in value.items():
        name = f"{where}: deal of seat {key}"
        if not key.isdecimal() or int(key) >= rules.players:
            raise BadInput(f"{where}: deal", key, f"seats from 0 to {rules.players - 1}")
        cards = tuple(_text(text, name).split())
        for card in cards:
            if card not in IDS:
                raise BadInput(name, card, "cards with spaces between, such as S3 DT JK")
            if card not in left:
                raise BadInput(name, card, "no card more often than the pack has it")
            left.remove(card)
        dealt[int(key)] = cards
    return dealt


def _answers(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise BadInput(where, value, 'a list of answers, such as ["S3", "pass"]')
    for number, answer in enumerate(value, start=1):
        place = f"{where}, number {number}"
        try:
            short_answer(_text(answer, place))
        except BadInput as error:
            raise BadInput(place, answer, error.expected) from error
    return tuple(value)


def _only(value: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for name in value:
        if name not in known:
            raise BadInput(where, name, "members " + ", ".join(known))


def _whole(value: Any, where: str, *, below: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < below:
        raise BadInput(where, value, f"a whole number from 0 to {below - 1}")
    return value


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise BadInput(where, value, "a text")
    return value
