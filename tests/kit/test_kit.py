"""The kit without the arena: one file, or a wheel, for who has Python and `requests`."""

from __future__ import annotations

import ast
import csv
import io
import json
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from base64 import urlsafe_b64decode
from hashlib import sha256
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import arena_client
import pytest

import arena.client
from arena.kit import SINGLE_FILE, WHEEL, single_file, wheel
from arena.kit.single_file import ClashError, join
from arena.kit.sources import KitModule
from arena.kit.wheel import AIOHTTP, REQUESTS
from tests.cli.shell import ROOT
from tests.cli.shell import arena as run_arena
from tests.client.fake_arena import FakeArena, serving

NEEDED = ("requests", "urllib3", "certifi", "idna", "charset_normalizer")
BOT = """
from importlib.util import find_spec

from arena_client import Bot, Turn, cards, run


class Light(Bot):
    def play(self, turn: Turn) -> object:
        assert find_spec("arena") is None
        assert cards.RANKS[0] == "3"
        assert turn.text().startswith(f"Turn {turn.id}")
        assert turn.read("0") == turn.legal[0]
        return turn.lowest() or turn.pass_()


if __name__ == "__main__":
    run(Light())
"""
EVENT = """
name = "Light"
slug = "light"
seats = 3
hands_per_table = 2
[schedule]
rounds = 1
[[bots]]
name = "sample"
command = "python -m sample_bots.lowest"
count = 2
[[bots]]
name = "light"
command = "{python} -E light.py"
"""


def bare(folder: Path) -> Path:
    """A virtual environment with `requests` and what that needs, nothing else; its packages."""
    venv.create(folder, symlinks=True)
    packages = next(folder.glob("lib/python*/site-packages"))
    for name in NEEDED:
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        shutil.copytree(Path(spec.origin).parent, packages / name)
    return packages


def install(form: str, packages: Path, folder: Path) -> None:
    """Put the kit beside a bot, or among the packages, as pip does."""
    if form == SINGLE_FILE:
        (folder / SINGLE_FILE).write_text(single_file())
    else:
        with zipfile.ZipFile(io.BytesIO(wheel())) as archive:
            archive.extractall(packages)


@pytest.mark.server
@pytest.mark.parametrize("form", [SINGLE_FILE, WHEEL])
def test_a_bot_plays_a_session_where_there_is_nothing_but_requests(
    form: str, tmp_path: Path
) -> None:
    install(form, bare(tmp_path / "venv"), tmp_path)
    (tmp_path / "light.py").write_text(BOT)
    python = tmp_path / "venv" / "bin" / "python"
    (tmp_path / "light.toml").write_text(EVENT.format(python=python))
    done = run_arena("run", "light.toml", "--sandbox", "never", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert outcome["mistakes"] == {}
    [standings] = outcome["standings"]
    rows = [row for group in standings["groups"] for row in group["rows"]]
    assert {row["name"]: row["hands"] for row in rows} == {"sample-1": 2, "sample-2": 2, "light": 2}


@pytest.mark.server
def test_pip_takes_the_wheel_and_says_what_it_is(tmp_path: Path) -> None:
    file = tmp_path / WHEEL
    file.write_bytes(wheel())
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    target = ["--no-deps", "--no-index", "--target", str(tmp_path / "there"), str(file)]
    subprocess.run([*pip, "install", "-q", *target], check=True, timeout=120)
    shown = subprocess.run(
        [*pip, "list", "--path", str(tmp_path / "there"), "--format", "freeze"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert shown.stdout.split() == [f"daifugo-kit=={arena.__version__}"]


def test_the_wheel_records_every_file_of_it() -> None:
    with zipfile.ZipFile(io.BytesIO(wheel())) as archive:
        names = archive.namelist()
        record = next(name for name in names if name.endswith("/RECORD"))
        rows = list(csv.reader(archive.read(record).decode().splitlines()))
        assert [row[0] for row in rows] == names
        for name, digest, size in rows[:-1]:
            body = archive.read(name)
            assert urlsafe_b64decode(digest.removeprefix("sha256=") + "=") == sha256(body).digest()
            assert len(body) == int(size)
    assert "arena_client/py.typed" in names


def test_it_needs_no_other_requests_than_the_arena() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert REQUESTS in project["dependencies"]
    assert project["optional-dependencies"]["async"] == [AIOHTTP]


def test_nothing_of_the_arena_is_imported() -> None:
    for text in (single_file(), *modules_of_the_wheel()):
        tree = ast.parse(text)
        froms = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        whole = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for alias in node.names
        }
        roots = {str(name).partition(".")[0] for name in froms | whole}
        assert "arena" not in roots
        assert roots - sys.stdlib_module_names <= {"arena_client", "requests", "urllib3", "aiohttp"}
    assert "aiohttp" not in single_file()


def modules_of_the_wheel() -> list[str]:
    with zipfile.ZipFile(io.BytesIO(wheel())) as archive:
        return [archive.read(name).decode() for name in archive.namelist() if name.endswith(".py")]


def loaded(folder: Path) -> ModuleType:
    """The single file as a module."""
    (folder / "alone.py").write_text(single_file())
    spec = spec_from_file_location("alone", folder / "alone.py")
    assert spec is not None
    assert spec.loader is not None
    alone = sys.modules["alone"] = module_from_spec(spec)
    try:
        spec.loader.exec_module(alone)
    finally:
        del sys.modules["alone"]
    return alone


def test_the_single_file_keeps_the_way_to_the_referee_of_its_bot(tmp_path: Path) -> None:
    arena = FakeArena()
    arena.route = "elm"
    with serving(arena) as url, loaded(tmp_path).Client(url) as client:
        client.register("alice")
        client.turns()
    assert arena.cookies == [None, "arena_route=elm"]


def test_the_single_file_has_all_that_the_package_has(tmp_path: Path) -> None:
    alone = loaded(tmp_path)
    assert alone.__all__ == arena.client.__all__
    assert all(hasattr(alone, name) for name in alone.__all__)
    kit_cards = vars(arena.client.cards)
    functions = {name for name in kit_cards if name[0].islower() and callable(kit_cards[name])}
    assert functions | {"RANKS", "SUITS", "JOKER"} <= vars(alone.cards).keys()


def test_where_the_arena_is_installed_the_name_means_its_own_kit() -> None:
    assert arena_client.__all__ == arena.client.__all__
    assert all(
        getattr(arena_client, name) is getattr(arena.client, name) for name in arena.client.__all__
    )


def test_a_name_with_two_meanings_is_refused() -> None:
    one, two = source("one", "LIMIT = 3\n"), source("two", "LIMIT = 4\n")
    with pytest.raises(ClashError, match="LIMIT"):
        join([one, two])
    assert join([one, source("two", "LIMIT = 3\n\nMORE = 5\n")]).count("LIMIT = 3") == 1
    with pytest.raises(ClashError, match="time"):
        join([source("one", "import time\n"), source("two", "def time() -> None:\n    pass\n")])


def source(name: str, text: str) -> KitModule:
    return KitModule(f"arena.client.{name}", text, ast.parse(text))


@pytest.mark.server
def test_a_command_writes_both_and_says_where(tmp_path: Path) -> None:
    done = run_arena("kit", "--folder", "handout", "--json", cwd=tmp_path)
    assert json.loads(done.stdout) == {"files": [f"handout/{SINGLE_FILE}", f"handout/{WHEEL}"]}
    assert (tmp_path / "handout" / SINGLE_FILE).read_text() == single_file()
    assert (tmp_path / "handout" / WHEEL).read_bytes() == wheel()
    (tmp_path / "file").write_text("")
    refused = run_arena("kit", "--folder", "file/below", cwd=tmp_path)
    assert refused.returncode == 2
    assert "--folder" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
