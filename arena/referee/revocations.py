"""Tokens that other processes have taken away or given back: who waits with one is let go.

Tokens themselves are the registry's.
"""

from __future__ import annotations

from arena.referee.context import Context


def follow_bot(context: Context, bot: str) -> None:
    """Another process has changed a bot's token: whoever waits with the old one waits no longer."""
    context.registry.forget(bot)
    row = context.store.bot(bot)
    if row is not None and row.revoked:
        context.bell.bar(bot)
    else:
        context.bell.admit(bot)
        context.bell.dismiss(bot)


def admit_restored(context: Context) -> None:
    """Let those wait again whose token another process has given back, unheard."""
    for bot in context.bell.barred():
        row = context.store.bot(bot)
        if row is not None and not row.revoked:
            context.bell.admit(bot)
