"""Token files: kept, private, one process each."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from arena.client import KitError
from arena.client.tokens import StoredToken, TokenFile, first_free, given

URL = "http://127.0.0.1:8000"
ALICE = StoredToken(URL, "alice", "dfa_secret", ("cup",))


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


def test_without_a_scheme_another_host_still_has_its_own_file(tmp_path: Path) -> None:
    here, _ = first_free("alice", "localhost:8765", folder=tmp_path)
    there, _ = first_free("alice", "other.example:8765", folder=tmp_path)
    assert here.path != there.path
    here.close()
    there.close()


def test_the_names_of_this_machine_share_a_file(tmp_path: Path) -> None:
    paths = set()
    for url in ("localhost:8765", "http://127.0.0.1:8765/", "http://[::1]:8765"):
        file, _ = first_free("alice", url, folder=tmp_path)
        paths.add(file.path.name)
        file.close()
    assert paths == {"alice@127.0.0.1_8765.json"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://host.example", "https://host.example"),
        ("https://host.example/a_b", "https://host.example/a/b"),
    ],
)
def test_arenas_whose_files_would_have_one_name_have_two(
    tmp_path: Path, one: str, other: str
) -> None:
    for url, token in ((one, "dfa_one"), (other, "dfa_other")):
        file, _ = first_free("alice", url, folder=tmp_path)
        file.save(StoredToken(url, "alice", token))
        file.close()
    for url, token in ((one, "dfa_one"), (other, "dfa_other")):
        file, name = first_free("alice", url, folder=tmp_path)
        stored = file.load()
        file.close()
        assert name == "alice"
        assert stored
        assert (stored.url, stored.token) == (url, token)


@pytest.mark.parametrize(
    ("kept_as", "url", "asked"),
    [
        ("alice@8765.json", "http://localhost:8765", "localhost:8765"),
        ("alice@localhost_8765.json", "http://localhost:8765", "http://127.0.0.1:8765"),
        ("alice@_1_8765.json", "http://[::1]:8765", "localhost:8765"),
        ("alice@host.example_443.json", "https://host.example:443", "https://host.example:443"),
        ("alice@Host.example.json", "https://Host.example", "https://Host.example/"),
    ],
)
def test_a_file_of_an_older_kit_is_found_where_it_is_of_the_same_arena(
    tmp_path: Path, kept_as: str, url: str, asked: str
) -> None:
    TokenFile(tmp_path / kept_as).save(StoredToken(url, "alice", "dfa_old"))
    file, name = first_free("alice", asked, folder=tmp_path)
    stored = file.load()
    file.close()
    assert name == "alice"
    assert stored
    assert stored.token == "dfa_old"


def test_a_file_of_an_older_kit_that_is_of_another_arena_is_left_alone(tmp_path: Path) -> None:
    old = tmp_path / "alice@8765.json"
    TokenFile(old).save(StoredToken("http://localhost:8765", "alice", "dfa_old"))
    before = old.read_bytes()
    file, name = first_free("alice", "other.example:8765", folder=tmp_path)
    assert (file.load(), name) == (None, "alice")
    assert file.path != old
    file.close()
    assert old.read_bytes() == before


@pytest.mark.parametrize("member", ["url", "name", "token"])
def test_a_file_whose_members_are_no_texts_is_refused(tmp_path: Path, member: str) -> None:
    whole = {"url": URL, "name": "alice", "token": "dfa_secret"}
    (tmp_path / "t.json").write_text(json.dumps({**whole, member: 1}))
    with pytest.raises(KitError, match=f"not a token file: .*{member}"):
        TokenFile(tmp_path / "t.json").load()
