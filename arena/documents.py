"""What a JSON object is called throughout the arena, whoever writes or reads it."""

from __future__ import annotations

from typing import Any

Document = dict[str, Any]
"""A JSON object. What comes from outside is checked against `schemas/` before it is called so."""
