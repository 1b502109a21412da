"""Subscriptions: where the messages of a session go, as one note of the store for each session.

The note has the address, the secret, and up to which round it has been reported that rounds have
ended. Whoever changes it names what was read, so of two at once one fails and looks again.
"""

from __future__ import annotations

from typing import NamedTuple

import orjson

from arena.store.port import Change, DropNote, NoteRow, SetNote, Store


class Subscription(NamedTuple):
    """rounds: up to which number the end of rounds is reported. text: the note as it was read."""

    url: str
    secret: str
    rounds: int = 0
    text: str | None = None

    def __repr__(self) -> str:
        """Without the secret, and the address, which may hold one."""
        return f"Subscription(rounds={self.rounds})"


def note_key(session: str) -> str:
    """Under which key the note of a session lies."""
    return f"notify/{session}"


def subscription(store: Store, session: str) -> Subscription | None:
    """Where the messages of a session go, None if nowhere."""
    text = store.note(note_key(session))
    return None if text is None else Subscription(**orjson.loads(text), text=text)


def change(session: str, before: Subscription | None, after: Subscription | None) -> list[Change]:
    """What to write so that this holds instead of what was read."""
    key = note_key(session)
    if after is None:
        return [] if before is None else [DropNote(key)]
    text = orjson.dumps({"url": after.url, "secret": after.secret, "rounds": after.rounds}).decode()
    if before is None:
        return [NoteRow(key, text)]
    assert before.text is not None  # it was read
    return [SetNote(key, text, was=before.text)]
