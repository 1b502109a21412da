"""Blocks as JSON: for the journal of a match, and on their way from a worker.

Whatever is read comes from a file or from somebody else, so all of it is checked. The score is not
written: it follows from the hands.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import orjson

from arena.documents import Document
from arena.errors import BadInput
from arena.match.conduct import Conduct
from arena.match.local import FIRST, SECOND, Block, Match, block_name
from arena.tournament.results import HandResult, check_result
from arena.tournament.sprt import block_score

CONDUCT = {field.name: type(field.default) for field in dataclasses.fields(Conduct)}
HAND = ("bots", "finish", "faults", "forfeits")
MEMBERS = {"block", "hands", "conduct", "records"}
MOST_COUNT = 2**53
LONGEST_TEXT = 100_000


def write_block(number: int, block: Block) -> Document:
    """A block as plain data."""
    return {
        "block": number,
        "hands": [{name: list(getattr(hand, name)) for name in HAND} for hand in block.hands],
        "conduct": {bot: dataclasses.asdict(own) for bot, own in block.conduct.items()},
        "records": list(block.records),
    }


def read_block(match: Match, number: int, document: Any) -> Block:
    """The block of that number again. Raises BadInput for what is no such block of the match."""
    _check_members("block", document, MEMBERS)
    if document["block"] is True or document["block"] != number:
        raise BadInput("block", document["block"], f"{number}")
    hands = _hands(match, number, document["hands"])
    conduct = _conduct(match, document["conduct"])
    records = _records(document["records"], len(hands) if match.record else 0)
    return Block(block_score(hands, FIRST, SECOND), hands, conduct, records)


def _hands(match: Match, number: int, documents: Any) -> tuple[HandResult, ...]:
    most = match.hands_per_block
    if not isinstance(documents, list) or not 1 <= len(documents) <= most:
        raise BadInput("hands", _short(documents), f"a list of 1 to {most}")
    return tuple(
        _hand(match, number, document, f"hands[{at}]") for at, document in enumerate(documents)
    )


def _hand(match: Match, number: int, document: Any, where: str) -> HandResult:
    _check_members(where, document, set(HAND))
    bots = sorted(name for name, _ in match.line_up(match.seats))
    for name in HAND:
        kind = int if name == "finish" else str
        if not isinstance(document[name], list) or not all(
            type(value) is kind for value in document[name]
        ):
            raise BadInput(f"{where}.{name}", _short(document[name]), f"a list of {kind.__name__}")
    if sorted(document["bots"]) != bots:
        raise BadInput(f"{where}.bots", _short(document["bots"]), f"{', '.join(bots)} in any order")
    lists = {name: tuple(document[name]) for name in HAND}
    return check_result(HandResult(block_name(number), match.pool, **lists))


def _conduct(match: Match, document: Any) -> dict[str, Conduct]:
    bots = {name for name, _ in match.line_up(match.seats)}
    _check_members("conduct", document, bots)
    for bot, own in document.items():
        _check_members(f"conduct.{bot}", own, set(CONDUCT))
        for name, kind in CONDUCT.items():
            _check_value(f"conduct.{bot}.{name}", own[name], kind)
    return {bot: Conduct(**own) for bot, own in document.items()}


def _check_value(where: str, value: Any, kind: type) -> None:
    if kind is int and not (type(value) is int and 0 <= value <= MOST_COUNT):
        raise BadInput(where, _short(value), "a number from 0")
    if kind is str and not (isinstance(value, str) and len(value) <= LONGEST_TEXT):
        raise BadInput(where, _short(value), f"a text of at most {LONGEST_TEXT} characters")


def _records(lines: Any, count: int) -> tuple[str, ...]:
    if not isinstance(lines, list) or len(lines) != count:
        raise BadInput("records", _short(lines), f"a list of {count} lines")
    for at, text in enumerate(lines):
        if not isinstance(text, str) or text.find("\n") != len(text) - 1 or not _is_object(text):
            raise BadInput(f"records[{at}]", _short(text), "a line of a record file")
    return tuple(lines)


def _is_object(text: str) -> bool:
    try:
        return isinstance(orjson.loads(text), dict)
    except orjson.JSONDecodeError:
        return False


def _check_members(where: str, document: Any, names: set[str]) -> None:
    if not isinstance(document, Mapping):
        raise BadInput(where, _short(document), "an object")
    if document.keys() != names:
        raise BadInput(where, sorted(document), f"the members {', '.join(sorted(names))}")


def _short(value: Any) -> Any:
    """A value as far as it tells something; of a long list its length."""
    return f"a list of {len(value)}" if isinstance(value, list) and len(value) > 9 else value
