"""What operators watch: is the referee ready, and how much is in play, waiting and queued.

Looks only; counting is in `meters`. Nothing here names a bot.
"""

from __future__ import annotations

from typing import Any

from arena.referee.context import Context


def health(context: Context, *, sweeper: bool, reason: str | None) -> dict[str, Any]:
    """The health document. sweeper: is it alive? reason: why the log cannot be written, if so."""
    store = reason is None
    return {
        "ready": store and sweeper and not context.stopping,
        "store": store,
        "sweeper": sweeper,
        "stopping": context.stopping,
        "sessions": len(context.sessions),
        "tables": len(context.tables),
        "hands": len(context.hands),
        "turns": len(context.open_turns),
        "waiting": context.bell.waiting(),
        **({} if reason is None else {"reason": reason}),
    }


def watch_depths(context: Context) -> None:
    """Let the metrics look up, when they are asked for, how much there is of what."""
    watch = context.metrics.watch
    watch("arena_sessions", "Sessions in play.", lambda: len(context.sessions))
    watch("arena_tables", "Tables in play.", lambda: len(context.tables))
    watch("arena_hands", "Hands in play.", lambda: len(context.hands))
    watch("arena_turns_waiting", "Turns that wait for their bots.", lambda: len(context.open_turns))
    watch("arena_waiters", "Requests that wait for something.", context.bell.waiting)
    watch("arena_jobs_queue", "Jobs that wait for a worker.", lambda: len(context.jobs))
    watch("arena_store_queue", "Writes that wait for the writer.", context.store.queued)
