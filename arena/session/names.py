"""Names and identifiers: what a name may be, and how new ids, tokens and codes are made.

A name must look the same to everybody: no control or formatting characters (so no text that turns
the reading direction), no odd spaces, Unicode in its composed form. This module knows no store.
"""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
import unicodedata

from arena.errors import BadInput
from arena.session.confusables import check_appearance, invisible, skeleton

BOT_TOKEN = "dfa_"
ADMIN_TOKEN = "dfaadm_"
CODE = "dfacode_"
NAME_LENGTH = 40
OWNER_LENGTH = 80
HOUSE = "house-"
TOKEN_BYTES = 32
ID_BYTES = 5
TURN = re.compile(r"([^.]*)\.([0-9]{1,6})\.([0-9]{1,2})", re.DOTALL)
BOT_ID = re.compile(r"b-[a-z2-7]{8}")


def check_name(name: object) -> str:
    """A name for a bot or an organiser: the one check that every name goes through.

    Raises BadInput; names that look as if they began with `house-` are the arena's own. Whether it
    is taken, or looks like one that is, the registry knows.
    """
    return _check_display_name("name", name, longest=NAME_LENGTH)


def check_owner(owner: object) -> str:
    """The name of a person or team: as `check_name`, but it may be longer. Raises BadInput."""
    return _check_display_name("owner", owner, longest=OWNER_LENGTH)


def _check_display_name(thing: str, value: object, *, longest: int) -> str:
    text = check_text(thing, value, longest=longest)
    check_appearance(thing, text)
    if skeleton(text).startswith(skeleton(HOUSE)):
        raise BadInput(thing, text, f"a name that does not begin with {HOUSE}")
    return text


def check_text(thing: str, value: object, *, longest: int) -> str:
    """Text that may be shown anywhere, on one line. Raises BadInput."""
    if not isinstance(value, str) or not 1 <= len(value) <= longest:
        raise BadInput(thing, _short(value), f"1 to {longest} characters")
    if value != value.strip(" ") or not all(map(_shown, value)):
        raise BadInput(thing, value, "printable characters, no spaces at the ends")
    if (hidden := invisible(value)) is not None:
        raise BadInput(thing, value, f"characters that can be seen, without {hidden}")
    if not unicodedata.is_normalized("NFC", value):
        raise BadInput(thing, value, "text in the composed form (Unicode NFC)")
    return value


def _shown(character: str) -> bool:
    return character == " " or unicodedata.category(character)[0] not in "CZ"


def _short(value: object) -> object:
    return f"{value[:20]}…" if isinstance(value, str) and len(value) > 20 else value


def new_id(prefix: str) -> str:
    """A random id: prefix and eight letters or digits."""
    return prefix + base64.b32encode(secrets.token_bytes(ID_BYTES)).decode().lower()


def is_bot_id(text: str) -> bool:
    """Has a text the form of the id of a bot or an organiser?"""
    return BOT_ID.fullmatch(text) is not None


def new_token(prefix: str) -> str:
    """A secret of 256 random bits with a prefix by which people and scanners know it."""
    return prefix + secrets.token_urlsafe(TOKEN_BYTES)


def token_hash(token: str) -> str:
    """What the store keeps of a token or code."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def table_id(session: str, round_: int, number: int) -> str:
    """The id of a table; rounds and numbers count from 1."""
    return f"{session}-r{round_:02}-t{number:02}"


def round_id(session: str, round_: int) -> str:
    """The id of a round; rounds count from 1."""
    return f"{session}-r{round_:02}"


def block_id(session: str, round_: int, number: int) -> str:
    """The id of a block of tables with one line-up; rounds and numbers count from 1."""
    return f"{session}-r{round_:02}-b{number:02}"


def hand_id(table: str, number: int) -> str:
    """The id of a hand; numbers count from 1."""
    return f"{table}-h{number:03}"


def turn_id(hand: str, since: int, seat: int) -> str:
    """The id of a turn: opaque to clients, its own idempotency key."""
    return f"{hand}.{since}.{seat}"


def read_turn_id(turn: str) -> tuple[str, int, int] | None:
    """(hand, since, seat) of a turn id, None if it is none."""
    parts = TURN.fullmatch(turn)
    return None if parts is None else (parts[1], int(parts[2]), int(parts[3]))
