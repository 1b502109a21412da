"""Keys of a terminal, one at a time and without Enter; and its second screen while one watches.

Where there is no such terminal (Windows, a pipe) `usable` says so. It knows no game.
"""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager

SEQUENCES = {
    b"\x1b[C": "right",
    b"\x1bOC": "right",
    b"\x1b[D": "left",
    b"\x1bOD": "left",
    b"\x1b[H": "home",
    b"\x1bOH": "home",
    b"\x1b[1~": "home",
    b"\x1b[F": "end",
    b"\x1bOF": "end",
    b"\x1b[4~": "end",
    b"\x1b[5~": "pageup",
    b"\x1b[6~": "pagedown",
    b" ": "space",
}
SECOND_SCREEN = "\x1b[?1049h\x1b[?25l"
FIRST_SCREEN = "\x1b[?25h\x1b[?1049l"


def usable() -> bool:
    """Can keys be read here, and a screen be drawn?"""
    if os.environ.get("TERM") in (None, "", "dumb"):
        return False
    try:
        import termios  # noqa: F401 - there is none on Windows
    except ImportError:
        return False
    return sys.stdin.isatty() and sys.stdout.isatty()


@contextmanager
def second_screen() -> Iterator[None]:
    """The terminal gives keys at once and shows its second screen; afterwards it is as before."""
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    sys.stdout.write(SECOND_SCREEN)
    sys.stdout.flush()
    try:
        yield
    finally:
        sys.stdout.write(FIRST_SCREEN)
        sys.stdout.flush()
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def read_keys(timeout_s: float) -> list[str]:
    """The keys that were pressed, after at most this time."""
    ready, _, _ = select.select([sys.stdin], [], [], timeout_s)
    return names_of(os.read(sys.stdin.fileno(), 1024)) if ready else []


def names_of(data: bytes) -> list[str]:
    """What keys a terminal has sent; unknown ones are left out."""
    names = []
    while data:
        sequence = next((each for each in SEQUENCES if data.startswith(each)), None)
        if sequence is not None:
            names.append(SEQUENCES[sequence])
            data = data[len(sequence) :]
            continue
        if data[:1] != b"\x1b" and data[:1].isascii():
            names.append(data[:1].decode())
        data = data[1:]
    return names


def draw(lines: list[str]) -> None:
    """Draw a screen over the one before. A line is erased before it is written: behind a line as
    wide as the terminal, erasing would take its last character."""
    body = "\r\n".join(f"\x1b[K{line}" for line in lines)
    sys.stdout.write(f"\x1b[H{body}\x1b[J")
    sys.stdout.flush()
