"""Renaming: a bot has another name from now on, in whatever is shown or written after that.

Its id, its owner, its entries and its results stay. Record files that have been written keep the
name that they have, a hand that runs keeps it to its end. The former name stands in the audit log
and is free again. A bot that the document of one of its sessions names cannot be renamed: an anchor
or a finalist is known by its name there, also when the session is over.
"""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from arena.errors import Conflict
from arena.identity.registry import RENAMED, Registry
from arena.organising.publishing import audit_row
from arena.organising.revoking import bot_row
from arena.referee.context import Context, Ports
from arena.session.confusables import skeleton
from arena.session.names import check_name
from arena.store.port import AddOne, BotRow, SetName
from arena.store.reading import all_entries_of, session_row


def rename_bot(context: Context, bot: str, name: str) -> None:
    """Give a bot another name, as its owner asks. The same name again changes nothing.

    Raises BadInput for a bad name and for what is not a bot, Conflict for a name that is taken or
    looks like one, and for a bot that a document names.
    """
    check_name(name)
    row = bot_row(context.registry, bot)
    if row.name == name:
        return
    _check_free(context.registry, row, name)
    _check_unnamed(context, row)
    detail = {"bot": row.id, "before": row.name, "after": name}
    context.store.write(
        SetName(row.id, name, skeleton(name), was=row.name),
        AddOne(RENAMED),
        audit_row(context.clock, row.id, "bot.rename", detail),
    )
    context.registry.forget(row.id)
    context.in_play.renamed(row.id, name)


def _check_free(registry: Registry, row: BotRow, name: str) -> None:
    """Raises Conflict for a name of somebody else; one that looks like its own is a bot's own."""
    other = registry.named(name)
    if other is not None and other.id != row.id:
        registry.check_free(name)


def _check_unnamed(ports: Ports, row: BotRow) -> None:
    pieces = ports.long_work.pieces()
    for entry in all_entries_of(ports.store, row.id):
        pieces.pause()
        document = orjson.loads(session_row(ports.store, entry.session).document)
        if row.name in named_in(document):
            message = f"the document of session {entry.session} names {row.name!r}"
            raise Conflict(row.name, f"{message}: it is known by this name there and keeps it")


def named_in(document: dict[str, object]) -> frozenset[str]:
    """The names of bots that a session's document has."""
    schedule = document.get("schedule")
    members = schedule if isinstance(schedule, dict) else {}
    lists = [members.get(name) for name in ("regulars", "finalists", "apart")]
    return frozenset(_texts([document.get("anchor"), document.get("benchmarks"), *lists]))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
