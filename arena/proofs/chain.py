"""The hash chain of a hand's log: each step's hash covers that step and all before it.

Everything here can be rewritten in any language from these lines, where ``||`` joins bytes and JSON
is canonical (RFC 8785: no spaces, members sorted by name; the numbers here are whole):

1. ``start = SHA-256("daifugo-arena/chain/1" || salt || commitment || place)`` with the salt (16
   bytes) and the commitment (32 bytes) of the hand's deal, and the JSON of `hand` (its id) and
   `seating` as place.
2. The hash of a step is ``SHA-256("daifugo-arena/step/1" || salt || the hash before || step)``, the
   step being its JSON as it is in the hand's record without the member `hash`. What a bot wrote
   beside its answer, the member `remarks`, is hashed as ``SHA-256("daifugo-arena/remarks/1" || its
   JSON)``, in hex; a record that must not show it has this text in its place. Among its members is
   a random `nonce` (16 bytes in hex), which nobody can know who is not shown the rest.
3. The head of a hand is the hash of its last step. A hand that was not played has no log; its head
   is ``SHA-256("daifugo-arena/unplayed/1" || place)``.

The salt is secret until the hand is face up, so that a hash tells nothing of the cards to those who
may not know them, however few are left to guess. Remarks may stay secret for longer, and have their
nonce for it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from arena.proofs.canonical import canonical

START = b"daifugo-arena/chain/1"
STEP = b"daifugo-arena/step/1"
REMARKS = b"daifugo-arena/remarks/1"
UNPLAYED = b"daifugo-arena/unplayed/1"
HASH_BYTES = 32


class LogHasher:
    """Hashes the steps of one hand. start: the hash before the first step."""

    __slots__ = ("_salted", "start")

    def __init__(self, hand: str, *, seating: Sequence[int], commitment: str, salt: bytes) -> None:
        """commitment: hex; salt: that of the deal."""
        self._salted = hashlib.sha256(STEP + salt)
        self.start = hashlib.sha256(
            START + salt + bytes.fromhex(commitment) + _place(hand, seating)
        ).digest()

    def after(self, before: bytes, step: bytes) -> bytes:
        """The hash of a step. before: the one before it; step: its canonical JSON."""
        hasher = self._salted.copy()
        hasher.update(before)
        hasher.update(step)
        return hasher.digest()


def joined_step(
    seq: int,
    at_ms: int,
    *,
    turn: str,
    command: bytes,
    events: bytes,
    meta: bytes,
    remarks: str | None = None,
) -> bytes:
    """What `step_text` says, from parts that are canonical JSON already.

    remarks: their hash, in hex; None if there are none.
    """
    if remarks is not None:
        meta = b'%b,"remarks":"%b"' % (meta, remarks.encode())
    return b'{"at_ms":%d,"command":%b,"events":%b,"meta":%b,"seq":%d,"turn":%b}' % (
        at_ms,
        command,
        events,
        meta,
        seq,
        orjson.dumps(turn),
    )


def step_text(step: Mapping[str, Any]) -> bytes:
    """The canonical JSON of a step, from what a record has of it."""
    known = {name: value for name, value in step.items() if name != "hash"}
    if isinstance(known.get("remarks"), Mapping):
        known["remarks"] = remarks_hash(known["remarks"])
    return canonical(known)


def unplayed_head(hand: str, *, seating: Sequence[int]) -> bytes:
    """The head of a hand that was forfeited before it was dealt."""
    return hashlib.sha256(UNPLAYED + _place(hand, seating)).digest()


def remarks_hash(remarks: Mapping[str, Any]) -> str:
    """What stands in a hashed step for the remarks of its bot, in hex."""
    return remarks_text_hash(canonical(remarks))


def remarks_text_hash(text: bytes) -> str:
    """The same, from their canonical JSON."""
    return hashlib.sha256(REMARKS + text).hexdigest()


def _place(hand: str, seating: Sequence[int]) -> bytes:
    return canonical({"hand": hand, "seating": list(seating)})
