"""An answer of the protocol in few words. It knows no rule."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from arena.wire.remarks import REMARKS


def in_words(body: Mapping[str, Any]) -> str:
    """An answer as people write it: `pass`, `S4 S5`, `S4 JK as S4 S5`; any other as JSON."""
    if body.get("pass") is True:
        return "pass"
    cards = body.get("cards")
    if not isinstance(cards, list):
        answer = {name: value for name, value in body.items() if name not in REMARKS}
        return json.dumps(answer, ensure_ascii=False)
    roles = f" as {' '.join(map(str, body['as']))}" if isinstance(body.get("as"), list) else ""
    return (" ".join(map(str, cards)) or "no cards") + roles
