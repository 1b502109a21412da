"""Answers as a person writes them in a file or on a command line: `pass`, `S4S5`, `3`, JSON."""

from __future__ import annotations

import json
from typing import Any

from arena.documents import Document
from arena.errors import BadInput

FORMS = 'pass, cards such as S4S5, a number of the list, or JSON such as {"cards": ["S4"]}'


def short_answer(text: str) -> Document:
    """The answer as a bot would send it. Raises `BadInput` for what has none of the forms."""
    squeezed = "".join(text.split())
    if squeezed == "pass":
        return {"pass": True}
    if squeezed.isdecimal():
        return {"choice": int(squeezed)}
    if squeezed.startswith("{"):
        return _from_json(text)
    if not squeezed or len(squeezed) % 2:
        raise BadInput("answer", text, FORMS)
    return {"cards": [squeezed[at : at + 2] for at in range(0, len(squeezed), 2)]}


def _from_json(text: str) -> Document:
    try:
        document: Any = json.loads(text)
    except json.JSONDecodeError:
        raise BadInput("answer", text, FORMS) from None
    assert isinstance(document, dict), "it begins with a brace"
    return document


def shortened(entry: Document) -> str:
    """An answer in few words, as `short_answer` takes it where there is a short form."""
    if entry.get("pass"):
        return "pass"
    if "cards" in entry and not entry.get("as"):
        return " ".join(entry["cards"])
    return json.dumps(entry)
