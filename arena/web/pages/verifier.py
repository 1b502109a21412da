"""The program in JavaScript that checks a record without this arena, and the part of it that pages
share with it: its pure functions, which stand before everything that needs Node."""

from __future__ import annotations

import re

from arena.resources import SAMPLE_BOTS, folder

VERIFIER = "verify_record.mjs"
PROGRAM_BEGINS = b"\n// ---- The program, which needs Node ----\n"


def verifier() -> bytes:
    """The program, as anybody may download it."""
    return (folder(SAMPLE_BOTS) / VERIFIER).read_bytes()


def shared_functions() -> bytes:
    """What browsers run of it: without the comments, which are for who reads the program."""
    return re.sub(rb"(?m)^ *//.*\n", b"", verifier().partition(PROGRAM_BEGINS)[0])
