"""What operators watch: is the referee ready, and how much is in play, waiting and queued.

Looks only; counting is in `metrics`. Nothing here names a bot.
"""

from __future__ import annotations

from typing import Any

from arena.referee.context import Context, Signals
from arena.referee.in_play import InPlay


def health(
    in_play: InPlay, signals: Signals, *, sweeper: bool, reason: str | None
) -> dict[str, Any]:
    """The health document. sweeper: is it alive? reason: why the log cannot be written, if so."""
    store = reason is None
    return {
        "ready": store and sweeper and not signals.bell.stopped,
        "store": store,
        "sweeper": sweeper,
        "stopping": signals.bell.stopped,
        "sessions": len(in_play.sessions),
        "tables": len(in_play.tables),
        "hands": len(in_play.hands),
        "turns": len(signals.open_turns),
        "waiting": signals.bell.waiting(),
        **({} if reason is None else {"reason": reason}),
    }


def watch_depths(context: Context) -> None:
    """Let the metrics look up, when they are asked for, how much there is of what."""
    watch = context.metrics.watch
    watch("arena_sessions", "Sessions in play.", lambda: len(context.in_play.sessions))
    watch("arena_tables", "Tables in play.", lambda: len(context.in_play.tables))
    watch("arena_hands", "Hands in play.", lambda: len(context.in_play.hands))
    watch(
        "arena_tables_quarantined",
        "Tables that are not played on, since the log of a hand is damaged.",
        lambda: sum(t.damage is not None for t in tuple(context.in_play.tables.values())),
    )
    watch(
        "arena_turns_waiting",
        "Turns that wait for their bots.",
        lambda: len(context.signals.open_turns),
    )
    watch("arena_waiters", "Requests that wait for something.", context.signals.bell.waiting)
    watch("arena_jobs_queue", "Jobs that wait for a worker.", lambda: len(context.signals.jobs))
    watch("arena_store_queue", "Writes that wait for the writer.", context.store.queued)
