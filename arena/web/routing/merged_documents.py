"""Polls and answers of several homes as one document, as if one referee had given it.

Pure functions over plain data. What a home said is taken whole or not at all: its cursor stands for
all its turns. This module may not know how homes are asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from arena.documents import Document
from arena.text.describing import turns_in_words
from arena.web.routing.cursors import Cursors


class Polled(NamedTuple):
    """Turns of several homes. cursors: of each home, what is known of it now."""

    turns: list[Document]
    poll_after_ms: int
    cursors: Cursors


def merge_polls(polls: Mapping[str, Document], before: Cursors, most: int) -> Polled:
    """What several homes said to a poll as one answer of at most so many turns.

    polls: by home, those first that should come first. before: the cursors that were asked with. Of
    a home whose turns do not fit, none comes and its cursor stays: they come with the next poll.
    """
    turns: list[Document] = []
    cursors = dict(before)
    for home, poll in polls.items():
        if len(turns) + len(poll["turns"]) > most:
            continue
        turns += poll["turns"]
        if poll["cursor"] is not None:
            cursors[home] = poll["cursor"]
    later_ms = min((poll["poll_after_ms"] for poll in polls.values()), default=0)
    return Polled(turns, 0 if turns else later_ms, cursors)


def from_next(answered: Document) -> Document:
    """The poll that came with answers to many turns."""
    return {**answered, "turns": answered["next"]}


def poll_document(polled: Polled, cursor: int | None) -> Document:
    """An answer to a poll."""
    return {"turns": polled.turns, "poll_after_ms": polled.poll_after_ms, "cursor": cursor}


def next_members(polled: Polled, cursor: int | None) -> Document:
    """The members of a poll as they come with an answer."""
    return {"next": polled.turns, "poll_after_ms": polled.poll_after_ms, "cursor": cursor}


def in_words(polled: Polled, cursor: int | None, before: str = "") -> bytes:
    """A poll as text. before: what stands above it."""
    says = turns_in_words(polled.turns, polled.poll_after_ms, cursor)
    return (f"{before}\n{says}\n" if before else f"{says}\n").encode()
