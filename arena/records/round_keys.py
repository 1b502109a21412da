"""Keys: what the rounds of a recorded session follow from, as its header has it.

The secret, what the bots gave (`bots[].chance`) by their place in `schedule.roster`, how many of
those are mixed in by round (`schedule.mixed`), and the public value (`schedule.public_chance`) of
the source that the document announced (`document.public_chance`). Nothing in a header is believed:
whatever does not fit is a BadInput.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.documents import Document
from arena.errors import BadInput
from arena.proofs.chance import RoundKeys, read_chance
from arena.records.checks import as_list, as_object, short, whole
from arena.session.schedule_config import LADDER


def keys_of(header: Document) -> RoundKeys | None:
    """The keys of a session's rounds; None as long as its secret is not revealed.

    header: of which `check_header` has found nothing wrong. Raises BadInput for bytes, or a
    `mixed`, that no session can have.
    """
    if header["secret"] is None:
        return None
    secret, schedule = bytes.fromhex(header["secret"]), header["schedule"]
    if schedule is None or schedule.get("mixed") is None:
        return RoundKeys(secret)
    bots = [as_object("bots", bot) for bot in as_list("bots", header["bots"])]
    given = {bot["bot"]: _chance(bot) for bot in bots}
    given_by_place = tuple(map(given.get, schedule["roster"]))
    return RoundKeys(secret, given_by_place, _mixed(schedule), public_of(schedule))


def public_of(schedule: Mapping[str, Any]) -> str | None:
    """The public value that is mixed into the rounds of a schedule, which has the shape of one;
    None without one."""
    value: str | None = None if schedule.get("mixed") is None else schedule.get("public_chance")
    return value


def wrong_public(source: str | None, schedule: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the public value of a schedule whose document announced this source."""
    value = public_of(schedule)
    if source is not None and value is None:
        yield f"the document announces {short(source)!r}, and the schedule has no value of it"
    if source is None and schedule.get("public_chance") is not None:
        yield "the schedule has a public value, and the document announces no source of one"


def _chance(bot: Document) -> bytes | None:
    return None if bot.get("chance") is None else read_chance(bot["chance"])


def _mixed(schedule: Mapping[str, Any]) -> tuple[int, ...]:
    """For each round how many of the roster are mixed in: never fewer than in the round before, at
    least all that play, and all that entered before the start."""
    entered = len(schedule["roster"]) - schedule["house"]
    mixed = [whole("schedule.mixed", each) for each in as_list("schedule.mixed", schedule["mixed"])]
    if len(mixed) != len(schedule["rounds"]):
        raise BadInput("schedule.mixed", len(mixed), f"{len(schedule['rounds'])}, one a round")
    least = 0
    for reach, tables in zip(mixed, schedule["rounds"], strict=True):
        least = max(least, *(_reach(line_up, entered) for line_up in tables), 0)
        if not least <= reach <= entered:
            raise BadInput("schedule.mixed", reach, f"{least} to {entered}, the bots on the roster")
        least = reach
    if schedule["kind"] != LADDER and any(reach != entered for reach in mixed):
        raise BadInput(
            "schedule.mixed", mixed, f"{entered} in every round, as many as have entered"
        )
    return tuple(mixed)


def _reach(line_up: Sequence[int], entered: int) -> int:
    """How many of the roster there are up to the last one of a line-up, house bots apart."""
    return max((index + 1 for index in line_up if index < entered), default=0)
