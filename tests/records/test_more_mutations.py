"""What other records have and the first one has not: each edit is noticed, or stands here with its
reason. Of records of a ladder, a void table and its replay, a person's clock, and pseudonyms."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import orjson
import pytest

from arena.errors import ArenaError
from arena.organising.invitations import Seat
from arena.records.headings import KnownSession, check_session, read_session
from arena.records.verify import verify
from tests.records.mutations import Edit, edits, paths, place_of, rehashed, unsigned
from tests.records.test_mutations import ADDED, CLOCK, REMARKS, _is_wrong, chosen, documents, played
from tests.referee.table import Arena, lowest

pytestmark = pytest.mark.slow
SMALL: dict[str, Any] = {"seats": 3, "hands_per_table": 1, "ruleset": "pagat,suits=S"}


def finished(arena: Arena, session: str) -> tuple[bytes, ...]:
    while arena.status(session) != "finished":
        arena.clock.pass_ms(7)
        arena.play(lowest)
    return unsigned(arena.referee.queries.records(session))


@functools.cache
def ladder() -> tuple[bytes, ...]:
    """With rounds that were drawn from results, without one that was disqualified."""
    arena = Arena()
    session = arena.session(7, **SMALL, schedule={"kind": "ladder", "rounds": 4})
    arena.play(at_most=9)
    arena.referee.disqualify(session, arena.bots["bot-2"], "admin")
    return finished(arena, session)


@functools.cache
def replayed() -> tuple[bytes, ...]:
    """With a table that is void, one that was played in its stead and is void, and another."""
    arena = Arena()
    session = arena.session(6, **SMALL, schedule={"rounds": 2})
    while arena.referee.queries.table("cup-r01-t01")["status"] != "finished":
        arena.play(at_most=1)
    for table in ("cup-r01-t01", "cup-r01-t01b"):
        arena.referee.void(table, "the cable was pulled", "admin")
        arena.referee.replay(table, "admin")
    return finished(arena, session)


@functools.cache
def personal() -> tuple[bytes, ...]:
    """With a person whose clock is the double."""
    arena = Arena()
    session = arena.session(
        2, start=False, **SMALL, schedule={"rounds": 1}, rated=False, people={"longest_clock": "x2"}
    )
    made = arena.referee.invitations.create(session, Seat(clock="x2"), "admin")
    seated = arena.referee.invitations.accept(made["code"], "Ann", None)
    arena.bots["Ann"] = seated.bot
    arena.referee.set_session(session, "start", "admin")
    return finished(arena, session)


@functools.cache
def pseudonymous() -> tuple[bytes, ...]:
    """With pseudonyms, and remarks of which only the hashes are shown."""
    arena = Arena()
    session = arena.session(3, **SMALL, schedule={"rounds": 1}, board="pseudonymous", notes=True)
    arena.play(lambda turn: {**lowest(turn), "note": "hm"})
    return finished(arena, session)


RECORDS = {each.__name__: each for each in (ladder, replayed, personal, pseudonymous)}


def kind_of(document: dict[str, Any], path: tuple[Any, ...]) -> tuple[str, str]:
    """Which member it is, and of which kind its value is."""
    where = "/".join("[]" if isinstance(key, int) else key for key in path)
    return where, type(place_of(document, path)).__name__


@functools.cache
def known() -> frozenset[tuple[str, str]]:
    """The members of the first record."""
    return frozenset(
        kind_of(document, path)
        for document in documents(played())
        for path in paths(document, lambda where, values: range(len(values)))
    )


def unnoticed(record: tuple[bytes, ...]) -> set[tuple[str, str]]:
    """The edits of the header and of one hand of each kind that nothing finds, though hashes were
    computed anew; only of members that the first record does not have."""
    original = documents(record)
    header = read_session(original[0])
    found = set()
    for at in {_sort(document): at for at, document in reversed([*enumerate(original)])}.values():
        for edit in new_edits(original[at]):
            document = rehashed(edit.document) if at else edit.document
            if document == original[at] or _is_noticed(document, header, original[1:at], at=at):
                continue
            if not verify([*record[:at], orjson.dumps(document), *record[at + 1 :]]).findings:
                found.add((edit.where, edit.what))
    return found


def _sort(document: dict[str, Any]) -> tuple[Any, ...]:
    table = str(document.get("table", ""))
    expired = any(step["command"]["type"] == "expire" for step in document.get("steps", ()))
    return document["format"], document.get("void") is None, table[-1:].isalpha(), expired


def new_edits(document: dict[str, Any]) -> Iterator[Edit]:
    kinds = {kind_of(document, path) for path in paths(document, chosen)}
    new = {where for where, _ in kinds - known()}
    return (edit for edit in edits(document, chosen) if edit.where in new)


def _is_noticed(
    document: dict[str, Any], header: KnownSession, before: list[dict[str, Any]], *, at: int
) -> bool:
    """Is anything found in a line by itself? That is quicker than the whole file."""
    if at:
        return _is_wrong(document, header, before)
    try:
        return bool(check_session(document, read_session(document))[0])
    except ArenaError:
        return True


ONLY_THE_ARENA = "only the arena knew it"
UNNOTICED: dict[Callable[[], tuple[bytes, ...]], dict[tuple[str, str], str]] = {
    ladder: {
        ("schedule/byes/[]/[]", "removed"): "on a ladder, who has left has no bye",
        ("steps/[]/meta/seen_ms", "changed"): CLOCK,
    },
    replayed: {
        ("tables/void/[]", "changed"): ADDED,
        ("tables/void/[]/at", "changed"): ONLY_THE_ARENA,
        ("tables/void/[]/reason", "changed"): ONLY_THE_ARENA,
    },
    personal: {("bots/[]/person", "changed"): ADDED},
    pseudonymous: {
        ("steps/[]/remarks", "changed"): REMARKS,
        ("steps/[]/remarks", "removed"): REMARKS,
    },
}
"""Edits that nothing but a signature, or the digest, shows."""


@pytest.mark.parametrize("record", list(UNNOTICED), ids=lambda record: record.__name__)
def test_edits_of_what_only_this_record_has_are_noticed(
    record: Callable[[], tuple[bytes, ...]],
) -> None:
    assert not verify(record()).findings
    assert unnoticed(record()) == set(UNNOTICED[record])


def test_the_records_have_what_the_first_one_has_not() -> None:
    header = documents(ladder())[0]
    assert header["schedule"]["draws"]
    assert any(header["schedule"]["barred"].values())
    voids = documents(replayed())[0]["tables"]["void"]
    assert [each["replay"] for each in voids] == ["cup-r01-t01b", "cup-r01-t01c"]
    assert "x2" in documents(personal())[1]["clocks"]
    steps = [step for hand in documents(pseudonymous())[1:] for step in hand["steps"]]
    assert any(isinstance(step.get("remarks"), str) for step in steps)
