"""Further tables below the standings, by flags: cross-table, LOS matrix, separation list."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

if TYPE_CHECKING:
    from arena.tournament.standings import Standings

View = Literal["cross", "counts", "los", "separation"]
F = TypeVar("F", bound=Callable[..., Any])

FLAGS: dict[View, str] = {
    "cross": "Who finished ahead of whom, in per cent of the hands shared.",
    "counts": "The same in hands.",
    "los": "How likely each bot is better than each other, in per cent.",
    "separation": "Gap to the next bot, and about how many hands would tell them apart.",
}


def view_options(command: F) -> Callable[..., Any]:
    """The flags; the command gets those that were given as `views`."""

    @wraps(command)
    def gathered(*args: Any, **options: Any) -> Any:
        given = frozenset(name for name in FLAGS if options.pop(name))
        return command(*args, views=given, **options)

    for name, text in reversed(FLAGS.items()):
        gathered = click.option(f"--{name}", is_flag=True, help=text)(gathered)
    return gathered


def print_views(standings: Standings, views: frozenset[View], *, form: str) -> None:
    """Print the tables that were asked for, each after an empty line."""
    for text in view_texts(standings, views, form=form):
        click.echo("\n" + text, nl=False)


def view_texts(standings: Standings, views: frozenset[View], *, form: str) -> list[str]:
    """The tables that were asked for, each ending with a newline."""
    from arena.tournament.reporting.reports import cross_table, separation_table, superiority_table

    makers: dict[View, Callable[[], str]] = {
        "cross": lambda: cross_table(standings, form=form),
        "counts": lambda: cross_table(standings, counts=True, form=form),
        "los": lambda: superiority_table(standings, form=form),
        "separation": lambda: separation_table(standings, form=form),
    }
    return [makers[name]() for name in FLAGS if name in views]
