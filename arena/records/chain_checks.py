"""Chains: do the hashes of a recorded log follow from its steps, from the first to the head?

Whoever changes a step and forgets a hash is noticed here; who computes all hashes anew has another
head, which the digest of the session has not. Pure; knows no rules.
"""

from __future__ import annotations

from collections.abc import Iterator

from arena.documents import Document
from arena.errors import BadInput
from arena.proofs.chain import HASH_BYTES, LogHasher, step_text, unplayed_head
from arena.records.checks import hex_text, short
from arena.session.record_format import HAND
from arena.wire.remarks import NONCE, NONCE_BYTES, read_remarks


def is_chained(document: Document) -> bool:
    """Has the line of a hand hashes? Version 1 has none."""
    return document.get("format") == HAND


def check_hashes(document: Document) -> Iterator[str]:
    """What is wrong with the hashes of a hand whose members have the right shapes."""
    hand, seating = document["hand"], document["seating"]
    if not document["steps"]:
        if document["head"] != unplayed_head(hand, seating=seating).hex():
            yield "the head is not that of a hand that was not played"
        return
    salt, commitment = bytes.fromhex(document["salt"]), document["commitment"]
    hasher = LogHasher(hand, seating=seating, commitment=commitment, salt=salt)
    before = hasher.start
    for number, step in enumerate(document["steps"]):
        before = hasher.after(before, step_text(step))
        if step.get("hash") != before.hex():
            yield f"step {number}: the hash does not fit the log up to here"
            return
    if document["head"] != step["hash"]:
        yield "the head is not the hash of the last step"


def check_hash_members(document: Document) -> None:
    """The members that a line has for its chain. Raises BadInput."""
    hex_text(document, "head", size=HASH_BYTES)
    if document["steps"]:
        hex_text(document, "commitment", size=HASH_BYTES)
    for step in document["steps"]:
        if "remarks" in step:
            _check_remarks(step["remarks"])


def _check_remarks(remarks: object) -> None:
    if isinstance(remarks, dict):
        sent = {name: value for name, value in remarks.items() if name != NONCE}
        if not sent or dict(read_remarks(sent)) != sent:
            raise BadInput("remarks", short(remarks), "a note, a thought_ms or both, and a nonce")
        if NONCE in remarks:  # steps of older programs have none
            hex_text(remarks, NONCE, size=NONCE_BYTES)
    else:
        hex_text({"remarks": remarks}, "remarks", size=HASH_BYTES)
