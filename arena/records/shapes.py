"""Shapes: whether a line of a record file has the members that verification reads, and their types.

Checked before anything is computed from a line, so that whatever a file has wrong is a BadInput
here, and any other exception further on is a fault of the program. What the ratings read as well is
checked in `imports`, values that only the rules can judge by `decide`.
"""

from __future__ import annotations

from typing import Any

from arena.documents import Document
from arena.errors import BadInput
from arena.proofs.chance import read_public
from arena.records.chain_checks import check_hash_members, is_chained
from arena.records.checks import (
    MOST,
    as_list,
    as_many,
    as_object,
    as_text,
    different,
    hex_text,
    number,
    players,
    present,
    short,
    text,
    whole,
)
from arena.records.imports import read_hand, read_heading
from arena.session.deals import SALT_BYTES, SECRET_BYTES
from arena.session.people import check_clock
from arena.statuses import EntryStatus

MOST_HANDS = 2**32 - 1
"""The number of a hand enters the deal function as four bytes."""
NUMBERS = ("clock_ms", "seat", "opened_ms", "charged_ms", "bank_ms", "refused")
"""Members of a step's note that are whole numbers."""
SEEN = "seen_ms"
"""One that may be null: the turn was never fetched."""
STEP = {"seq", "at_ms", "turn", "command", "events", "meta", "remarks", "hash"}
DEALT = {"clock_ms", "commitment"}
CLOCK = {
    *("clock_ms", "seat", "opened_ms", "seen_ms", "charged_ms", "bank_ms", "late", "refused"),
    "cause",
}
SEAT_ORDERS = ("dealer", "leader", "start", "idle")


def check_header(document: Document) -> None:
    """The members of a session's header. Raises BadInput."""
    read_heading(document)
    whole("hands", document.get("hands"))
    if present(document, "secret") is not None:
        hex_text(document, "secret", size=SECRET_BYTES)
    schedule = present(document, "schedule")
    if schedule is not None:
        _check_schedule(as_object("schedule", schedule))


BOT = ("bot", "name", "owner", "number", "status", "division", "chance")
VOID = ("table", "reason", "at", "replay")
SCHEDULE = ("owners", "to_come", "draws", "barred", "apart", "design")


def check_whole_header(document: Document) -> None:
    """Has a header of version 2 the members that version 1 need not have? Raises BadInput."""
    text(document, "version")
    for name in ("digest", "public_key", "signature"):
        present(document, name)
    for bot in document["bots"]:
        for name in BOT:
            present(bot, name)
        if bot["status"] not in tuple(EntryStatus):
            raise BadInput("status", short(bot["status"]), f"one of {', '.join(EntryStatus)}")
    tables = as_object("tables", present(document, "tables"))
    for void in as_list("tables.void", present(tables, "void")):
        for name in VOID:
            present(as_object("tables.void", void), name)
    schedule = document["schedule"]
    for name in SCHEDULE if schedule is not None and "mixed" in schedule else ():
        present(schedule, name)  # a session that an older program has started has fewer


def _check_schedule(schedule: Document) -> None:
    """What redrawing reads of a stored schedule besides what the ratings read."""
    if present(schedule, "owners") is not None:
        for owner in as_list("schedule.owners", schedule["owners"]):
            whole("schedule.owners", owner)
    if present(schedule, "to_come") is not None:
        whole("schedule.to_come", schedule["to_come"])
    if schedule.get("mixed") is not None:
        for reach in as_list("schedule.mixed", schedule["mixed"]):
            whole("schedule.mixed", reach)
    if schedule.get("public_chance") is not None:
        read_public(schedule["public_chance"])
    numbers = {str(number) for number in range(1, len(schedule["rounds"]) + 1)}
    for round_, drawn in as_object("schedule.draws", schedule.get("draws")).items():
        if round_ not in numbers:
            raise BadInput("schedule.draws", short(round_), "the number of a round")
        bots = [_check_rung(rung, len(schedule["roster"])) for rung in as_list("draws", drawn)]
        different("schedule.draws", bots)
    for round_, barred in as_object("schedule.barred", schedule.get("barred", {})).items():
        if round_ not in numbers:
            raise BadInput("schedule.barred", short(round_), "the number of a round")
        players("schedule.barred", barred, range(len(schedule["roster"])))


def _check_rung(rung: object, participants: int) -> int:
    """A participant with its Elo and its blocks; the participant."""
    members = as_list("schedule.draws", rung)
    as_many("schedule.draws", members, 3)
    bot, elo, blocks = members
    if elo is not None:
        number("schedule.draws", elo)
    whole("schedule.draws", blocks)
    return whole("schedule.draws", bot, most=participants - 1)


def check_hand(document: Document) -> None:
    """The members of a hand's line. Raises BadInput."""
    read_hand(document)
    for name in ("table", "hand", "status"):
        text(document, name)
    whole("number", document.get("number"), least=1, most=MOST_HANDS)
    whole("round", document.get("round"), least=1)
    if "shuffles" in document:
        text(document, "shuffles")
    if "clocks" in document:
        clocks = as_list("clocks", document["clocks"])
        as_many("clocks", clocks, len(document["bots"]))
        for clock in clocks:
            if clock is not None:
                check_clock(as_text("clocks", clock))
    as_object("ruleset", document.get("ruleset"))
    steps = [as_object("steps", step) for step in as_list("steps", document.get("steps"))]
    for step in steps:
        _check_step(step)
    if steps:
        _check_dealt(document, steps[0])
    if is_chained(document):
        check_hash_members(document)
        for name in ("shuffles", "void", "sitting", "salt", "deck", "lots"):
            present(document, name)
        for step in steps:
            _check_members(step)
    else:
        for step in steps:
            _check_note(step["meta"])
        for step in steps[1:]:
            _check_turn(step["meta"])


def _check_members(step: Document) -> None:
    """Has a step of version 2 the members that it has to have, and no others?"""
    names = CLOCK if step["turn"] else DEALT
    different = step["meta"].keys() ^ names
    if different:
        raise BadInput("meta", short(min(different)), f"the members {', '.join(sorted(names))}")
    more = step.keys() - STEP
    if more:
        raise BadInput("steps", short(min(more)), f"the members {', '.join(sorted(STEP))}")
    _check_note(step["meta"])


def _check_step(step: Document) -> None:
    if not isinstance(step.get("turn"), str):
        raise BadInput("turn", short(step.get("turn")), "text")
    for name in ("command", "meta"):
        as_object(name, step.get(name))
    for event in as_list("events", step.get("events")):
        as_object("events", event)


def _check_dealt(document: Document, deal: Document) -> None:
    """A hand that was dealt: the deal in its log, and what the line says of it again."""
    for name in ("deck", "lots", "sitting"):
        present(document, name)
    for card in as_list("deck", document["deck"]):
        text({"deck": card}, "deck")
    hex_text(document, "salt", size=SALT_BYTES)
    text(document, "commitment")
    whole("clock_ms", deal["meta"].get("clock_ms"))
    if deal["command"].get("type") == "deal":
        _check_deal(deal["command"], range(len(document["bots"])))


def _check_deal(command: Document, seats: range) -> None:
    whole("dealer", command.get("dealer"), most=len(seats) - 1)
    places = players("places", command.get("places"), seats)
    as_many("places", places, len(seats) if places else 0)
    lots = as_object("lots", command.get("lots"))
    for name in SEAT_ORDERS:
        as_many(f"lots.{name}", players(f"lots.{name}", lots.get(name), seats), len(seats))
    for throws in as_list("lots.throws", lots.get("throws")):
        as_many("lots.throws", as_list("lots.throws", throws), len(seats))
        for shape in throws:
            whole("lots.throws", shape, most=2)


def _check_note(note: dict[str, Any]) -> None:
    """What the clock says of a step, as far as it says it."""
    for name in NUMBERS:
        value = note.get(name, 0)
        if type(value) is not int or not 0 <= value <= MOST:
            whole(name, value)
    if note.get(SEEN) is not None:
        whole(SEEN, note[SEEN])
    if type(note.get("late", False)) is not bool:
        raise BadInput("late", short(note["late"]), "true or false")


def _check_turn(note: dict[str, Any]) -> None:
    """What version 1 has to have in the note of a step that closed a turn."""
    for name in ("seat", "charged_ms", "refused", "late", "cause"):
        present(note, name)
