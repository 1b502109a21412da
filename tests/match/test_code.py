"""The digest of a bot's code changes with every file that is its owner's, and with no other."""

from __future__ import annotations

import pytest

from arena.match.code import code_digest

BOT = """from arena.client import Bot
import json, numpy
from ownhelp import weights
class A(Bot): ...
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A bot with a module, a package and something that it does not import."""
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "ownbot.py").write_text(BOT)
    (tmp_path / "ownhelp").mkdir()
    (tmp_path / "ownhelp" / "__init__.py").write_text("from . import deeper\n")
    (tmp_path / "ownhelp" / "weights.py").write_text("def late():\n    import ownlate\n")
    (tmp_path / "ownhelp" / "deeper.py").write_text("raise SystemExit('is not imported')\n")
    (tmp_path / "ownlate.py").write_text("X = 1\n")
    (tmp_path / "stranger.py").write_text("X = 1\n")
    return tmp_path


@pytest.mark.parametrize(
    "name", ["ownbot.py", "ownhelp/__init__.py", "ownhelp/weights.py", "ownhelp/deeper.py"]
)
def test_every_file_that_is_imported_counts(folder, name):
    before = code_digest("ownbot:A")
    file = folder / name
    file.write_text(file.read_text() + "# changed\n")
    assert code_digest("ownbot:A") != before


def test_what_is_imported_late_counts_and_what_is_not_imported_does_not(folder):
    before = code_digest("ownbot:A --flag 'of its own'")
    (folder / "stranger.py").write_text("X = 2\n")
    assert code_digest("ownbot:A") == before
    (folder / "ownlate.py").write_text("X = 2\n")
    assert code_digest("ownbot:A") != before


def test_line_ends_and_folders_make_no_difference(folder, tmp_path_factory, monkeypatch):
    before = code_digest("ownbot:A")
    other = tmp_path_factory.mktemp("elsewhere")
    for file in folder.rglob("*.py"):
        copy = other / file.relative_to(folder)
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
        file.unlink()
    monkeypatch.syspath_prepend(str(other))
    assert code_digest("ownbot:A") == before


def test_sample_bots_are_known_by_their_file():
    lowest, heuristic = "sample_bots.lowest:Lowest", "sample_bots.heuristic:Heuristic"
    assert code_digest(lowest) == code_digest(lowest)
    assert code_digest(lowest) != code_digest(heuristic)
