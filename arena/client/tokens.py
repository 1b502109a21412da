"""Where a bot's token is kept between two runs, so that a restart goes on as the same bot.

A small JSON file that only its owner may read. A lock beside it keeps two processes from being the
same bot by accident: started four times in one folder, a program becomes four bots, and again the
same four the next day. A token is only for the arena that its file names: other files are left
alone. May not talk to the arena.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.parse import urlsplit

from arena.client.addresses import identity, same_arena
from arena.client.problems import KitError

LOG = logging.getLogger("arena.client")
FOLDER = Path(".arena")
TRY_AGAIN_S = 0.05


class StoredToken(NamedTuple):
    """What is kept: the arena's address, the bot's name and token, the sessions it has entered,
    whose bot it is, if the arena named one, the number of the last notice that was logged, and what
    it gave to chance (hex) by session, to be found again in the record."""

    url: str
    name: str
    token: str
    sessions: tuple[str, ...] = ()
    owner: str = ""
    notices: int = 0
    chances: Mapping[str, str] = {}


class TokenFile:
    """One file, locked for as long as this object is open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: IO[str] | None = None

    def lock(self) -> bool:
        """False if another process has it."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle = open(self.path.with_name(self.path.name + ".lock"), "a")  # noqa: SIM115
        if not try_lock(handle):
            handle.close()
            return False
        self._lock = handle
        return True

    def close(self) -> None:
        if self._lock:
            self._lock.close()
            self._lock = None

    def load(self) -> StoredToken | None:
        """None if there is none yet."""
        try:
            document = json.loads(self.path.read_text("utf-8"))
            kept = {key: _text(document, key) for key in ("url", "name", "token")}
            sessions, owner = tuple(document.get("sessions", ())), document.get("owner", "")
            notices = int(document.get("notices", 0))
            chances = dict(document.get("chances", {}))
            return StoredToken(
                **kept, sessions=sessions, owner=str(owner), notices=notices, chances=chances
            )
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise KitError(f"{self.path} is not a token file: {error!r}") from error

    def save(self, stored: StoredToken) -> None:
        fresh = self.path.with_name(self.path.name + ".new")
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(handle, "w", encoding="utf-8") as file:
            kept = {
                name: value
                for name, value in stored._asdict().items()
                if value or name not in ("owner", "notices", "chances")
            }
            json.dump(kept, file, indent=1)
        fresh.replace(self.path)

    def set_aside(self) -> Path:
        """Keep a token that is not known any more under another name."""
        old = self.path.with_name(self.path.name + ".old")
        self.path.replace(old)
        return old


def given(path: Path) -> TokenFile:
    """The file that the user named."""
    file = TokenFile(path)
    if not file.lock():
        raise KitError(f"another process runs with the token in {path}")
    return file


def check(path: Path, stored: StoredToken, url: str) -> None:
    """Raises KitError if the token in a file is not of the arena at `url`."""
    if not same_arena(stored.url, url):
        message = f"{path} keeps a token of {stored.url}, not of {url}: it is not sent there"
        raise KitError(f"{message} (if the arena has moved, change `url` in the file)")


def first_free(name: str, url: str, *, folder: Path = FOLDER) -> tuple[TokenFile, str]:
    """The first file for this name and arena that no running process has, and the name to take.

    Raises KitError if `url` is no address.
    """
    _make_private(folder)
    for number in range(1, 1000):
        numbered = name if number == 1 else f"{name}-{number}"
        file = TokenFile(_place(folder, numbered, url))
        if file.lock():
            return file, numbered
    raise KitError(f"too many bots called {name} run here")


def _place(folder: Path, name: str, url: str) -> Path:
    """The file for a name at an arena: one that is there already, else where a new one goes.

    What counts is the address inside a file, not its own name: older kits named files otherwise,
    and arenas can share a name (http and https of one host).
    """
    parts = urlsplit(identity(url))
    usual = folder / f"{_plain(name)}@{_plain(parts.netloc + parts.path)}.json"
    if not usual.exists():
        return next(_others(usual, name, url), usual)
    if _is_for(usual, url):
        return usual
    LOG.warning("%s keeps a token of another arena than %s: left alone", usual, url)
    digest = hashlib.sha256(parts.geturl().encode()).hexdigest()[:8]
    return next(_others(usual, name, url), usual.with_name(f"{usual.stem}-{digest}.json"))


def _others(usual: Path, name: str, url: str) -> Iterator[Path]:
    """Other files of this name that are of this arena."""
    for path in sorted(usual.parent.glob(f"{_plain(name)}@*.json")):
        try:
            if path != usual and _is_for(path, url):
                yield path
        except KitError as error:
            LOG.warning("%s: left alone", error)


def _is_for(path: Path, url: str) -> bool:
    stored = TokenFile(path).load()
    return stored is not None and same_arena(stored.url, url)


def _text(document: dict[str, object], member: str) -> str:
    value = document[member]
    if not isinstance(value, str):
        raise TypeError(f"{member} is {value!r}, no text")
    return value


def of_owner(owner: str, url: str, *, folder: Path = FOLDER) -> list[str]:
    """The tokens kept in a folder for bots of an owner at this arena, by the names of the files."""
    tokens = []
    for path in sorted(folder.glob("*.json")):
        try:
            stored = TokenFile(path).load()
        except KitError:
            continue  # no file of ours, or a damaged one: its own bot will say so
        if stored and same_arena(stored.url, url) and stored.owner.casefold() == owner.casefold():
            tokens.append(stored.token)
    return tokens


@contextmanager
def registering(
    owner: str, *, folder: Path = FOLDER, sleep: Callable[[float], None] = time.sleep
) -> Iterator[None]:
    """One process in a folder at a time registers a bot of an owner: the first brings the owner in,
    the others find its token."""
    _make_private(folder)
    file = TokenFile(folder / f"owner-{_plain(owner)}")
    while not file.lock():
        sleep(TRY_AGAIN_S)
    try:
        yield
    finally:
        file.close()


def _plain(text: str) -> str:
    return re.sub(r"[^\w.-]+", "_", text)


def _make_private(folder: Path) -> None:
    """A folder that git ignores by itself, for tokens must not be published."""
    folder.mkdir(parents=True, exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", "utf-8")


if sys.platform == "win32":
    import msvcrt

    def try_lock(handle: IO[Any]) -> bool:
        """Lock an open file for this process; False if another has it."""
        try:
            msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def try_lock(handle: IO[Any]) -> bool:
        """Lock an open file for this process; False if another has it."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True  # a file system without locks: do without
        return True
