"""Tokens that other processes have taken away or given back: who waits with one is let go.

Tokens themselves are the registry's.
"""

from __future__ import annotations

from arena.referee.context import Hall


def follow_bot(hall: Hall, bot: str) -> None:
    """Another process has changed a bot's token: whoever waits with the old one waits no longer."""
    hall.registry.forget(bot)
    row = hall.store.bot(bot)
    if row is not None and row.revoked:
        hall.bell.bar(bot)
    else:
        hall.bell.admit(bot)
        hall.bell.dismiss(bot)


def admit_restored(hall: Hall) -> None:
    """Let those wait again whose token another process has given back, unheard."""
    for bot in hall.bell.barred():
        row = hall.store.bot(bot)
        if row is not None and not row.revoked:
            hall.bell.admit(bot)
