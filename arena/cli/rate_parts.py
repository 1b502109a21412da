"""What `arena rate` adds to the standings when it is asked to: each part as text and for JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from arena.errors import BadInput

if TYPE_CHECKING:
    from arena.records.pooling import Pool
    from arena.tournament.history import History
    from arena.tournament.standings import Standings


class Part(NamedTuple):
    """name: of the member with --json. text: in a form, ending with a newline."""

    name: str
    document: Callable[[], dict[str, Any]]
    text: Callable[[str], str]


def alerts_part(pool: Pool, standings: Standings) -> Part:
    """What an organiser should look at."""
    from arena.tournament.alerts import alerts
    from arena.tournament.moves import move_log
    from arena.tournament.reporting.alert_reports import alerts_document, alerts_text

    rows = (row for section in standings.sections for row in section.rows)
    names = {row.bot: row.name for row in rows}
    ratings = standings.ratings
    found = alerts(pool.results, ratings, seated=pool.seated, moves=move_log(pool.moves))

    def document() -> dict[str, Any]:
        said = alerts_document(found, ratings)
        return {"session": standings.facts.session, "names": names, **said}

    def text(form: str) -> str:
        return alerts_text(found, names, form=form, ratings=ratings)

    return Part("alerts", document, text)


def versions_part(standings: Standings) -> Part:
    """The versions of bots, and what each has gained on the one before."""
    from arena.session.owners import owner_key
    from arena.tournament.lineages import lineages
    from arena.tournament.reporting.version_reports import versions_document, versions_text

    found = lineages(standings, owner_key)
    return Part(
        "versions",
        lambda: versions_document(standings.facts.session, found),
        lambda form: versions_text(found, form=form),
    )


def luck_part(pool: Pool, names: Mapping[str, str]) -> Part:
    """Results without what dealt cards explain. names: shown, by bot. Raises BadInput where the
    mean would not be kept, or too little is known."""
    from arena.tournament.luck import luck
    from arena.tournament.reporting.luck_reports import luck_document, luck_text

    if pool.dependent:
        raise BadInput("--luck", pool.dependent, "blocks that are independent of each other")
    found = luck(pool.dealt)
    return Part(
        "luck",
        lambda: luck_document(found, names),
        lambda form: luck_text(found, names, form=form),
    )


def history_of_pool(pool: Pool, standings: Standings, *, anchor: str | None, model: str) -> History:
    """The ratings after each round. Raises BadInput for records of several sessions."""
    from arena.tournament.history import charted, history_of, point

    if pool.rounds is None:
        expected = "the records of one session, with its first line"
        raise BadInput("--history", standings.facts.session or "records", expected)
    results, complete = pool.rounds
    wanted = charted(each.round for each in results)
    points = [point(results, round_, anchor=anchor, model=model) for round_ in wanted]
    return history_of(standings, complete, points)


def history_part(history: History) -> Part:
    """The ratings after each round, as they may be printed."""
    from arena.tournament.reporting.history_reports import history_document, history_text

    return Part(
        "history",
        lambda: history_document(history),
        lambda form: history_text(history, form=form),
    )
