"""Reports of a history: ratings after each round as a table, and as plain data for JSON.

Spreadsheet forms have one line for each bot and round, with everything; the others one line for
each bot, with some of the rounds if there are many. Rounded like `documents`; adds no number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.documents import Document
from arena.tournament.history import BotPoint, History, Point
from arena.tournament.ratings import ANCHOR_ELO, CONFIDENCE
from arena.tournament.reporting.documents import BOUNDS, rounded
from arena.tournament.reporting.markup import (
    SPREADSHEETS,
    csv_text,
    escaped,
    paragraph,
    printable,
    safe_form,
    table,
)

MOST_COLUMNS = 10
"""Rounds beside each other, where people read them."""
HEADS = (
    "round",
    "bot",
    "name",
    "ranking",
    "anchor",
    "elo",
    "elo_error",
    "bound",
    "bound_elo",
    "hands",
    "blocks",
)


def history_document(history: History) -> Document:
    """The series as one JSON object (`schemas/history.schema.json`)."""
    return {
        "session": history.session,
        "anchor_elo": ANCHOR_ELO,
        "confidence_percent": round(100 * CONFIDENCE, 2),
        "rounds_complete": history.rounds,
        "names": dict(history.names),
        "rounds": [_point_document(point) for point in history.points],
    }


def _point_document(point: Point) -> Document:
    return {
        "round": point.round,
        "hands": point.hands,
        "blocks": point.blocks,
        "ratings": [rating_document(rating) for rating in point.ratings],
    }


def rating_document(rating: BotPoint) -> Document:
    """The rating of one bot after a round as plain data for JSON."""
    return {
        "bot": rating.bot,
        "ranking": rating.group,
        "anchor": rating.anchor,
        "elo": rounded(rating.elo, 2),
        "elo_error": rounded(rating.error, 2),
        "bound": BOUNDS[rating.bound],
        "bound_elo": rounded(rating.bound_elo, 2),
        "hands": rating.hands,
        "blocks": rating.blocks,
    }


def history_text(history: History, *, form: str = "plain") -> str:
    """The series in a form of tabulate, or csv. Raises BadInput for other forms."""
    safe = safe_form(form)
    if safe in SPREADSHEETS:
        return _all_ratings(history, safe) + "\n"
    if not history.points:
        return paragraph(["No round is complete yet."], safe) + "\n"
    some = some_points(history.points)
    ratings = [{rating.bot: rating for rating in point.ratings} for point in some]
    rows = [
        [escaped(printable(name), safe), *(cell_text(at_round.get(bot)) for at_round in ratings)]
        for bot, name in history.names.items()
    ]
    heads = ("bot", *(f"r{point.round}" for point in some))
    right = (False, *(True for _ in some))
    body = table(rows, heads, right=right, form=safe)
    return f"{body}\n\n{paragraph(list(notes(history, some)), safe)}\n"


def some_points(points: Sequence[Point]) -> list[Point]:
    """At most MOST_COLUMNS of them, evenly, with the last."""
    step = -(-len(points) // MOST_COLUMNS)
    return list(points[::-1][::step][::-1])


def notes(history: History, some: Sequence[Point]) -> Iterator[str]:
    """What the cells mean, as far as there are such."""
    rounds = "1 round" if history.rounds == 1 else f"{history.rounds} rounds"
    left_out = "" if len(some) == len(history.points) else "; further rounds: csv, JSON"
    yield f"Elo after each round with its 95 % interval; complete: {rounds}{left_out}."
    ratings = [rating for point in some for rating in point.ratings]
    if any(rating.bound for rating in ratings):
        yield "> or <: always ahead of the others by then, or behind; the 95 % bound."
    if any(rating.group > 1 for rating in ratings):
        yield (
            "(2), (3) ...: a ranking of its own, of bots that had not met the others by then; "
            "its numbers cannot be compared with those of another."
        )


def cell_text(rating: BotPoint | None) -> str:
    """`1523 ±45`, or `>1610` for a bound; behind it the number of a ranking but the first."""
    if rating is None:
        return ""
    ranking = "" if rating.group == 1 else f" ({rating.group})"
    if rating.bound_elo is not None:
        return f"{rating.bound}{round(rating.bound_elo)}{ranking}"
    return f"{round(rating.elo)} ±{rating.error or 0.0:.0f}{ranking}"


def _all_ratings(history: History, form: str) -> str:
    """One line for each bot and round, named as in the JSON document."""
    rows = [
        [str(point.round), *_texts(history.names.get(rating.bot, rating.bot), rating, form)]
        for point in history.points
        for rating in point.ratings
    ]
    if not rows:
        return csv_text([HEADS]).removesuffix("\n")
    return table(rows, HEADS, right=[False] * len(HEADS), form=form)


def _texts(name: str, rating: BotPoint, form: str) -> list[str]:
    document = {**rating_document(rating), "name": printable(name)}
    values = (document[head] for head in HEADS[1:])
    return [
        escaped(value, form) if isinstance(value, str) else "" if value is None else str(value)
        for value in values
    ]
