"""Revoking: a bot whose token is taken away waits no longer, and plays no longer.

What is done here is done for all processes: each hears of it and lets the bot's requests go. Tokens
themselves are the registry's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from arena.errors import BadInput, NotHome
from arena.identity.registry import Registry
from arena.organising.auditing import By
from arena.organising.leaving import take_out
from arena.referee.context import Context
from arena.statuses import OVER, BotKind, EntryStatus
from arena.store.port import BotRow, Store
from arena.store.reading import all_entries_of, session_row


def revoke_bot(context: Context, bot: str, *, actor: str, retired: bool = False) -> None:
    """Take a bot's token away, end its waiting requests, withdraw it from all that is not over.

    bot: an id or a name. retired: its owner does so; its name and its results stay. Doing it again
    does what is left to do. Raises NotFound, BadInput for what is not a bot.
    """
    row = bot_row(context.registry, bot)
    if not row.revoked:
        context.registry.revoke(row.id, actor, retired=retired)
    context.signals.bell.bar(row.id)
    for session in tuple(_entered(context.store, row.id)):
        with suppress(NotHome):  # its home hears of the token, and withdraws the bot
            take_out(context, session, row.id, status=EntryStatus.WITHDRAWN, by=By(actor))


def restore_bot(context: Context, bot: str, *, actor: str) -> str:
    """A new token for a revoked bot. Entries that were withdrawn stay withdrawn.

    Raises NotFound, BadInput for what is not a bot, Conflict if its token is good.
    """
    row = bot_row(context.registry, bot)
    token = context.registry.restore(row.id, actor)
    context.signals.bell.admit(row.id)
    return token


def bot_row(registry: Registry, bot: str) -> BotRow:
    """A bot by id or name. Raises NotFound, BadInput for what is not a bot."""
    row = registry.row(bot)
    if row.kind != BotKind.BOT:
        raise BadInput("bot", row.name, "a bot, not an organiser or a house bot")
    return row


def _entered(store: Store, bot: str) -> Iterator[str]:
    """The sessions that a bot is in and that are not over."""
    for entry in all_entries_of(store, bot):
        if (
            entry.status == EntryStatus.ENTERED
            and session_row(store, entry.session).status not in OVER
        ):
            yield entry.session
