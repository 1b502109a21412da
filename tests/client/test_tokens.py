"""Token files: kept, private, one process each."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from arena.client import KitError
from arena.client.tokens import Stored, TokenFile, first_free, given

URL = "http://127.0.0.1:8000"
ALICE = Stored(URL, "alice", "dfa_secret", ("cup",))


def test_what_was_saved_is_there_the_next_time(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "alice.json")
    assert file.load() is None
    file.save(ALICE)
    assert file.load() == ALICE


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    TokenFile(tmp_path / "alice.json").save(ALICE)
    assert os.stat(tmp_path / "alice.json").st_mode & 0o077 == 0


def test_git_does_not_see_the_folder(tmp_path: Path) -> None:
    file, _ = first_free("alice", URL, folder=tmp_path / ".arena")
    file.close()
    assert (tmp_path / ".arena" / ".gitignore").read_text() == "*\n"


def test_started_twice_it_becomes_two_bots_and_later_the_same_two(tmp_path: Path) -> None:
    for _ in range(2):
        first, name_1 = first_free("alice", URL, folder=tmp_path)
        second, name_2 = first_free("alice", URL, folder=tmp_path)
        assert (name_1, name_2) == ("alice", "alice-2")
        assert first.path != second.path
        first.close()
        second.close()


def test_another_arena_has_its_own_file(tmp_path: Path) -> None:
    here, name_1 = first_free("alice", URL, folder=tmp_path)
    there, name_2 = first_free("alice", "http://example.org:8000/sub", folder=tmp_path)
    assert (name_1, name_2) == ("alice", "alice")
    assert here.path != there.path
    here.close()
    there.close()


def test_a_named_file_that_is_in_use_is_refused(tmp_path: Path) -> None:
    file = given(tmp_path / "alice.json")
    with pytest.raises(KitError, match="another process"):
        given(tmp_path / "alice.json")
    file.close()
    given(tmp_path / "alice.json").close()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"url": 1}'])
def test_a_file_that_is_something_else_is_not_overwritten(tmp_path: Path, text: str) -> None:
    (tmp_path / "notes.json").write_text(text)
    with pytest.raises(KitError, match="not a token file"):
        TokenFile(tmp_path / "notes.json").load()


def test_names_that_no_file_can_have_do_no_harm(tmp_path: Path) -> None:
    file, name = first_free("../大富豪 🂡/x", URL, folder=tmp_path)
    file.close()
    assert name == "../大富豪 🂡/x"
    assert file.path.parent == tmp_path
