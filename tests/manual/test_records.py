"""The program on the page about record files: it takes true records and finds what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from arena.documents import Document
from tests.manual.exchanges import ALL_KINDS, Conversation
from tests.manual.pages import ROOT, block, rows, section
from tests.sample_bots.records import with_public_value

PAGE = ROOT / "arena" / "manual" / "records.md"
PROGRAM = ROOT / "arena" / "manual" / "verifying.md"


@cache
def program() -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "check_records"}
    exec(block(PROGRAM, "check_records.py"), space)
    return space


@cache
def recorded(preset: str) -> tuple[str, ...]:
    """The lines of the record of a session with moves at random."""
    ruleset = ALL_KINDS if preset == "all kinds" else {"preset": preset}
    talk = Conversation(5, ruleset=ruleset, hands_per_table=2)
    with pytest.raises(AssertionError, match="no such turn"):
        talk.until(lambda turn: False)
    return tuple(talk.real.organiser.get("/api/v1/sessions/cup/records").text.splitlines())


def checked(lines: list[str], folder: Path) -> int:
    """The exit code of the program."""
    path = folder / "records.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    code: int = program()["main"](str(path))
    return code


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["pagat", "uecda", "tycoon_p5r", "all kinds"])
def test_a_true_record_is_called_good(
    preset: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = recorded(preset)
    assert len(lines) == 3
    assert checked(list(lines), tmp_path) == 0
    assert capsys.readouterr().out == "2 hands, no faults\n"


def test_a_public_value_is_in_the_keys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line.decode().strip() for line in with_public_value()]
    assert checked(lines, tmp_path) == 0
    header = json.loads(lines[0])
    header["schedule"]["public_chance"] = "another value"
    assert checked([json.dumps(header), *lines[1:]], tmp_path) == 1
    assert "deck and lots do not follow from the secret" in capsys.readouterr().out


def exchange_two_cards(hand: Document) -> None:
    hand["deck"][:2] = reversed(hand["deck"][:2])


def another_salt(hand: Document) -> None:
    hand["salt"] = "00" * 16


def another_winner(hand: Document) -> None:
    hand["result"]["game"].reverse()


def a_step_less(hand: Document) -> None:
    del hand["steps"][5]


def a_card_from_nowhere(hand: Document) -> None:
    played = (e for step in hand["steps"] for e in step["events"] if e["type"] == "played")
    event = list(played)[-1]
    event["cards"] = ["S3" if "S3" not in event["cards"] else "S4"]


def another_deal(hand: Document) -> None:
    """One that fits its own commitment, but not the secret."""
    exchange_two_cards(hand)
    hand["commitment"] = program()["committed"](hand)


CHANGES = (
    exchange_two_cards,
    another_salt,
    another_winner,
    a_step_less,
    a_card_from_nowhere,
    another_deal,
)


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_was_changed_is_found(
    change: Callable[[Document], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header, hand, *more = recorded("pagat")
    document = json.loads(hand)
    change(document)
    assert checked([header, json.dumps(document), *more], tmp_path) == 1
    assert "line 2: " in capsys.readouterr().out


@pytest.mark.slow
def test_another_secret_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header, *hands = recorded("pagat")
    document = json.loads(header)
    document["secret"] = "11" * 32
    assert checked([json.dumps(document), *hands], tmp_path) == 1
    assert "line 1: the secret" in capsys.readouterr().out


@pytest.mark.slow
def test_the_page_names_every_member_of_a_line() -> None:
    """`rated` is there only in the records of casual hands, `clocks` where a person sits."""
    header, hand, *_ = recorded("pagat")
    for line, heading in (
        (header, "What is in a header?"),
        (hand, "What is in the line of a hand?"),
    ):
        named = {name for row in rows(section(PAGE, heading)) for name in row[0].split("`")[1::2]}
        assert named - {"rated", "clocks"} == set(json.loads(line)), heading


@pytest.mark.slow
def test_the_page_names_every_member_of_steps_and_results() -> None:
    hand = json.loads(recorded("pagat")[1])
    part = section(PAGE, "What is in the line of a hand?")
    for name in (*hand["steps"][1], *hand["steps"][1]["meta"], *hand["result"]):
        assert f"`{name}`" in part, name


def test_the_program_needs_the_standard_library_only() -> None:
    imports = [
        line
        for line in block(PROGRAM, "check_records.py").splitlines()
        if line.startswith("import ")
    ]
    assert imports == ["import hashlib", "import json", "import sys"]
