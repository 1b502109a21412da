"""The signing key: where it lies, who may read it, and that none signs with another by mistake."""

from __future__ import annotations

import logging
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena.errors import BadInput, Unavailable
from arena.identity.key_files import kept_key, make_key, read_key
from arena.identity.signing import (
    key_file,
    keys_document,
    open_signer,
    public_keys,
    put_in_force,
    rotate,
)
from arena.proofs.signatures import Signer
from arena.store import Store
from arena.store.memory import open_memory

POSTGRES = "postgresql://arena@db/cup"


@pytest.fixture
def store() -> Store:
    return open_memory()


def database(folder: Path) -> str:
    return f"sqlite:///{folder}/cup.db"


def opened(store: Store, url: str, *, given: str = "") -> Signer | None:
    return open_signer(store, url, given=given, now_ms=1_000)


def public(signer: Signer | None) -> str:
    assert signer is not None
    return signer.public_key


def test_beside_a_database_the_key_is_made_once_for_its_owner_only(
    store: Store, tmp_path: Path
) -> None:
    first = opened(store, database(tmp_path))
    file = tmp_path / "cup.db.key"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_bytes() == bytes.fromhex(file.read_text()).hex().encode() + b"\n"
    assert len(file.read_bytes()) == 65
    assert public(opened(store, database(tmp_path))) == public(first)
    assert [each.name for each in tmp_path.iterdir()] == ["cup.db.key"]


def test_the_store_and_the_log_have_the_public_key_only(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        signer = opened(store, database(tmp_path))
    private = (tmp_path / "cup.db.key").read_text().strip()
    note = store.note("signing-keys")
    assert note == f'[["{public(signer)}",1000]]'
    assert private not in note + caplog.text


def test_who_starts_at_the_same_time_gets_the_same_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = list(pool.map(lambda _: kept_key(tmp_path / "key").public_key, range(8)))
    assert len(set(keys)) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["key"]


def test_a_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    make_key(tmp_path / "key")
    for mode in (0o644, 0o640, 0o604):
        (tmp_path / "key").chmod(mode)
        with pytest.raises(BadInput, match=rf"key \(mode {mode:04o}\).*chmod 600"):
            read_key(tmp_path / "key")
    (tmp_path / "key").chmod(0o400)
    read_key(tmp_path / "key")


@pytest.mark.parametrize(
    "text", ["", "ab" * 31, "ab" * 33, "zz" * 32, "ab" * 32 + "\n\n", "ab" * 32 + "\nx"]
)
def test_a_file_that_is_no_key_is_refused_without_showing_what_it_holds(
    tmp_path: Path, text: str
) -> None:
    file = tmp_path / "key"
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(BadInput, match="64 hex digits and nothing else") as refused:
        read_key(file)
    assert "abab" not in str(refused.value)


def test_a_folder_and_a_file_that_is_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="Is a directory"):
        read_key(tmp_path)
    with pytest.raises(BadInput, match="No such file"):
        read_key(tmp_path / "key")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    make_key(tmp_path / "key")
    (tmp_path / "key").chmod(0)
    with pytest.raises(BadInput, match="Permission denied"):
        read_key(tmp_path / "key")


def test_where_no_key_can_be_made_the_way_out_is_named(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"cannot be made: .*--signing-key FILE"):
        kept_key(tmp_path / "missing" / "key")


def test_a_key_that_was_given_is_read_and_never_made(store: Store, tmp_path: Path) -> None:
    given = tmp_path / "own.key"
    with pytest.raises(BadInput, match="No such file"):
        opened(store, database(tmp_path), given=str(given))
    made = make_key(given)
    assert public(opened(store, database(tmp_path), given=str(given))) == made.public_key
    assert not (tmp_path / "cup.db.key").exists()


def test_in_memory_there_is_a_key_of_this_run() -> None:
    one, other = (opened(open_memory(), "memory:") for _ in range(2))
    assert public(one) != public(other)


def test_without_a_key_a_shared_database_is_served_unsigned_and_the_log_says_what_to_do(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    assert opened(store, POSTGRES) is None
    assert "arena key new FILE" in caplog.text
    assert "--signing-key FILE" in caplog.text


def test_another_key_than_the_one_in_force_is_refused(store: Store, tmp_path: Path) -> None:
    ours, other = make_key(tmp_path / "ours"), make_key(tmp_path / "other")
    opened(store, POSTGRES, given=str(tmp_path / "ours"))
    wanted = rf"other \(public key {other.public_key}\)'; expected the key of {ours.public_key}"
    with pytest.raises(BadInput, match=wanted):
        opened(store, POSTGRES, given=str(tmp_path / "other"))
    with pytest.raises(BadInput, match=f"--signing-key FILE with the key of {ours.public_key}"):
        opened(store, POSTGRES)


def test_a_key_that_was_lost_is_not_made_anew_in_silence(store: Store, tmp_path: Path) -> None:
    opened(store, database(tmp_path))
    (tmp_path / "cup.db.key").unlink()
    with pytest.raises(BadInput, match=r"no such file.*arena key rotate"):
        opened(store, database(tmp_path))


def test_a_rotation_keeps_the_public_keys_with_their_times(store: Store, tmp_path: Path) -> None:
    old = public(opened(store, database(tmp_path)))
    file = key_file(database(tmp_path))
    assert file is not None
    rotate(store, file, now_ms=2_000)
    new = opened(store, database(tmp_path))
    assert public(new) != old
    assert keys_document(store, new) == {
        "public_key": public(new),
        "keys": [
            {
                "public_key": old,
                "since": "1970-01-01T00:00:01.000Z",
                "until": "1970-01-01T00:00:02.000Z",
            },
            {"public_key": public(new), "since": "1970-01-01T00:00:02.000Z", "until": None},
        ],
    }
    assert [each.name for each in tmp_path.iterdir()] == ["cup.db.key"]


def test_a_rotation_that_was_interrupted_is_completed_by_the_next(
    store: Store, tmp_path: Path
) -> None:
    opened(store, database(tmp_path))
    file = tmp_path / "cup.db.key"
    fresh = make_key(tmp_path / "cup.db.key.next")
    put_in_force(store, fresh, now_ms=2_000)  # and then the power failed
    keys = rotate(store, file, now_ms=3_000)
    assert keys[-1] == (fresh.public_key, 2_000)
    assert public(opened(store, database(tmp_path))) == fresh.public_key


def test_a_key_of_ones_own_is_put_in_force_and_stays_as_it_is(store: Store, tmp_path: Path) -> None:
    opened(store, database(tmp_path))
    own = make_key(tmp_path / "own")
    rotate(store, tmp_path / "own", now_ms=2_000)
    assert public_keys(store)[-1].public_key == own.public_key
    assert read_key(tmp_path / "own").public_key == own.public_key


def test_a_key_that_was_in_force_before_is_replaced(store: Store, tmp_path: Path) -> None:
    opened(store, database(tmp_path))
    old = (tmp_path / "cup.db.key").read_bytes()
    rotate(store, tmp_path / "cup.db.key", now_ms=2_000)
    (tmp_path / "cup.db.key").write_bytes(old)
    keys = rotate(store, tmp_path / "cup.db.key", now_ms=3_000)
    assert len({key.public_key for key in keys}) == 3


def test_of_an_arena_that_never_signed_there_are_no_keys(store: Store) -> None:
    assert keys_document(store, None) == {"public_key": None, "keys": []}
