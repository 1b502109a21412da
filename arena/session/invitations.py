"""Invitations: codes with which people come into a session that an organiser has opened to them.

A code is good once and for some time, and names its session, so that it is looked up at once. Only
its hash is kept: all invitations of a session are one note of the store. This module reads no store
and no clock.
"""

from __future__ import annotations

import base64
import re
import secrets
from collections.abc import Iterable
from typing import NamedTuple

import orjson

from arena.session.names import token_hash

CODE = re.compile(r"([a-z0-9-]{1,60})\.([a-z2-7]{4}(?:-[a-z2-7]{4}){3})")
CODE_BYTES = 10
"""Random bytes of a code, which people may have to type; wrong ones are not tried often."""
GROUP = 4
ID_LENGTH = 12


class Invitation(NamedTuple):
    """A seat that is open to a person. name: under which the person plays, "" for their choice;
    clock: one of `people.CLOCKS`; made_by: the organiser's id; bot: of who has accepted, "" for
    nobody yet."""

    code_hash: str
    name: str
    clock: str
    created_ms: int
    expires_ms: int
    made_by: str
    revoked: bool = False
    bot: str = ""

    @property
    def id(self) -> str:
        """What it is called where the code must not be shown."""
        return self.code_hash[:ID_LENGTH]

    def fault(self, now_ms: int) -> str:
        """Why it is not good any more, in words; "" if it is."""
        if self.bot:
            return "it has been used: somebody plays on this seat"
        if self.revoked:
            return "the organiser has taken it back"
        return "it has expired" if now_ms >= self.expires_ms else ""


def new_code(session: str) -> str:
    """A code for a seat of a session, in letters and digits that are easy to type."""
    text = base64.b32encode(secrets.token_bytes(CODE_BYTES)).decode().lower()
    return f"{session}." + "-".join(text[at : at + GROUP] for at in range(0, len(text), GROUP))


def read_code(text: str) -> tuple[str, str] | None:
    """The session of a code as somebody has written it, and its hash; None if it is no code."""
    code = text.strip().lower()
    parts = CODE.fullmatch(code)
    return None if parts is None else (parts[1], token_hash(code))


def note_key(session: str) -> str:
    """Where the store keeps the invitations of a session."""
    return f"invitations/{session}"


def read_invitations(text: str | None) -> tuple[Invitation, ...]:
    """The invitations of a session, the oldest first, by the note of the store."""
    return () if text is None else tuple(Invitation(*each) for each in orjson.loads(text))


def write_invitations(invitations: Iterable[Invitation]) -> str:
    """The note that says it."""
    return orjson.dumps([list(each) for each in invitations]).decode()
