"""What commands share that say in sentences what happens: options, and the seat of a bot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from arena.errors import BadInput
from arena.narration.language import Detail
from arena.narration.sentences import LANGUAGES
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
