"""Records of sessions to be changed by hand, and the hand that changes them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import orjson

from arena.records.verify import Verifier
from tests.records.mutations import unsigned
from tests.referee.table import Answerer, Arena, first, lowest

Lines = list[bytes]


@functools.cache
def season(slug: str = "cup", answerer: Answerer = lowest, **members: int) -> tuple[bytes, ...]:
    """The record of three rounds of one table, with three hands each: the same deals and times
    whoever answers."""
    arena = Arena()
    session = arena.session(
        5,
        slug=slug,
        seats=3,
        **{"hands_per_table": 3, **members},
        ruleset="pagat,suits=S",
        schedule={"rounds": 3},
    )
    while arena.status(session) != "finished":
        arena.clock.pass_ms(7)
        arena.play(answerer, at_most=1)
    return unsigned(arena.referee.queries.records(session))


def forged() -> Lines:
    """The season with other legal moves in every hand, with their results and hashes: what an arena
    with the same secret records if its bots, of the same ids, answer otherwise."""
    lines = list(season(answerer=first))
    names = {bot["name"]: bot["bot"].encode() for bot in header(season())["bots"]}
    for bot in header(lines)["bots"]:
        lines = [line.replace(bot["bot"].encode(), names[bot["name"]]) for line in lines]
    return lines


def header(lines: Iterable[bytes]) -> dict[str, Any]:
    document: dict[str, Any] = orjson.loads(next(iter(lines)))
    return document


def hands(lines: Iterable[bytes]) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in list(lines)[1:]]


def line(document: Mapping[str, Any]) -> bytes:
    return orjson.dumps(document) + b"\n"


def headed(lines: Iterable[bytes], **members: Any) -> Lines:
    """A record with other members in its header."""
    first_line, *rest = lines
    return [line({**orjson.loads(first_line), **members}), *rest]


def only(lines: Iterable[bytes], keep: Callable[[dict[str, Any]], bool], **members: Any) -> Lines:
    """A record with some of its hands, and with their number in its header."""
    first_line, *rest = lines
    kept = [each for each in rest if keep(orjson.loads(each))]
    return headed([first_line, *kept], hands=len(kept), **members)


def found(lines: Iterable[bytes], **beside: Any) -> list[str]:
    """What verification says of a record. beside: what is known besides."""
    return checked(lines, **beside)[0]


def checked(lines: Iterable[bytes], **beside: Any) -> tuple[list[str], Verifier]:
    verifier = Verifier(**beside)
    return [f"line {each.line}: {each.what}" for each in verifier.check(lines)], verifier
