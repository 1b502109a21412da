"""Every member of every kind of line edited: each edit is noticed, or stands here with its reason.

The reasons are in the manual too, on the page about verifying. Whoever edits a record may compute
its hashes anew; what is unnoticed then is noticed where the record has a digest that is signed.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from arena.errors import ArenaError, Refused
from arena.records.headings import KnownSession, read_session
from arena.records.tables import TableCheck
from arena.records.verify import Verifier, verify
from arena.session.record_format import HAND, HEAD
from tests.records.mutations import SIGNER, Edit, edits, rehashed, signed, unsigned
from tests.referee.table import Arena, lowest

DEFAULT = "a setting that is not there has its default"
NOTHING = "it decides nothing of this play"
ADDED = "readers pass over members that they do not know"
NAMES = "what is called what, and who is whose, only the arena knew"
CLOCK = "only the clock of the referee knew it"
REMARKS = "what a bot wrote beside its answer is no part of the game"
HEADER = {
    ("bots/[]", "changed"): ADDED,
    ("schedule", "changed"): ADDED,
    ("tables", "changed"): ADDED,
    ("bots/[]/number", "changed"): NAMES,
    ("bots/[]/owner", "changed"): NAMES,
    ("version", "changed"): NAMES,
    ("document/name", "changed"): NAMES,
    ("document/slug", "changed"): NAMES,
    ("schedule/public_chance", "removed"): DEFAULT,  # where it is null
    ("document/ruleset/options/suits/[]", "doubled"): "a suit that is named twice is one suit",
    **{
        (f"document/{name}", "changed"): NOTHING
        for name in (
            *("clock/absent_after", "clock/illegal_budget", "clock/probation_ms"),
            *("deals_may_repeat", "hidden", "legal", "people/longest_clock", "people/rated"),
            *("publish_reasons", "roster/bots_per_owner", "roster/max_bots"),
            *("roster/open", "schedule/house_bots", "schedule/rounds_at_once"),
        )
    },
    **{
        (f"document/{name}", "removed"): DEFAULT
        for name in (
            *("anchor", "benchmarks", "board", "deals", "deals_may_repeat", "divisions", "ends"),
            *("freezes", "hidden", "legal", "notes", "opens", "people", "publish_reasons"),
            *("publishes", "rated", "reseat_every", "roster", "slug", "starts", "visibility"),
        )
    },
}
"""Edits of a header that nothing but a signature shows."""
REHASHED = {
    ("steps/[]/at_ms", "changed"): CLOCK,
    ("steps/[]/meta/clock_ms", "changed"): CLOCK,
    ("steps/[]/meta/opened_ms", "changed"): CLOCK,
    ("steps/[]/meta/seen_ms", "changed"): CLOCK,
    ("steps/[]/remarks", "removed"): REMARKS,
    ("steps/[]/remarks/nonce", "changed"): REMARKS,
    ("steps/[]/remarks/nonce", "removed"): REMARKS,
    ("steps/[]/remarks/note", "changed"): REMARKS,
    ("steps/[]/remarks/note", "removed"): REMARKS,
    ("steps/[]/remarks/thought_ms", "changed"): REMARKS,
    ("steps/[]/remarks/thought_ms", "removed"): REMARKS,
}
"""Edits of a hand with all hashes computed anew that nothing but a digest shows."""


@functools.cache
def played() -> tuple[bytes, ...]:
    """The record of three hands at one table: an exchange, a refused answer, a late one, one for
    which the time ran out, notes."""
    arena = Arena()
    session = arena.session(
        3,
        seats=3,
        hands_per_table=3,
        notes=True,
        ruleset="pagat,suits=S",
        schedule={"rounds": 1},
        clock={"bank_ms": 9_000, "move_ms": 1_000},
    )
    answers = 0
    while arena.status(session) != "finished":
        answers += 1
        bot, turn = arena.one()
        if answers == 5:
            with pytest.raises(Refused):
                arena.referee.answer(bot, turn["turn"], {"cards": ["JK", "S3", "S4", "S5"]})
        if answers == 12:
            arena.clock.pass_ms(60_000)
            arena.referee.sweep()
            continue
        arena.clock.pass_ms(1_900 if answers == 7 else 100)
        beside = {"note": "hm", "thought_ms": 5} if answers % 3 == 0 else {}
        arena.referee.answer(bot, turn["turn"], {**lowest(turn), **beside})
    return unsigned(arena.referee.queries.records(session))


@functools.cache
def called_off() -> tuple[bytes, ...]:
    """The record of a cancelled session with a hand that was forfeited and one called off."""
    arena = Arena()
    session = arena.session(
        6,
        seats=3,
        hands_per_table=4,
        ruleset="pagat,suits=S",
        schedule={"rounds": 2},
        clock={"bank_ms": 0, "absent_after": 1},
    )
    arena.bots.pop("bot-6")
    for _ in range(1_000):
        arena.play()
        if arena.store.table("cup-r02-t01") is not None:
            break
        arena.clock.pass_ms(60_000)
        arena.referee.sweep()
    arena.referee.set_session(session, "cancel", "admin")
    return unsigned(arena.referee.queries.records(session))


def chosen(where: str, values: list[Any]) -> list[int]:
    """Which members of a list are edited: of the steps the first of each kind, else two."""
    if where == "steps":
        kinds: dict[object, int] = {}
        for at, step in enumerate(values):
            meta = step["meta"]
            kind = (step["command"]["type"], meta.get("cause"), meta.get("late"))
            kinds.setdefault((*kind, "remarks" in step), at)
        return list(kinds.values())
    return [0] if where.endswith("throws") else [0, len(values) - 1]


def exchanged(where: str, values: list[Any]) -> list[int]:
    """The same of a hand of which only the exchange is looked at."""
    kinds = [step["command"]["type"] for step in values] if where == "steps" else []
    return [kinds.index("give")] if "give" in kinds else chosen(where, values)


def documents(lines: tuple[bytes, ...]) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in lines]


@functools.cache
def unnoticed(lines: tuple[bytes, ...], at: int, *, redone: bool = False) -> list[Edit]:
    """The edits of a line that verification does not notice. redone: with all hashes."""
    return list(_unnoticed(lines, at, redone=redone))


def _unnoticed(lines: tuple[bytes, ...], at: int, *, redone: bool) -> Iterator[Edit]:
    original = documents(lines)
    known = read_session(original[0])
    for edit in edits(original[at], chosen if at < 2 else exchanged):
        if at > 1 and original[at].get("steps") and not edit.where.startswith("steps/"):
            continue
        document = rehashed(edit.document) if redone else edit.document
        if document == original[at] or (at and _is_wrong(document, known, original[1:at])):
            continue
        edited = [*lines[:at], orjson.dumps(document) + b"\n", *lines[at + 1 :]]
        if not verify(edited).findings:
            yield edit._replace(document=document)


def _is_wrong(document: dict[str, Any], known: KnownSession, before: list[dict[str, Any]]) -> bool:
    """Is anything found in the line of a hand by itself? That is quicker than the whole file."""
    own = [hand for hand in before if hand["table"] == document.get("table")]
    if "format" not in document or (not own and document.get("number") != 1):
        return False
    table = TableCheck(document.get("table", ""), known)
    for hand in own:
        assert not list(table.line(hand))
    try:
        return bool(list(table.line(document)))
    except ArenaError:
        return True


def kinds(found: list[Edit]) -> set[tuple[str, str]]:
    return {(edit.where, edit.what) for edit in found}


@pytest.mark.slow
def test_the_records_have_what_is_edited() -> None:
    assert not verify(played()).findings
    assert not verify(called_off()).findings
    steps = [step for hand in documents(played())[1:] for step in hand["steps"]]
    assert {"deal", "play", "pass", "give", "expire"} <= {s["command"]["type"] for s in steps}
    assert any(step["meta"].get("late") for step in steps)
    assert any(step["meta"].get("refused") for step in steps)
    assert any("remarks" in step for step in steps)
    others = [(hand["format"], hand["status"]) for hand in documents(called_off())[1:]]
    assert (HEAD, "void") in others
    assert (HAND, "forfeited") in others


@pytest.mark.slow
def test_edits_of_a_header_are_noticed_but_for_those_that_prove_nothing() -> None:
    assert kinds(unnoticed(played(), 0)) == set(HEADER)


@pytest.mark.slow
def test_every_edit_of_a_hand_is_noticed_by_its_hashes() -> None:
    assert kinds(unnoticed(played(), 1)) == set()
    assert kinds(unnoticed(played(), 2)) == set()


@pytest.mark.slow
def test_edits_with_all_hashes_computed_anew_are_noticed_where_anything_determines_the_value() -> (
    None
):
    assert kinds(unnoticed(played(), 1, redone=True)) == set(REHASHED)


@pytest.mark.slow
def test_edits_of_hands_that_were_forfeited_or_called_off_are_noticed() -> None:
    lines = called_off()
    for at, hand in enumerate(documents(lines)):
        if hand["format"] == HEAD:
            others = {("head", "changed"): "the log is not there, only a digest shows it"}
            assert kinds(unnoticed(lines, at)) == set(others)
        elif hand.get("status") == "forfeited":
            assert kinds(unnoticed(lines, at)) == set()


@pytest.mark.slow
def test_a_signed_digest_leaves_nothing_unnoticed() -> None:
    for lines in (played(), called_off()):
        whole = signed(list(lines))
        assert not list(Verifier(key=SIGNER.public_key).check(whole))
        found = [
            (at, edit)
            for at in ((0, 1) if lines == played() else ())
            for edit in unnoticed(lines, at, redone=at > 0)
        ]
        found += [
            (at, edit)
            for at, hand in enumerate(documents(lines))
            if hand["format"] == HEAD
            for edit in unnoticed(lines, at)
        ]
        assert found
        for at, edit in found:
            if at:
                edited = [*whole[:at], orjson.dumps(edit.document) + b"\n", *whole[at + 1 :]]
            else:
                own = {**edit.document}
                of_whole = orjson.loads(whole[0])
                for name in ("digest", "public_key", "signature"):
                    own[name] = of_whole[name]
                edited = [orjson.dumps(own) + b"\n", *whole[1:]]
            assert verify(edited).findings, edit


@pytest.mark.slow
def test_lines_that_are_removed_doubled_swapped_or_moved_are_noticed() -> None:
    lines = list(played())
    for at in range(len(lines)):
        rest = [*lines[:at], *lines[at + 1 :]]
        assert at == 0 or verify(rest).findings, at
        assert verify([*lines, lines[at]]).findings
        for to in range(len(rest) + 1):
            moved = [*rest[:to], lines[at], *rest[to:]]
            assert moved == lines or verify(moved).findings, (at, to)
    without = verify(lines[1:])
    assert any("no header" in what for what in without.closing.unproved)
    lines = list(called_off())
    for at in (1, 4, len(lines) - 1):
        assert verify([*lines[:at], *lines[at + 1 :]]).findings, at
    others = [*lines[:4], lines[5], lines[4], *lines[6:]]
    (found, *_) = verify(others).findings
    assert "not in the order of play" in str(verify(others).findings) or "is missing" in found.what
