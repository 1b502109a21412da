"""Sessions of every kind from one file, before and while they are played; what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.shell import arena, served

pytestmark = pytest.mark.server

BOTS = '[[bots]]\nname = "a"\ncommand = "python -m sample_bots.lowest"\ncount = {count}\n'
HEAD = 'name = "Cup"\nslug = "cup"\nseats = 3\nhands_per_table = 1\nseed = "07"\n'


def written(folder: Path, text: str, *, bots: int = 0) -> str:
    """A session file; its name."""
    (folder / "cup.toml").write_text(HEAD + text + (BOTS.format(count=bots) if bots else ""))
    return "cup.toml"


def ok(*arguments: str, cwd: Path) -> str:
    done = arena(*arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(*arguments: str, cwd: Path) -> str:
    """The one line of a refusal."""
    done = arena(*arguments, cwd=cwd)
    assert done.returncode == 2, done
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr


def test_what_is_shown_before_is_what_is_played(tmp_path: Path) -> None:
    """With a slug and a seed the draw is known beforehand, but for what follows from results."""
    file = written(tmp_path, '[schedule]\nkind = "swiss"\nrounds = 3\n', bots=6)
    shown = json.loads(ok("schedule", file, "--json", cwd=tmp_path))
    assert (len(shown["rounds"]), shown["rounds_to_come"]) == (2, 1)
    assert shown["names"] == [f"a-{number}" for number in range(1, 7)]
    said = ok("run", file, "--folder", "out", cwd=tmp_path)
    assert "Schedule: swiss, 2 rounds and 1 to come, 4 tables of 1 hand; pairs meet" in said
    header = json.loads((tmp_path / "out" / "cup.jsonl").read_text().splitlines()[0])
    assert header["schedule"]["rounds"][:2] == shown["rounds"]
    assert len(header["schedule"]["rounds"]) == 3
    assert "no findings" in ok("verify", "out/cup.jsonl", cwd=tmp_path)


def test_a_session_with_replayed_deals_rates_equal_bots_equal(tmp_path: Path) -> None:
    text = 'deals = "rotate"\ndeals_may_repeat = true\n[schedule]\nrounds = 4\n'
    file = written(tmp_path, text, bots=4)
    assert "each table 3 times" in ok("schedule", file, cwd=tmp_path)
    said = ok("run", file, "--folder", "out", cwd=tmp_path)
    assert said.count(" 1500 ") >= 4
    assert "no findings" in ok("verify", "out/cup.jsonl", cwd=tmp_path)


def test_a_schedule_says_how_long_it_takes_and_how_exact_it_will_be(tmp_path: Path) -> None:
    file = written(tmp_path, 'anchor = "b"\n[schedule]\nrounds = 6\n', bots=6)
    said = ok("schedule", file, "--hand-seconds", "2", cwd=tmp_path)
    assert "will take " in said
    assert "at 2 s a hand" in said
    assert "Warning: The anchor b has not entered" in said
    document = json.loads(ok("schedule", file, "--json", cwd=tmp_path))
    assert document["forecast"]["blocks_each"] == [6, 6]
    assert document["forecast"]["likely_ms"] is None
    options = ("--bots", "30", "--rounds", "5", "--hands", "8")
    assert "not separated  about 29 of 29" in ok("schedule", *options, cwd=tmp_path)


def test_a_final_follows_from_the_records_of_what_leads_to_it(tmp_path: Path) -> None:
    file = written(tmp_path, "[schedule]\nrounds = 6\nrounds_at_once = 6\n", bots=6)
    ok("run", file, "--folder", "out", cwd=tmp_path)
    said = ok("schedule", file, "--past", "out/cup.jsonl", "--json", cwd=tmp_path)
    assert json.loads(said)["forecast"]["likely_ms"] > 0
    both = ("--past", "out/cup.jsonl", "--hand-seconds", "2")
    assert "one of the two" in refused("schedule", file, *both, cwd=tmp_path)
    four = ("--bots", "8", "--seats", "4", "--past", "out/cup.jsonl")
    assert "expected played hands at tables of 4" in refused("schedule", *four, cwd=tmp_path)
    options = ("--kind", "final", "--seats", "3", "--records", "out/cup.jsonl")
    shown = json.loads(ok("schedule", *options, "--json", cwd=tmp_path))
    names = shown["names"]
    assert 3 <= len(names) <= 6
    text = '[schedule]\nkind = "final"\nrounds = 2\nrecords = ["out/cup.jsonl"]\n'
    file = written(tmp_path, text, bots=6)
    assert f"bots  0 {min(names)}" in ok("schedule", file, cwd=tmp_path)
    ok("run", file, "--folder", "final", cwd=tmp_path)
    lines = (tmp_path / "final" / "cup.jsonl").read_text().splitlines()
    assert sorted(bot["name"] for bot in json.loads(lines[0])["bots"]) == sorted(names)
    assert "no findings" in ok("verify", "final/cup.jsonl", cwd=tmp_path)


@pytest.mark.parametrize(
    ("text", "bots", "said"),
    [
        ("prizes = 3\n", 4, "prizes"),
        ("hands_per_tabel = 3\n", 4, "hands_per_tabel"),
        ('[schedule]\nkind = "swiss"\nprizes = 3\n', 6, "prizes"),
        ('[schedule]\nkind = "gauntlet"\n', 6, "regulars"),
        ('[schedule]\nkind = "gauntlet"\nregulars = ["b"]\n', 6, "'b'"),
        ('[schedule]\nkind = "ladder"\n', 6, "nobody closes this ladder"),
        ('[schedule]\nkind = "final"\n', 6, "sessions that lead to the final"),
        ('[schedule]\nkind = "final"\nrecords = []\n', 6, "a list of record files"),
        ('[schedule]\nkind = "final"\nrecords = ["none.jsonl"]\n', 6, "none.jsonl"),
        ('[schedule]\nkind = "final"\nrecords = ["x"]\nseason = 1\n', 6, "true or false"),
        ('deals = "rotate"\n', 6, "deals_may_repeat"),
        ("", 1, "at least the 3 bots of one table"),
        ("", 2, "at least the 3 bots of one table"),
    ],
)
def test_files_that_cannot_be_played_are_refused_in_one_line(
    tmp_path: Path, text: str, bots: int, said: str
) -> None:
    file = written(tmp_path, text, bots=bots)
    told = refused("run", file, "--folder", "out", cwd=tmp_path)
    assert said in told
    assert not (tmp_path / "out" / "cup.jsonl").exists()


def test_bots_of_one_owner_only_are_refused(tmp_path: Path) -> None:
    bots = BOTS.format(count=3) + 'owner = "alice"\n'
    file = written(tmp_path, "[schedule]\nrounds = 1\n" + bots)
    assert "at least 3, one for each seat" in refused("run", file, "--folder", "o", cwd=tmp_path)
    assert "at least 3, one for each seat" in refused("schedule", file, cwd=tmp_path)


def test_two_bots_of_one_name_are_refused(tmp_path: Path) -> None:
    file = written(tmp_path, BOTS.format(count=2) + BOTS.format(count=2))
    assert "'a-1'; expected a name that no other" in refused("run", file, cwd=tmp_path)


def test_an_organiser_is_told_in_one_line_what_is_wrong_with_a_session(tmp_path: Path) -> None:
    database = f"sqlite:///{(tmp_path / 'cup.db').as_posix()}"
    with served(database) as server:
        where = ("--url", server.url, "--token", server.token)
        for text, said in [
            ('[schedule]\nkind = "swiss"\nregulars = ["a"]\n', "regulars"),
            ('[schedule]\nkind = "ladder"\ntables = 0\n', "tables"),
            ('[schedule]\nkind = "gauntlet"\nregulars = ["a", "a"]\n', "regulars"),
            ("seats = 9\n", "seats"),
            ('deals = "common"\n', "bots_per_owner"),
        ]:
            file = written(tmp_path, text)
            if text.startswith("seats"):
                (tmp_path / file).write_text('name = "x"\n' + text)
            assert said in refused("session", "create", file, *where, cwd=tmp_path)
        text = '[schedule]\nkind = "ladder"\n'
        assert "created" in ok("session", "create", written(tmp_path, text), *where, cwd=tmp_path)
        assert "at least 3, one for each seat" in refused(
            "session", "start", "cup", *where, cwd=tmp_path
        )
