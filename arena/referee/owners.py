"""Owners: what an owner may be called, and which two names of owners are one.

Pure text; who may register a bot of which owner is decided in `enrolment`.
"""

from __future__ import annotations

import unicodedata

from arena.errors import BadInput
from arena.referee.names import HOUSE, check_text

OWNER_LENGTH = 80


def owner_key(owner: str) -> str:
    """The form by which owners are compared: two owners with one key are one owner."""
    folded = unicodedata.normalize("NFKC", owner).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split()) or owner


def check_owner(owner: object) -> str:
    """A name for an owner. Raises BadInput; those that begin with `house-` are the arena's own."""
    text = check_text("owner", owner, longest=OWNER_LENGTH)
    if owner_key(text).startswith(HOUSE):
        raise BadInput("owner", text, f"a name that does not begin with {HOUSE}")
    return text


def same_owner(one: str, other: str) -> bool:
    """Are these two names of one owner?"""
    return owner_key(one) == owner_key(other)
