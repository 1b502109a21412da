"""Fits: the standings of a session at one moment, and everything that is shown of them.

A fit never changes; what has been made of it once is kept with it, so that many readers cost no
more than one, and of many who ask at the same time one computes. It reads no store and no clock;
who may see which fit is decided in `standings`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal
from urllib.parse import quote

from arena.documents import Document
from arena.errors import BadInput, NotFound
from arena.queries.rating_history import Compute
from arena.referee.computing import at_once
from arena.session.owners import owner_key
from arena.session.profiles import Pairing, Profile, pairing, profile, row_of
from arena.session.scoring import ScoredHand, seated
from arena.tournament.alerts import Alerts, alerts
from arena.tournament.divisions import in_division
from arena.tournament.history import History, history_of
from arena.tournament.lineages import lineages
from arena.tournament.moves import MoveLog
from arena.tournament.reporting import html_tables
from arena.tournament.reporting.alert_reports import alerts_document, alerts_text
from arena.tournament.reporting.documents import standings_document
from arena.tournament.reporting.history_pictures import history_svg
from arena.tournament.reporting.history_reports import history_document, history_text
from arena.tournament.reporting.layouts import render
from arena.tournament.reporting.pictures import svg
from arena.tournament.reporting.report_documents import (
    cross_document,
    separation_document,
    superiority_document,
)
from arena.tournament.reporting.reports import cross_table, separation_table, superiority_table
from arena.tournament.reporting.version_reports import versions_document, versions_text
from arena.tournament.results import HandResult
from arena.tournament.standings import Row, Standings

View = Literal["standings", "cross", "counts", "superiority", "separation", "versions", "picture"]
HistoryView = Literal["history", "history_picture", "narrow_history_picture"]
PageTable = Literal["leaders", "full", "cross", "superiority", "separation", "history"]
"""The tables that pages show."""
KEPT_TEXTS = 64


class StandingsSnapshot:
    """Standings with the results that they rest on, and the hands as they were played.

    tables: whose hands these are. compute: where what takes long is done. history: the ratings
    after each round, computed when it is first asked for.
    """

    def __init__(
        self,
        standings: Standings,
        *,
        results: Sequence[HandResult],
        hands: Sequence[ScoredHand],
        tables: Sequence[str] = (),
        compute: Compute = at_once,
        history: Callable[[], History] | None = None,
    ) -> None:
        self.standings = standings
        self.tables = tables
        self._results = results
        self._hands = hands
        self._compute = compute
        self._make_history = history
        self._history: History | None = None
        self._made: dict[tuple[Any, ...], Any] = {}
        self._made_of_bots: dict[tuple[Any, ...], Any] = {}
        self._lock = threading.Lock()
        self._history_lock = threading.Lock()

    def of_division(self, division: str) -> StandingsSnapshot:
        """The standings among the members of a division, without what is for staff, and without a
        history. Raises BadInput if there is none of this id."""

        def made() -> StandingsSnapshot:
            part = in_division(self.standings, division)
            return StandingsSnapshot(part, results=(), hands=(), compute=self._compute)

        snapshot: StandingsSnapshot = self._kept(("division", division), made)
        return snapshot

    def row(self, bot: str) -> Row:
        """The row of a bot, by its id or its name. Raises NotFound."""
        row = row_of(self.standings, bot)
        if row is None:
            raise NotFound("bot", f"there is no bot {bot!r} in these standings")
        return row

    def profile(self, bot: str) -> Profile:
        """What the hands say of a bot, by its id or its name. Raises NotFound."""
        row = self.row(bot)
        made: Profile = self._kept_in(
            self._made_of_bots,
            ("profile", row.bot),
            lambda: profile(self.standings, self._hands, row),
        )
        return made

    def pairing(self, bot: str, other: str) -> Pairing:
        """What the hands say of two bots, by their ids or names. Raises NotFound, BadInput."""
        row, opposite = self.row(bot), self.row(other)
        if row.bot == opposite.bot:
            raise BadInput("bot", other, f"another bot than {bot}")
        made: Pairing = self._kept_in(
            self._made_of_bots,
            ("pairing", row.bot, opposite.bot),
            lambda: pairing(self.standings, self._hands, row, opposite),
        )
        return made

    def alerts(self, moves: MoveLog) -> Alerts:
        """What an organiser should look at. moves: those of `tables`, as far as they are read."""
        found: Alerts = self._kept(("alerts", moves.hands), lambda: self._tested(moves))
        return found

    def _tested(self, moves: MoveLog) -> Alerts:
        ratings = self.standings.ratings
        return alerts(self._results, ratings, seated=seated(self._hands), moves=moves)

    def alerts_document(self, moves: MoveLog) -> Document:
        """The same as plain data for JSON."""
        found, ratings = self.alerts(moves), self.standings.ratings
        named = {"session": self.standings.facts.session, "names": self._names()}

        def made() -> Document:
            return {**named, **alerts_document(found, ratings)}

        document: Document = self._kept(("alerts document", moves.hands), made)
        return document

    def alerts_text(self, moves: MoveLog, *, form: str = "plain") -> str:
        """The same as text in a form of tabulate. Raises BadInput."""
        found, names, ratings = self.alerts(moves), self._names(), self.standings.ratings

        def made() -> str:
            return alerts_text(found, names, form=form, ratings=ratings)

        text: str = self._kept(("alerts text", form, moves.hands), made)
        return text

    def history(self) -> History:
        """The ratings after each round that is complete."""
        with self._history_lock:
            if self._history is None:
                make = self._make_history or partial(history_of, self.standings, 0, ())
                self._history = make()
            return self._history

    def history_document(self) -> Document:
        """The same as plain data for JSON."""
        history = self.history()
        document: Document = self._kept(("history",), lambda: history_document(history))
        return document

    def history_text(self, view: HistoryView, *, form: str = "plain") -> str:
        """The same as text in a form of tabulate, or csv; the picture as SVG. Raises BadInput."""
        history = self.history()

        def made() -> str:
            if view == "history":
                return history_text(history, form=form)
            return history_svg(history, columns=3 if view == "history_picture" else 1)

        text: str = self._kept((view, form), made)
        return text

    def html(self, table: PageTable, address: str) -> str:
        """A table for a page. address: that of the session's page, below which bots have theirs."""

        def link(bot: str) -> str:
            return f"{address}/bots/{quote(bot, safe='')}"

        if table == "history":
            history = self.history()
            return self._html(table, address, lambda: html_tables.history(history, link))
        makers: Mapping[str, html_tables.ReportTable] = {
            "leaders": html_tables.leaders,
            "full": html_tables.full,
            "cross": html_tables.crosstable,
            "superiority": html_tables.superiority,
            "separation": html_tables.separations,
        }
        return self._html(table, address, lambda: makers[table](self.standings, link))

    def _html(self, table: PageTable, address: str, make: Callable[[], str]) -> str:
        text: str = self._kept(("html", table, address), make)
        return text

    def document(self, view: View) -> Document:
        """A view as plain data for JSON. Treat it as frozen: others get the same."""
        document: Document = self._kept(("document", view), lambda: self._document(view))
        return document

    def _document(self, view: View) -> Document:
        makers: Mapping[str, Callable[[], Document]] = {
            "standings": lambda: standings_document(self.standings),
            "cross": lambda: cross_document(self.standings),
            "superiority": lambda: superiority_document(self.standings),
            "separation": lambda: separation_document(self.standings),
            "versions": self._versions_document,
        }
        return makers[view]()

    def _versions_document(self) -> Document:
        standings = self.standings
        return versions_document(standings.facts.session, lineages(standings, owner_key))

    def text(
        self,
        view: View,
        *,
        form: str = "plain",
        layout: str = "full",
        width: int | None = None,
        notes: tuple[str, ...] = (),
    ) -> str:
        """A view as text in a form of tabulate, or csv; the picture as SVG.

        layout, width, notes: for the standings (see `layouts.render`). Raises BadInput.
        """
        if width is not None and width < 1:
            raise BadInput("width", width, "at least 1")
        standings = partial(
            render, self.standings, layout=layout, form=form, width=width, notes=notes
        )
        key = (view, form, layout, width, notes)
        text: str = self._kept(key, lambda: self._written(view, form, standings))
        return text

    def _kept(self, key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        """What was made before under a key, or is made now."""
        return self._kept_in(self._made, key, make)

    def _kept_in(
        self, made: dict[tuple[Any, ...], Any], key: tuple[Any, ...], make: Callable[[], Any]
    ) -> Any:
        """The same, among others of its kind: who looks at all bots, one after the other, does not
        drive the tables out that everybody looks at."""
        known = made.get(key)
        if known is not None:
            return known
        with self._lock:
            if key not in made:
                value = self._compute(make)
                if len(made) >= KEPT_TEXTS:
                    made.pop(next(iter(made)))
                made[key] = value
            return made[key]

    def _written(self, view: View, form: str, written: Callable[[], str]) -> str:
        """written: the standings themselves."""
        standings = self.standings
        makers: Mapping[str, Callable[[], str]] = {
            "standings": written,
            "cross": lambda: cross_table(standings, form=form),
            "counts": lambda: cross_table(standings, counts=True, form=form),
            "superiority": lambda: superiority_table(standings, form=form),
            "separation": lambda: separation_table(standings, form=form),
            "versions": lambda: versions_text(lineages(standings, owner_key), form=form),
            "picture": lambda: svg(standings),
        }
        return makers[view]()

    def _names(self) -> dict[str, str]:
        rows = (row for section in self.standings.sections for row in section.rows)
        return {row.bot: row.name for row in rows}
