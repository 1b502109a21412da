"""The options for a board under pseudonyms, which several commands share.

Where the key comes from is decided here; what is done with it in `arena.tournament.pseudonyms`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from arena.errors import BadInput

if TYPE_CHECKING:
    from arena.queries.standings_snapshot import StandingsSnapshot
    from arena.tournament.history import History
    from arena.tournament.standings import Standings

F = TypeVar("F", bound=Callable[..., Any])


class PseudonymOptions(NamedTuple):
    """What was asked for: the key of the pseudonyms, and the names that stay."""

    key: str
    keep: tuple[str, ...]

    def of(self, names: Mapping[str, str]) -> dict[str, str]:
        """What bots are called, from their names by id."""
        from arena.tournament.pseudonyms import pseudonyms

        return pseudonyms(names, self.key.encode(), keep=self.keep)

    def over(self, standings: Standings, names: Mapping[str, str] | None = None) -> Standings:
        """Standings under pseudonyms; `names` if there are more bots than in these standings."""
        from arena.tournament.pseudonyms import disguised, names_in

        inside = names_in(standings)
        return disguised(standings, self.of({**(names or {}), **inside}))

    def over_history(self, history: History, names: Mapping[str, str] | None = None) -> History:
        """The same of ratings after each round."""
        return history.disguised(self.of({**(names or {}), **history.names}))

    def over_fit(self, fit: StandingsSnapshot) -> StandingsSnapshot:
        """The same of all that is shown of standings, but alerts, which are for staff."""
        from arena.queries.standings_snapshot import StandingsSnapshot

        return StandingsSnapshot(
            self.over(fit.standings),
            results=(),
            hands=(),
            history=lambda: self.over_history(fit.history()),
        )


def pseudonym_options(command: F) -> Callable[..., Any]:
    """`--pseudonyms`, `--key` and `--keep`; the command gets `pseudonyms`, or None."""

    @wraps(command)
    def gathered(*args: Any, **options: Any) -> Any:
        wanted, key = options.pop("pseudonyms"), options.pop("key")
        keep = tuple(options.pop("keep"))
        if not wanted and (key is not None or keep):
            raise BadInput("--key" if keep == () else "--keep", "alone", "with --pseudonyms")
        pseudonyms = PseudonymOptions(_new_key() if key is None else key, keep) if wanted else None
        return command(*args, pseudonyms=pseudonyms, **options)

    for name, more in (
        ("keep", {"multiple": True, "help": "A bot that keeps its name, such as a benchmark."}),
        ("key", {"default": None, "help": "The same key gives the same pseudonyms.  [a new one]"}),
        ("pseudonyms", {"is_flag": True, "help": "Two words in place of each name, for a class."}),
    ):
        gathered = click.option(f"--{name}", name, **more)(gathered)
    return gathered


def _new_key() -> str:
    """A key, shown only now, beside the output."""
    key = secrets.token_urlsafe(18)
    click.echo(f"new key: {key}    (with --key it gives the same pseudonyms again)", err=True)
    return key
