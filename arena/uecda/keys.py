"""Whose bot a client becomes: a token from a file, one that is kept from last time, or a new bot.

The protocol of clients knows no passwords: whoever says a name at a port gets the bot of that name.
May not know sockets or games.
"""

from __future__ import annotations

import csv
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from arena.client import Client
from arena.client.problems import ArenaProblem, KitError
from arena.client.tokens import FOLDER, StoredToken, TokenFile, first_free
from arena.errors import BadInput
from arena.session.names import HOUSE

MOST_TRIES: Final = 100
PREFIX: Final = "u-"
"""What a name that the arena keeps for itself gets in front."""


class BotKey(NamedTuple):
    """A bot and its token. name: by which it was asked for, and which nobody else gets meanwhile;
    called: what the arena calls it."""

    bot: str
    name: str
    called: str
    token: str


class Keys:
    """The tokens of an arena. tokens: by name; code: for registering; folder: where they are kept,
    each locked as long as its bot plays.

    May be used from several threads: each name is given to one of them.
    """

    def __init__(
        self,
        tokens: Mapping[str, str] | None = None,
        *,
        code: str | None = None,
        folder: Path = FOLDER,
    ) -> None:
        self._tokens = dict(tokens or {})
        self._code = code
        self._folder = folder
        self._taken: dict[str, TokenFile | None] = {}
        self._lock = threading.Lock()

    def sign_in(self, client: Client, wanted: str) -> BotKey:
        """Get a bot of this name, or of the next free one like it; the client has its token then.

        Raises KitError if the arena gives none.
        """
        name = PREFIX + wanted if wanted.lower().startswith(HOUSE) else wanted
        for number in range(1, MOST_TRIES):
            key = self._try(client, name if number == 1 else f"{name}-{number}")
            if key is not None:
                return key
        raise KitError(f"names like {name} are taken")

    def release(self, key: BotKey) -> None:
        """The bot plays no more: its name may be given again."""
        with self._lock:
            file = self._taken.pop(key.name, None)
        if file is not None:
            file.close()

    def close(self) -> None:
        """Release all."""
        with self._lock:
            files = [file for file in self._taken.values() if file is not None]
            self._taken.clear()
        for file in files:
            file.close()

    def _try(self, client: Client, name: str) -> BotKey | None:
        """The bot of a name; None if somebody has it."""
        with self._lock:
            if name in self._taken:
                return None
            self._taken[name] = None
        try:
            token = self._tokens.get(name)
            return _known(client, name, token) if token else self._kept_or_new(client, name)
        except BaseException:
            self.release(BotKey("", name, name, ""))
            raise

    def _kept_or_new(self, client: Client, name: str) -> BotKey | None:
        file, free = first_free(name, client.url, folder=self._folder)
        if free != name:  # another process plays it
            file.close()
            return None
        with self._lock:
            self._taken[name] = file
        stored = file.load()
        key = None if stored is None else _kept(client, name, stored)
        if stored is not None and key is None:
            file.set_aside()
        return key or self._register(client, name, file)

    def _register(self, client: Client, name: str, file: TokenFile) -> BotKey | None:
        """A new bot; None if the name is taken."""
        try:
            document = client.register(name, self._code)
        except ArenaProblem as problem:
            if problem.status != 409:
                raise
            return None
        token, bot = str(document["token"]), document["bot"]
        file.save(StoredToken(client.url, name, token, owner=str(bot.get("owner", ""))))
        return BotKey(str(bot["id"]), name, name, token)


def _kept(client: Client, name: str, stored: StoredToken) -> BotKey | None:
    """The bot of a token from last time; None if the arena does not know it any more."""
    try:
        return _known(client, name, stored.token)
    except ArenaProblem as problem:
        if problem.status != 401:
            raise
        return None


def _known(client: Client, name: str, token: str) -> BotKey:
    client.token = token
    try:
        me = client.whoami()
    except BaseException:
        client.token = None
        raise
    return BotKey(str(me["id"]), name, str(me["name"]), token)


def read_tokens(path: Path) -> dict[str, str]:
    """Tokens by name from a file as `arena roster import` writes it: CSV with the columns name and
    token. Raises BadInput with the line."""
    tokens: dict[str, str] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            if not {"name", "token"} <= set(rows.fieldnames or ()):
                raise BadInput(f"{path}, line 1", rows.fieldnames, "the columns name and token")
            for row in rows:
                name, token = (row["name"] or "").lstrip("'"), row["token"]
                if not name or not token:
                    raise BadInput(f"{path}, line {rows.line_num}", row, "a name and a token")
                tokens[name] = token
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInput("--tokens", str(path), f"a CSV file that can be read ({error})") from error
    return tokens
