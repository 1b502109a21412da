"""A stand-in of an arena with scripted hands: what a bot's own tests run against.

One bot sits at a table whose deals and whose other players' answers stand in a file. It plays over
HTTP as always; what it was asked and how it answered is told afterwards, and so is where it did not
answer as the file expects.
"""

from __future__ import annotations

from arena.mock.playing import HandReport, MockTable, MockTurn
from arena.mock.script import MockScript, ScriptedHand, read_script

__all__ = ["HandReport", "MockScript", "MockTable", "MockTurn", "ScriptedHand", "read_script"]
