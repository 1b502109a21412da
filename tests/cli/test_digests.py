"""Digests and proofs from the command line, checked offline; and the key of an arena."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from werkzeug.serving import make_server

from arena.cli.main import group
from arena.errors import ArenaError
from arena.identity.signing import open_signer
from arena.proofs.signatures import Signer
from arena.store import open_store
from tests.real import Real
from tests.web.api.test_results import play

SIGNER = Signer(bytes(range(32)))
HAND = "cup-r01-t01-h002"


def run(*words: str | Path, code: int = 0, url: str | None = None) -> Result:
    environ = {"ARENA_URL": url, "ARENA_ADMIN_TOKEN": None, "ARENA_SIGNING_KEY": None}
    done = CliRunner().invoke(group, [*map(str, words)], env=environ)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, done.output
    return done


def refused(*words: str | Path) -> str:
    """The one line with which a command ends that was not used as it should be."""
    with pytest.raises(ArenaError) as error:
        run(*words)
    return str(error.value)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """An arena behind a socket, in which a cup was played."""
    real = Real(signer=SIGNER)
    real.session(4)
    play(real)
    server = make_server("127.0.0.1", 0, real.app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join(10)
    server.server_close()


def test_a_digest_is_shown_saved_and_checked(url: str, tmp_path: Path) -> None:
    file = tmp_path / "digest.json"
    shown = run("session", "digest", "cup", "--save", file, url=url).stdout
    root = json.loads(file.read_bytes())["root"]
    for text in (root, "2 at 1 tables", "rounds 1 to 1", SIGNER.public_key):
        assert text in shown
    first = file.read_bytes()
    assert json.loads(run("session", "digest", "cup", "--json", url=url).stdout)["root"] == root
    run("session", "digest", "cup", "--save", file, url=url)
    assert file.read_bytes() == first
    said = run("proof", file, "--key", SIGNER.public_key).stdout
    assert f"root {root}, signed by {SIGNER.public_key}" in said
    assert "whose key" not in said


def test_without_a_known_key_it_says_what_it_could_not_check(url: str, tmp_path: Path) -> None:
    file = tmp_path / "digest.json"
    run("session", "digest", "cup", "--save", file, url=url)
    assert "not checked: whose key that is" in run("proof", file).stdout
    assert json.loads(run("proof", file, "--json").stdout)["ok"] is True


def test_a_forged_or_foreign_file_ends_with_code_1(url: str, tmp_path: Path) -> None:
    file = tmp_path / "digest.json"
    run("session", "digest", "cup", "--save", file, url=url)
    wrong = run("proof", file, "--key", "ab" * 32, code=1).stdout
    assert f"public_key is '{SIGNER.public_key}'; expected the key {'ab' * 32}" in wrong
    document: dict[str, Any] = json.loads(file.read_bytes())
    file.write_text(json.dumps({**document, "hands": 1}))
    assert "signature is" in run("proof", file, code=1).stdout


def test_the_proof_of_a_hand_is_saved_and_checked(url: str, tmp_path: Path) -> None:
    file = tmp_path / "hand.proof.json"
    shown = run("session", "proof", HAND, "--save", file, url=url).stdout
    assert "place   2 of 2" in shown
    said = run("proof", file, "--key", SIGNER.public_key).stdout
    assert f"{HAND} is hand 2 of 2 in the digest of cup" in said
    assert "not checked: which moves the hand has" in said


def test_what_cannot_be_checked_is_refused_in_one_line(url: str, tmp_path: Path) -> None:
    digest, other = tmp_path / "digest.json", tmp_path / "other.json"
    run("session", "digest", "cup", "--save", digest, url=url)
    other.write_text("{}")
    assert "`arena session digest --save`" in refused("proof", other)
    assert "the proof of a hand" in refused("proof", digest, "--record", other)
    assert "64 hex digits" in refused("proof", digest, "--key", "ab")
    assert "No such file" in refused("proof", tmp_path / "none")
    other.write_text("[" * 100_000)
    assert "a readable JSON file" in refused("proof", other)


def test_a_key_is_made_shown_and_rotated(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/cup.db"
    with open_store(url) as store:
        first = open_signer(store, url)
    assert first is not None
    shown = run("key", "show", "--database", url).stdout
    assert first.public_key in shown
    assert f"The private key is in {tmp_path}/cup.db.key" in shown
    said = run("key", "rotate", "--database", url, "--yes").stdout
    assert first.public_key not in said
    keys = json.loads(run("key", "show", "--database", url, "--json").stdout)
    assert keys[0]["public_key"] == first.public_key
    assert keys[-1]["public_key"] in said
    with open_store(url) as store:
        assert store.audit()[0].action == "key.rotate"


def test_a_new_key_replaces_no_file(tmp_path: Path) -> None:
    file = tmp_path / "club.key"
    made = json.loads(run("key", "new", file, "--json").stdout)
    text = file.read_text()
    assert Signer(bytes.fromhex(text)).public_key == made["public_key"]
    assert "a name that is free" in refused("key", "new", file)
    assert file.read_text() == text


def test_nothing_is_rotated_unless_it_is_meant_and_there_is_a_file(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/cup.db"
    assert "a database that is there" in refused("key", "rotate", "--database", url, "--yes")
    assert "needs --yes" in refused("key", "rotate", "--database", url)
    assert "--signing-key" in refused("key", "rotate", "--database", "memory:")
    assert list(tmp_path.iterdir()) == []
