"""What the arena answers, as documents and exceptions, however it was asked.

No network in here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from arena.client import retry
from arena.client.problems import ArenaProblem
from arena.documents import Document
from arena.version import __version__

HEADERS = {"Accept": "application/json", "User-Agent": f"daifugo-arena-kit/{__version__}"}
"""Sent with every request."""
REDIRECTS = frozenset({301, 302, 303, 307, 308})


def read_object(content: bytes, *, status: int, url: str) -> Document:
    """The JSON object of an answer that is no error; {} for an empty one. Raises ArenaProblem for
    anything else: whatever answers at `url` is no arena."""
    document = _read(content) if content else {}
    if not isinstance(document, dict):
        detail = f"{url} did not answer with JSON: is it an arena?"
        raise ArenaProblem(status, {"detail": detail})
    return document


def read_problem(
    status: int, headers: Mapping[str, str], content: bytes, *, title: str | None
) -> ArenaProblem:
    """The exception for an answer that is an error, or leads somewhere else. `title`: the words
    beside the status."""
    document = _read(content)
    if not isinstance(document, dict):
        text = content.decode(errors="replace")
        document = {"title": title, "detail": text[:200].strip()}
    if status in REDIRECTS and "Location" in headers:
        document = {"detail": f"the arena has moved to {headers.get('Location')}"}
    asked = headers.get("Retry-After") or document.get("retry_after_s")
    return ArenaProblem(status, document, retry_after_s=retry.read_retry_after(asked))


def _read(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None
