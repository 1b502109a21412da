"""A compiled core runs where it was made from the sources beside it, and never otherwise."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import arena
from arena.compiled.choice import COMPILED, PYTHON, Core, SourceFinder, choose
from arena.compiled.modules import (
    FILES,
    FOLDERS,
    MODULES,
    digest_of,
    file_of,
    library_of,
)
from tests.cli.shell import arena as command
from tests.cli.shell import environment
from tests.test_architecture import imported

PACKAGE = Path(arena.__file__).parent
SUFFIX = EXTENSION_SUFFIXES[0]
OTHER_PYTHON = SUFFIX.replace(f"{sys.version_info[1]}", "99")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder with the sources of the core, and no compiled module."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((PACKAGE / name).read_bytes())
    for folder in FOLDERS:
        (tmp_path / folder).mkdir()
        for source in (PACKAGE / folder).glob("*.py"):
            (tmp_path / folder / source.name).write_bytes(source.read_bytes())
    return tmp_path


def put_core(package: Path, suffix: str = SUFFIX) -> None:
    """Put the files of a compiled core beside the sources, with nothing in them."""
    package.joinpath(library_of(digest_of(package)) + suffix).touch()
    for name in MODULES:
        file_of(package, name, suffix).touch()


def test_without_a_compiled_core_the_arena_runs_in_pure_python(package: Path) -> None:
    assert choose(package) == Core(PYTHON)
    assert str(choose(package)) == "pure Python"


def test_a_core_that_was_made_from_these_sources_runs(package: Path) -> None:
    put_core(package)
    assert choose(package) == choose(package, COMPILED) == Core(COMPILED)
    assert str(choose(package)) == "compiled core"


def test_python_can_be_asked_for_where_a_compiled_core_lies(package: Path) -> None:
    put_core(package)
    core = choose(package, PYTHON)
    assert (core.name, core.expected) == (PYTHON, "")
    assert str(core) == "pure Python; ARENA_CORE=python passes over the compiled core"


@pytest.mark.parametrize(
    "name",
    [
        "errors.py",
        "rules/cards.py",
        "rules/options/tricks.py",
        "game/worlds.py",
        "wire/turns.py",
    ],
)
def test_a_core_is_passed_over_as_soon_as_a_source_changes(package: Path, name: str) -> None:
    put_core(package)
    with (package / name).open("a") as source:
        source.write("# changed\n")
    core = choose(package)
    assert core.name == PYTHON
    assert "the compiled core is of other sources, build it again" in str(core)


def test_a_source_that_comes_or_goes_counts_as_a_change(package: Path) -> None:
    put_core(package)
    (package / "rules" / "another.py").touch()
    assert choose(package).name == PYTHON
    (package / "rules" / "another.py").unlink()
    assert choose(package).name == COMPILED
    (package / "rules" / "nearest.py").unlink()
    assert choose(package).name == PYTHON


def test_a_core_of_which_a_part_is_missing_is_passed_over(package: Path) -> None:
    put_core(package)
    file_of(package, "arena.rules.play", SUFFIX).unlink()
    core = choose(package)
    assert core.name == PYTHON
    assert "the compiled core is not whole, build it again" in str(core)


def test_the_core_of_another_python_is_none_for_this_one(package: Path) -> None:
    put_core(package, OTHER_PYTHON)
    assert choose(package) == Core(PYTHON)


def test_a_compiled_core_that_is_asked_for_has_to_be_there(package: Path) -> None:
    core = choose(package, COMPILED)
    assert core.name == PYTHON
    assert core.expected.startswith("python, since there is no compiled core; to build one:")
    put_core(package)
    (package / "rules" / "cards.py").write_text("")
    expected = choose(package, COMPILED).expected
    assert expected.startswith("python, since the compiled core is of other sources")


def test_no_other_core_can_be_asked_for(package: Path) -> None:
    assert choose(package, "fast") == Core(PYTHON, "", "fast", "python or compiled")


def test_a_module_is_found_in_its_source_whatever_lies_beside_it(package: Path) -> None:
    put_core(package)
    spec = SourceFinder(package).find_spec("arena.rules.cards")
    assert spec is not None
    assert spec.origin == str(package / "rules" / "cards.py")
    assert SourceFinder(package).find_spec("arena.rules.options") is None
    assert SourceFinder(package).find_spec("json") is None


def test_so_is_one_that_only_an_older_core_had(package: Path) -> None:
    put_core(package)
    (package / f"errors{SUFFIX}").touch()
    spec = SourceFinder(package).find_spec("arena.errors")
    assert spec is not None
    assert spec.origin == str(package / "errors.py")


def test_this_process_runs_the_core_that_it_says() -> None:
    where = {name: importlib.import_module(name).__file__ or "" for name in MODULES}
    wrong = {
        name: file
        for name, file in where.items()
        if file.endswith(".py") != (arena.CORE.name == PYTHON)
    }
    assert not wrong


def needs(module: str) -> Iterator[str]:
    """The modules of ours that a module imports, and those that these import, and so on."""
    waiting, known = [module], set[str]()
    while waiting:
        name = waiting.pop()
        path = file_of(PACKAGE, name, ".py")
        if name in known or not path.exists():
            continue
        known.add(name)
        yield name
        waiting += [each for each in imported(path) if each.startswith("arena.")]


def test_all_that_the_compiled_code_knows_is_in_the_digest() -> None:
    """mypyc writes constants and types of modules that it does not compile into the code."""
    known = {PACKAGE / name for name in FILES}
    known |= {path for folder in FOLDERS for path in (PACKAGE / folder).glob("*.py")}
    used = {file_of(PACKAGE, name, ".py") for module in MODULES for name in needs(module)}
    assert used
    assert used <= known


@pytest.mark.server
def test_the_command_refuses_a_core_that_it_cannot_have() -> None:
    done = command("rules", env={"ARENA_CORE": "fast"})
    assert done.returncode == 2
    assert done.stderr == "arena: ARENA_CORE is 'fast'; expected python or compiled\n"


@pytest.mark.server
def test_the_version_says_which_core_runs() -> None:
    said = command("--version", env={"ARENA_CORE": "python"}).stdout
    assert said.startswith(f"arena, version {arena.__version__} (pure Python")
    assert (
        command("--version").stdout == f"arena, version {arena.__version__} ({choose(PACKAGE)})\n"
    )


@pytest.mark.server
def test_a_process_that_runs_python_has_no_compiled_module() -> None:
    names = ", ".join(MODULES)
    code = f"import sys, {names}; print({{sys.modules[n].__file__[-3:] for n in {MODULES}}})"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(ARENA_CORE="python"),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "{'.py'}\n"
