"""`arena replay`: the hands of a record file in the viewer, served here or as one file."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.narrated import (
    detail_option,
    language_option,
    recorded_hand_options,
    seat_of_bot,
)
from arena.cli.remote import json_option, print_json
from arena.cli.terminal.opening import open_option, show_address
from arena.cli.terminal.replay_server import RecordedHands, ReplayPages, ReplayServer
from arena.errors import BadInput
from arena.narration.language import Detail
from arena.session.recorded_hand import RecordedHand
from arena.tournament.reporting.markup import printable
from arena.web.pages.hands import HandView
from arena.web.pages.recorded import one_file


@click.command(
    epilog="""Examples:

    arena replay demo.jsonl

    arena replay demo.jsonl --hand 3 --seat lowest-1 --language ja

    arena replay demo.jsonl --hand demo-r01-t01-h003 --html hand.html

The served pages are seen by this machine only, until Ctrl-C. A file of --html needs nothing else:
it opens by double click, can be sent by mail, and can be read without script.
"""
)
@recorded_hand_options
@language_option
@detail_option("How much the sentences say; full also counts cards.")
@click.option(
    "--html",
    "target",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the hand as one HTML file, in place of serving it.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port.  [any free one]")
@open_option
@json_option
def command(
    file: Path,
    wanted: str | None,
    seat_of: str | None,
    code: str,
    detail: str,
    target: Path | None,
    port: int,
    opens: bool,
    as_json: bool,
) -> None:
    """Watch the hands of a record file in the viewer of an arena's pages, without an arena.

    With several hands and no --hand it shows a list of them. All cards are shown, also those that
    were hidden while the hand was played, unless --seat says whose eyes to look through.
    """
    hands = RecordedHands(file)
    position = _position(hands, wanted, needed=target is not None or seat_of is not None)
    hand = None if position is None else hands.hand(position)
    seat = None if seat_of is None or hand is None else seat_of_bot(hand, seat_of)
    view = HandView(seat, code, Detail(detail))
    if target is not None:
        assert hand is not None, "one file is of one hand"
        _write(target, hand, view, as_json=as_json)
        return
    with ReplayServer(ReplayPages(hands), port) as server:
        url = server.url + _path(position, view)
        try:
            if as_json:
                print_json({"url": url, "hands": len(hands.entries)})
            show_address(url, opens=opens)
            click.echo("Ctrl-C ends it.", err=True)
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo(err=True)


def _position(hands: RecordedHands, wanted: str | None, *, needed: bool) -> int | None:
    """The number of the hand that is wanted, or of the only one. Raises BadInput."""
    if wanted is not None:
        return hands.position(wanted)
    if len(hands.entries) == 1:
        return 1
    if needed:
        raise BadInput("--hand", None, "a number or an id, since the file has several hands")
    return None


def _path(position: int | None, view: HandView) -> str:
    if position is None:
        return "/"
    seat = "" if view.seat is None else f"&seat={view.seat}"
    return f"/hands/{position}?lang={view.lang}&detail={view.detail}{seat}"


def _write(target: Path, hand: RecordedHand, view: HandView, *, as_json: bool) -> None:
    """Write the file: whole or not at all. Raises BadInput."""
    content = one_file(hand, view)
    part = target.with_name(f".{target.name}.part")
    try:
        part.write_bytes(content)
        part.replace(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        expected = f"a file that can be written ({error.strerror})"
        raise BadInput("--html", str(target), expected) from error
    if as_json:
        print_json({"file": str(target), "hand": printable(hand.hand), "bytes": len(content)})
    else:
        click.echo(f"{target}: {printable(hand.hand)}, {len(content)} bytes")
