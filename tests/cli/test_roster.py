"""A class list goes into an arena and comes out again; what fails half-way can be gone on with."""

from __future__ import annotations

import csv
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from arena.cli.organise.rosters import guarded, read_roster, unguarded
from arena.client import Client
from arena.errors import BadInput
from tests.cli.shell import Served, arena, served

CLASS = "name,owner\nalice-1,Alice\nbob-1,Bob\n=cmd,Mallory\n貧民の星,山田\n"


class Class(NamedTuple):
    """A served arena, and a folder to work in."""

    server: Served
    folder: Path

    def run(self, *words: str) -> tuple[int, str, str]:
        env = {"ARENA_URL": self.server.url, "ARENA_ADMIN_TOKEN": self.server.token}
        done = arena(*words, cwd=self.folder, env=env)
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout, done.stderr

    def ok(self, *words: str) -> str:
        code, out, err = self.run(*words)
        assert code == 0, err
        return out

    def wrong(self, *words: str) -> str:
        code, _, err = self.run(*words)
        assert code == 2
        assert len(err.splitlines()) == 1, err
        return err

    def session(self, slug: str, **roster: object) -> None:
        document = {"name": "Cup", "slug": slug, "roster": roster}
        (self.folder / f"{slug}.json").write_text(json.dumps(document))
        self.ok("session", "create", f"{slug}.json")

    def roster(self, text: str, name: str = "class.csv") -> Path:
        file = self.folder / name
        file.write_text(text, encoding="utf-8")
        return file

    def tokens(self, name: str = "class-tokens.csv") -> dict[str, dict[str, str]]:
        with (self.folder / name).open(encoding="utf-8", newline="") as file:
            return {row["name"]: row for row in csv.DictReader(file)}

    def names(self, session: str) -> list[str]:
        with Client(self.server.url) as client:
            return [entry["name"] for entry in client.session(session)["entries"]]


@pytest.fixture
def school(tmp_path: Path) -> Iterator[Class]:
    with served(f"sqlite:///{(tmp_path / 'arena.db').as_posix()}") as server:
        yield Class(server, tmp_path)


def test_a_class_list_goes_in_and_comes_out_again(school: Class) -> None:
    school.session("cup")
    school.roster("\ufeff" + CLASS.replace("=cmd", "'=cmd"))
    said = school.ok("roster", "import", "cup", "class.csv")
    assert "4 bots are in cup" in said
    assert school.names("cup") == ["alice-1", "bob-1", "=cmd", "貧民の星"]
    tokens = school.tokens()
    assert list(tokens) == ["alice-1", "bob-1", "'=cmd", "貧民の星"]
    for row in tokens.values():
        with Client(school.server.url, row["token"]) as client:
            who = client.whoami()
        assert (who["id"], who["owner"]) == (row["bot"], row["owner"])
        assert row["token"] not in said
    if os.name != "nt":
        assert stat.S_IMODE((school.folder / "class-tokens.csv").stat().st_mode) == 0o600

    exported = school.ok("roster", "export", "cup", "--output", "out.csv")
    assert exported == ""
    school.session("again")
    assert "4 bots are in again" in school.ok(
        "roster", "import", "again", "out.csv", "-o", "class-tokens.csv"
    )
    assert school.names("again") == school.names("cup")
    assert school.tokens() == tokens


def test_a_class_list_with_divisions_puts_bots_into_them(school: Class) -> None:
    school.session("cup")
    school.roster("name,division,owner\nalice-1,students,Alice\nbob-1,,Bob\n")
    said = school.wrong("roster", "import", "cup", "class.csv")
    assert "line 2: division is 'students'; expected none: there are none" in said
    assert school.names("cup") == []
    document = {"name": "Next", "slug": "next", "divisions": [{"id": "students"}, {"id": "staff"}]}
    (school.folder / "next.json").write_text(json.dumps(document))
    school.ok("session", "create", "next.json")
    school.ok("roster", "import", "next", "class.csv")
    (head, *rows) = csv.reader(school.ok("roster", "export", "next").splitlines())
    assert [(row[0], row[head.index("division")]) for row in rows] == [
        ("alice-1", "students"),
        ("bob-1", ""),
    ]
    school.roster("name,owner,division\nalice-1,Alice,guests\n", "other.csv")
    said = school.wrong("roster", "import", "next", "other.csv")
    assert "line 2: division is 'guests'; expected one of students, staff" in said


def test_importing_twice_changes_nothing(school: Class) -> None:
    school.session("cup")
    school.roster(CLASS)
    school.ok("roster", "import", "cup", "class.csv")
    before = (school.folder / "class-tokens.csv").read_bytes()
    school.ok("roster", "import", "cup", "class.csv")
    assert (school.folder / "class-tokens.csv").read_bytes() == before
    assert len(school.names("cup")) == 4


def test_an_import_that_failed_half_way_tells_what_it_did_and_goes_on(school: Class) -> None:
    """A look-alike has another name, so that only its registration finds it taken."""
    school.session("cup")
    with Client(school.server.url) as client:
        client.register("X-Y", owner="Carol")
    school.roster("name,owner\nalice-1,Alice\nx-y,Xavier\nbob-1,Bob\n")
    said = school.wrong("roster", "import", "cup", "class.csv")
    assert "1 of 3 bots are entered" in said
    assert "class-tokens.csv" in said
    assert school.names("cup") == ["alice-1"]
    first = school.tokens()["alice-1"]
    school.roster("name,owner\nalice-1,Alice\nx-z,Xavier\nbob-1,Bob\n")
    school.ok("roster", "import", "cup", "class.csv")
    assert school.names("cup") == ["alice-1", "x-z", "bob-1"]
    assert school.tokens()["alice-1"] == first


def test_a_bot_that_its_owner_registered_is_entered_without_a_token(school: Class) -> None:
    school.session("cup")
    with Client(school.server.url, school.server.token) as client:
        client.request("POST", "/bots", body={"name": "bob-1", "owner": "Bob"})
    school.roster(CLASS)
    assert "1 of them were registered elsewhere" in school.ok(
        "roster", "import", "cup", "class.csv"
    )
    assert len(school.names("cup")) == 4
    assert school.tokens()["bob-1"]["token"] == ""


def test_a_bot_that_only_claims_its_owner_is_not_entered_as_the_students(school: Class) -> None:
    school.session("cup")
    with Client(school.server.url) as client:
        squatter = client.register("bob-1", owner="Bob")["bot"]
    school.roster(CLASS)
    said = school.wrong("roster", "import", "cup", "class.csv")
    assert f"bob-1 ({squatter['id']}, owner Bob)" in said
    assert "line 3" in said
    assert "arena admin revoke" in said
    assert "arena session add" in said
    assert school.names("cup") == []
    assert not (school.folder / "class-tokens.csv").exists()


def test_nothing_is_done_if_anything_would_fail(school: Class) -> None:
    school.session("cup", max_bots=3)
    school.session("wide", bots_per_owner=1)
    with Client(school.server.url) as client:
        client.register("bob-1", owner="Robert")
    school.roster(CLASS.replace("bob-1", "ben-1"))
    assert "at most 3" in school.wrong("roster", "import", "cup", "class.csv")
    school.roster("name,owner\na,Alice\nb,Alice\n")
    said = school.wrong("roster", "import", "wide", "class.csv")
    assert "line 3: owner is 'Alice'" in said
    school.roster(CLASS)
    said = school.wrong("roster", "import", "wide", "class.csv")
    assert "line 3: name is 'bob-1'" in said
    assert "Robert" in said
    school.roster("name,owner\nalice-1,Alice\n")
    assert "nowhere" in school.wrong("roster", "import", "nowhere", "class.csv")
    assert "output" in school.wrong("roster", "import", "wide", "class.csv", "-o", "no/such/file")
    assert "heads" in school.wrong("roster", "import", "wide", "class.csv", "-o", "class.csv")
    assert not (school.folder / "class-tokens.csv").exists()
    assert school.names("cup") == school.names("wide") == []
    with Client(school.server.url) as client, pytest.raises(Exception, match="404"):
        client.request("GET", "/bots/alice-1")


def test_tokens_of_another_arena_are_not_taken_for_these(school: Class) -> None:
    school.session("cup")
    school.roster("name,owner\nalice-1,Alice\n")
    school.roster("name,owner,bot,token\nalice-1,Alice,b-aaaaaaaa,dfa_x\n", "class-tokens.csv")
    assert "one of this arena" in school.wrong("roster", "import", "cup", "class.csv")


def test_only_organisers_import(school: Class) -> None:
    school.session("cup")
    school.roster(CLASS)
    with Client(school.server.url) as client:
        token = client.register("carol")["token"]
    said = school.wrong("roster", "import", "cup", "class.csv", "--token", token)
    assert "organiser" in said


@pytest.mark.server
def test_an_import_works_where_codes_are_asked_for(tmp_path: Path) -> None:
    database = f"sqlite:///{(tmp_path / 'arena.db').as_posix()}"
    with served(database, more=("--registration", "code")) as server:
        school = Class(server, tmp_path)
        school.session("cup")
        school.roster(CLASS)
        assert "4 bots" in school.ok("roster", "import", "cup", "class.csv")


def test_the_export_for_staff_tells_who_is_who(school: Class) -> None:
    school.session("cup")
    school.roster(CLASS)
    school.ok("roster", "import", "cup", "class.csv")
    school.ok("session", "withdraw", "cup", "bob-1", "--yes")
    assert "bob-1" not in school.ok("roster", "export", "cup")
    words = ("roster", "export", "cup", "--all", "--pseudonyms", "--key", "spring class")
    rows = list(csv.DictReader(school.ok(*words).splitlines()))
    assert [row["status"] for row in rows].count("entered") == 3
    assert len({row["pseudonym"] for row in rows}) == 4
    assert all(len(row["pseudonym"].split()) == 2 for row in rows)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1"),
        ("name;owner\na;b\n", "with commas between"),
        ("name,owner\n", "a line for each bot"),
        ("name,owner\nalice,\n", "line 2: owner is ''"),
        ("name,owner\n\n,bob\n", "line 3: name is ''"),
        ("name,owner\nalice,x,y\n", "line 2: cells is 3"),
        ("name,owner\na,b\nb,c\na,d\n", "every name once: it is in line 2 too"),
        ("name,owner\n" + 41 * "a" + ",b\n", "1 to 40 characters"),
        ("name,owner\na," + 81 * "b" + "\n", "1 to 80 characters"),
        ("name,owner\na\x07b,c\n", "printable"),
        ("name,owner\na\u202eb,c\n", "printable"),
        ("name,owner\nhouse-1,c\n", "does not begin with house-"),
        ("name,owner\nаlice,c\n", "line 2: name"),
        ("name,owner\nalice-1,b\naIice-1,c\n", "does not look like 'alice-1' in line 2"),
        ("name,owner\nAlice‐1,b\nalıce-1,c\n", "does not look like 'Alice‐1' in line 2"),
        ("name,owner\na/b,c\n", "line 2: name"),
        ("name,owner\nalice,..\n", "line 2: owner"),
        ("name,owner\nb-7q3mz2ka,c\n", "the form of an id"),
        ('name,owner\n"two\nlines",c\nd\u0000,e\n', "line 2: name"),
        ('name,owner\n"open,c\n', "line 2"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "class.csv").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as error:
        read_roster(tmp_path / "class.csv")
    assert said in str(error.value)


def test_all_bad_lines_are_listed_at_once(tmp_path: Path) -> None:
    (tmp_path / "class.csv").write_text("name,owner\na,\nb,x\nc,\nd,\n")
    lines = r"3 lines that cannot be used:\n  line 2: owner.*\n  line 4: .*\n  line 5: "
    with pytest.raises(BadInput, match=lines):
        read_roster(tmp_path / "class.csv")


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "class.csv").write_bytes(b"name,owner\n\xff\xfe,x\n")
    with pytest.raises(BadInput, match="UTF-8"):
        read_roster(tmp_path / "class.csv")


@pytest.mark.parametrize(
    "text",
    ["=a", "'=a", "'tis", "''", "'", "", "a'=b", "-1", "@x", "+1", "x", "\t=1", "\r=1", "＝1"],
)
def test_a_guard_is_taken_off_again(text: str) -> None:
    assert unguarded(guarded(text)) == text
    assert not guarded(text).startswith(("=", "+", "-", "@", "\t", "\r", "＝"))
