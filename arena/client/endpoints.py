"""The requests of the arena's HTTP protocol as values: what is sent, before anybody sends it.

One function for each endpoint that bots use. The blocking and the asynchronous client send them.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from arena.client.problems import KitError

CHANCE_BYTES = 32
RANDOM = "random"
"""For bytes that come from the operating system."""
CONFLICT = 409


def as_chance(given: bytes | str | None) -> bytes | None:
    """Bytes that somebody gives for chance. Raises KitError for anything but 32 of them, or their
    64 hex digits."""
    try:
        chance = bytes.fromhex(given) if isinstance(given, str) else given
    except ValueError:
        chance = b""
    if chance is not None and len(chance) != CHANCE_BYTES:
        expected = f"expected {CHANCE_BYTES} bytes as {2 * CHANCE_BYTES} hex digits, or none"
        raise KitError(f"chance is {str(given)[:80]!r}; {expected}")
    return chance


def new_chance() -> bytes:
    """What a bot gives to chance if its author does not care: the key of all deals follows from the
    arena's secret and what all bots gave, so that nobody can know it before."""
    return secrets.token_bytes(CHANCE_BYTES)


class ArenaRequest(NamedTuple):
    """A request. path: below `/api/v1`; body: JSON, or bytes as they are; wait_s: for how long the
    arena may hold it; idempotent: may it be sent again if nobody knows whether it arrived?"""

    method: str
    path: str
    query: Mapping[str, Any] = {}
    body: Any = None
    wait_s: float = 0
    idempotent: bool = True

    @property
    def asked(self) -> dict[str, Any]:
        """The query without what was not given."""
        return {key: value for key, value in self.query.items() if value is not None}


def session_path(session: str, *more: str) -> str:
    """The path of a session, or of something below it."""
    return "/".join(["/sessions", *(quote(part, safe="") for part in (session, *more))])


class Endpoints:
    """The endpoints; what each answers is said where it is sent (`arena.client.http.Client`)."""

    @staticmethod
    def register(name: str, code: str | None, owner: str | None) -> ArenaRequest:
        body = {"name": name, "code": code, "owner": owner}
        given = {key: value for key, value in body.items() if value is not None}
        return ArenaRequest("POST", "/bots", body=given, idempotent=False)

    @staticmethod
    def whoami() -> ArenaRequest:
        return ArenaRequest("GET", "/whoami")

    @staticmethod
    def sessions(state: str | None) -> ArenaRequest:
        return ArenaRequest("GET", "/sessions", {"state": state})

    @staticmethod
    def session(session: str) -> ArenaRequest:
        return ArenaRequest("GET", session_path(session))

    @staticmethod
    def enter(session: str, chance: bytes | None) -> ArenaRequest:
        body = None if chance is None else {"chance": chance.hex()}
        return ArenaRequest("PUT", session_path(session, "entry"), body=body)

    @staticmethod
    def withdraw(session: str) -> ArenaRequest:
        return ArenaRequest("DELETE", session_path(session, "entry"))

    @staticmethod
    def standings(
        session: str,
        format_: str | None = None,
        layout: str | None = None,
        width: int | None = None,
    ) -> ArenaRequest:
        query = {"format": format_, "layout": layout, "width": width}
        return ArenaRequest("GET", session_path(session, "standings"), query)

    @staticmethod
    def records(session: str) -> ArenaRequest:
        return ArenaRequest("GET", session_path(session, "records"))

    @staticmethod
    def turns(wait: float, after: str | int | None, most: int | None, legal: bool) -> ArenaRequest:
        return ArenaRequest("GET", "/turns", _waiting(wait, after, most, legal), wait_s=wait)

    @staticmethod
    def answer(turn: str, body: Mapping[str, Any], wait: float) -> ArenaRequest:
        path = f"/turns/{quote(turn, safe='')}"
        return ArenaRequest("POST", path, {"wait": _number(wait)}, body, wait_s=wait)

    @staticmethod
    def answer_many(
        answers: Mapping[str, Mapping[str, Any]] | Iterable[Mapping[str, Any]],
        wait: float,
        after: str | int | None,
        most: int | None,
        legal: bool,
    ) -> ArenaRequest:
        if isinstance(answers, Mapping):
            answers = [{"turn": turn, **answer} for turn, answer in answers.items()]
        body = {"answers": [dict(answer) for answer in answers]}
        return ArenaRequest("POST", "/turns", _waiting(wait, after, most, legal), body, wait_s=wait)

    @staticmethod
    def ledger(
        bot: str | None,
        session: str | None,
        table: str | None,
        hand: str | None,
        after: str | None,
    ) -> ArenaRequest:
        path = "/turns/ledger" if bot is None else f"/bots/{quote(bot, safe='')}/ledger"
        of = {"session": session, "table": table, "hand": hand}
        return ArenaRequest("GET", path, {**of, "after": after, "limit": 500})

    @staticmethod
    def notices(bot: str | None, after: int) -> ArenaRequest:
        path = f"/bots/{quote(bot or 'me', safe='')}/notices"
        return ArenaRequest("GET", path, {"after": after or None, "limit": 500})

    @staticmethod
    def hand_events(hand: str, after: int, wait: float) -> ArenaRequest:
        query = {"after": after or None, "wait": _number(wait)}
        return ArenaRequest("GET", f"/hands/{quote(hand, safe='')}/events", query, wait_s=wait)


def _waiting(wait: float, after: str | int | None, most: int | None, legal: bool) -> dict[str, Any]:
    return {"wait": _number(wait), "after": after, "max": most, "legal": None if legal else 0}


def _number(seconds: float) -> float | None:
    """A wait as it is written in a query: nothing for 0, and no `.0` behind a whole number."""
    return int(seconds) if float(seconds).is_integer() and seconds else seconds or None
