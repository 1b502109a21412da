"""pip builds a compiled core where it is asked for one, and needs no compiler where it is not."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from arena.compiled import building
from arena.compiled.choice import COMPILED, choose
from arena.compiled.modules import MODULES, digest_of, file_of, library_of
from tests.cli.shell import environment
from tests.compiled.test_choice import PACKAGE, SUFFIX

PATIENCE_S = 600


def extensions(folder: Path) -> list[str]:
    """The extension modules below a folder."""
    return [file.name for file in folder.rglob("*") if file.suffix in building.EXTENSIONS]


def pip(checkout: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """pip in a checkout, with the tools of this environment and no network."""
    return subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments],
        cwd=checkout,
        env=environment(PYTHONWARNINGS="ignore", PYTHONPATH="") | env,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def wheel(checkout: Path, **env: str) -> Path:
    """The wheel of a checkout."""
    target = checkout.parent / "wheels"
    flags = ("--no-deps", "--no-build-isolation", "--no-index", "-w", str(target))
    done = pip(checkout, "wheel", *flags, ".", **env)
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = target.glob("*.whl")
    return found


@pytest.mark.parametrize(
    ("value", "answer"), [(None, False), ("", False), ("0", False), ("1", True)]
)
def test_a_compiled_core_is_asked_for_with_1(value: str | None, answer: bool) -> None:
    assert building.wanted({} if value is None else {"ARENA_COMPILE": value}) is answer


def test_anything_else_ends_the_build() -> None:
    with pytest.raises(
        SystemExit, match=r"^ARENA_COMPILE is 'yes'; expected 1 \(compile the core\)"
    ):
        building.wanted({"ARENA_COMPILE": "yes"})


def built(folder: Path) -> dict[str, Path]:
    """Files such as a build has, with nothing in them."""
    names = [f"arena.{library_of(digest_of(PACKAGE))}", *MODULES]
    files = {name: file_of(folder / "built", name, SUFFIX) for name in names}
    for file in files.values():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return files


def test_what_was_built_lies_beside_the_sources_and_goes_again(checkout: Path) -> None:
    files = built(checkout.parent)
    stale = checkout / "arena" / f"errors{SUFFIX}"
    stale.touch()
    other_python = checkout / "arena" / "core_0000__mypyc.cpython-399-x86_64-linux-gnu.so"
    other_python.touch()
    building.put_beside(checkout, files)
    assert not stale.exists()
    assert not other_python.exists()
    assert choose(checkout / "arena").name == COMPILED
    building.remove(checkout)
    assert not extensions(checkout)
    assert choose(checkout / "arena").unused == ""


@pytest.mark.server
def test_where_there_is_no_compiler_pip_ends_with_one_line(checkout: Path) -> None:
    """It is looked for before anything is fetched."""
    call = "from arena.compiled import backend; backend.get_requires_for_build_wheel()"
    done = subprocess.run(
        [sys.executable, "-c", call],
        cwd=checkout,
        env=environment(ARENA_COMPILE="1", CC="no-such-compiler", PYTHONPATH=str(checkout)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    (line,) = (done.stdout + done.stderr).splitlines()
    assert line.startswith("ARENA_COMPILE=1 needs a C compiler and the headers of Python")
    assert line.endswith("without ARENA_COMPILE the arena is installed in pure Python")


@pytest.mark.server
def test_without_being_asked_a_wheel_is_for_every_platform(checkout: Path) -> None:
    building.put_beside(checkout, built(checkout.parent))  # even where a core lies in place
    found = wheel(checkout, CC="no-such-compiler")
    assert found.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(found) as archive:
        archive.extractall(checkout.parent / "site")
    assert not extensions(checkout.parent / "site")
    assert extensions(checkout)  # a wheel takes nothing out of the tree that it is made from


@pytest.mark.server
def test_a_wheel_with_a_compiled_core_is_for_one_platform_and_runs_it(with_build: Path) -> None:
    found = wheel(with_build, ARENA_COMPILE="1")
    tag = f"cp3{sys.version_info[1]}"
    assert f"-{tag}-{tag}" in found.name
    assert not extensions(with_build / "arena")
    site = with_build.parent / "site"
    with zipfile.ZipFile(found) as archive:
        archive.extractall(site)
    assert len(extensions(site)) == len(MODULES) + 1
    assert all(name.endswith(tuple(EXTENSION_SUFFIXES)) for name in extensions(site))
    call = "import arena, arena.rules.play as p; print(arena.CORE, p.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", call],
        cwd=site,
        env=environment(PYTHONPATH=str(site), ARENA_CORE="compiled"),
        capture_output=True,
        text=True,
        check=True,
    )
    core, _, file = done.stdout.rpartition(" ")
    assert core == "compiled core"
    assert file.startswith(str(site))
