"""Database URLs."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import BadInput
from arena.store import open_store
from tests.store.rows import ALICE


def test_a_relative_file_is_looked_for_where_the_process_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with open_store("sqlite:///arena.db") as store:
        store.write(ALICE)
    with open_store(f"sqlite:///{tmp_path / 'arena.db'}") as store:
        assert store.bots() == (ALICE,)


def test_odd_file_names_are_file_names(tmp_path: Path) -> None:
    name = "春 %20?mode=ro#1.db"
    with open_store(f"sqlite:///{tmp_path / name}") as store:
        store.write(ALICE)
        assert store.bots() == (ALICE,)
    assert (tmp_path / name).is_file()


def test_two_memory_stores_have_nothing_in_common() -> None:
    with open_store("memory:") as one, open_store("memory:") as other:
        one.write(ALICE)
        assert other.bots() == ()


@pytest.mark.parametrize(
    "url", ["", "mysql://host/arena", "sqlite://", "sqlite:///", "sqlite:///:memory:", "arena.db"]
)
def test_an_unknown_url_is_refused_with_what_would_do(url: str) -> None:
    with pytest.raises(BadInput) as refused:
        open_store(url)
    assert refused.value.thing == "the database url"
    assert refused.value.value == url
    assert "sqlite:///FILE" in refused.value.expected


def test_a_password_in_a_refused_url_is_not_repeated() -> None:
    with pytest.raises(BadInput) as refused:
        open_store("oracle://scott:tiger@host/arena")
    assert str(refused.value.value) == "oracle://...@host/arena"


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="a folder that is there"):
        open_store(f"sqlite:///{tmp_path}/no/arena.db")


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not a folder"):
        open_store(f"sqlite:///{tmp_path}")


def test_reading_needs_a_file_that_is_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="a file that is there"):
        open_store(f"sqlite:///{tmp_path / 'arena.db'}", readonly=True)
    assert list(tmp_path.iterdir()) == []
