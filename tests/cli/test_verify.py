"""`arena verify` on the command line: keys, digests, receipts, processes, compressed files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import orjson
import pytest

from tests.cli.shell import arena
from tests.records.mutations import SIGNER, signed
from tests.records.test_mutations import played
from tests.records.test_receipts import receipt

pytestmark = pytest.mark.server


@pytest.fixture
def record(tmp_path: Path) -> Path:
    file = tmp_path / "cup.jsonl"
    file.write_bytes(b"".join(line.rstrip(b"\n") + b"\n" for line in signed(list(played()))))
    return file


def test_a_signed_record_is_held_to_key_and_digest(record: Path, tmp_path: Path) -> None:
    digest = orjson.loads(record.read_bytes().splitlines()[0])["digest"]
    stamped = tmp_path / "digest.json"
    stamped.write_bytes(orjson.dumps(digest))
    beside = ("--key", SIGNER.public_key, "--digest", str(stamped), "--digest", digest["root"])
    done = arena("verify", *beside, "--json", str(record))
    assert done.returncode == 0, done
    (report,) = json.loads(done.stdout).values()
    assert report["findings"] == []
    assert "that is the key that was asked for" in report["proved"]
    said = " ".join(report["proved"])
    assert f"digest {digest['root'][:16]}... is that of 3 hands as they stand here" in said
    assert f"{stamped} is that of 3 hands as they stand here, and is signed with key" in said
    assert not any("digest" in what or "key" in what for what in report["not_proved"])


def test_another_key_and_another_digest_are_named(record: Path) -> None:
    done = arena("verify", "--key", "ab" * 32, "--digest", "cd" * 32, str(record))
    assert done.returncode == 1
    assert f"asked for was {'ab' * 32}" in done.stdout
    assert "no beginning of the record leads to digest cdcd" in done.stdout
    assert "2 findings" in done.stdout.splitlines()[-1]


def test_receipts_are_compared_and_one_that_contradicts_is_named(
    record: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "receipts.jsonl"
    kept.write_bytes(receipt() + b"\n" + receipt(step=6) + b"\n")
    done = arena("verify", str(record), "--receipts", str(kept))
    assert done.returncode == 0, done
    assert "proved: 2 receipts of bots agree with the record, " in done.stdout
    kept.write_bytes(receipt() + b"\n" + receipt(seen="00" * 32) + b"\n")
    done = arena("verify", str(record), "--receipts", str(kept))
    assert done.returncode == 1, done
    assert f"{record}:2: receipt of line 2, hand cup-r01-t01-h001, seat 1 (bot-" in done.stdout
    assert "1 receipt of bots agrees" in done.stdout


def test_gzip_is_read_and_other_compression_is_named(record: Path, tmp_path: Path) -> None:
    packed = tmp_path / "cup.jsonl.gz"
    packed.write_bytes(gzip.compress(record.read_bytes()))
    assert "no findings" in arena("verify", str(packed)).stdout
    packed.write_bytes(packed.read_bytes()[:-9])
    done = arena("verify", str(packed))
    assert (done.returncode, "cut off or damaged" in done.stderr) == (2, True), done
    packed.write_bytes(b"\xfd7zXZ\x00 and more")
    done = arena("verify", str(packed))
    assert (done.returncode, "compressed by xz" in done.stderr) == (2, True), done


def test_what_was_not_proved_is_said_without_digest_and_header(tmp_path: Path) -> None:
    file = tmp_path / "cup.jsonl"
    file.write_bytes(b"".join(played()[1:]))
    said = arena("verify", str(file)).stdout
    assert "not proved: the deals, the schedule and that nothing is missing" in said
    assert "other legal moves would pass" in said


def test_the_key_may_be_a_file_but_never_a_private_one(record: Path, tmp_path: Path) -> None:
    file = tmp_path / "club.key"
    file.write_text(f"{SIGNER.public_key}\n")
    file.chmod(0o644)
    assert (
        "that is the key that was asked for"
        in arena("verify", "--key", str(file), str(record)).stdout
    )
    private = "5a" * 32
    file.write_text(f"{private}\n")
    file.chmod(0o600)
    done = arena("verify", "--key", str(file), str(record))
    assert done.returncode == 2, done
    assert f"--key is '{file}'; expected 64 hex digits of a public key" in done.stderr
    assert private not in done.stdout + done.stderr


def test_a_key_that_is_none_and_no_file_is_named(record: Path) -> None:
    done = arena("verify", "--key", "8a88", str(record))
    assert done.returncode == 2, done
    assert "--key is '8a88'; expected 64 hex digits of a public key, or a file" in done.stderr
