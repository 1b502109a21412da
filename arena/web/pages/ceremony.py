"""The ceremony: the results are revealed one by one, from the last place upwards.

From how the standings stood when they were frozen to how they ended. Each step has an address, so
it works without script; the script only adds keys. Nothing is shown before everybody may see it.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from arena.errors import BadInput
from arena.queries.standings_snapshot import StandingsSnapshot
from arena.statuses import OVER, ResultsMode
from arena.tournament.reporting.notices import marks
from arena.tournament.standings import Row, Standings
from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.queries import Param
from arena.web.api.results import CODES, SEATS
from arena.web.api.services import Call
from arena.web.pages.assets import CEREMONY
from arena.web.pages.rendering import page, page_endpoint
from arena.web.pages.wording import elo_words, ordinal

STEP = Param("step", "integer", "How many of the bots have been revealed.", 0)
LAST = (10, 3)
"""How many are left where one can go at once."""


class Revealed(NamedTuple):
    """A bot whose result is known. place: in words, empty if it has none; before: its place when
    the results were frozen, None if that is unknown."""

    row: Row
    place: str
    elo: str
    marks: str
    before: int | None

    @property
    def change(self) -> str:
        """What became of its place since then."""
        if self.before is None or self.row.position is None:
            return ""
        gained = self.before - self.row.position
        if gained == 0:
            return "as before"
        return f"up {gained}, from {self.before}" if gained > 0 else f"down {-gained}"


class Awaited(NamedTuple):
    """A bot that has not been revealed, as it stood when the results were frozen."""

    row: Row
    place: str
    elo: str


def ceremony_page(call: Call) -> Reply:
    """Show the results of a session one by one, from the last place upwards."""
    name, seats, step = call.path["session"], call.query["seats"], call.query["step"]
    session = call.queries.session(name)
    if session["status"] not in OVER or session["publication"]["results"] != ResultsMode.LIVE:
        values = {"session": session, "open": False}
        key = name, None, None
        return page(call, "ceremony.html", key, basis=session, values=lambda: values)
    fit = call.queries.fit(name, seats=seats)
    frozen = call.queries.frozen_fit(name, seats=seats)
    rows = list(_rows(fit.standings))
    if step > len(rows):
        raise BadInput("step", step, f"0 to {len(rows)}")

    def values_of_step() -> Mapping[str, Any]:
        return {
            "session": session,
            "open": True,
            "script": CEREMONY.path,
            "frozen": frozen is not None,
            **_step(rows, frozen, step),
            "links": _links(step, len(rows), seats),
        }

    then = None if frozen is None else weakref.ref(frozen)
    basis = session["name"], weakref.ref(fit), then
    return page(call, "ceremony.html", (name, seats, step), basis=basis, values=values_of_step)


def _rows(standings: Standings) -> Iterator[Row]:
    """All bots, best first; those without a place come last, so they are revealed first."""
    rows = [row for section in standings.sections for row in section.rows]
    yield from (row for row in rows if row.position is not None)
    yield from (row for row in rows if row.position is None)


def _step(rows: Sequence[Row], frozen: StandingsSnapshot | None, step: int) -> dict[str, Any]:
    """What is known after a step, and who is awaited."""
    before = [] if frozen is None else list(_rows(frozen.standings))
    places = {row.bot: row.position for row in before}
    hidden = {row.bot for row in rows[: len(rows) - step]}
    awaited = [Awaited(row, _place(row), elo_words(row)) for row in before if row.bot in hidden]
    revealed = [
        Revealed(row, _place(row), elo_words(row), marks(row), places.get(row.bot))
        for row in rows[len(rows) - step :]
    ]
    return {
        "awaited": awaited,
        "left": len(hidden),
        "revealed": revealed,
        "newest": revealed[0] if revealed else None,
    }


def _place(row: Row) -> str:
    return "" if row.position is None else ordinal(row.position)


def _links(step: int, steps: int, seats: int | None) -> dict[str, str | None]:
    """Where one can go, by the words for it."""

    def to(target: int) -> str:
        members = {"step": target, **({"seats": seats} if seats else {})}
        return f"?{urlencode(members)}"

    jumps = {f"The last {left}": steps - left for left in LAST if step < steps - left}
    return {
        "back": to(step - 1) if step else None,
        "on": to(step + 1) if step < steps else None,
        **{words: to(target) for words, target in jumps.items()},
        **({"Reveal all": to(steps)} if step < steps else {"Once more": to(0)}),
    }


def endpoints() -> tuple[Endpoint, ...]:
    """The route of this page."""
    path = "/sessions/{session}/ceremony"
    return (page_endpoint(path, ceremony_page, query=(SEATS, STEP), codes=CODES),)
