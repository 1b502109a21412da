"""Finals: who plays in one, by the record files of what leads to it.

A running arena finds that out by itself from sessions of its own (`schedule.of`). Where there are
only record files, their names are written into the document instead (`schedule.finalists`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.cli.documents import read_document
from arena.errors import BadInput
from arena.rules.short_form import read_short_form

if TYPE_CHECKING:
    from arena.cli.event import BotSpec
    from arena.tournament.standings import Entrant

FROM_RECORDS = ("records", "prizes", "season")
"""Members of a schedule that say who plays in a final; `finalists` stands in their place."""


def finalists_in(
    files: Sequence[Path], *, prizes: int, seats: int, season: bool = False
) -> list[Entrant]:
    """The bots of record files that can still win a prize, best first. season: bots of one name
    and owner are one, whatever the database.

    Raises `BadInput` for files that cannot be rated together, and where too few bots have a rank.
    """
    from arena.cli.rate import read_files
    from arena.tournament.pairing.finals import finalists, ranges_of

    pools = read_files(files, season=season)
    fitting = [pool for pool in pools if pool.facts.seats == seats]
    if len(fitting) != 1:
        names = ", ".join(pool.name for pool in pools)
        raise BadInput("records", names, f"hands of one ruleset, at tables of {seats} seats")
    (pool,) = fitting
    entrants = {entrant.bot: entrant for entrant in pool.entrants}
    ranges = ranges_of(pool.results, pool.contenders)
    return [entrants[bot] for bot in finalists(ranges, prizes=prizes, seats=seats)]


def read_session(file: Path) -> dict[str, Any]:
    """The session document in a TOML or JSON file, as an arena takes it.

    A ruleset in short form is written out, and a final that names record files has the finalists
    in their place. Raises `BadInput`.
    """
    document = read_document(file)
    if isinstance(document.get("ruleset"), str):
        document["ruleset"] = read_short_form(document["ruleset"])
    return _final_document(document, file.parent)


def _final_document(document: dict[str, Any], folder: Path) -> dict[str, Any]:
    """A session document whose final names record files, with the finalists in their place.

    Other documents come back as they are. Raises `BadInput`.
    """
    schedule = document.get("schedule")
    if not isinstance(schedule, dict) or "records" not in schedule:
        return document
    rest = {name: value for name, value in schedule.items() if name not in FROM_RECORDS}
    finalists = finalists_in(
        _files(schedule["records"], folder),
        prizes=_prizes(schedule.get("prizes", 1)),
        seats=_seats(document),
        season=_season(schedule.get("season", False)),
    )
    names = [finalist.name for finalist in finalists]
    return {**document, "schedule": {**rest, "finalists": names}}


def playing(document: dict[str, Any], bots: Sequence[BotSpec]) -> list[BotSpec]:
    """The bots of a file that play: in a final those that it names."""
    schedule = document.get("schedule")
    named = schedule.get("finalists") if isinstance(schedule, dict) else None
    if not isinstance(named, list):
        return list(bots)
    return [bot for bot in bots if bot.name in named]


def _files(value: object, folder: Path) -> list[Path]:
    if not isinstance(value, list) or not value or not all(isinstance(f, str) for f in value):
        raise BadInput("schedule.records", value, "a list of record files")
    return [folder / file for file in value]


def _prizes(value: object) -> int:
    if type(value) is not int or value < 1:
        raise BadInput("schedule.prizes", value, "a whole number, 1 or more")
    return value


def _season(value: object) -> bool:
    if not isinstance(value, bool):
        raise BadInput("schedule.season", value, "true or false")
    return value


def _seats(document: dict[str, Any]) -> int:
    """The seats of the final, by its own document."""
    from arena.session.config import read_config

    rest = {name: value for name, value in document.items() if name not in ("bots", "schedule")}
    return read_config(rest).seats
