"""The lines of a record file: their names, and how the log of a hand stands in them.

What writes one and what reads one agree on them here. Version 1 is read still; nothing writes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from arena.documents import Document
from arena.proofs.chain import LogHasher, remarks_hash, step_text
from arena.wire.remarks import KEPT, REMARKS

HAND = "daifugo-arena/hand/2"
"""A line with a hand that has ended, and its whole log."""
HEAD = "daifugo-arena/head/2"
"""A line in the place of a hand that was called off, or that its reader may not see."""
SESSION = "daifugo-arena/session/2"
"""The first line of a file, or of each session in it."""
DIGEST = "daifugo-arena/digest/1"
"""A digest: the root over the heads of the hands at tables that are closed."""
HAND_1 = "daifugo-arena/hand/1"
SESSION_1 = "daifugo-arena/session/1"
HANDS = (HAND, HAND_1)
SESSIONS = (SESSION, SESSION_1)
KNOWN = f"{SESSION}, {HAND} or {HEAD} (or version 1 of the first two)"
"""The formats that can be read, for messages."""
CASUAL = MappingProxyType({"rated": False})
"""What the line of a hand has besides, if it was played casually and so is never rated."""


def with_remarks(step: Mapping[str, Any], *, shown: bool) -> Document:
    """A step whose `meta` still has what its bot sent beside the answer, as a record has it.

    That becomes the member `remarks`; shown: as it is, with its nonce, else the hash of it.
    """
    meta = step["meta"]
    if meta.keys().isdisjoint(REMARKS):
        return dict(step)
    remarks = {name: meta[name] for name in KEPT if name in meta}
    rest = {name: value for name, value in meta.items() if name not in KEPT}
    recorded = remarks if shown else remarks_hash(remarks)
    return {**step, "meta": rest, "remarks": recorded}


def remarks_of(step: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the bot of a recorded step sent beside its answer, as far as the record tells: version 1
    has it among the clock's members."""
    remarks = step.get("remarks", step["meta"])
    return remarks if isinstance(remarks, Mapping) else {}


def hashed(steps: Iterable[Document], hasher: LogHasher) -> Iterator[Document]:
    """The steps of a record, each with its hash."""
    before = hasher.start
    for step in steps:
        before = hasher.after(before, step_text(step))
        yield {**step, "hash": before.hex()}
