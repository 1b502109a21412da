"""Grades and pseudonymous boards by the command line, from record files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from arena.store import open_store
from arena.tournament.pairing.schedules import round_robin
from tests.cli.shell import arena, check_shape
from tests.referee.table import Arena
from tests.tournament.simulation import played

pytestmark = pytest.mark.server

NAMES = ("lowest", "heuristic", "alice-1", "bob's bot", "=cmd()", "貧民の星", "zoe", "yan")
OWNERS = ("staff", "staff", "alice", "bob/../x", "mallory", "山田", "zoe", "yan")


def write_records(
    file: Path,
    *,
    fingerprint: str = "f00d",
    session: str = "cup",
    document: dict[str, object] | None = None,
) -> None:
    """The records of a session in which bots are the better the later they are in NAMES."""
    schedule = round_robin([str(n) for n in range(8)], 4, seed=1, house=0)
    listed = [
        {"bot": f"bot{n:02}", "name": name, "owner": owner, "number": n, "status": "entered"}
        for n, (name, owner) in enumerate(zip(NAMES, OWNERS, strict=True))
    ]
    header = {
        "format": "daifugo-arena/session/1",
        "session": session,
        "status": "finished",
        "document": {"name": "Cup", **(document or {})},
        "secret_commitment": "5e" * 32,
        "schedule": None,
        "bots": listed,
    }
    lines = [header]
    skills = np.linspace(-1.2, 1.2, 8)
    for number, hand in enumerate(played(schedule, skills, seed=5, hands=5, laps=2)):
        failed = [{"player": 0, "seat": 0, "seq": 1, "cause": "timeout"}] if number == 0 else []
        lines.append(
            {
                "format": "daifugo-arena/hand/1",
                "session": session,
                "table": hand.block,
                "hand": f"{session}-{number}",
                "block": hand.block,
                "fingerprint": fingerprint,
                "bots": list(hand.bots),
                "players": [NAMES[int(bot[3:])] for bot in hand.bots],
                "seating": [0, 1, 2, 3],
                "result": {
                    "places": [0, 1, 2, 3],
                    "finish": list(hand.finish),
                    "faults": failed,
                    "forfeits": [],
                },
            }
        )
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the records of a cup."""
    made = tmp_path_factory.mktemp("class")
    write_records(made / "cup.jsonl")
    return made


def ok(folder: Path, *words: str) -> str:
    done = arena(*words, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def wrong(folder: Path, *words: str) -> str:
    done = arena(*words, cwd=folder)
    assert done.returncode == 2, done
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr


def test_a_class_is_graded_against_two_benchmarks(folder: Path) -> None:
    words = ("grade", "cup.jsonl", "--benchmark", "lowest", "--benchmark", "heuristic")
    text = ok(folder, *words, "--student", "alice", "--student", "zoe", "--csv", "grades.csv")
    assert [line.split()[0] for line in text.splitlines()[1:5]] == ["alice", "alice", "zoe", "zoe"]
    assert "95 %" in text
    with (folder / "grades.csv").open(encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    zoe = next(r for r in records if r["student"] == "zoe" and r["benchmark"] == "lowest")
    assert (zoe["verdict"], zoe["points"]) == ("ahead", "1.0")
    assert float(zoe["gap_low"]) > 0


def test_the_same_in_json_and_with_points(folder: Path) -> None:
    said = ok(folder, "grade", "cup.jsonl", "--benchmark", "lowest", "--points", "10,5,0", "--json")
    told = json.loads(said)
    check_shape(told, "grade")
    assert told["confidence_percent"] == 95
    points = {s["student"]: (s["points"], s["max_points"]) for s in told["students"]}
    assert points["yan"] == (10, 10)
    assert len(points) == 7


def test_without_benchmarks_given_those_of_the_session_count(folder: Path) -> None:
    assert "--benchmark is not given; expected a bot to beat" in wrong(folder, "grade", "cup.jsonl")
    write_records(folder / "named.jsonl", document={"benchmarks": ["lowest", "heuristic"]})
    given = ("--benchmark", "lowest", "--benchmark", "heuristic")
    assert ok(folder, "grade", "named.jsonl") == ok(folder, "grade", "cup.jsonl", *given)
    write_records(folder / "next.jsonl", session="next", document={"benchmarks": ["lowest"]})
    assert "names no benchmarks" in wrong(folder, "grade", "named.jsonl", "next.jsonl")


def test_a_division_is_rated_and_graded_by_itself(folder: Path) -> None:
    text = (folder / "cup.jsonl").read_text(encoding="utf-8").splitlines()
    header = json.loads(text[0])
    header["document"]["divisions"] = [{"id": "class-a", "name": "Class A"}]
    for bot in header["bots"]:
        bot["division"] = "class-a" if bot["name"] in ("zoe", "yan") else None
    lines = [json.dumps(header), *text[1:], ""]
    (folder / "divided.jsonl").write_text("\n".join(lines), encoding="utf-8")
    part = ("divided.jsonl", "--division", "class-a")
    whole = ok(folder, "grade", "divided.jsonl", "--benchmark", "lowest", "--json")
    graded = json.loads(ok(folder, "grade", *part, "--benchmark", "lowest", "--json"))
    assert [student["student"] for student in graded["students"]] == ["yan", "zoe"]
    for student in graded["students"]:
        assert student in json.loads(whole)["students"]
    rated = json.loads(ok(folder, "rate", *part, "--json"))
    assert {row["name"] for row in rated["groups"][0]["rows"]} == {"yan", "zoe"}
    named = ok(folder, "rate", *part, "--pseudonyms", "--key", "spring class")
    assert "Class A: 2 of 8 bots" in named
    assert "zoe" not in named
    said = wrong(folder, "rate", "divided.jsonl", "--division", "b")
    assert "division is 'b'; expected one of class-a" in said
    said = wrong(folder, "grade", "cup.jsonl", "--benchmark", "lowest", "--division", "b")
    assert "expected none: the session has no divisions" in said


def test_gradescope_gets_a_file_for_each_student(folder: Path) -> None:
    words = ("grade", "cup.jsonl", "--benchmark", "lowest", "--benchmark", "heuristic")
    ok(folder, *words, "--gradescope", "results", "--leaderboard")
    made = sorted(
        str(p.relative_to(folder)) for p in (folder / "results").rglob("*") if p.is_file()
    )
    assert made == sorted(
        f"results/{name}/results.json"
        for name in ("alice", "bob_.._x", "mallory", "yan", "zoe", "山田")
    )
    document = json.loads((folder / "results/zoe/results.json").read_text(encoding="utf-8"))
    assert document["tests"][0]["status"] == "passed"
    assert document["leaderboard"][0]["name"] == "Elo"


def test_gradescope_gets_one_file_for_one_student(folder: Path) -> None:
    words = ("grade", "cup.jsonl", "--benchmark", "lowest", "--gradescope", "results.json")
    ok(folder, *words, "--student", "alice-1", "--visibility", "after_published")
    document = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert document["extra_data"] == {"student": "alice"}
    assert document["visibility"] == "after_published"
    assert "one --student" in wrong(folder, *words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--benchmark", "nobody"), "benchmark is 'nobody'"),
        (("--benchmark", "lowest", "--confidence", "20"), "confidence is 20.0"),
        (("--benchmark", "lowest", "--points", "1,2"), "points is '1,2'"),
        (("--benchmark", "lowest", "--points", "1,x,0"), "points is '1,x,0'"),
        (("--benchmark", "lowest", "--points", "1,2,3"), "points is '1,2,3'"),
        (("--benchmark", "lowest", "--student", "nobody"), "student is 'nobody'"),
        (("--benchmark", "lowest", "--csv", "no/such/folder.csv"), "No such file"),
        (("--benchmark", "lowest", "--format", "word"), "format is 'word'"),
    ],
)
def test_what_makes_no_sense_is_one_line(folder: Path, words: tuple[str, ...], said: str) -> None:
    assert said in wrong(folder, "grade", "cup.jsonl", *words)


def test_records_that_are_cut_or_of_two_rulesets_are_refused(folder: Path) -> None:
    text = (folder / "cup.jsonl").read_text(encoding="utf-8")
    (folder / "cut.jsonl").write_text(text[:-40], encoding="utf-8")
    assert "cut.jsonl, line " in wrong(folder, "grade", "cut.jsonl", "--benchmark", "lowest")
    write_records(folder / "other.jsonl", fingerprint="beef", session="other")
    said = wrong(folder, "grade", "cup.jsonl", "other.jsonl", "--benchmark", "lowest")
    assert "one ruleset" in said


def test_a_board_under_pseudonyms_tells_no_name_but_those_to_keep(folder: Path) -> None:
    words = ("rate", "cup.jsonl", "--pseudonyms", "--keep", "heuristic", "--key", "spring class")
    one = arena(*words, "--cross", cwd=folder)
    assert one.returncode == 0, one.stderr
    assert one.stderr == ""
    assert "heuristic" in one.stdout
    for name in (*OWNERS, *NAMES):
        assert name in ("heuristic",) or name not in one.stdout
    assert ok(folder, *words, "--cross") == one.stdout
    assert "bot0" not in ok(folder, *words, "--json")


def test_without_a_key_one_is_made_and_shown_beside_the_board(folder: Path) -> None:
    done = arena("rate", "cup.jsonl", "--pseudonyms", cwd=folder)
    assert done.returncode == 0
    key = done.stderr.split()[2]
    assert key not in done.stdout
    assert ok(folder, "rate", "cup.jsonl", "--pseudonyms", f"--key={key}") == done.stdout


def test_a_board_straight_from_a_database(tmp_path: Path) -> None:
    database = f"sqlite:///{(tmp_path / 'arena.db').as_posix()}"
    with open_store(database) as store:
        table = Arena(store)
        table.session()
        table.play()
    words = ("standings", "cup", "--database", database, "--pseudonyms", "--key", "spring class")
    for more in ((), ("--json",), ("--los",)):
        text = ok(tmp_path, *words, *more)
        assert "bot-" not in text
        assert "b-" not in text.replace("ahead-", "")
    assert "bot-1" in ok(tmp_path, *words, "--keep", "bot-1")


def test_boards_that_would_tell_names_are_refused(folder: Path) -> None:
    words = ("rate", "cup.jsonl", "--pseudonyms")
    assert "staff" in wrong(folder, *words, "--alerts", "--key", "spring class")
    assert "at least 8" in wrong(folder, *words, "--key", "short")
    assert "at least 8" in wrong(folder, *words, "--key", "")
    assert "nobody" in wrong(folder, *words, "--key", "spring class", "--keep", "nobody")
    assert "with --pseudonyms" in wrong(folder, "rate", "cup.jsonl", "--key", "spring class")
    assert "--database" in wrong(
        folder, "standings", "cup", "--pseudonyms", "--key", "spring class"
    )
