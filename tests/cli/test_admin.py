"""Enrolment codes from the command line: for a class, for an owner, for each owner of a list."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.cli.organise.rosters import read_owners
from arena.client import Client
from arena.client.problems import ArenaProblem
from arena.errors import BadInput
from tests.cli.shell import arena, served
from tests.cli.test_roster import Class

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Class]:
    folder = tmp_path_factory.mktemp("school")
    database = f"sqlite:///{(folder / 'arena.db').as_posix()}"
    with served(database, more=("--registration", "code")) as server:
        yield Class(server, folder)


def register(
    school: Class, name: str, code: str, owner: str | None = None, *, proven: bool = True
) -> str:
    """Register a bot with a code; its owner."""
    with Client(school.server.url) as client:
        bot = client.register(name, code, owner=owner)["bot"]
    assert bot["proven"] is proven
    found: str = bot["owner"]
    return found


def test_with_the_code_of_a_class_each_student_enters(school: Class) -> None:
    school.session("cup")
    words = ("admin", "code", "--label", "class-4b", "--uses", "20", "--hours", "48")
    _, out, said = school.run(*words)
    code = out.strip()
    listed = json.loads(school.ok("admin", "codes", "--json"))
    assert listed[-1]["id"] in said
    assert code not in said
    for number in range(20):
        name = f"student-{number}"
        assert register(school, name, code, proven=False) == name
        school.ok("session", "add", "cup", name)
    assert len(school.names("cup")) == 20
    with pytest.raises(ArenaProblem, match="used up"):
        register(school, "one-more", code)


def test_a_code_for_an_owner_registers_that_owners_bots(school: Class) -> None:
    words = ("admin", "code", "--label", "team", "--owner", "red", "--uses", "2", "--json")
    made = json.loads(school.ok(*words))
    assert (made["owner"], made["uses"], made["expires"]) == ("red", 2, None)
    assert register(school, "red-1", made["code"]) == "red"
    with pytest.raises(ArenaProblem, match="whose bot this is"):
        register(school, "red-2", made["code"], owner="student-1")


def test_each_owner_of_a_file_gets_a_code(school: Class) -> None:
    school.roster("name,owner\na-1,Alice\n大-1,山田\na-2,Alice\nc-1,=cmd\n", "class.csv")
    rows = list(csv.reader(school.ok("admin", "code", "--each", "class.csv").splitlines()))
    assert rows[0] == ["owner", "code", "id"]
    listed = {each["id"] for each in json.loads(school.ok("admin", "codes", "--json"))}
    assert {key for _, _, key in rows[1:]} <= listed
    assert [owner for owner, _, _ in rows[1:]] == ["Alice", "山田", "'=cmd"]
    assert register(school, "a-1", rows[1][1]) == "Alice"
    assert register(school, "c-1", rows[3][1]) == "=cmd"
    made = json.loads(school.ok("admin", "code", "--each", "class.csv", "--json", "--label", "4c"))
    assert {each["label"] for each in made["codes"]} == {"4c"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--label"),
        (("--each", "two.csv", "--owner", "x"), "exclude each other"),
        (("--each", "two.csv"), "line 3: owner is 'ALICE'; expected one spelling"),
        (("--each", "nowhere.csv"), "nowhere.csv"),
        (("--label", "x", "--owner", "house-1"), "house-"),
        (("--label", "x", "--owner", "x", "--uses", "17"), "at most 16"),
    ],
)
def test_what_does_not_fit_is_refused(school: Class, words: tuple[str, ...], said: str) -> None:
    school.roster("owner\nalice\nALICE\n", "two.csv")
    code, _, error = school.run("admin", "code", *words)
    assert code == 2
    assert said in error


def test_the_help_has_an_example_for_each() -> None:
    help_text = arena("admin", "code", "--help").stdout
    for example in ("--uses 30", "--owner red", "--each roster.csv"):
        assert example in help_text


@pytest.mark.parametrize(
    ("text", "owners"),
    [
        ("owner\nalice\nbob\n", ["alice", "bob"]),
        ("\ufeffemail, Owner \r\na@x,alice\r\n\r\nb@x,bob\r\n", ["alice", "bob"]),
        ("alice\n\nbob\nalice\n", ["alice", "bob"]),
        ("'=1+1\n", ["=1+1"]),
    ],
)
def test_owners_are_read_from_a_column_or_a_list(
    text: str, owners: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "list.csv"
    file.write_text(text, encoding="utf-8", newline="")
    assert read_owners(file) == owners


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("owner\n", "empty"),
        ("name,email\nalice,a@x\n", "heads owner"),
        ("alice\nbob,x\n", "line 2: cells"),
        (
            "owner\n" + "x" * 81 + "\nok\nhouse-1\n",
            r"line 2: owner is .*\n  line 4: owner is 'house-1'",
        ),
        ('owner\n"alice\n', "line"),
    ],
)
def test_a_list_that_does_not_fit_says_where(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=said):
        read_owners(file)
