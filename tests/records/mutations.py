"""Edits of record files: every member of a line changed, removed, doubled or swapped."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import orjson

from arena.proofs.chain import LogHasher, unplayed_head
from arena.proofs.merkle import root_of
from arena.proofs.signatures import Signer
from arena.session.record_format import HAND, hashed

Path = tuple[Any, ...]
SIGNER = Signer(bytes(range(32)))


class Edit(NamedTuple):
    """One edit. where: the path with `[]` for places in lists; what: was done; document: edited."""

    where: str
    what: str
    document: dict[str, Any]


def edits(document: dict[str, Any], chosen: Any = None) -> Iterator[Edit]:
    """Every edit of a line. chosen: which members of a list are edited, by its path."""
    for path in paths(document, chosen or (lambda where, values: (0, len(values) - 1))):
        *above, last = path
        where = "/".join("[]" if isinstance(key, int) else key for key in path)
        value = place_of(document, path)
        yield Edit(where, "changed", _with(document, above, last, other(value)))
        yield Edit(where, "removed", _without(document, above, last))
        if isinstance(last, int):
            doubled = copy.deepcopy(document)
            place_of(doubled, above).insert(last, copy.deepcopy(value))
            yield Edit(where, "doubled", doubled)
            values = place_of(document, above)
            others = [at for at, each in enumerate(values) if each != value]
            if others:
                swapped = copy.deepcopy(document)
                inner = place_of(swapped, above)
                inner[last], inner[others[0]] = inner[others[0]], inner[last]
                yield Edit(where, "swapped", swapped)


def paths(value: Any, chosen: Any, path: Path = ()) -> Iterator[Path]:
    """All members, and of lists the chosen ones."""
    keys: Any = value if isinstance(value, dict) else ()
    if isinstance(value, list) and value:
        where = "/".join("[]" if isinstance(key, int) else key for key in path)
        keys = dict.fromkeys(chosen(where, value))
    for key in keys:
        yield (*path, key)
        yield from paths(value[key], chosen, (*path, key))


def place_of(document: Any, path: Any) -> Any:
    """What stands at a path."""
    for key in path:
        document = document[key]
    return document


def other(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return value[:-1] + ("0" if value[-1:] == "1" else "1") if value else "x"
    if value is None:
        return 1
    return [*value, 1] if isinstance(value, list) else {**value, "more": 1}


def _with(document: Any, above: Any, last: Any, value: Any) -> Any:
    edited = copy.deepcopy(document)
    place_of(edited, above)[last] = value
    return edited


def _without(document: Any, above: Any, last: Any) -> Any:
    edited = copy.deepcopy(document)
    del place_of(edited, above)[last]
    return edited


def rehashed(hand: dict[str, Any]) -> dict[str, Any]:
    """A hand whose hashes were computed anew, as whoever edits it would do; as far as that goes."""
    try:
        if hand["format"] != HAND:
            return hand
        if not hand["steps"]:
            head = unplayed_head(hand["hand"], seating=hand["seating"]).hex()
            return {**hand, "head": head}
        hasher = LogHasher(
            hand["hand"],
            seating=hand["seating"],
            commitment=hand["commitment"],
            salt=bytes.fromhex(hand["salt"]),
        )
        steps = list(hashed(hand["steps"], hasher))
        return {**hand, "steps": steps, "head": steps[-1]["hash"]}
    except (KeyError, TypeError, ValueError, AttributeError):
        return hand


def unsigned(lines: Iterable[str]) -> tuple[bytes, ...]:
    """A record without its digest."""
    header, *hands = (line.encode() for line in lines)
    nothing = dict.fromkeys(("digest", "public_key", "signature"))
    return (orjson.dumps({**orjson.loads(header), **nothing}) + b"\n", *hands)


def signed(lines: list[bytes], signer: Signer = SIGNER) -> list[bytes]:
    """A record of a session that is over, with its digest, both signed."""
    header, *hands = map(orjson.loads, lines)
    del header["signature"]
    at_ms = max(step["at_ms"] for hand in hands for step in hand.get("steps", ()))
    digest = signer.signed(
        {
            "format": "daifugo-arena/digest/1",
            "session": header["session"],
            "secret_commitment": header["secret_commitment"],
            "tables": len({hand["table"] for hand in hands}),
            "hands": len(hands),
            "rounds": max(hand["round"] for hand in hands),
            "further": [],
            "root": root_of(bytes.fromhex(hand["head"]) for hand in hands).hex(),
            "at_ms": at_ms,
        }
    )
    header = {**header, "digest": digest, "public_key": signer.public_key}
    line = orjson.dumps(header)
    whole = line[:-1] + b',"signature":"' + signer.sign(line).encode() + b'"}'
    return [whole, *lines[1:]]
