"""What somebody has kept of a digest is checked without an arena, and every edit is noticed."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import pytest

from arena.application import Referee
from arena.documents import Document
from arena.errors import BadInput
from arena.proofs.signatures import Signer
from arena.records.proofs import check_digest, check_proof, read_public_key
from arena.store.memory import open_memory
from tests.referee.table import CLOSED, Arena, FakeClock

SIGNER = Signer(bytes(range(32)))
OTHER = Signer(bytes(32))
HAND = "cup-r01-t02-h001"


@cache
def played() -> tuple[Document, Document]:
    """The proof of a hand, and its record."""
    arena = Arena(open_memory(), FakeClock())
    arena.referee = Referee(arena.store, clock=arena.clock, settings=CLOSED, signer=SIGNER)
    arena.referee.start(threads=False)
    arena.session(12, hands_per_table=1)
    arena.play()
    return arena.referee.queries.proof(HAND), arena.referee.queries.record(HAND)


def proof() -> Document:
    return copy.deepcopy(played()[0])


def record() -> Document:
    return copy.deepcopy(played()[1])


def test_what_the_arena_says_holds() -> None:
    check_proof(proof(), SIGNER.public_key, record=record())
    check_digest(proof()["digest"], SIGNER.public_key.upper())


def test_another_key_than_the_one_that_is_known_is_named() -> None:
    with pytest.raises(BadInput, match=f"expected the key {OTHER.public_key}"):
        check_proof(proof(), OTHER.public_key)


def other(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, str):
        return value[:-1] + ("0" if value[-1:] != "0" else "1")
    if isinstance(value, list):
        return [*value, *value[:1]] if value else ["cup-r01-t01"]
    return value + 1


def test_every_edit_of_a_proof_is_noticed() -> None:
    for name in proof():
        for edit in ("drop", "change"):
            edited = proof()
            value = edited.pop(name)
            if edit == "change" and name != "digest":
                edited[name] = other(value)
            with pytest.raises(BadInput):
                check_proof(edited, record=record())
    for index in range(len(proof()["proof"])):
        edited = proof()
        edited["proof"][index] = other(edited["proof"][index])
        with pytest.raises(BadInput, match="from the head to the root"):
            check_proof(edited)


def test_every_edit_of_a_digest_is_noticed() -> None:
    for name in proof()["digest"]:
        for value in (None, other(proof()["digest"][name]), [[]], True, "\ud800"):
            edited = {**proof()["digest"], name: value}
            with pytest.raises(BadInput):
                check_digest(edited)
    with pytest.raises(BadInput):
        check_digest({**proof()["digest"], "more": 10**400})


def test_a_digest_without_a_signature_is_none_that_proves() -> None:
    unsigned = {**proof()["digest"], "public_key": None, "signature": None}
    with pytest.raises(BadInput, match="an arena without a key"):
        check_digest(unsigned)


def test_a_record_with_other_moves_is_not_the_one_that_was_proven() -> None:
    forged = record()
    forged["steps"][3]["at_ms"] += 1
    with pytest.raises(BadInput, match="the record is 'a log with the hash"):
        check_proof(proof(), record=forged)
    forged["steps"][3]["at_ms"] = 10**400
    with pytest.raises(BadInput, match="a step of a log"):
        check_proof(proof(), record=forged)


def test_the_record_of_another_hand_is_refused() -> None:
    with pytest.raises(BadInput, match=f"that of the proof: {HAND}"):
        check_proof(proof(), record={**record(), "hand": "cup-r01-t01-h001"})


def test_a_key_is_64_hex_digits() -> None:
    assert read_public_key(f" {SIGNER.public_key.upper()}\n") == SIGNER.public_key
    with pytest.raises(BadInput, match="64 hex digits"):
        read_public_key("ab" * 31)
