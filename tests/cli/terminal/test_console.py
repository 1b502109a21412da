"""What a console writes, and a screen with keys on a terminal of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from unittest import mock

import click
import pytest

from arena.cli.terminal import keys
from arena.cli.terminal.console import Console, console
from arena.cli.terminal.following import HandFollower, WatchTarget
from arena.cli.terminal.narrator import LiveNarrator
from arena.cli.terminal.phrases import WATCHING
from arena.cli.terminal.watch import _show
from arena.narration.language import Detail
from arena.narration.sentences import LANGUAGES
from tests.cli.terminal.arena import Watcher
from tests.real import Real

DRAWN = Console(plain=False, signs=True)
CARDS = ("S3", "HT", "DA", "C2", "JK")


def test_cards_are_notation_for_programs_and_signs_for_people(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert Console().cards(CARDS) == "S3 HT DA C2 JK"
    assert click.unstyle(DRAWN.cards(CARDS)) == "♠3 ♥10 ♦A ♣2 JK"
    assert DRAWN.card("HT") != click.unstyle(DRAWN.card("HT"))
    monkeypatch.setenv("NO_COLOR", "1")
    assert DRAWN.cards(CARDS) == "♠3 ♥10 ♦A ♣2 JK"
    assert Console(plain=False).cards(CARDS) == "S3 H10 DA C2 JK"


def test_columns_take_the_width_of_the_terminal_whatever_the_letters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    items = [f"{number}: スペード" for number in range(1, 4)]
    assert DRAWN.columns(items) == items
    assert DRAWN.columns(["1: S3", "2: S4", "3: S5"]) == ["1: S3   2: S4", "3: S5"]


@pytest.mark.parametrize("term", ["dumb", "xterm"])
def test_where_the_output_is_no_terminal_it_is_plain(
    term: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    assert console(plain=False) == Console()
    assert console(plain=True, pace_s=1.5).pace_s == 1.5
    assert not keys.usable()


def test_nothing_is_erased_behind_a_line_that_is_as_wide_as_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    keys.draw(["first", "─" * 80, "last"])
    assert capsys.readouterr().out == f"\x1b[H\x1b[Kfirst\r\n\x1b[K{'─' * 80}\r\n\x1b[Klast\x1b[J"


@contextmanager
def on_a_terminal() -> Iterator[int]:
    """A terminal on which this process reads and writes; whoever sits at it has the other end."""
    pty = pytest.importorskip("pty", reason="no terminals of this kind on this system")
    person, ours = pty.openpty()
    with (
        mock.patch.dict(os.environ, {"TERM": "xterm", "COLUMNS": "80", "LINES": "24"}),
        os.fdopen(ours, "rb", buffering=0) as reading,
        os.fdopen(os.dup(ours), "w", encoding="utf-8") as writing,
        mock.patch.object(sys, "stdin", reading),
        mock.patch.object(sys, "stdout", writing),
    ):
        yield person
    os.close(person)


def test_a_hand_is_watched_with_keys_and_the_terminal_is_left_as_it_was() -> None:
    """All has come; back to the deal, on to what is notable, and out: each is on the screen before
    the next key."""
    real = Real()
    real.session(hands_per_table=1)
    news = list(HandFollower(Watcher(real, moves=50), sleep=lambda s: None).follow(WatchTarget("")))
    narrator, shown = LiveNarrator(LANGUAGES["en"], Detail.NORMAL), bytearray()

    def person(terminal: int) -> None:
        for waits_for, types in ((b"The hand ends", b"\x1b[H"), (b"paused", b"n"), (b"* ", b"q")):
            begin = len(shown)
            while waits_for not in shown[begin:]:
                shown.extend(os.read(terminal, 65536))
            os.write(terminal, types)
        while keys.FIRST_SCREEN.encode() not in shown:
            shown.extend(os.read(terminal, 65536))

    with on_a_terminal() as terminal:
        assert keys.usable()
        thread = Thread(target=person, args=(terminal,))
        thread.start()
        _show(iter(news), narrator, WatchTarget("http://arena"), WATCHING["en"])
        thread.join(timeout=120)
    assert not thread.is_alive()
    assert shown.count(keys.SECOND_SCREEN.encode()) == 1
