"""What can go wrong between a bot and the arena, as exceptions with names.

    KitError
    ├── ArenaProblem        the arena answered, and the answer is an error (problem+json, RFC 9457)
    ├── ArenaUnreachable    no answer at all, for longer than the client's patience
    └── NoLegalList         this session gives bots no list of what is legal

This module may import nothing of ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class KitError(Exception):
    """Base of everything that the kit raises on purpose."""


class ArenaProblem(KitError):
    """An error answer of the arena.

    `status` is the HTTP status, `code` a word of the protocol's closed list, `detail` a sentence
    for people, `errors` the list of {"pointer", "message"} of a body that did not fit its schema.
    For a refused move there are also `reason`, `rule`, `cards`, `turn` and `example`, an answer
    that would be legal; `turn_over` if the budget of refused answers is spent and the referee has
    answered instead. The whole document is in `document`; `problem["x"]` reads it.
    """

    def __init__(
        self, status: int, document: Mapping[str, Any], *, retry_after_s: float | None = None
    ) -> None:
        self.status = status
        self.document = dict(document)
        self.code = str(document.get("code") or f"http_{status}")
        self.title = str(document.get("title") or "")
        self.detail = str(document.get("detail") or self.title or f"the arena answered {status}")
        self.errors: list[dict[str, Any]] = list(document.get("errors") or ())
        self.reason = document.get("reason")
        self.rule = document.get("rule")
        self.cards: list[str] = list(document.get("cards") or ())
        self.turn = document.get("turn")
        self.turn_over = bool(document.get("turn_over"))
        self.example: dict[str, Any] | None = _example(document)
        self.request_id = document.get("instance")
        self.retry_after_s = retry_after_s
        super().__init__(self._sentence())

    def __getitem__(self, member: str) -> Any:
        return self.document[member]

    def _sentence(self) -> str:
        parts = [f"{self.status} {self.reason or self.code}: {self.detail}"]
        if self.rule:
            parts.append(f"rule: {self.rule}")
        if self.cards:
            parts.append(f"cards: {' '.join(map(str, self.cards))}")
        faults = (f"{e.get('pointer') or '/'}: {e.get('message')}" for e in self.errors[:5])
        parts += [error for error in faults if error not in self.detail]
        if self.example:
            parts.append(f"legal would be, for example, {self.example}")
        return " | ".join(parts)


class ArenaUnreachable(KitError):
    """The arena did not answer for longer than the client's patience."""


class NoLegalList(KitError):
    """The session gives no list of legal moves: the bot has to find them itself."""


def _example(document: Mapping[str, Any]) -> dict[str, Any] | None:
    value = document.get("example") or document.get("legal_example") or document.get("legal")
    if isinstance(value, list):
        value = value[0] if value else None
    return dict(value) if isinstance(value, Mapping) else None
