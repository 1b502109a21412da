"""Options of commands that say what happens in sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from arena.narration.language import Detail
from arena.narration.sentences import LANGUAGES

F = TypeVar("F", bound=Callable[..., Any])


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
