"""Headings: what the header of a session says, read for verification, and what is wrong with it.

`read_session` is cheap, since every process that checks tables does it; `check_session` draws the
schedule again and is done once. A file may come from anybody: whatever is wrong is a finding or
BadInput.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from arena.documents import Document
from arena.errors import BadInput
from arena.proofs.chance import RoundKeys
from arena.records.checks import as_list, as_object, different, short, text, texts, whole
from arena.records.exactness import Header, read_header, same
from arena.records.redrawing import RecordedSchedule, check_drawn, read_drawn
from arena.records.round_keys import keys_of, wrong_public
from arena.records.shapes import check_header, check_whole_header
from arena.session.config import SessionConfig, read_config
from arena.session.counting import is_barred
from arena.session.deal_groups import PlannedTable
from arena.session.display_names import DisplayNames, pseudonymous_document
from arena.session.names import table_id
from arena.session.record_format import SESSION
from arena.session.schedule_config import LADDER, SWISS
from arena.session.stored_schedule import design_of
from arena.statuses import OVER, BoardNames, EntryStatus, SessionStatus
from arena.tournament.pairing.swiss import SWISS_ROUNDS

MOST_TABLES = 1_000_000
TABLE_ID = re.compile(r"-r(\d{2,6})-t(\d{2,6})([b-z]?)$", re.ASCII)


class KnownSession(NamedTuple):
    """What a header says. version: of the format. said: what hands say again. keys: None as long as
    the secret is not public. left: the statuses of bots that left, by id; None where bots may come
    back.

    voids: void tables, each with the one that is played in its stead. begun: how many rounds have
    tables, None if the header does not tell. hands: how many lines follow.
    """

    session: str
    version: int
    status: str
    plan: SessionConfig
    said: Header
    schedule: RecordedSchedule | None
    keys: RoundKeys | None
    left: Mapping[str, str] | None
    voids: Mapping[str, str | None]
    aborted: frozenset[str]
    begun: int | None
    hands: int

    @property
    def is_over(self) -> bool:
        """Is the session over, and all that everybody may ever know of it public?"""
        return self.status in OVER and self.keys is not None

    def key(self, round_: int) -> bytes | None:
        """The key of a round."""
        return None if self.keys is None else self.keys.of_round(round_)

    def place(self, table: str) -> PlannedTable | None:
        """The place of a table in the schedule; None for one that was played in another's stead."""
        round_, number, _ = table_number(table)
        if self.schedule is None or table_id(self.session, round_, number) != table:
            return None
        return self.schedule.place(round_, number)


def table_number(table: str) -> tuple[int, int, str]:
    """Round and number of a table by its id, and the letter of one that was played in the stead of
    another; zeros if it is no id of a table."""
    match = TABLE_ID.search(table)
    return (int(match[1]), int(match[2]), match[3]) if match else (0, 0, "")


def read_session(document: Document) -> KnownSession:
    """What a header says. Raises BadInput."""
    check_header(document)
    version = 2 if document["format"] == SESSION else 1
    if version > 1:
        check_whole_header(document)
    plan = read_config(document["document"])
    status = text(document, "status")
    if status not in tuple(SessionStatus):
        raise BadInput("status", short(status), f"one of {', '.join(SessionStatus)}")
    said = read_header(document)
    people = [(each["bot"], each["status"]) for each in document["bots"]]
    final = plan.schedule.kind != LADDER  # on which bots come back
    left = {bot: status for bot, status in people if status != EntryStatus.ENTERED}
    tables = as_object("tables", document.get("tables", {}))
    voids = [as_object("tables.void", each) for each in as_list("void", tables.get("void", []))]
    return KnownSession(
        document["session"],
        version,
        status,
        plan,
        said,
        read_drawn(document, plan),
        keys_of(document),
        left if final else None,
        {each["table"]: each.get("replay") for each in voids},
        frozenset(texts(tables, "aborted", most=MOST_TABLES))
        if "aborted" in tables
        else frozenset(),
        whole("rounds_begun", document.get("rounds_begun")) if version > 1 else None,
        document["hands"],
    )


def check_session(document: Document, known: KnownSession) -> tuple[list[str], list[str]]:
    """What is wrong with a header, and what could not be checked of it."""
    drawn, notes = _drawn(document, known)
    return [*drawn, *_wrong(document, known)], notes


def _drawn(document: Document, known: KnownSession) -> tuple[list[str], list[str]]:
    keys, schedule = known.keys, known.schedule
    if keys is None:
        return [], []
    if hashlib.sha256(keys.secret).hexdigest() != document["secret_commitment"]:
        return ["the secret does not fit its commitment"], []
    return ([], []) if schedule is None else check_drawn(schedule, keys)


def _wrong(document: Document, known: KnownSession) -> Iterator[str]:
    if known.version == 1:
        return
    plan, given = known.plan.document, document["document"]
    withheld = as_object("document.schedule", given.get("schedule", {})).get("apart") is None
    if withheld and known.plan.board == BoardNames.PSEUDONYMOUS:
        plan = pseudonymous_document(dict(plan), DisplayNames({}, hidden=True))
    for name in sorted(given.keys() | plan.keys()):
        if name not in plan:
            yield f"document.{name} is no member of a session's document"
        elif name in given and not same(given[name], plan[name]):
            yield f"document.{name} is {short(given[name])!r}, read as {short(plan[name])!r}"
    if document["secret"] is not None and known.status not in OVER:
        yield f"the secret is there, though the session is {known.status}"
    numbers = [each["number"] for each in document["bots"]]
    if numbers != sorted(set(numbers)):
        yield "the bots are not in the order of their numbers"
    divisions = {division.id for division in known.plan.divisions}
    for each in document["bots"]:
        if each.get("division") is not None and each["division"] not in divisions:
            yield f"bot {short(each['name'])} is in a division that the document does not have"
    yield from _wrong_tables(document, known)
    if known.schedule is not None:
        yield from _wrong_schedule(document["schedule"], known, known.schedule)


def _wrong_tables(document: Document, known: KnownSession) -> Iterator[str]:
    tables = as_object("tables", document.get("tables"))
    for name in ("void", "aborted", "playing"):
        listed = as_list(f"tables.{name}", tables.get(name))
        ids = [each["table"] if name == "void" else each for each in listed]
        different(f"tables.{name}", ids)
        if ids != sorted(ids, key=None if name == "void" else _in_order):
            yield f"tables.{name} is not in order"
        if name == "playing" and ids and known.status in OVER:
            yield f"tables are playing, though the session is {known.status}"


def _in_order(table: str) -> tuple[int, bool, int]:
    round_, number, again = table_number(table)
    return round_, bool(again), 0 if again else number


def _wrong_byes(schedule: RecordedSchedule) -> Iterator[str]:
    """Does everybody who is at no table of a round have a bye? On a ladder some may have left."""
    made, ladder = schedule.programme.made, schedule.plan.schedule.kind == LADDER
    for number, tables in enumerate(made.rounds, start=1):
        seated = {index for line_up in tables for index in line_up}
        bye = made.byes[number - 1] if number <= len(made.byes) else ()
        free = set(range(made.participants)) - seated
        if set(bye) - free or (not ladder and set(bye) != free):
            yield f"the byes of round {number} are not those of its tables"
    if len(made.byes) != len(made.rounds):
        yield f"there are byes of {len(made.byes)} rounds, and {len(made.rounds)} rounds"


def _wrong_schedule(
    document: Document, known: KnownSession, schedule: RecordedSchedule
) -> Iterator[str]:
    programme, plan = schedule.programme, known.plan
    if "mixed" in document and not same(document["design"], design_of(programme, plan)):
        yield "the figures of the schedule's design are not those of its rounds"
    yield from wrong_public(plan.public_chance, document)
    yield from _wrong_byes(schedule)
    rounds = len(programme.made.rounds)
    if known.begun is not None and known.begun > rounds:
        yield f"rounds_begun is {known.begun}, the schedule has {rounds} rounds"
    kind, to_come = plan.schedule.kind, programme.to_come
    if kind == LADDER:
        wanted = plan.schedule.rounds and plan.schedule.rounds - rounds
        if to_come not in (wanted, 0):
            yield f"to_come is {to_come}, which is not what the document asks for"
    if kind == SWISS and to_come != (plan.schedule.rounds or SWISS_ROUNDS) - rounds:
        yield f"to_come is {to_come}, which is not what the document asks for"
    if kind not in (SWISS, LADDER) and to_come != 0:
        yield f"to_come is {to_come}, but no round follows from results"
    barred = {programme.roster[index] for each in programme.barred.values() for index in each}
    left = known.left
    wrong = sorted(bot for bot in barred if left is not None and not is_barred(left.get(bot, "")))
    if wrong:
        yield f"bot {short(wrong[0])} was barred from a draw, and was not disqualified"
