"""`arena standings`: the table and all that goes with it, from an arena or from a database."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import click

from arena.cli.boards import PseudonymOptions, pseudonym_options
from arena.cli.remote import connected, json_option, terminal_width, url_option
from arena.cli.views import View, view_options
from arena.client.endpoints import session_path
from arena.errors import BadInput, Unavailable

if TYPE_CHECKING:
    from arena.client import Client
    from arena.documents import Document
    from arena.queries.standings_snapshot import StandingsSnapshot
    from arena.tournament.moves import MoveLog

PATHS = {
    "standings": "standings",
    "cross": "crosstable",
    "counts": "crosstable",
    "los": "superiority",
    "separation": "separations",
    "versions": "versions",
    "history": "history",
    "alerts": "alerts",
}
"""What is asked for -> where an arena has it, and what it is called with --json."""


class StandingsSource(Protocol):
    """Where standings come from. view: one of PATHS."""

    def text(self, view: str, *, form: str, layout: str, width: int | None) -> str: ...

    def document(self, view: str) -> dict[str, Any]: ...

    def picture(self) -> str: ...

    def own(self) -> str | None: ...


@click.command(
    epilog="""Examples:

    arena standings spring-cup

    arena standings spring-cup --division students

    arena standings uecda-final --layout points

    arena standings spring-cup --cross --separation --plot spring-cup.svg

    arena standings spring-cup --history --json

    ARENA_ADMIN_TOKEN=dfaadm_... arena standings spring-cup --alerts

    arena standings demo --database sqlite:///arena-data/demo-1/arena.db --format github

    arena standings demo --database sqlite:///arena.db --pseudonyms --keep heuristic
"""
)
@click.argument("session")
@click.option("--layout", default="full", show_default=True, help="full, concise, wide or points.")
@click.option(
    "--format",
    "form",
    default="plain",
    show_default=True,
    help="A tabulate format (github, html, latex ...) or csv.",
)
@click.option("--database", help="Read a database instead of asking an arena (sqlite:///FILE).")
@click.option("--public", is_flag=True, help="As everybody sees them, whoever asks.")
@click.option("--seats", type=int, help="Of the tables that count, where there are two sizes.")
@click.option("--division", metavar="ID", help="Only the bots of a division, from the same fit.")
@view_options
@click.option("--versions", is_flag=True, help="Versions of bots, and what each has gained.")
@click.option("--history", is_flag=True, help="Ratings after each round that is complete.")
@click.option("--alerts", is_flag=True, help="For organisers: collusion, seats, cut blocks.")
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Ratings with intervals as a picture: a file ending in .svg; from a database also .png.",
)
@pseudonym_options
@url_option
@click.option(
    "--token",
    envvar=["ARENA_ADMIN_TOKEN", "ARENA_TOKEN"],
    show_envvar=True,
    help="An organiser's, to see what is withheld; or a bot's, to see which one it is.",
)
@json_option
def command(
    session: str,
    layout: str,
    form: str,
    database: str | None,
    public: bool,
    seats: int | None,
    division: str | None,
    views: frozenset[View],
    versions: bool,
    history: bool,
    alerts: bool,
    plot: Path | None,
    pseudonyms: PseudonymOptions | None,
    url: str,
    token: str | None,
    as_json: bool,
) -> None:
    """Print the standings of a session.

    Organisers see them live and with all names, whatever is frozen, embargoed or pseudonymous for
    others; so does who reads the database itself. --pseudonyms puts two words in the place of each
    name, by a key of one's own; sessions whose board is pseudonymous need none.
    """
    wanted = [name for name in PATHS if name in views or name == "standings"]
    further = {"versions": versions, "history": history, "alerts": alerts}
    wanted += [name for name, is_wanted in further.items() if is_wanted]
    if pseudonyms is not None and database is None:
        raise BadInput("--pseudonyms", session, "--database (or the records, with `arena rate`)")
    if pseudonyms is not None and alerts:
        raise BadInput("--alerts", "--pseudonyms", "the board with names: alerts are for staff")
    if division is not None and (alerts or versions or history):
        wanted_alone = "standings without --alerts, --versions and --history"
        raise BadInput("--division", division, wanted_alone)
    token, part = None if public else token, StandingsPart(seats, division)
    with _source(
        session, database, url, token, part=part, staff=not public, pseudonyms=pseudonyms
    ) as source:
        if plot is not None:
            _plot(source, plot)
        if as_json:
            _print_json(source, wanted)
        else:
            _print(source, wanted, form=form, layout=layout)


def _print(source: StandingsSource, wanted: Sequence[str], *, form: str, layout: str) -> None:
    width = terminal_width() if form == "plain" else None
    for name in wanted:
        text = source.text(name, form=form, layout=layout, width=width)
        click.echo(text if name == "standings" else "\n" + text, nl=False)
    own = source.own() if form == "plain" else None
    if own is not None:
        click.echo(f"\nYour bot is {own}.")


def _print_json(source: StandingsSource, wanted: Sequence[str]) -> None:
    documents = {PATHS[name]: source.document(name) for name in wanted}
    output = documents if len(documents) > 1 else documents["standings"]
    click.echo(json.dumps(output, ensure_ascii=False, indent=2))


def _plot(source: StandingsSource, file: Path) -> None:
    if isinstance(source, StoredStandings):
        from arena.cli.plots import write_plot

        write_plot(source.fit.standings, file)
        return
    if file.suffix.lower() != ".svg":
        raise BadInput("plot", str(file), "a file ending in .svg; for .png: --database")
    try:
        file.write_text(source.picture(), encoding="utf-8")
    except OSError as error:
        raise Unavailable(f"{file} cannot be written: {error}") from error


@contextmanager
def _source(
    session: str,
    database: str | None,
    url: str,
    token: str | None,
    *,
    part: StandingsPart,
    staff: bool,
    pseudonyms: PseudonymOptions | None,
) -> Iterator[StandingsSource]:
    if database is None:
        with connected(url, token) as client:
            yield LiveStandings(client, session, part)
        return
    from arena.application import Referee
    from arena.identity.signing import public_keys
    from arena.store import open_store

    with open_store(database, readonly=True) as store:
        queries = Referee(store).queries
        fit = queries.fit(session, staff=staff, seats=part.seats)
        shown = fit if pseudonyms is None else pseudonyms.over_fit(fit)
        if part.division is not None:
            shown = shown.of_division(part.division)
        digest = queries.digest_brief(session)
        if digest is not None and (keys := public_keys(store)):
            digest["public_key"] = keys[-1].public_key  # by which its arena signs it
        yield StoredStandings(shown, partial(queries.moves_of, session), digest)


class StandingsPart(NamedTuple):
    """Which tables count, and whose standings are wanted; None for the usual ones, and for all."""

    seats: int | None = None
    division: str | None = None


class LiveStandings:
    """A running arena."""

    def __init__(self, client: Client, session: str, part: StandingsPart) -> None:
        self._client = client
        self._session = session
        self._part = part._asdict()

    def text(self, view: str, *, form: str, layout: str, width: int | None) -> str:
        asked = {"format": "text" if form == "plain" else form, **self._asked(view)}
        if view == "standings":
            asked |= {"layout": layout, "width": width}
        if view == "counts":
            asked["counts"] = 1
        return self._client.text(session_path(self._session, PATHS[view]), query=asked)

    def document(self, view: str) -> dict[str, Any]:
        path = session_path(self._session, PATHS[view])
        return self._client.request("GET", path, query=self._asked(view))

    def picture(self) -> str:
        path = session_path(self._session, "standings.svg")
        return self._client.text(path, query=self._part)

    def _asked(self, view: str) -> dict[str, Any]:
        """What is said of the part; alerts, versions and histories are of all."""
        of_all = view in ("history", "versions", "alerts")
        return {"seats": self._part["seats"]} if of_all else dict(self._part)

    def own(self) -> str | None:
        if self._client.token is None:
            return None
        own: str | None = self.document("standings").get("own")
        return own


class StoredStandings:
    """A database."""

    def __init__(
        self,
        fit: StandingsSnapshot,
        moves: Callable[[StandingsSnapshot], MoveLog],
        digest: Document | None,
    ) -> None:
        self.fit = fit
        self._moves = moves
        self._digest = digest

    def text(self, view: str, *, form: str, layout: str, width: int | None) -> str:
        if view == "history":
            return self.fit.history_text("history", form=form)
        if view == "alerts":
            return self.fit.alerts_text(self._moves(self.fit), form=form)
        name: Any = "superiority" if view == "los" else view
        from arena.queries.digests import brief_line

        notes = brief_line(self._digest) if view == "standings" else ()
        return self.fit.text(name, form=form, layout=layout, width=width, notes=notes)

    def document(self, view: str) -> dict[str, Any]:
        if view == "history":
            return self.fit.history_document()
        if view == "alerts":
            return self.fit.alerts_document(self._moves(self.fit))
        name: Any = {"los": "superiority", "counts": "cross"}.get(view, view)
        document = self.fit.document(name)
        return {**document, "digest": self._digest} if view == "standings" else document

    def picture(self) -> str:
        return self.fit.text("picture")

    def own(self) -> str | None:
        return None
