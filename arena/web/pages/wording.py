"""Words that several pages share."""

from __future__ import annotations

from collections.abc import Mapping

STATUS: Mapping[str, str] = {
    "created": "not open yet",
    "open": "open: bots may enter",
    "running": "being played",
    "paused": "paused",
    "finished": "finished",
    "cancelled": "cancelled",
}
