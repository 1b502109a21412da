"""Records for the program in JavaScript: of a session whose deals have chance of its bots in them,
with a digest and signatures."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from arena.documents import Document
from arena.proofs.merkle import root_of
from arena.proofs.signatures import Signer
from tests.referee.table import Arena

CHANCES = (b"\x11" * 32, None, b"\x22" * 32, *[None] * 5)
SIGNER = Signer(b"\x07" * 32)
Header = dict[str, Any]


@functools.cache
def played(deals: str = "fresh") -> tuple[bytes, ...]:
    """The lines of the record of a session of eight bots, two of which gave chance. One never
    answers, so that hands are forfeited."""
    arena = Arena()
    session = arena.session(
        0,
        start=False,
        deals=deals,
        deals_may_repeat=deals != "fresh",
        hands_per_table=5 if deals == "fresh" else 1,
        clock={"bank_ms": 0, "absent_after": 1},
    )
    for bot, chance in zip(arena.enrol(len(CHANCES)), CHANCES, strict=True):
        arena.referee.enter(session, bot, chance=chance)
    arena.referee.set_session(session, "start", "admin")
    arena.bots.pop("bot-8")
    while arena.status(session) != "finished":
        if not arena.play():
            arena.clock.pass_ms(60_000)
            arena.referee.sweep()
    header, *hands = map(orjson.loads, arena.referee.queries.records(session))
    return signed(header, hands)


def two_hands() -> tuple[bytes, ...]:
    """The record of a session of two hands at one table."""
    arena = Arena()
    session = arena.session(4)
    arena.play()
    header, *hands = map(orjson.loads, arena.referee.queries.records(session))
    return signed(header, hands)


@functools.cache
def with_public_value() -> tuple[bytes, ...]:
    """The record of a session that announced a source of public chance."""
    arena = Arena()
    source = "drand quicknet, round 12345678"
    session = arena.session(4, start=False, hands_per_table=1, public_chance=source)
    arena.referee.set_session(session, "start", "admin", public_chance="3f9c1d77a2")
    arena.play()
    header, *hands = map(orjson.loads, arena.referee.queries.records(session))
    return signed(header, hands)


def signed(header: Header, hands: Sequence[Document]) -> tuple[bytes, ...]:
    """The lines with a digest over all of their hands, and a header that is signed."""
    for name in ("digest", "public_key", "signature"):
        header.pop(name, None)
    header |= {"digest": digest_of(header, hands), "public_key": SIGNER.public_key}
    text = orjson.dumps(header)
    last = b',"signature":"%b"}' % SIGNER.sign(text).encode()
    return tuple(line + b"\n" for line in (text[:-1] + last, *map(orjson.dumps, hands)))


def digest_of(header: Header, hands: Iterable[Document]) -> Document:
    """The digest over hands."""
    heads = [bytes.fromhex(hand["head"]) for hand in hands]
    return SIGNER.signed(
        {
            "format": "daifugo-arena/digest/1",
            "session": header["session"],
            "secret_commitment": header["secret_commitment"],
            "tables": len({hand["table"] for hand in hands}),
            "hands": len(heads),
            "rounds": len(header["schedule"]["rounds"]),
            "further": [],
            "root": root_of(heads).hex(),
            "at_ms": 0,
        }
    )
