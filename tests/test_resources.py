"""Schemas and sample bots are those that came with the arena, whatever lies in the way."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from arena import resources
from arena.errors import BadInput
from arena.match.local import make_bot
from arena.processes import bot_command
from tests.cli.shell import environment
from tests.postgres import NEEDED

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "sample_bots"
SOURCES = ("arena", "schemas", "sample_bots", "pyproject.toml", "README.md", "LICENSE")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A working directory full of other people's things."""
    folder = tmp_path / "theirs"
    for name in ("schemas", "sample_bots"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text("raise SystemExit('not this one')\n")
    (folder / "schemas" / "turn.schema.json").write_text("{}")
    for name in ("lowest", "heuristic", "random_bot", "plain_requests", "choice_only", "mine"):
        (folder / "sample_bots" / f"{name}.py").write_text("raise SystemExit('not this one')\n")
    return folder


def test_in_a_checkout_the_folders_are_beside_the_package() -> None:
    assert resources.folder("schemas") == ROOT / "schemas"
    assert resources.sample_bot("sample_bots.lowest") == SAMPLES / "lowest.py"


def test_in_a_wheel_they_are_inside_and_what_lies_beside_is_somebody_elses(tmp_path: Path) -> None:
    (tmp_path / "arena" / "schemas").mkdir(parents=True)
    (tmp_path / "schemas").mkdir()
    found = resources.folder("schemas", package=tmp_path / "arena")
    assert found == tmp_path / "arena" / "schemas"


def test_an_installation_without_them_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="folder schemas of the arena"):
        resources.folder("schemas", package=tmp_path / "arena")


@pytest.mark.parametrize(
    "name", ["sample_bots", "sample_bots.mine", "sample_bots.__init__", "other.lowest", "lowest"]
)
def test_only_our_own_bots_are_ours(name: str) -> None:
    assert resources.sample_bot(name) is None


def test_a_sample_bot_is_started_by_its_file() -> None:
    by_file = [sys.executable, "-P", str(SAMPLES / "lowest.py"), "--quiet"]
    assert bot_command("python -m sample_bots.lowest --quiet") == by_file
    assert bot_command("python3 -m sample_bots.lowest --quiet") == by_file
    unbuffered = [sys.executable, "-u", "-P", str(SAMPLES / "lowest.py")]
    assert bot_command("python -u -m sample_bots.lowest") == unbuffered


@pytest.mark.parametrize(
    "command",
    [
        "python -m sample_bots.mine",
        "python -m other.lowest",
        "python bot.py -m sample_bots.lowest",
        "/usr/bin/other -m sample_bots.lowest",
        "python -m",
    ],
)
def test_any_other_command_is_left_as_it_is(command: str) -> None:
    words = command.split()
    assert bot_command(command)[1:] == words[1:]


def test_a_local_match_plays_with_our_bots(hostile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(hostile)
    monkeypatch.syspath_prepend(str(hostile))
    for name in [name for name in sys.modules if name.partition(".")[0] == "sample_bots"]:
        monkeypatch.delitem(sys.modules, name)
    made = make_bot("sample_bots.lowest:Lowest")
    assert type(made).__name__ == "Lowest"
    assert type(make_bot("sample_bots.lowest:Lowest")) is type(made)
    with pytest.raises(BadInput, match="not this one"):
        make_bot("sample_bots.mine:Mine")


@pytest.mark.server
def test_a_tournament_is_played_in_a_folder_of_such_names(hostile: Path) -> None:
    """A demo sends every kind of request, and starts five of the sample bots."""
    done = run(hostile, "demo", "--hands", "1", "--rounds", "1", "--folder", "d")
    assert done.returncode == 0, done.stderr
    assert "heuristic-1" in done.stdout
    assert "Note:" not in done.stderr


@pytest.mark.server
def test_the_readmes_commands_for_bots_work_in_such_a_folder(hostile: Path) -> None:
    said = "python -m sample_bots.random_bot"
    done = run(hostile, "match", said, said, "--hands", "2", "--hands-per-table", "2")
    assert done.returncode in (0, 1, 3), done.stderr
    assert "has ended" not in done.stderr


def run(
    cwd: Path, *arguments: str, path: Path = ROOT, module: str = "arena.cli"
) -> subprocess.CompletedProcess[str]:
    """A command with the working directory first on Python's path."""
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=cwd,
        env=environment(PYTHONPATH=f"{path}"),
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of what a wheel is built from."""
    skip = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in SOURCES:
        source, target = ROOT / name, tmp_path / "checkout" / name
        target.parent.mkdir(exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=skip)
        else:
            shutil.copy(source, target)
    return tmp_path / "checkout"


@pytest.mark.server
@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("registration", None, "schema is 'registration'; expected a file"),
        ("problem", None, "expected a JSON Schema (Resource 'problem.schema.json' is not"),
        ("event", None, "expected a JSON Schema (Resource 'event.schema.json' is not"),
        ("turn", "{not json", "turn.schema.json'; expected readable JSON"),
        ("turn", "[]", "turn.schema.json'; expected a JSON Schema that"),
        ("turn", '{"type": "no such type"}', "'turn.schema.json'; expected a JSON Schema ("),
    ],
)
def test_a_referee_without_a_schema_that_it_needs_does_not_start(
    copied: Path, name: str, text: str | None, told: str
) -> None:
    file = copied / "schemas" / f"{name}.schema.json"
    if text is None:
        file.unlink()
    else:
        file.write_text(text)
    for module, more in (("arena.web", ()), ("arena.cli", ("serve",))):
        done = run(
            copied, *more, "--database", "memory:", "--port", "0", path=copied, module=module
        )
        assert done.returncode == 2, done.stderr
        assert told in done.stderr.splitlines()[-1]
        assert "Traceback" not in done.stderr


def test_every_package_is_in_the_list_of_packages() -> None:
    """A list and not a search, for three of them lie elsewhere than their names say."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    listed = set(tools["setuptools"]["packages"])
    elsewhere = {f"arena.{name}" for name in ("schemas", "schemas.commands", "sample_bots")}
    named = {folder: name for name, folder in tools["setuptools"]["package-dir"].items()}
    folders = [path.parent.relative_to(ROOT) for path in ROOT.glob("arena/**/__init__.py")]
    there = {named.get(folder.as_posix(), ".".join(folder.parts)) for folder in folders}
    data = set(tools["setuptools"]["package-data"])
    assert there <= listed
    assert data <= listed
    assert listed <= there | data | elsewhere


@pytest.fixture
def wheel(copied: Path, tmp_path: Path) -> Path:
    """The wheel, built with the build backend of this environment."""
    import setuptools

    if int(setuptools.__version__.partition(".")[0]) < 77:
        reason = "needs setuptools 77 or newer (pip install -e '.[dev]')"
        if os.environ.get(NEEDED):
            pytest.fail(reason)
        pytest.skip(reason)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    flags = ["--no-deps", "--no-build-isolation", "--no-index", "-w", str(tmp_path)]
    done = subprocess.run(
        [*pip, "wheel", *flags, str(copied)], capture_output=True, text=True, timeout=150
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = tmp_path.glob("*.whl")
    return found


@pytest.mark.server
def test_a_wheel_plays_in_such_a_folder_and_has_one_name(
    wheel: Path, hostile: Path, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(site)
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {
        "arena",
        "arena_client",
    }
    schemas = {file.name for file in (ROOT / "schemas").glob("*.json")}
    assert schemas == {
        n.rpartition("/")[2]
        for n in names
        if n.startswith("arena/schemas/") and n.count("/") == 2 and n.endswith(".json")
    }
    for needed in (
        "deploy/nginx.conf",
        "deploy/Dockerfile.dockerignore",
        "game/shipped/1-rules.toml",
        "manual/security.md",
        "rules/RULES.md",
        "web/pages/templates/base.html",
        "sample_bots/lowest.py",
        "sample_bots/curl_bot.sh",
        "sample_bots/verify_record.mjs",
        "sample_bots/starters/go/go.mod",
        "sample_bots/starters/rust/choose.rs",
        "py.typed",
    ):
        assert f"arena/{needed}" in names
    done = run(hostile, "demo", "--hands", "1", "--rounds", "1", "--folder", "d", path=site)
    assert done.returncode == 0, done.stderr
    assert "heuristic-1" in done.stdout
    inside = run(hostile, "--help", path=site, module="arena.sample_bots.lowest")
    assert "--session" in inside.stdout
