"""Faults: the owner is told of the 1st, the 10th, the 100th of a kind, not of thousands.

They are counted by session, bot and cause in the store, in the write of the step by which the
referee answers. What this process has counted it keeps, so that a fault costs no read; if a write
fails, that is forgotten and read anew. If a session comes back to a referee, another one has
counted meanwhile: then a notice comes twice, or a moment later.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from arena.notices.recording import message, notice
from arena.session.notices import ABSENT, CAUSES, FAULT, is_milestone
from arena.store.port import AddOne, Change, Store

MESSAGES = {FAULT: "bot.fault", ABSENT: "bot.absent"}


class BotFault(NamedTuple):
    """A turn that the referee answered. shown: the bot's id and name as everybody is told them.

    counts: what this process has counted in the session, by key.
    """

    session: str
    bot: str
    shown: tuple[str, str]
    cause: str
    table: str
    hand: str
    turn: str
    counts: dict[str, int]

    @property
    def key(self) -> str:
        """Under which key such faults are counted."""
        return fault_key(self.session, self.bot, self.cause)


def fault_key(session: str, bot: str, cause: str) -> str:
    """Under which key the faults of a bot are counted."""
    return f"faults/{session}/{bot}/{cause}"


def fault_keys(session: str, bot: str) -> list[str]:
    """All such keys of a bot in a session."""
    return [fault_key(session, bot, cause) for cause in CAUSES]


def fault_changes(store: Store, faults: Iterable[BotFault], now_ms: int) -> list[Change]:
    """What counts the faults, and tells of those that are milestones."""
    found: list[Change] = []
    for fault in faults:
        if fault.cause in CAUSES:
            found.append(AddOne(fault.key))
            count = _count(store, fault)
            if is_milestone(count):
                found += _notices(store, fault, count, now_ms=now_ms)
    return found


def _count(store: Store, fault: BotFault) -> int:
    """How many there are with this one."""
    known = fault.counts.get(fault.key)
    if known is None:
        known = store.counter(fault.key) or 0
    fault.counts[fault.key] = known + 1
    return known + 1


def forget_counts(faults: Iterable[BotFault]) -> None:
    """The faults were not written: their numbers are read anew when they are needed next."""
    for fault in faults:
        fault.counts.pop(fault.key, None)


def _notices(store: Store, fault: BotFault, count: int, *, now_ms: int) -> list[Change]:
    kind = ABSENT if fault.cause == "absent" else FAULT
    where = {"table": fault.table, "hand": fault.hand}
    counted = {"cause": fault.cause, "count": count}
    bot, name = fault.shown
    public = {"bot": bot, "name": name, **counted, **where}
    own = {**counted, **where, "turn": fault.turn}
    return [
        *notice(fault.bot, fault.session, kind, data=own, now_ms=now_ms),
        *message(store, fault.session, MESSAGES[kind], data=public, now_ms=now_ms),
    ]
