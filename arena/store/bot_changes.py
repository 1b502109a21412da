"""Changes of bots: their names and tokens, whose they are, and what they give to chance.

Values only; this module may import nothing but the standard library.
"""

from __future__ import annotations

from typing import NamedTuple


class SetToken(NamedTuple):
    """Give a bot another token. NotFound: no such bot. Conflict: the hash is taken."""

    bot: str
    token_hash: str


class RevokeBot(NamedTuple):
    """Bar a bot's token. NotFound: no such bot."""

    bot: str


class RevokeOrganiser(NamedTuple):
    """Bar an organiser's token. Conflict: no organiser, or the last one whose token is good.

    Two at the same instant must wait for each other: write them behind an `AddOne` of
    one key, else a database that several processes share lets each rest on the other's row.
    """

    bot: str


class SetOwnerKey(NamedTuple):
    """Write down the form by which a bot's owner is compared.

    NotFound: no such bot. Conflict: the bot is a founder, and the key has another one.
    """

    bot: str
    owner_key: str


class RestoreBot(NamedTuple):
    """Let a bot in again, with another token. NotFound: no such bot. Conflict: the hash is taken.

    A bot that is not revoked just gets the other token.
    """

    bot: str
    token_hash: str


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


class DropBot(NamedTuple):
    """Take a bot away. NotFound: no such bot. Conflict: it has entries or notices."""

    bot: str


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


BotChange = (
    SetToken
    | RevokeBot
    | RevokeOrganiser
    | SetOwnerKey
    | RestoreBot
    | SetName
    | SetNameKey
    | DropBot
    | SetChance
    | CheckChances
)
