"""The settings of a bot's process: by its command line, its environment, the arguments of `run()`.

The outermost wins, so that an organiser can start a bot whose author has written an address into
it. May not open files or connections.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from arena.client.addresses import base_url
from arena.client.endpoints import as_chance

NO_CHANCE = "none"
DEFAULT_URL = "http://127.0.0.1:8000"
ENVIRONMENT = {
    "url": "ARENA_URL",
    "token": "ARENA_TOKEN",
    "session": "ARENA_SESSION",
    "code": "ARENA_CODE",
    "name": "ARENA_NAME",
    "token_file": "ARENA_TOKEN_FILE",
    "owner": "ARENA_OWNER",
    "owner_token": "ARENA_OWNER_TOKEN",
    "chance": "ARENA_CHANCE",
    "receipts": "ARENA_RECEIPTS",
}


class BotSettings(NamedTuple):
    """How to reach the arena and as whom. Times in seconds. chance: 64 hex digits that the bot
    gives to chance with each entry, `none`, or None for random ones."""

    url: str = DEFAULT_URL
    name: str | None = None
    token: str | None = None
    sessions: tuple[str, ...] = ()
    code: str | None = None
    token_file: str | None = None
    owner: str | None = None
    owner_token: str | None = None
    chance: str | None = None
    receipts: str | None = None
    wait_s: float = 25.0
    patience_s: float = 120.0
    strict: bool = False
    verbose: bool = False
    quiet: bool = False


def parser(
    description: str | None = None, *, program: str | None = None
) -> argparse.ArgumentParser:
    """The flags that every bot understands."""
    flags = argparse.ArgumentParser(
        prog=program,
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: %(prog)s --url http://127.0.0.1:8000 --name alice --session spring-cup",
    )
    add = flags.add_argument
    add(
        "--url",
        help="address of the arena; without http:// or https:// it is https, on this machine http"
        f" [ARENA_URL; {DEFAULT_URL}]",
    )
    add("--name", help="name of the bot [ARENA_NAME; made from the class name]")
    add(
        "--session",
        action="append",
        help="session to enter, may be repeated [ARENA_SESSION; the one that is open]",
    )
    add(
        "--owner",
        help="person or team behind the bot [ARENA_OWNER; what the code says, or the bot's name]."
        " Started several times in one folder, they are several bots of this owner",
    )
    add(
        "--owner-token",
        metavar="TOKEN",
        help="token of another bot of this owner, if none is kept here [ARENA_OWNER_TOKEN]",
    )
    add("--code", help="enrolment code, if the arena asks for one [ARENA_CODE]")
    add("--token", help="the bot's token, if it is registered already [ARENA_TOKEN]")
    add(
        "--token-file",
        metavar="FILE",
        help="where the token is kept for a restart, or `none` [ARENA_TOKEN_FILE; in .arena/]",
    )
    add(
        "--chance",
        metavar="HEX",
        help="64 hex digits, mixed into all deals of the session, or `none` [ARENA_CHANCE; random]",
    )
    add(
        "--receipts",
        metavar="FILE",
        help="keep there what proves how each hand went, for `arena verify --receipts`"
        " [ARENA_RECEIPTS; not kept]",
    )
    add("--wait", type=_seconds(30), metavar="S", help="longest wait of one poll, 0..30 [25]")
    add(
        "--patience",
        type=_seconds(None),
        metavar="S",
        help="for how long to try while the arena does not answer [120]",
    )
    add("--strict", action="store_true", help="stop at the first error in the bot's own code")
    add("--verbose", action="store_true", help="tell every repeated request")
    add("--quiet", action="store_true", help="tell errors only")
    return flags


def settings(
    flags: argparse.Namespace, environ: Mapping[str, str], given: Mapping[str, Any]
) -> BotSettings:
    """Put together what the command line, the environment and the program say.

    Raises KitError for an address that is none, and for bytes that cannot be given to chance.
    """

    def pick(name: str) -> Any:
        outer = getattr(flags, name, None) or environ.get(ENVIRONMENT.get(name, ""), None)
        return outer or given.get(name)

    names = tuple(name for name in ENVIRONMENT if name not in ("url", "session"))
    plain = {name: pick(name) for name in names}
    if plain["chance"] not in (None, NO_CHANCE):
        as_chance(plain["chance"])
    return BotSettings(
        url=base_url(pick("url") or DEFAULT_URL),
        sessions=_names(pick("session")),
        wait_s=_first(flags.wait, given.get("wait_s"), 25.0),
        patience_s=_first(flags.patience, given.get("patience_s"), 120.0),
        strict=flags.strict or bool(given.get("strict")),
        verbose=flags.verbose,
        quiet=flags.quiet,
        **plain,
    )


def kebab(class_name: str) -> str:
    """CarefulBot -> careful-bot"""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", class_name.strip("_")).lower()


def _names(value: str | Sequence[str] | None) -> tuple[str, ...]:
    """Session names from a list, or from text with commas."""
    parts = [value] if isinstance(value, str) else list(value or ())
    return tuple(dict.fromkeys(name.strip() for part in parts for name in part.split(",") if name))


def _first(*values: float | None) -> float:
    return next(value for value in values if value is not None)


def _seconds(most: float | None) -> Any:
    def read(text: str) -> float:
        value = float(text)
        if not 0 <= value <= (most if most is not None else float("inf")):
            raise argparse.ArgumentTypeError(f"{text} is not between 0 and {most}")
        return value

    return read
