"""Keys out of a record's header: the bots' bytes, how many of them were mixed in, or BadInput."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from arena.documents import Document
from arena.errors import BadInput
from arena.proofs.chance import RoundKeys
from arena.records.round_keys import keys_of
from arena.records.verify import verify
from tests.referee.table import SEED, Arena
from tests.referee.test_schedules import members, records

BYTES = [bytes([number]) * 32 for number in range(1, 5)]
SECRET = bytes.fromhex(SEED)
SOURCE, VALUE = "drand quicknet, round 12345678", "3f9c1d77a2"


@cache
def played() -> tuple[str, ...]:
    """The record of a ladder of four bots, of whom the third gave nothing, and a late one."""
    arena = Arena()
    arena.session(4, start=False, **members("ladder", schedule={"kind": "ladder", "rounds": 2}))
    for bot, given in zip(arena.bots.values(), BYTES, strict=True):
        arena.referee.enter("cup", bot, chance=None if given == BYTES[2] else given)
    arena.referee.set_session("cup", "start", "admin")
    (late,) = arena.enrol(1)
    arena.referee.enter("cup", late, chance=bytes(32))
    arena.play()
    return tuple(records(arena))


@cache
def with_value() -> tuple[str, ...]:
    """The record of a session whose document announced a source of public chance."""
    arena = Arena()
    arena.session(4, start=False, hands_per_table=1, public_chance=SOURCE)
    arena.referee.set_session("cup", "start", "admin", public_chance=VALUE)
    arena.play()
    return tuple(records(arena))


def test_the_public_value_is_in_the_keys_and_in_what_is_proved() -> None:
    document = json.loads(with_value()[0])
    assert document["document"]["public_chance"] == SOURCE
    assert keys_of(document) == RoundKeys(SECRET, (None,) * 4, (4,), VALUE)
    report = verify(with_value())
    assert report.findings == ()
    said = f"the public value '{VALUE}' is mixed into all deals; compare it with {SOURCE}"
    assert said in report.closing.proved
    assert any("its source gave the public value" in each for each in report.closing.unproved)
    assert not any("did not know the deals" in each for each in report.closing.unproved)


def _valued(part: str, **changes: Any) -> list[str]:
    """That record with a part of its header changed; None: the member taken out."""
    document = json.loads(with_value()[0])
    changed = {**document[part], **changes}
    document[part] = {name: each for name, each in changed.items() if each is not None}
    return [json.dumps(document), *with_value()[1:]]


DEALT_OTHERWISE = "deck, lots or salt are not what follows from the secret"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (lambda: _valued("schedule", public_chance="3f9c1d77a3"), DEALT_OTHERWISE),
        (lambda: _valued("schedule", public_chance=None), "the schedule has no value of it"),
        (lambda: _valued("schedule", public_chance=None), DEALT_OTHERWISE),
        (lambda: _valued("schedule", mixed=None), "the schedule has no value of it"),
        (lambda: _valued("document", public_chance=None), "announces no source of one"),
        (lambda: _valued("schedule", public_chance="a\nb"), "without control characters"),
        (lambda: _valued("schedule", public_chance=7), "1 to 1,000 characters"),
        (lambda: _valued("document", public_chance=7), "public_chance"),
    ],
)
def test_a_forged_public_value_is_noticed(lines: Callable[[], list[str]], said: str) -> None:
    assert any(said in finding.what for finding in verify(lines()).findings)


def header() -> Document:
    document: Document = json.loads(played()[0])
    return document


def with_schedule(**changes: Any) -> Document:
    return {**header(), "schedule": {**header()["schedule"], **changes}}


def test_the_keys_are_those_of_the_arena() -> None:
    given = (BYTES[0], BYTES[1], None, BYTES[3], bytes(32))
    assert keys_of(header()) == RoundKeys(SECRET, given, (4, 5))
    assert verify(played()).findings == ()


def test_there_are_none_before_the_secret_is_told() -> None:
    assert keys_of({**header(), "secret": None}) is None


def test_a_session_of_an_older_program_has_the_secret_for_its_key() -> None:
    schedule = {name: each for name, each in header()["schedule"].items() if name != "mixed"}
    for former in ({**header(), "schedule": schedule}, {**header(), "schedule": None}):
        keys = keys_of(former)
        assert keys is not None
        assert keys.of_round(2) == SECRET


@pytest.mark.parametrize(
    ("mixed", "said"),
    [
        ([4], "1; expected 2, one a round"),
        ([4, 6], "6; expected [45] to 5"),
        ([2, 5], "2; expected 3 to 5|2; expected 4 to 5"),
        ([5, 4], "4; expected 5 to 5"),
        ([4, True], "a whole number"),
        ({}, "a list"),
    ],
)
def test_what_cannot_have_been_mixed_is_refused(mixed: Any, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        keys_of(with_schedule(mixed=mixed))


def test_bytes_that_are_none_are_refused() -> None:
    bots = [{**bot, "chance": "1f"} for bot in header()["bots"]]
    with pytest.raises(BadInput, match="chance is '1f'"):
        keys_of({**header(), "bots": bots})


def with_bytes(chance: str | None) -> Document:
    return {**header(), "bots": [{**bot, "chance": chance} for bot in header()["bots"]]}


FORGERIES: dict[str, Callable[[], Document]] = {
    "an entrant too early": lambda: with_schedule(mixed=[5, 5]),
    "as an older program": lambda: with_schedule(mixed=None),
    "bytes left out": lambda: with_bytes(None),
    "other bytes": lambda: with_bytes("1f" * 32),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_key_is_noticed_at_the_deals(forgery: str) -> None:
    lines = [json.dumps(FORGERIES[forgery]()), *played()[1:]]
    findings = [finding for finding in verify(lines).findings if finding.line > 1]
    assert {"deck, lots or salt are not what follows from the secret"} <= {
        finding.what for finding in findings
    }
    assert findings[0].line == 2
