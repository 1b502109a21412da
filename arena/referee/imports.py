"""Imports: what the ratings need out of record files, of any number of sessions.

Takes the recorded results as they are; whether they follow from the logs is for `verify` to say.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from arena.errors import BadInput
from arena.referee.outcomes import pool_of, rated_result
from arena.referee.reading import MALFORMED, read_line
from arena.referee.records import HAND, SESSION
from arena.tournament.alerts import Seated
from arena.tournament.results import HandResult
from arena.tournament.standings import Entrant


class Imported(NamedTuple):
    """Results in the order of the files, who took part, and who sat where in hands played."""

    results: tuple[HandResult, ...]
    entrants: tuple[Entrant, ...]
    seated: tuple[Seated, ...] = ()


def read_results(lines: Iterable[str | bytes]) -> Imported:
    """The results of a record file. Raises BadInput that names the line."""
    results: list[HandResult] = []
    entrants: dict[str, Entrant] = {}
    seated: list[Seated] = []
    for number, line in enumerate(lines, start=1):
        try:
            _read(read_line(line), results, entrants, seated)
        except MALFORMED as error:
            raise BadInput(f"line {number}", str(error)[:200], "a line of a record file") from error
    return Imported(tuple(results), tuple(entrants.values()), tuple(seated))


def _read(
    document: dict[str, Any],
    results: list[HandResult],
    entrants: dict[str, Entrant],
    seated: list[Seated],
) -> None:
    if document["format"] == SESSION:
        for bot in document["bots"]:
            known = Entrant(
                bot["bot"],
                name=bot["name"],
                owner=bot["owner"],
                entry=len(entrants),
                withdrawn=bot["status"] != "entered",
            )
            entrants.setdefault(known.bot, known)
    elif document["format"] == HAND:
        results.append(_result(document))
        if not results[-1].forfeits:
            bots = tuple(document["bots"][player] for player in document["seating"])
            seated.append(Seated(results[-1], bots))
        for bot, name in zip(document["bots"], document["players"], strict=True):
            entrants.setdefault(bot, Entrant(bot, name=name, entry=len(entrants)))
    else:
        raise BadInput("format", document["format"], f"{HAND} or {SESSION}")


def _result(document: dict[str, Any]) -> HandResult:
    bots = document["bots"]
    return rated_result(
        document["result"],
        players=bots,
        block=document["block"],
        pool=pool_of(document["fingerprint"], len(bots)),
    )
