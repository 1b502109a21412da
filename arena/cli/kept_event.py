"""What is kept of an event beside its database, so that it can go on after it was stopped.

The bots' tokens are known to the process that registered them and to nobody else; without them a
session in the database could not be played on. The file may be read by its owner only.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from arena.errors import BadInput

NAME = "event.json"
PRIVATE = 0o600


class KeptEvent(NamedTuple):
    """An event that has begun. document: the session's, as it was asked for; tokens: by bot."""

    session: str
    document: dict[str, Any]
    tokens: dict[str, str]


def save(folder: Path, kept: KeptEvent) -> None:
    """Write it into the folder of the event, whole or not at all."""
    target = folder / NAME
    unfinished = target.with_suffix(".tmp")
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE), "w") as file:
        json.dump(kept._asdict(), file)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(target)


def load(folder: Path) -> KeptEvent | None:
    """What was saved in a folder; None if nothing was. Raises BadInput for another file."""
    file = folder / NAME
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    try:
        kept = KeptEvent(**json.loads(text))
    except (ValueError, TypeError) as error:
        raise BadInput("file", str(file), "one that arena run has written") from error
    whole = isinstance(kept.session, str) and isinstance(kept.document, dict)
    if not whole or not isinstance(kept.tokens, dict):
        raise BadInput("file", str(file), "one that arena run has written")
    return kept


def check_same(kept: KeptEvent, document: dict[str, Any], bots: list[str], folder: Path) -> None:
    """Raises BadInput if an event was begun with another document or other bots."""
    if kept.document != document or sorted(kept.tokens) != sorted(bots):
        expected = "a new folder: the event in it has another document or other bots"
        raise BadInput("--folder", str(folder), expected)
