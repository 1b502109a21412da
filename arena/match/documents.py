"""The documents that a bot of the kit reads in a match in this process.

A turn document is written as it is read: a bot that looks at three members pays for three.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from arena import wire
from arena.client.history import pack
from arena.documents import Document
from arena.match.tables import SeatView, TableSetup
from arena.rules import legal, redact
from arena.session.hand_log import log_receipt
from arena.statuses import SessionStatus

MOVE_MS = 5_000
BANK_MS = 60_000
SESSION = "local"
NO_TIME = "1970-01-01T00:00:00Z"
NO_COMMITMENT = "0" * 64
NO_HASH = bytes(32)
SAME = {
    "session": SESSION,
    "commitment": NO_COMMITMENT,
    "server_time": NO_TIME,
    "deadline": NO_TIME,
    "remaining_ms": MOVE_MS,
    "bank_ms": BANK_MS,
    "previous": None,
}
"""What all turn documents have in common."""


class LocalTurn(Mapping[str, Any]):
    """The turn document of the seat that is asked; no member is written before it is looked at.

    since: how many events of the hand it knows already; hints: with what it may answer. What is
    read later is what was true when it was asked.
    """

    __slots__ = ("_end", "_hints", "_look", "_since", "_written")

    def __init__(self, look: SeatView, *, since: int = 0, hints: bool = True) -> None:
        self._look, self._since, self._hints = look, since, hints
        self._end = len(look.events)
        self._written: Document = {}

    def __getitem__(self, member: str) -> Any:
        written = self._written
        if member not in written:
            write = WRITERS.get(member)
            if write is not None:
                written |= write(self)
            elif member in SAME:
                return SAME[member]
        return written[member]

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole())

    def __len__(self) -> int:
        return len(self._whole())

    def _whole(self) -> Document:
        """The document, written to its end."""
        for member, write in WRITERS.items():
            if member not in self._written:
                self._written |= write(self)
        return {**SAME, **self._written}

    # The parts that are written together

    def heading(self) -> Document:
        """Which turn it is."""
        look = self._look
        hand, table = hand_id(look), table_id(look.setting)
        return {
            "turn": f"{hand}.{look.state.seq}.{look.seat}",
            "table": table,
            "hand": hand,
            "hand_number": look.hand,
            "hands": look.setting.hands,
            "seat": look.seat,
            "fingerprint": look.setting.rules.fingerprint,
        }

    def kind(self) -> Document:
        """What is asked, alone: for who reads nothing else."""
        question = self._look.state.question_for(self._look.seat)
        return {"kind": "play" if question is None else question.kind}

    def game(self) -> Document:
        """What the seat sees."""
        look = self._look
        names = [look.setting.bots[player] for player in look.seating]
        bots = list(zip(names, names, strict=True))
        return wire.seat_fields(look.setting.rules, look.state, look.seat, bots)

    def menu(self) -> Document:
        """What it may answer."""
        if not self._hints:
            return {}
        look = self._look
        return wire.menu_fields(legal(look.setting.rules, look.state, look.seat))

    def events(self) -> Document:
        """What has happened since it was asked last."""
        documents = _documents(self._look, self._since, self._end)
        return {"events_from": self._since, "events": documents}

    def log(self) -> Document:
        """How long the log is; nobody hashes it here."""
        return {"log": log_receipt(self._end, NO_HASH)}


PARTS: Mapping[Callable[[LocalTurn], Document], tuple[str, ...]] = {
    LocalTurn.heading: (*("turn", "table", "hand", "hand_number", "hands", "seat", "fingerprint"),),
    LocalTurn.kind: ("kind",),
    LocalTurn.game: (
        *("pile", "order", "pending_revolution", "lock", "direction", "players", "cleared"),
        *("held", "must"),
    ),
    LocalTurn.menu: ("legal", "legal_more"),
    LocalTurn.events: ("events_from", "events"),
    LocalTurn.log: ("log",),
}
WRITERS = {member: write for write, members in PARTS.items() for member in members}
"""Who writes a member, together with others."""


class LocalHistory:
    """What a turn can look up about its hand: all of it is here."""

    __slots__ = ("_end", "_look", "_options")

    def __init__(self, look: SeatView, options: Mapping[str, Any]) -> None:
        self._look, self._options = look, options
        self._end = len(look.events)

    def events(self, turn: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """All events of the hand up to this turn."""
        return [*_documents(self._look, 0, self._end)]

    def pack(self, turn: Mapping[str, Any]) -> tuple[str, ...]:
        """The cards of the session, before the deal."""
        return pack(self._options)

    def options(self, turn: Mapping[str, Any]) -> Mapping[str, Any]:
        """The resolved options of the session."""
        return self._options


def session_document(setting: TableSetup) -> Document:
    """What a bot knows of the session: rules, size, number of hands, a clock that never runs."""
    return {
        "session": SESSION,
        "id": SESSION,
        "name": SESSION,
        "status": SessionStatus.RUNNING,
        "seats": len(setting.bots),
        "hands_per_table": setting.hands,
        "ruleset": {"options": dict(setting.rules.document)},
        "options": dict(setting.rules.document),
        "fingerprint": setting.rules.fingerprint,
        "clock": {"move_ms": MOVE_MS, "bank_ms": BANK_MS},
        "legal": True,
    }


def table_id(setting: TableSetup) -> str:
    """What the table is called."""
    return f"{setting.block}-{setting.turned}"


def hand_id(look: SeatView) -> str:
    """What the hand is called."""
    return f"{table_id(look.setting)}-h{look.hand:03}"


def whole_log(look: SeatView) -> list[Document]:
    """The hand so far, as its seat may know it."""
    return _documents(look, 0, len(look.events))


def _documents(look: SeatView, since: int, end: int) -> list[Document]:
    return [wire.write_event(redact(event, look.seat)) for event in look.events[since:end]]
