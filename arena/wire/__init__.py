"""The wire format: the only package that knows the names of JSON members.

Core values go out as plain data (dict, list, str, int, bool, None) and come in from it; what comes
from outside is checked here, value by value, before it becomes a command. Shapes are also fixed by
the files in `schemas/`; tests hold the two together.
"""

from __future__ import annotations

from arena.wire.commands import read_answer, read_command, write_command
from arena.wire.events import read_event, shared_event, write_event
from arena.wire.remarks import KEPT, NO_REMARKS, NONCE, NONCE_BYTES, REMARKS, read_remarks
from arena.wire.turns import (
    KINDS,
    LEGAL_CAP,
    legal_entries,
    meld_entry,
    menu_entries,
    menu_fields,
    seat_fields,
    turn_fields,
)

__all__ = [
    "KEPT",
    "KINDS",
    "LEGAL_CAP",
    "NONCE",
    "NONCE_BYTES",
    "NO_REMARKS",
    "REMARKS",
    "legal_entries",
    "meld_entry",
    "menu_entries",
    "menu_fields",
    "read_answer",
    "read_command",
    "read_event",
    "read_remarks",
    "seat_fields",
    "shared_event",
    "turn_fields",
    "write_command",
    "write_event",
]
