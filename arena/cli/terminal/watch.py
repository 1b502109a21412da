"""`arena watch`: what is being played on a running arena, in a terminal."""

from __future__ import annotations

import json
import logging
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from threading import Thread

import click

from arena.cli.narrated import detail_option, language_option
from arena.cli.remote import PATIENCE_S, url_option
from arena.cli.terminal import keys
from arena.cli.terminal.console import Console, console
from arena.cli.terminal.following import (
    HandFollower,
    News,
    Waiting,
    WatchTarget,
    check_kind,
    page_of,
    read_target,
)
from arena.cli.terminal.narrator import LiveNarrator, WatchedMoment
from arena.cli.terminal.phrases import WATCHING, Watching
from arena.cli.terminal.playback import Playback
from arena.cli.terminal.screen import Screen
from arena.client import Client
from arena.client.problems import KitError
from arena.errors import ArenaError, NotFound
from arena.narration.language import Detail
from arena.narration.sentences import language
from arena.processes import leave

NOTHING = 1
AWAY_S = 600.0
"""For how long an arena that has answered may be away; one that never has gets less."""
KEY_WAIT_S = 0.05


@click.command(
    epilog="""Examples:

    arena watch

    arena watch spring-cup --url https://arena.example.org

    arena watch https://arena.example.org/tables/spring-cup-r01-t02 --plain

    arena watch spring-cup-r01-t02-h003 --json

Keys: space stops and goes on, arrows one step, n and p the next and the last notable event, PgUp
and PgDn another hand, Home, End goes live again, < and > the speed, q quits.

Exit codes: 0 watched to the end, or left; 1 nothing is being played; 2 there is no such thing, or
the arena cannot be reached; 130 stopped by Ctrl-C.
"""
)
@click.argument("what", required=False)
@url_option
@language_option
@detail_option("How much is said; full also counts cards.")
@click.option(
    "--plain",
    is_flag=True,
    help="A sentence a line as it happens, nothing drawn over: for screen readers and pipes. Always"
    " so where the output is no terminal.",
)
@click.option("--json", "as_json", is_flag=True, help="A JSON object a line, for a program.")
def command(what: str | None, url: str, code: str, detail: str, plain: bool, as_json: bool) -> int:
    """Watch a session, a table or a hand; without one, what is being played now.

    WHAT is an id or the address of a page. A session is followed table by table, a table from the
    hand that is being played, a hand from its deal. You see what everybody may see: cards that are
    held stay hidden while the hand is played. When the arena is not there for a while it goes on
    where it was.
    """
    target = read_target(what, url)
    check_kind(target)
    narrator = LiveNarrator(language(code), Detail(detail))
    with Client(target.url, patience_s=PATIENCE_S) as client:
        news = _patiently(client, HandFollower(client).follow(target))
        try:
            if as_json or plain or not keys.usable():
                _print(news, narrator, WATCHING[code], as_json=as_json)
            else:
                signal.signal(signal.SIGTERM, leave)  # by way of the first screen
                _show(news, narrator, target, WATCHING[code])
        except NotFound as error:
            click.echo(str(error), err=True)
            return NOTHING
    return 0


def _patiently(client: Client, news: Iterator[News]) -> Iterator[News]:
    """The same news; from the first on the arena may be away for a while."""
    for each in news:
        client.patience_s = AWAY_S
        yield each


def _print(
    news: Iterator[News], narrator: LiveNarrator, phrases: Watching, *, as_json: bool
) -> None:
    """Every sentence as it comes."""
    for each in news:
        if isinstance(each, Waiting):
            click.echo(phrases.waiting, err=True)
        for moment in narrator.moments(each):
            line = _document(moment) if as_json else _line(moment, phrases)
            if line:
                click.echo(line)


def _line(moment: WatchedMoment, phrases: Watching) -> str:
    """What a moment says; "" for nothing."""
    if moment.sentence is not None:
        return moment.sentence.text
    if moment.hidden:
        return phrases.hidden
    if moment.state.players:
        return ""
    hand = moment.hand
    place = phrases.hand.format(number=hand.number, of=hand.of)
    return f"{hand.session}, {hand.table}, {place}."


def _document(moment: WatchedMoment) -> str:
    if moment.sentence is None:
        return ""
    hand = {"table": moment.hand.table, "hand": moment.hand.hand}
    return json.dumps({**hand, **moment.sentence._asdict()}, ensure_ascii=False)


def _show(
    news: Iterator[News], narrator: LiveNarrator, target: WatchTarget, phrases: Watching
) -> None:
    """One screen with keys, until q."""
    incoming: SimpleQueue[News | Exception] = SimpleQueue()
    Thread(target=_fetch, args=(news, incoming), daemon=True).start()
    playback, screen = Playback(), Screen(_console(), narrator, phrases)
    with keys.second_screen(), _warnings_on(screen):
        _loop(incoming, playback, screen, narrator)
    if playback.moment is not None:
        click.echo(phrases.page.format(page=page_of(target.url, playback.moment.hand)))


def _console() -> Console:
    return console(plain=False, pace_s=0)


def _fetch(news: Iterator[News], into: SimpleQueue[News | Exception]) -> None:
    """Read the news in a thread of its own; what goes wrong is news as well."""
    try:
        for each in news:
            into.put(each)
    except (ArenaError, KitError) as error:
        into.put(error)


def _loop(
    incoming: SimpleQueue[News | Exception],
    playback: Playback,
    screen: Screen,
    narrator: LiveNarrator,
) -> None:
    """Show what comes and do what keys say. Raises what the reading of news raised."""
    due, drawn = time.monotonic(), None
    while True:
        _take(incoming, playback, screen, narrator)
        if time.monotonic() >= due:
            playback.advance()
            due = time.monotonic() + 1 / playback.speed
        size = shutil.get_terminal_size()
        lines = screen.lines(playback, columns=size.columns, rows=size.lines)
        if lines != drawn:
            keys.draw(lines)
            drawn = lines
        for key in keys.read_keys(KEY_WAIT_S):
            if key == "q":
                return
            playback.press(key)


def _take(
    incoming: SimpleQueue[News | Exception],
    playback: Playback,
    screen: Screen,
    narrator: LiveNarrator,
) -> None:
    """Take in all news that have come."""
    while True:
        try:
            news = incoming.get_nowait()
        except Empty:
            return
        if isinstance(news, Exception):
            raise news
        screen.note = ""
        for moment in narrator.moments(news):
            playback.add(moment)


@contextmanager
def _warnings_on(screen: Screen) -> Iterator[None]:
    """What the client logs of a lost connection goes to the screen's last line meanwhile."""
    log = logging.getLogger("arena.client")
    handler = _Note(screen)
    before, log.propagate = log.propagate, False
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.propagate = before


class _Note(logging.Handler):
    """Puts what is logged on a screen."""

    def __init__(self, screen: Screen) -> None:
        super().__init__(logging.WARNING)
        self._screen = screen

    def emit(self, record: logging.LogRecord) -> None:
        self._screen.note = record.getMessage()
