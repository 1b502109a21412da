"""`arena show`: a recorded hand in sentences."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.bench.statistics import ground
from arena.bench.strategies import player
from arena.cli.main import group
from arena.errors import BadInput
from arena.match.recording import record_lines
from arena.match.tables import TableSetup, play_table

BOTS = ("lowest", "random", "saving-5", "sense-50")


@pytest.fixture(scope="module")
def lines() -> list[str]:
    """Two hands of a table, as a record file has them."""
    rules = ground("pagat", 4).rules
    setup = TableSetup(rules, "b1", "p", BOTS, hands=2, seed=1, shuffles="b1", seats="b1")
    played = play_table(setup, [player(bot, setup, seed=1) for bot in BOTS])
    return list(record_lines(setup, played, number=1))


@pytest.fixture
def file(tmp_path: Path, lines: list[str]) -> Path:
    path = tmp_path / "match.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    return path


def show(file: Path, *options: str) -> Result:
    return CliRunner().invoke(group, ["show", str(file), *options])


def refusal(file: Path, *options: str) -> str:
    """What `show` refuses with; `main` prints it in one line and ends with code 2."""
    done = show(file, *options)
    assert isinstance(done.exception, BadInput), done.output
    return str(done.exception)


def test_without_a_hand_it_lists_those_of_the_file(file: Path) -> None:
    first, second = show(file).stdout.splitlines()
    assert first.split()[:2] == ["1", "match-r01-t01-h001"]
    assert second.split()[:2] == ["2", "match-r01-t01-h002"]
    assert all(bot in first for bot in BOTS)
    listed = json.loads(show(file, "--json").stdout)["hands"]
    assert [hand["position"] for hand in listed] == [1, 2]
    assert sorted(listed[0]["players"]) == sorted(BOTS)


def test_a_hand_by_number_or_id_from_the_deal_to_the_end(file: Path) -> None:
    by_number = show(file, "--hand", "2").stdout
    assert by_number == show(file, "--hand", "match-r01-t01-h002").stdout
    head, deal, *_, end = by_number.splitlines()
    assert head == "match-r01-t01-h002: round 1, hand 2 of its table"
    assert " deals: " in deal
    assert "The hand ends: 1st " in end
    assert "1位 " in show(file, "--hand", "2", "--language", "ja").stdout.splitlines()[-1]


def test_each_sentence_as_a_document_with_the_event_it_is_of(file: Path, lines: list[str]) -> None:
    document = json.loads(show(file, "--hand", "1", "--json").stdout)
    events = [event for step in json.loads(lines[0])["steps"] for event in step["events"]]
    assert document["events"] == len(events)
    types = {sentence["number"]: events[sentence["number"]] for sentence in document["sentences"]}
    assert types[0]["type"] == "dealt"
    assert document["sentences"][-1]["number"] == len(events) - 1
    outs = [s for s in document["sentences"] if s["notable"] == "out"]
    assert {types[s["number"]]["type"] for s in outs} == {"out"}


def test_a_bot_sees_its_own_cards_and_counts_the_others(file: Path) -> None:
    above = show(file, "--hand", "1", "--at", "0").stdout
    seen = show(file, "--hand", "1", "--at", "0", "--seat", "random").stdout
    assert above.count(" cards: ") == 4
    assert seen.count(" cards: ") == 1
    assert next(line for line in seen.splitlines() if ": the " in line).startswith("random: ")
    assert "（" not in show(file, "--hand", "1", "--seat", "random").stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--hand", "3"], "--hand is '3'; expected a number from 1 to 2"),
        (["--hand", "0"], "--hand is '0'"),
        (["--hand", "cup-r01"], "or the id of a hand"),
        (["--at", "1"], "the file has several hands"),
        (["--hand", "1", "--seat", "nobody"], "--seat is 'nobody'; expected one of "),
        (["--hand", "1", "--at", "9999"], "at is 9999; expected an event, 0 to "),
        (["--hand", "1", "--at", "-1"], "at is -1"),
    ],
)
def test_what_there_is_not_is_refused_by_name(file: Path, options: list[str], said: str) -> None:
    assert said in refusal(file, *options)


def test_what_is_no_record_is_refused_with_its_line(file: Path, lines: list[str]) -> None:
    file.write_text(lines[0] + '{"format":"csv"}\n', encoding="utf-8")
    assert refusal(file).startswith("line 2: format is ")
    hand = json.loads(lines[0])
    hand["steps"][3]["events"] = [{"type": "played", "seat": 9}]
    file.write_text(json.dumps(hand) + "\n", encoding="utf-8")
    assert "expected the members of played" in refusal(file, "--hand", "1")
    file.write_text("", encoding="utf-8")
    for options in ([], ["--hand", "1"]):
        assert "file is 'without hands'" in refusal(file, *options)


def test_names_do_nothing_to_a_terminal(file: Path, lines: list[str]) -> None:
    file.write_text(lines[0].replace('"random"', '"a\\u001b[31m\\u202eb"'), encoding="utf-8")
    text = show(file, "--hand", "1").stdout
    assert not {"\x1b", "\u202e"} & set(text)
