"""The program in JavaScript on records of sessions: what it says of one that is true, and that it
notices each edit."""

from __future__ import annotations

import functools
import gzip
import json
import operator
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest

from arena.proofs.chain import LogHasher, step_text
from arena.proofs.signatures import Signer
from tests.referee.table import Arena
from tests.sample_bots.node import outcomes, run
from tests.sample_bots.records import (
    SIGNER,
    digest_of,
    played,
    signed,
    two_hands,
    with_public_value,
)

pytestmark = pytest.mark.server
Documents = list[dict[str, Any]]
Edit = Callable[[Documents], None]


@pytest.fixture
def kept(tmp_path: Path) -> Callable[[str, Sequence[bytes]], str]:
    """Writes a file; its path."""

    def keep(name: str, lines: Sequence[bytes]) -> str:
        (tmp_path / name).write_bytes(b"".join(lines))
        return str(tmp_path / name)

    return keep


Keep = Callable[[str, Sequence[bytes]], str]


def documents() -> Documents:
    """The lines of the record as documents, to be edited."""
    return [orjson.loads(line) for line in played()]


def written(lines: Documents) -> list[bytes]:
    """Documents as lines; nothing is signed anew."""
    return [orjson.dumps(line) + b"\n" for line in lines]


def test_a_true_record_ends_with_0_and_says_what_was_checked_and_what_not(kept: Keep) -> None:
    done = run(kept("cup.jsonl", played()), "--key", SIGNER.public_key.upper())
    assert (done.returncode, done.stderr) == (0, "")
    steps = sum(len(hand.get("steps", ())) for hand in documents()[1:])
    key = SIGNER.public_key
    for line in (
        f"checked: 10 hands: the hash chain of the log and its head ({steps} steps)",
        "checked: 8 deals: deck, lots and salt follow from the secret",
        f"checked: cup: the header is signed with the key {key}, which you have named",
        "checked: cup: the 10 hands that the digest in the header covers, against its root",
        "checked: cup: the order of its tables and hands, and that none of the schedule is missing",
        "checked: cup: the deals follow from the secret and the chance of 2 bots",
        "not checked: whether moves keep to the rules",
        "cup.jsonl: 10 hands: nothing wrong with what was checked",
    ):
        assert line in done.stdout


def test_tables_that_share_their_shuffles_are_followed_too(kept: Keep) -> None:
    paths = [kept(deals, played(deals)) for deals in ("rotate", "common")]
    for path, outcome in outcomes(*paths).items():
        assert (path, outcome["findings"]) == (path, [])
        assert "2 bots" in outcome["checked"][-1]


def _rehashed(hand: dict[str, Any]) -> None:
    """As a forger does it who computes all hashes of the hand anew."""
    salt = bytes.fromhex(hand["salt"])
    seating, commitment = hand["seating"], hand["commitment"]
    log = LogHasher(hand["hand"], seating=seating, commitment=commitment, salt=salt)
    before = log.start
    for step in hand["steps"]:
        before = log.after(before, step_text(step))
        step["hash"] = before.hex()
    hand["head"] = before.hex()


def _changed_time(lines: Documents) -> None:
    lines[1]["steps"][4]["at_ms"] += 1


def _forged_hand(lines: Documents) -> None:
    _changed_time(lines)
    _rehashed(lines[1])


def _forged_hand_signed(lines: Documents) -> None:
    """The organiser himself forges a hand, after somebody has kept the digest."""
    _forged_hand(lines)
    lines[:] = map(orjson.loads, signed(lines[0], lines[1:]))


def _card_from_nowhere(lines: Documents) -> None:
    events = (event for step in lines[1]["steps"] for event in step["events"])
    played_ = next(event for event in events if event["type"] == "played")
    played_["cards"] = ["JK"] if played_["cards"] != ["JK"] else ["S3"]


def _other_deck(lines: Documents) -> None:
    for deck in (lines[1]["deck"], lines[1]["steps"][0]["command"]["deck"]):
        deck[0], deck[1] = deck[1], deck[0]


def _other_result(lines: Documents) -> None:
    lines[1]["result"]["places"].reverse()


def _no_fault(lines: Documents) -> None:
    next(line for line in lines[1:] if line["result"]["faults"])["result"]["faults"].pop()


def _forfeited_otherwise(lines: Documents) -> None:
    forfeited = next(line for line in lines if line["status"] == "forfeited")
    forfeited["result"]["places"].reverse()


def _no_second_hand(lines: Documents) -> None:
    del lines[2]


def _no_first_table(lines: Documents) -> None:
    """With a header that fits again, but for its signature."""
    del lines[1:6]
    lines[0]["hands"] = 5


def _no_last_hand(lines: Documents) -> None:
    del lines[-1]


def _hand_twice(lines: Documents) -> None:
    lines.insert(3, lines[2])


def _tables_the_other_way_round(lines: Documents) -> None:
    lines[1:] = lines[6:] + lines[1:6]


def _head_instead_of_a_hand(lines: Documents) -> None:
    names = ("session", "table", "hand", "number", "round", "status", "head")
    head = {name: lines[2][name] for name in names}
    lines[2] = {"format": "daifugo-arena/head/2", **head, "head": "00" * 32}


def _of_another_session(lines: Documents) -> None:
    lines[3]["session"] = "pot"


def _other_chance(lines: Documents) -> None:
    lines[0]["bots"][0]["chance"] = "33" * 32


def _no_mixing(lines: Documents) -> None:
    lines[0]["schedule"]["mixed"] = [0]


def _other_secret(lines: Documents) -> None:
    lines[0]["secret"] = "11" * 32


def _other_line_up(lines: Documents) -> None:
    lines[0]["schedule"]["rounds"][0].reverse()


def _no_signature(lines: Documents) -> None:
    del lines[0]["signature"]


def _older_hand(lines: Documents) -> None:
    lines[2]["format"] = "daifugo-arena/hand/1"


def _other_rules(lines: Documents) -> None:
    lines[2]["ruleset"]["hachi_giri"] = True


def _no_text(lines: Documents) -> None:
    lines[2]["table"] = None


EDITS: tuple[tuple[Edit, str], ...] = (
    (_changed_time, "the hash of step 4 does not follow from the log"),
    (_forged_hand, "the hands are not those of the digest in the header"),
    (_card_from_nowhere, "comes from nowhere"),
    (_other_deck, "deck, lots and salt do not fit the commitment"),
    (_other_deck, "deck, lots or salt are not what follows from the secret"),
    (_other_result, "the result's places do not follow from the log"),
    (_no_fault, "the result's faults do not follow from the log"),
    (_forfeited_otherwise, "the result does not follow from the faults at the table"),
    (_no_second_hand, "hand 2 of table cup-r01-t01 is missing"),
    (_no_first_table, "table cup-r01-t01 is missing"),
    (_no_first_table, "the signature of the header does not fit it"),
    (_no_first_table, "covers 10 hands, of those the record has 5"),
    (_no_last_hand, "table cup-r01-t02 ends with hand 4 of 5"),
    (_no_last_hand, "the header says that 10 lines follow, there are 9: cut off?"),
    (_hand_twice, "hand 2 of table cup-r01-t01 is there twice, or too late"),
    (_tables_the_other_way_round, "not in the order of the schedule"),
    (_head_instead_of_a_hand, "the hands are not those of the digest in the header"),
    (_of_another_session, 'session is "pot", the header says "cup": merged files?'),
    (_other_chance, "deck, lots or salt are not what follows from the secret"),
    (_no_mixing, "deck, lots or salt are not what follows from the secret"),
    (_other_secret, "the secret is not the one that was committed to"),
    (_other_line_up, "the line-up is not the one in the schedule"),
    (_no_signature, "the header has no member signature"),
    (_older_hand, "the hand is of format 1, the header of format 2"),
    (_other_rules, "the ruleset or its fingerprint is not that of the hands before"),
    (_no_text, "table is no text"),
)


def test_each_edit_is_noticed(kept: Keep) -> None:
    said = {}
    for edit, text in EDITS:
        lines = documents()
        edit(lines)
        said.setdefault(kept(edit.__name__, written(lines)), []).append(text)
    for path, outcome in outcomes(*said).items():
        found = [finding["what"] for finding in outcome["findings"]]
        assert not outcome["ok"]
        for text in said[path]:
            assert any(text in what for what in found), (path, found)


VALUES: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("schedule", {"public_chance": "3f9c1d77a3"}, "deck, lots or salt are not what follows"),
    ("schedule", {"public_chance": None}, "the schedule has no value of it"),
    ("schedule", {"mixed": None}, "the schedule has no value of it"),
    ("document", {"public_chance": None}, "the document announces no source of one"),
    ("schedule", {"public_chance": "a\nb"}, "schedule.public_chance is neither null nor 1 to"),
    ("schedule", {"public_chance": 7}, "schedule.public_chance is neither null nor 1 to"),
)


def test_a_public_value_is_followed_and_a_forged_one_noticed(kept: Keep) -> None:
    true = kept("true", with_public_value())
    expected = {}
    for number, (part, members, text) in enumerate(VALUES):
        header, *hands = map(orjson.loads, with_public_value())
        header[part] = {**header[part], **members}
        expected[kept(f"forged-{number}", written([header, *hands]))] = text
    found = outcomes(true, *expected)
    said = 'the public value "3f9c1d77a2" is mixed into all deals; compare it with "drand quicknet'
    assert found[true]["findings"] == []
    assert any(said in each for each in found[true]["checked"])
    assert any("secret of the arena and the public value" in e for e in found[true]["not_checked"])
    for path, text in expected.items():
        assert any(text in each["what"] for each in found[path]["findings"]), (path, text)


UNPROVEN = [("other", ("result", "points", 0))]
"""Edits of one member that go unnoticed: points follow from the rules alone."""


def _edits(line: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Every member of a line with another value and taken out; of lists and rulesets the first."""
    keys: Any = range(len(line)) if isinstance(line, list) else line
    if isinstance(line, list) or path == ("ruleset",):
        keys = list(keys)[:1]
    for key in keys if isinstance(line, dict | list) else ():
        yield "other", (*path, key)
        yield "without", (*path, key)
        yield from _edits(line[key], (*path, key))


def _other(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, list):
        return value[1:] or [0]
    if isinstance(value, dict):
        return {**value, "more": 1}
    if isinstance(value, str):
        return value[:-1] + ("1" if value.endswith("0") else "0")
    return 0 if value is None else not value if isinstance(value, bool) else value + 1


def _edited(line: dict[str, Any], kind: str, path: tuple[Any, ...]) -> bytes:
    document = json.loads(json.dumps(line))
    *above, last = path
    place = functools.reduce(operator.getitem, above, document)
    if kind == "other":
        place[last] = _other(place[last])
    else:
        del place[last]
    return orjson.dumps(document) + b"\n"


@pytest.mark.slow
@pytest.mark.parametrize("at", [pytest.param(0, id="header"), pytest.param(1, id="hand")])
def test_no_member_of_a_line_can_be_changed_or_taken_out(at: int, tmp_path: Path) -> None:
    lines = list(two_hands())
    document = orjson.loads(lines[at])
    edits = list(_edits(document))
    for index, edit in enumerate(edits):
        lines[at] = _edited(document, *edit)
        (tmp_path / f"{index}").write_bytes(b"".join(lines))
    found = outcomes(*(str(tmp_path / f"{index}") for index in range(len(edits))))
    good = [edit for edit, outcome in zip(edits, found.values(), strict=True) if outcome["ok"]]
    assert len(edits) > 100
    assert good == (UNPROVEN if at else [])


def test_a_finding_has_the_number_of_its_line_and_ends_with_1(kept: Keep) -> None:
    lines = documents()
    _other_result(lines)
    path = kept("cup.jsonl", written(lines))
    done = run(path)
    assert done.returncode == 1
    first, *_, last = done.stdout.splitlines()
    assert first == f"{path}:2: the result's places do not follow from the log"
    assert last == f"{path}: 10 hands: 1 finding"


def test_a_digest_that_was_kept_shows_what_the_organiser_changed_afterwards(kept: Keep) -> None:
    header, *hands = documents()
    before = kept("digest.json", [orjson.dumps(digest_of(header, hands))])
    lines = [header, *hands]
    _forged_hand_signed(lines)
    path = kept("cup.jsonl", written(lines))
    assert outcomes(path)[path]["findings"] == []
    (finding,) = outcomes("--digest", before, path)[path]["findings"]
    assert finding["what"].startswith("the hands are not those of the digest that was kept")


def test_a_digest_of_an_earlier_time_covers_the_hands_of_that_time(kept: Keep) -> None:
    header, *hands = documents()
    early = {**digest_of(header, hands[:5]), "rounds": 0, "further": ["cup-r01-t01"]}
    early.pop("signature")
    digest = kept("digest.json", [orjson.dumps(SIGNER.signed(early))])
    path = kept("cup.jsonl", played())
    outcome = outcomes("--digest", digest, path)[path]
    assert outcome["findings"] == []
    covered = "cup: the 5 hands that the digest that was kept covers, against its root"
    assert covered in outcome["checked"]


def test_another_key_than_the_one_that_was_named_is_a_finding(kept: Keep) -> None:
    path = kept("cup.jsonl", played())
    key = Signer(b"\x09" * 32).public_key
    found = [each["what"] for each in outcomes("--key", key, path)[path]["findings"]]
    assert len(found) == 2
    assert "which is not the one that you have named" in found[0]
    assert "another key than the one that you have named" in found[1]


def test_files_that_are_compressed_cut_merged_or_empty(kept: Keep) -> None:
    whole = b"".join(played())
    packed = gzip.compress(whole)
    good = {
        "compressed": [packed],
        "twice compressed": [packed, packed],
        "no line end": [whole[:-1]],
        "two sessions": [whole, whole],
    }
    bad = {
        "cut": ([whole[:-30]], "is it cut off?"),
        "cut after a line": (played()[:-1], "10 lines follow, there are 9: cut off?"),
        "cut compressed": ([packed[:-3_000]], "cannot be unpacked any further: cut off?"),
        "empty": ([], "the file is empty"),
        "one twice": ([whole, *played()[3:4]], "there are 11: cut off?"),
        "blank line": ([*played()[:2], b"\n", *played()[2:]], "no line of JSON"),
        "not utf-8": ([*played()[:1], b'{"a":"\xff"}\n', *played()[1:]], "no line of JSON"),
        "deep": ([*played(), b"[" * 10_000 + b"]" * 10_000 + b"\n"], "no JSON object"),
        "deep inside": (
            [whole.replace(b'"ace_take":false', b'"a":' + b"[" * 20_000 + b"]" * 20_000, 1)],
            "call stack",
        ),
        "a list": ([*played(), b"[]\n"], "no JSON object"),
        "a name twice": ([whole.replace(b'"at_ms":', b'"at_ms":0,"at_ms":', 1)], "is there twice"),
        "a fraction": ([whole.replace(b'"seq":0,', b'"seq":0.0,', 1)], "not written as the arena"),
    }
    paths = [kept(name, lines) for name, lines in good.items()]
    assert [outcome["findings"] for outcome in outcomes(*paths).values()] == [[]] * len(good)
    said = {kept(name, lines): text for name, (lines, text) in bad.items()}
    for path, outcome in outcomes(*said).items():
        found = [finding["what"] for finding in outcome["findings"]]
        assert any(said[path] in what for what in found), (path, found)


def test_hands_without_a_header_are_checked_as_far_as_it_goes(kept: Keep) -> None:
    path = kept("hands.jsonl", played()[1:])
    outcome = outcomes(path)[path]
    assert (outcome["ok"], outcome["hands"]) == (True, 10)
    assert (
        "10 hands without a header: whether all are there, and from which session"
        in (outcome["not_checked"])
    )


def test_format_1_is_read_and_says_what_it_cannot_prove(kept: Keep) -> None:
    lines = documents()
    for line in lines:
        line["format"] = line["format"].replace("/2", "/1")
        for step in line.get("steps", ()):
            del step["hash"]
        for name in ("head", "digest", "public_key", "signature"):
            line.pop(name, None)
    path = kept("old.jsonl", written(lines))
    outcome = outcomes(path)[path]
    assert outcome["findings"] == []
    assert "10 hands of format 1: moves have no hash chain" in "\n".join(outcome["not_checked"])
    found = outcomes("--key", SIGNER.public_key, path)[path]["findings"]
    assert found[0]["what"].startswith("this is format 1: it has no signature")


def test_a_session_that_goes_on_is_held_to_what_it_has_so_far(kept: Keep, arena: Arena) -> None:
    session = arena.session(8)
    arena.play(at_most=150)
    header, *hands = map(orjson.loads, arena.referee.queries.records(session))
    path = kept("cup.jsonl", signed(header, hands))
    outcome = outcomes(path)[path]
    assert outcome["findings"] == []
    assert "cup: which hands are missing: the session is running" in outcome["not_checked"]
    assert (
        "cup: the secret is not public yet: the deals were not computed from it"
        in (outcome["not_checked"])
    )


def test_a_table_that_was_void_and_played_again_is_followed_and_may_not_be_missing(
    kept: Keep, arena: Arena
) -> None:
    session = arena.session(8)
    arena.play(at_most=150)
    arena.referee.void("cup-r01-t01", "a trouble", "admin")
    arena.referee.replay("cup-r01-t01", "admin")
    arena.play()
    header, *hands = map(orjson.loads, arena.referee.queries.records(session))
    path = kept("cup.jsonl", signed(header, hands))
    without = [hand for hand in hands if hand["table"] != "cup-r01-t01b"]
    cut = kept("cut.jsonl", signed({**header, "hands": len(without)}, without))
    found = outcomes(path, cut)
    assert found[path]["findings"] == []
    assert any("of which the file has the hash only" in each for each in found[path]["not_checked"])
    assert [each["what"] for each in found[cut]["findings"]] == ["table cup-r01-t01b is missing"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "no file; expected a record file"),
        (["nothing.jsonl"], "nothing.jsonl"),
        (["--key", "12", "x"], '--key: "12"; expected 64 hex digits'),
        (["--digest", "nothing.json", "x"], "--digest: nothing.json cannot be read"),
        (["--bogus", "x"], "--bogus"),
    ],
)
def test_what_cannot_be_used_ends_with_2_and_one_line(arguments: list[str], says: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_its_help_names_every_option() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert all(option in done.stdout for option in ("--key", "--digest", "--json", "Example"))


def test_json_is_for_programs(kept: Keep) -> None:
    path = kept("cup.jsonl", played())
    outcome = json.loads(run("--json", path).stdout)[path]
    assert sorted(outcome) == ["checked", "findings", "hands", "not_checked", "ok"]
