"""`arena play` with somebody at the other end who reads nothing but what was printed."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from random import Random
from typing import NamedTuple
from unittest import mock

from arena.cli.terminal.play import command

LISTED = re.compile(r"^(\d+): ", re.MULTILINE)
Reader = Callable[[str], str]
"""What somebody types, given what was printed since they last typed; "" ends the input."""


class Played(NamedTuple):
    """How `arena play` ended. typed: the lines that were typed."""

    code: int
    text: str
    typed: list[str]


class Keyboard(io.StringIO):
    """A standard input on which a reader of the standard output types."""

    def __init__(self, reader: Reader, output: io.StringIO) -> None:
        super().__init__()
        self.reader = reader
        self.output = output
        self.read_so_far = 0
        self.typed: list[str] = []

    def readline(self, size: int | None = -1, /) -> str:
        text = self.output.getvalue()
        fresh, self.read_so_far = text[self.read_so_far :], len(text)
        line = self.reader(fresh)
        self.typed.append(line.rstrip("\n"))
        return line


def play(reader: Reader, *arguments: str) -> Played:
    """Run `arena play` to its end in this process. Errors of the caller are raised."""
    output = io.StringIO()
    keyboard = Keyboard(reader, output)
    with mock.patch.object(sys, "stdin", keyboard), mock.patch.object(sys, "stdout", output):
        code = command.main([*arguments], prog_name="arena play", standalone_mode=False)
    return Played(code, output.getvalue(), keyboard.typed)


def taking_listed(seed: int) -> Reader:
    """Takes any of the answers that were listed last; asks for all of them if some were not."""
    random = Random(seed)

    def reader(fresh: str) -> str:
        if "more: type moves" in fresh or "moves ですべて" in fresh:
            return "moves\n"
        return random.choice(LISTED.findall(fresh)) + "\n"

    return reader


def typing(*lines: str, then: Reader | None = None) -> Reader:
    """Types some lines, then goes on as another reader, or ends the input."""
    waiting = [f"{line}\n" for line in lines]

    def reader(fresh: str) -> str:
        if waiting:
            return waiting.pop(0)
        return then(fresh) if then else ""

    return reader
