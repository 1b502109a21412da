"""Digests and proofs of hands that somebody has kept, checked with nothing but themselves.

A digest holds if its signature is that of the key that it names; a proof, if it leads from the head
of its hand to the root of its digest. Whose key that is, no file can tell: compare it with the one
that you know. They may come from anybody, so every member is checked before it is used.
"""

from __future__ import annotations

from typing import Any

from arena.documents import Document
from arena.errors import BadInput
from arena.proofs.chain import LogHasher, step_text, unplayed_head
from arena.proofs.merkle import proven_root
from arena.proofs.signatures import PUBLIC_KEY, SIGNATURE, is_signed_document
from arena.records.checks import as_list, as_object, as_text, hex_text, players, short, text, whole
from arena.session.deals import SALT_BYTES
from arena.session.record_format import DIGEST

HASH_BYTES = 32
MOST_HASHES = 64
"""Of a proof: it has as many as the tree has levels."""
MEMBERS = frozenset(
    {
        *("format", "session", "secret_commitment", "root", "further", PUBLIC_KEY, SIGNATURE),
        *("tables", "hands", "rounds", "at_ms"),
    }
)
COUNTS = ("tables", "hands", "rounds", "at_ms")


def check_digest(digest: Document, key: str | None = None) -> None:
    """Raises BadInput for what is no digest, or not signed by a key.

    key: the one that is expected, in hex; None for the one that it names itself.
    """
    if digest.get("format") != DIGEST:
        raise BadInput("format", short(digest.get("format")), DIGEST)
    text(digest, "session")
    hex_text(digest, "root", size=HASH_BYTES)
    hex_text(digest, "secret_commitment", size=HASH_BYTES)
    for name in COUNTS:
        whole(name, digest.get(name))
    for table in as_list("further", digest.get("further")):
        as_text("further", table)
    if digest.get(PUBLIC_KEY) is digest.get(SIGNATURE) is None:
        raise BadInput(SIGNATURE, None, "a signature: this digest is of an arena without a key")
    named = hex_text(digest, PUBLIC_KEY, size=HASH_BYTES)
    if key is not None and named != key.lower():
        raise BadInput(PUBLIC_KEY, named, f"the key {key.lower()}")
    if set(digest) != MEMBERS or not _is_signed(digest):
        raise BadInput(SIGNATURE, short(digest.get(SIGNATURE)), f"that of the key {named}")


def _is_signed(digest: Document) -> bool:
    try:
        return is_signed_document(digest)
    except TypeError:  # text that UTF-8 does not have
        return False


def check_proof(proof: Document, key: str | None = None, *, record: Document | None = None) -> None:
    """Raises BadInput for what is no proof, or does not prove its hand.

    key: as in `check_digest`. record: that of the hand, with all its moves.
    """
    digest = as_object("digest", proof.get("digest"))
    check_digest(digest, key)
    if text(proof, "session") != digest["session"]:
        expected = f"that of the digest: {digest['session']}"
        raise BadInput("session", short(proof["session"]), expected)
    text(proof, "hand")
    size = whole("size", proof.get("size"), least=1)
    if size != digest["hands"]:
        raise BadInput("size", size, f"the hands of the digest: {digest['hands']}")
    index = whole("index", proof.get("index"), most=size - 1)
    head = bytes.fromhex(hex_text(proof, "head", size=HASH_BYTES))
    way = [_hash(each) for each in as_list("proof", proof.get("proof"))[: MOST_HASHES + 1]]
    if proven_root(head, index, size, way).hex() != digest["root"]:
        raise BadInput("proof", f"{len(way)} hashes", "those that lead from the head to the root")
    if record is not None:
        _check_record(record, proof)


def _hash(value: Any) -> bytes:
    return bytes.fromhex(hex_text({"proof": value}, "proof", size=HASH_BYTES))


def _check_record(record: Document, proof: Document) -> None:
    """Raises BadInput for the record of another hand, or one with other moves."""
    if text(record, "hand") != proof["hand"]:
        raise BadInput("hand", short(record["hand"]), f"that of the proof: {proof['hand']}")
    found = head_of_record(record).hex()
    if found != proof["head"]:
        raise BadInput("the record", f"a log with the hash {found}", f"{proof['head']}, the head")


def head_of_record(record: Document) -> bytes:
    """The head of a hand, from the steps of its record. Raises BadInput."""
    hand, steps = text(record, "hand"), as_list("steps", record.get("steps"))
    given = as_list("seating", record.get("seating"))
    seating = players("seating", given, range(len(given)))
    if not steps:
        return unplayed_head(hand, seating=seating)
    salt = bytes.fromhex(hex_text(record, "salt", size=SALT_BYTES))
    commitment = hex_text(record, "commitment", size=HASH_BYTES)
    hasher = LogHasher(hand, seating=seating, commitment=commitment, salt=salt)
    head = hasher.start
    for step in steps:
        try:
            head = hasher.after(head, step_text(as_object("step", step)))
        except TypeError as error:  # numbers and text that JSON between programs cannot have
            raise BadInput("step", short(step), f"a step of a log ({error})") from error
    return head


def read_public_key(value: str) -> str:
    """A public key as somebody gives it. Raises BadInput."""
    return hex_text({"key": value.strip().lower()}, "key", size=HASH_BYTES)
