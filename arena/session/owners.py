"""Owners: which two names of owners are one.

Pure text; what an owner may be called is in `names`, who may register a bot of which owner is
decided in `enrolment`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from arena.session.confusables import skeleton

KEPT_KEYS = 1_024


@lru_cache(maxsize=KEPT_KEYS)
def owner_key(owner: str) -> str:
    """The form by which owners are compared: owners that can be taken for each other are one."""
    return skeleton(owner)


def same_owner(one: str, other: str) -> bool:
    """Are these two names of one owner?"""
    return owner_key(one) == owner_key(other)


def in_one_spelling(owners: Iterable[str]) -> list[str]:
    """The owners, each in the spelling in which it came first, so that equal ones are one owner."""
    first: dict[str, str] = {}
    return [first.setdefault(owner_key(owner), owner) for owner in owners]
