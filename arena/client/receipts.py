"""Receipts: what a bot was sent and what was accepted of it, kept in a file of its own.

Each turn and each accepted answer comes with the length and the hash of the log of its hand. The
last of each hand is a line of the file, together with a hash of all events that the seat was shown
and of its answers: `arena verify RECORD --receipts FILE` holds a record to it. Only hands that are
being played are kept in memory, and the hand before where an answer is still under way: the next
hand may be heard of first. May not talk to the arena, and nothing that fails here may cost a bot a
turn.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.client.problems import KitError
from arena.documents import Document

LOG = logging.getLogger("arena.client")
RECEIPT = "daifugo-arena/receipt/1"
BEGINNING = b'{"format":"%b",' % RECEIPT.encode()
LONGEST_BYTES = 1 << 20
"""More than any receipt has."""
BESIDE = frozenset({"note", "thought_ms"})
"""Members of an answer that are no part of it."""


class HandReceipt:
    """What is known of one hand. log: the last receipt; count: how many events were hashed; menus:
    what may be answered to open turns."""

    __slots__ = ("answers", "count", "hand", "log", "menus", "seat", "seen", "session")

    def __init__(self, session: str, hand: str, seat: int) -> None:
        self.session, self.hand, self.seat = session, hand, seat
        self.log: Document = {}
        self.count = 0
        self.seen = hashlib.sha256()
        self.answers: dict[str, str] = {}
        self.menus: dict[str, Sequence[Any]] = {}

    def take(self, log: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> None:
        """The log has come as far as this, with these events at its end. Events that are missing
        before them leave the rest unhashed."""
        start = int(log["seq"]) - len(events)
        if start <= self.count:
            for event in events[self.count - start :]:
                self.seen.update(_canonical(event) + b"\n")
            self.count = max(self.count, int(log["seq"]))
        if not self.log or log["seq"] >= self.log["seq"]:
            self.log = {"seq": log["seq"], "hash": log["hash"]}

    def line(self, arena: str) -> bytes:
        """Its line of the file."""
        whole = self.count == self.log["seq"]
        document = {
            "format": RECEIPT,
            "arena": arena,
            "session": self.session,
            "hand": self.hand,
            "seat": self.seat,
            "log": self.log,
            "seen": self.seen.hexdigest() if whole else None,
            "answers": self.answers,
        }
        return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class Receipts:
    """The receipts of one bot. Use it as a context: what is still played is written at its end.

    path: of the file, to which lines are appended; arena: its address. Raises KitError if the file
    cannot be written.
    """

    def __init__(self, path: str | Path, arena: str) -> None:
        self.path, self.arena = Path(path), arena
        self._tables: dict[str, HandReceipt] = {}
        self._before: dict[str, HandReceipt] = {}  # the last hand of a table, see `_end_hand`
        self._failed = False
        try:
            self._file = open(self.path, "ab+", buffering=0)  # noqa: SIM115
            self._mend()
        except OSError as error:
            raise KitError(f"receipts cannot be kept in {self.path}: {error.strerror}") from error

    def __enter__(self) -> Receipts:
        return self

    def __exit__(self, *_: object) -> None:
        self._write([*self._before.values(), *self._tables.values()])
        self._before.clear()
        self._tables.clear()
        self._file.close()

    def _mend(self) -> None:
        """A process that was killed may have left half a receipt as the last line: it goes. What
        else stands there is not ours, and stays."""
        at = self._file.seek(0, os.SEEK_END)
        self._file.seek(max(0, at - LONGEST_BYTES))
        last = self._file.read().rpartition(b"\n")[2]
        if last.startswith(BEGINNING) or BEGINNING.startswith(last):
            self._file.truncate(at - len(last))
        else:
            self._file.write(b"\n")

    def lacks(self, turn: Mapping[str, Any]) -> bool:
        """Are events missing that came before those of a turn?"""
        known = self._tables.get(turn["table"])
        count = 0 if known is None or known.hand != turn["hand"] else known.count
        return int(turn.get("events_from", 0)) > count

    def note_turn(self, turn: Mapping[str, Any], earlier: Sequence[Mapping[str, Any]] = ()) -> None:
        """A turn was sent. earlier: all events of its hand from the first on, where some are
        missing; fewer where they cannot be had."""
        log, events = _log_of(turn), list(turn.get("events", ()))
        if log is None:
            return
        known = self._tables.get(turn["table"])
        if known is None or known.hand != turn["hand"]:
            self._end_hand(turn["table"])
            known = HandReceipt(turn["session"], turn["hand"], turn["seat"])
            self._tables[turn["table"]] = known
        known.menus[turn["turn"]] = turn.get("legal") or ()
        start = log["seq"] - len(events)
        if known.count < start <= len(earlier):
            events = [*earlier[known.count : start], *events]
        known.take(log, events)

    def note_answer(
        self, turn: str, answer: Mapping[str, Any], accepted: Mapping[str, Any]
    ) -> None:
        """An answer was accepted. turn: the id; accepted: the reply."""
        log = _log_of(accepted)
        hands = (*self._tables.values(), *self._before.values())
        known = next((hand for hand in hands if turn in hand.menus), None)
        if log is None or known is None:
            return
        bare = _bare(answer, known.menus.pop(turn))
        known.answers[turn] = hashlib.sha256(_canonical(bare)).hexdigest()
        known.take(log, list(accepted.get("events", ())))
        if not known.menus:
            self._end_before(lambda hand: hand is known)

    def end_session(self, session: str) -> None:
        """A session is over: its hands are."""
        self._end_before(lambda hand: hand.session == session)
        ended = {table: hand for table, hand in self._tables.items() if hand.session == session}
        self._write(ended.values())
        for table in ended:
            del self._tables[table]

    def _end_hand(self, table: str) -> None:
        """The next hand has begun at a table. What answers to its turns were not noted may come
        yet, where they are given beside each other; what the referee answered never does."""
        earlier, ended = self._before.pop(table, None), self._tables.pop(table, None)
        if ended is not None and ended.menus:
            self._before[table] = ended
            ended = None
        self._write(hand for hand in (earlier, ended) if hand is not None)

    def _end_before(self, is_ended: Callable[[HandReceipt], bool]) -> None:
        """Write what was kept of last hands."""
        ended = {table: hand for table, hand in self._before.items() if is_ended(hand)}
        self._write(ended.values())
        for table in ended:
            del self._before[table]

    def _write(self, hands: Iterable[HandReceipt]) -> None:
        lines = b"".join(hand.line(self.arena) for hand in hands)
        if not lines:
            return
        try:
            self._file.write(lines)  # at once, so that nobody finds half a line
        except OSError as error:
            if not self._failed:
                LOG.error("receipts cannot be kept in %s: %s", self.path, error.strerror)
            self._failed = True


def _log_of(document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The receipt in a document; None from an arena that gives none."""
    log = document.get("log")
    if not isinstance(log, Mapping) or not isinstance(log.get("hash"), str):
        return None
    return log if isinstance(log.get("seq"), int) else None


def _bare(answer: Mapping[str, Any], menu: Sequence[Any]) -> Mapping[str, Any]:
    """An answer without what stands beside it; a choice as the entry of `legal` that it means."""
    bare = {name: value for name, value in answer.items() if name not in BESIDE}
    choice = bare.get("choice")
    if isinstance(choice, int) and 0 <= choice < len(menu):
        return dict(menu[choice])
    return bare


def _canonical(document: Mapping[str, Any]) -> bytes:
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()
