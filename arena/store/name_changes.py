"""Changes of the names of bots: the name itself, and the key that names which look alike share.

This module may import nothing but the standard library, and does no I/O.
"""

from __future__ import annotations

from typing import NamedTuple


class SetName(NamedTuple):
    """Give a bot another name, with its key. Conflict: another one has it, or it is not `was`."""

    bot: str
    name: str
    name_key: str
    was: str


class SetNameKey(NamedTuple):
    """Give a bot its name key. NotFound: no such bot. Conflict: another one has this key."""

    bot: str
    name_key: str


NameChange = SetName | SetNameKey
