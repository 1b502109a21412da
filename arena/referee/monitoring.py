"""What operators watch: is the referee ready, and how much is in play, waiting and queued.

Looks only; counting is in `meters`. Nothing here names a bot.
"""

from __future__ import annotations

from typing import Any

from arena.referee.context import Hall


def health(hall: Hall, *, sweeper: bool, reason: str | None) -> dict[str, Any]:
    """The health document. sweeper: is it alive? reason: why the log cannot be written, if so."""
    store = reason is None
    return {
        "ready": store and sweeper and not hall.stopping,
        "store": store,
        "sweeper": sweeper,
        "stopping": hall.stopping,
        "sessions": len(hall.sessions),
        "tables": len(hall.tables),
        "hands": len(hall.hands),
        "turns": len(hall.desk),
        "waiting": hall.bell.waiting(),
        **({} if reason is None else {"reason": reason}),
    }


def watch_depths(hall: Hall) -> None:
    """Let the metrics look up, when they are asked for, how much there is of what."""
    watch = hall.meters.watch
    watch("arena_sessions", "Sessions in play.", lambda: len(hall.sessions))
    watch("arena_tables", "Tables in play.", lambda: len(hall.tables))
    watch("arena_hands", "Hands in play.", lambda: len(hall.hands))
    watch("arena_turns_waiting", "Turns that wait for their bots.", lambda: len(hall.desk))
    watch("arena_waiters", "Requests that wait for something.", hall.bell.waiting)
    watch("arena_jobs_queue", "Jobs that wait for a worker.", lambda: len(hall.jobs))
    watch("arena_store_queue", "Writes that wait for the writer.", hall.store.queued)
