"""The starters: each builds by the commands of its README, and behaves as its comments say."""

from __future__ import annotations

import functools
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from arena.cli.main import group
from arena.cli.workshop.new import LANGUAGES, files
from arena.doctor.checks import CHECKS
from arena.doctor.examination import Diagnosis, examine
from arena.doctor.playing import Terms
from arena.doctor.verdicts import CheckOutcome
from tests.cli.shell import arena as run_arena
from tests.client.fake_arena import FakeArena, Trouble, answering, serving, turn

FOLDER = Path(__file__).parents[2] / "sample_bots" / "starters"
NAMES = sorted(LANGUAGES)
BUILD_S = 240
IN_PARALLEL = 4
PATIENT = Terms(move_ms=10_000, bank_ms=60_000, start_s=60)
"""Clocks for a machine with much else to do: how quick a starter is, is not the question here."""


def test_each_starter_is_offered() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_files_of_a_starter_are_short_and_know_no_machine(name: str) -> None:
    texts = {path.name: path.read_text() for path in (FOLDER / name).iterdir()}
    assert {
        file: len(text.splitlines()) for file, text in texts.items() if text.count("\n") > 150
    } == {}
    assert not [text for text in texts.values() if re.search(r"/(home|root|work)/", text)]


def test_new_writes_the_shipped_file_and_a_readme_with_the_commands(tmp_path: Path) -> None:
    for name, starter in LANGUAGES.items():
        place = tmp_path / name
        done = CliRunner().invoke(group, ["new", str(place), "--language", name])
        assert done.exit_code == 0, done.output
        for shipped in (FOLDER / name).iterdir():
            assert (place / shipped.name).read_bytes() == shipped.read_bytes()
        text = (place / "README.md").read_text()
        assert f"    {starter.run} --url" in text
        assert not starter.build or f"\n    {starter.build}\n" in text
        assert starter.run in done.output


def test_new_leaves_a_folder_alone_that_is_there(tmp_path: Path) -> None:
    done = CliRunner().invoke(group, ["new", str(tmp_path)])
    assert "a folder that is not there yet" in str(done.exception)
    assert [*tmp_path.iterdir()] == []


def test_new_names_the_languages_near_one_that_it_does_not_have() -> None:
    done = CliRunner().invoke(group, ["new", "otter", "--language", "pyton"])
    assert done.exit_code == 2
    assert "did you mean python?" in " ".join(done.output.split())
    assert CliRunner().invoke(group, ["new"]).exit_code == 2


def test_new_lists_the_languages() -> None:
    done = CliRunner().invoke(group, ["new", "--list", "--json"])
    assert sorted(json.loads(done.output)["languages"]) == NAMES


def missing(reason: str) -> None:
    if os.environ.get("TESTS_NEED_SERVERS"):
        pytest.fail(reason)
    pytest.skip(reason)


def _use_crates_of_the_system(root: Path) -> None:
    """Where Debian's packages of crates are, cargo takes those: nothing is downloaded."""
    crates = Path("/usr/share/cargo/registry")
    if [*crates.glob("curl-0*")]:
        (root / ".cargo").mkdir()
        (root / ".cargo" / "config.toml").write_text(
            '[source.crates-io]\nreplace-with = "debian"\n'
            f'[source.debian]\ndirectory = "{crates}"\n[net]\noffline = true\n'
        )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The folder of a starter, built once by the command of its README."""
    root = tmp_path_factory.mktemp("starters")
    _use_crates_of_the_system(root)

    @functools.cache
    def build(name: str) -> Path | str:
        place, starter = root / name, LANGUAGES[name]
        place.mkdir()
        for file, text in files(name, name).items():
            (place / file).write_text(text)
        for part in starter.build.split("&&") if starter.build else []:
            words = shlex.split(part)
            if shutil.which(words[0]) is None:
                return f"needs {starter.needs}"
            done = subprocess.run(
                words, cwd=place, capture_output=True, text=True, timeout=BUILD_S, check=False
            )
            if done.returncode:
                return f"{part} failed: {done.stdout}{done.stderr}"
        program = shlex.split(starter.run)[0]
        if shutil.which(program) is None and not (place / program).is_file():
            return f"needs {starter.needs}"
        return place

    def one(name: str) -> Path:
        place = build(name)
        if isinstance(place, str):
            missing(place)
        assert isinstance(place, Path)
        return place

    return one


def start(place: Path, name: str, **told: str) -> subprocess.Popen[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("ARENA_")}
    return subprocess.Popen(
        shlex.split(LANGUAGES[name].run),
        cwd=place,
        env=kept | {"ARENA_SESSION": "cup", "ARENA_NAME": f"{name}-1"} | told,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.server
@pytest.mark.parametrize("name", NAMES)
def test_it_waits_sends_again_and_comes_back_with_the_token_that_it_kept(
    name: str, built: Any
) -> None:
    """Each trouble once: no answer, an answer that was lost, 503 and 429."""
    arena = FakeArena([turn(1, new_member={"of": [1]}), answering(2), turn(3, legal=[])])
    arena.troubles.extend([Trouble(503, {"detail": "later"}, {"Retry-After": "0"}), Trouble(0)])
    place = built(name)
    with serving(arena) as url:
        process = start(place, name, ARENA_URL=url + "/")
        wait_for(lambda: len(arena.answers) >= 1 or process.poll() is not None)
        arena.troubles.append(Trouble(0, after=True))
        arena.troubles.append(Trouble(429, {"detail": "slowly"}, {"Retry-After": "0"}))
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0, said
        assert len(arena.answers) == 3, said
        assert next(iter(arena.answers.values())) == {"choice": 0}
        assert arena.refusals == []
        (kept,) = place.glob("*.token")
        assert kept.read_text().strip() == "dfa_0"
        arena.status = "open"
        again = start(place, name, ARENA_URL=url)
        _, said = again.communicate(timeout=60)
    assert again.returncode == 0, said
    assert arena.paths("POST").count("/api/v1/bots") == 3  # refused twice above, then once done
    kept.unlink()


def wait_for(condition: Any) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.server
@pytest.mark.parametrize("name", NAMES)
def test_it_says_in_one_line_that_its_token_is_refused(name: str, built: Any) -> None:
    place = built(name)
    with serving(FakeArena()) as url:
        process = start(place, name, ARENA_URL=url, ARENA_TOKEN="dfa_unknown")
        out, said = process.communicate(timeout=60)
    assert (process.returncode, out) == (1, "")
    assert said == "bot: the token is refused: the token is not known\n"


@pytest.mark.server
@pytest.mark.parametrize("name", NAMES)
def test_ctrl_c_ends_it_quietly(name: str, built: Any) -> None:
    arena = FakeArena()
    arena.tokens["dfa_given"] = "x"
    arena.visible = lambda after: []  # type: ignore[method-assign]
    place = built(name)
    with serving(arena) as url:
        process = start(place, name, ARENA_URL=url, ARENA_TOKEN="dfa_given")
        wait_for(lambda: "/api/v1/turns" in arena.paths("GET"))
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=20)
    assert (out, said) == ("", "")
    assert process.returncode in (0, -signal.SIGINT, 128 + signal.SIGINT)


@pytest.fixture(scope="module")
def diagnosed(built: Any) -> Iterator[Callable[[str], Diagnosis]]:
    """What the doctor says of a starter; all of them are tried when the first is asked for."""
    with ThreadPoolExecutor(IN_PARALLEL) as threads:

        @functools.cache
        def known() -> dict[str, Future[Diagnosis]]:
            return {name: threads.submit(diagnosis, name, built(name)) for name in NAMES}

        yield lambda name: known()[name].result()
        threads.shutdown(cancel_futures=True)


def diagnosis(name: str, place: Path) -> Diagnosis:
    return examine(LANGUAGES[name].run, CHECKS, terms=PATIENT, cwd=place)


@pytest.mark.server
@pytest.mark.parametrize("name", NAMES)
def test_the_doctor_finds_no_fault_in_it(name: str, diagnosed: Callable[[str], Diagnosis]) -> None:
    found = {check.name: verdict for check, verdict in diagnosed(name).verdicts}
    bad = {name: v.why for name, v in found.items() if v.outcome is CheckOutcome.FAILED}
    assert bad == {}
    unseen = {name for name, v in found.items() if v.outcome is CheckOutcome.SKIPPED}
    assert unseen <= {"whoami", "cursor", "no-legal", "joker-roles"}


@pytest.mark.server
def test_all_of_them_play_one_session_without_a_fault(built: Any, tmp_path: Path) -> None:
    """With sample bots, under the rules of the house."""
    entries = [
        f"[[bots]]\nname = {name!r}\ncommand = {f'sh -c {shlex.quote(command)}'!r}\n"
        for name in NAMES
        for command in [f"cd {built(name)} && exec {LANGUAGES[name].run}"]
    ]
    file = tmp_path / "cup.toml"
    file.write_text(
        'name = "Cup"\nslug = "cup"\nseats = 4\nhands_per_table = 1\nreseat_every = 1\n'
        '[ruleset]\npreset = "house"\n[schedule]\nrounds = 1\n'
        + "".join(entries)
        + '[[bots]]\nname = "otter"\ncommand = "python -m sample_bots.lowest"\ncount = '
        + f"{2 + -(len(NAMES) + 2) % 4}\n"
    )
    done = run_arena("run", str(file), "--json", "--sandbox", "never", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert (outcome["status"], outcome["failed"], outcome["mistakes"]) == ("finished", {}, {})
    logs = {path.name: path.read_text() for path in tmp_path.rglob("bot-*.log")}
    assert len(logs) >= len(NAMES) + 2
    assert {log for log in logs if "refused: " in logs[log]} == set()
