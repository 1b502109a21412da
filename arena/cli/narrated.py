"""What commands share that show recorded hands: options, the hand, and the seat of a bot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

from arena.documents import Document
from arena.errors import BadInput
from arena.narration.language import Detail
from arena.narration.sentences import LANGUAGES
from arena.records.hands import hands_in
from arena.session.recorded_hand import RecordedHand
from arena.tournament.reporting.markup import printable

F = TypeVar("F", bound=Callable[..., Any])


def recorded_hand_options(command: F) -> F:
    """A record file, `--hand` and `--seat`, as the parameters `file`, `wanted` and `seat_of`."""
    options = (
        click.argument("file", type=click.Path(path_type=Path)),
        click.option(
            "--hand", "wanted", metavar="N|ID", help="The hand: its number in the file, or id."
        ),
        click.option("--seat", "seat_of", metavar="BOT", help="Only what this bot knew then."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def find_hand(lines: Iterable[bytes], wanted: str | None) -> Document:
    """The hand of a record file that is wanted, by its number or id, or the only one there is.

    Raises BadInput.
    """
    chosen: Document | None = None
    position = 0
    for position, document in numbered_hands(lines):
        if wanted in (str(position), document["hand"]):
            return document
        if wanted is None and chosen is not None:
            raise BadInput("--hand", None, "a number or an id, since the file has several hands")
        chosen = document
    if wanted is not None or chosen is None:
        raise BadInput("--hand", wanted, f"a number from 1 to {position}, or the id of a hand")
    return chosen


def numbered_hands(lines: Iterable[bytes]) -> Iterator[tuple[int, Document]]:
    """The hands of a file with their number in it, from 1. Raises BadInput if there is none."""
    position = 0
    for position, document in enumerate(hands_in(lines), start=1):
        yield position, document
    if not position:
        raise BadInput("file", "without hands", "a record file of hands that were played")


def seat_of_bot(hand: RecordedHand, name: str) -> int:
    """The seat of a bot in a recorded hand. Raises BadInput."""
    names = [printable(each) for each in hand.names]
    if name not in names:
        raise BadInput("--seat", name, "one of " + ", ".join(names))
    return names.index(name)


def language_option(command: F) -> F:
    """`--language`, as the parameter `code`."""
    option = click.option(
        "--language",
        "code",
        type=click.Choice(list(LANGUAGES)),
        default="en",
        show_default=True,
        help="English or Japanese.",
    )
    return option(command)


def detail_option(words: str) -> Callable[[F], F]:
    """`--detail`, with the help of a command, as the text of a `Detail`."""
    return click.option(
        "--detail",
        type=click.Choice([detail.value for detail in Detail]),
        default=Detail.NORMAL.value,
        show_default=True,
        help=words,
    )
