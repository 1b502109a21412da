"""Changes of the store for what bots give to chance. Values only; may import nothing of ours."""

from __future__ import annotations

from typing import NamedTuple


class SetChance(NamedTuple):
    """Give an entry the bytes that its bot gives to chance. Conflict: it has some already, or there
    is no such entry."""

    session: str
    bot: str
    chance: bytes


class CheckChances(NamedTuple):
    """Change nothing. Conflict: not this many entries of the session have given bytes to chance.

    Behind a change of the session's row in the same write, as `SetChance` is in its own, none of
    the two can miss the other.
    """

    session: str
    given: int


ChanceChange = SetChance | CheckChances
