"""Titles, points and the end of a sitting."""

from __future__ import annotations

from typing import Final

from arena.rules.catalogue import (
    SWITCH,
    Choice,
    Need,
    Numbers,
    Option,
    Options,
    Pattern,
    Words,
    rule,
)
from arena.rules.needs import is_on
from arena.rules.wiring import Titles, Wiring

MOST: Final = 8  # players, and so titles
RICH: Final = {"king": 3, "dai_fugo": 2, "daifugo": 2, "very_rich": 2, "fugo": 1, "millionaire": 1}
POOR: Final = {
    "slave": 3,
    "dai_hinmin": 2,
    "daihinmin": 2,
    "destitute": 2,
    "very_poor": 2,
    "hinmin": 1,
    "poor": 1,
}
SCHEMES: Final[dict[str, dict[int, Titles]]] = {
    "pagat": {
        2: ("fugo", "hinmin"),
        3: ("fugo", None, "hinmin"),
        4: ("fugo", None, None, "hinmin"),
    },
    "denexa": {
        2: ("daifugo", "destitute"),
        3: ("daifugo", "commoner", "destitute"),
        4: ("daifugo", "millionaire", "poor", "destitute"),
    },
    "ru": {},
    "king": {},
    "nihon": {
        2: ("daifugo", "daihinmin"),
        3: ("daifugo", "heimin", "daihinmin"),
        4: ("daifugo", "fugo", "hinmin", "daihinmin"),
    },
}
ENDS: Final[dict[str, tuple[Titles, str | None, Titles]]] = {
    "pagat": (("dai_fugo", "fugo"), None, ("hinmin", "dai_hinmin")),
    "denexa": (("daifugo", "millionaire"), "commoner", ("poor", "destitute")),
    "ru": (("very_rich",), None, ("very_poor",)),
    "nihon": (("daifugo", "fugo"), "heimin", ("hinmin", "daihinmin")),
    "king": (("king", "daifugo", "fugo"), "heimin", ("hinmin", "daihinmin", "slave")),
}


def titles_for(scheme: str, players: int) -> Titles:
    """Titles by place, best to last, None where the document gives none (PG-44, DX-11, RU-23)."""
    if scheme == "king" and players < 7:
        scheme = "nihon"
    if players in SCHEMES[scheme]:
        return SCHEMES[scheme][players]
    top, middle, bottom = ENDS[scheme]
    return (*top, *[middle] * (players - len(top) - len(bottom)), *bottom)


def titles_in(o: Options) -> Titles:
    """Titles by place, best to last, as the options say.

    A table of titles for fewer players is cut in its middle; where it is shorter than the row of
    players those in the middle have none (XV-classes7).
    """
    table, players = o["title_table"], o["players"]
    if not table:
        return titles_for(o["titles"], players)
    above = min((len(table) + 1) // 2, (players + 1) // 2)
    below = min(len(table) // 2, players - above)
    return (
        *table[:above],
        *[None] * (players - above - below),
        *table[len(table) - below :],
    )


def points_for(scoring: str, titles: Titles, table: tuple[int, ...]) -> tuple[int, ...]:
    """Points by place (PG-47, PG-104, C-8)."""
    if scoring == "table":
        return tuple(table[i] if i < len(table) else 0 for i in range(len(titles)))
    rich = [RICH.get(title or "", 0) for title in titles]
    poor = [POOR.get(title or "", 0) for title in titles]
    if scoring == "pay":
        return tuple(r - p for r, p in zip(rich, poor, strict=True))
    return tuple(rich) if scoring == "dai2_fu1" else (0,) * len(titles)


def may_keep_joker(titles: Titles) -> bool:
    """May the last player keep a joker: with one of the lowest titles that there are, or as the
    lower of two poor classes? (AM-64, OR-58, OR-71)"""
    return POOR.get(titles[-1] or "", 0) >= 2 or poor_classes(titles) >= 2


def poor_classes(titles: Titles) -> int:
    """How many of the places carry the title of a poor class."""
    return sum(title in POOR for title in titles)


def _table_in_use(o: Options) -> tuple[int, ...]:
    """The points for the places of this table, without the zeros at its end."""
    table = list(o["score_table"][: o["players"]])
    while table and not table[-1]:
        table.pop()
    return tuple(table)


@rule(
    Option(
        "titles",
        "pagat",
        Choice(tuple(ENDS)),
        "The titles of the places; king: from seven players on a king above and a slave below.",
        ("PG-44", "PG-45", "DX-11", "DX-12", "RU-23", "OR-59", "PG-03", "FO-29", "XV-classes7"),
        "大富豪・大貧民",
        "daifugō, daihinmin",
        needs=(Need(("title_table",), lambda o: not o["title_table"], "title_table empty"),),
        same_as=lambda o: "nihon" if o["titles"] == "king" and o["players"] < 7 else o["titles"],
    ),
    Option(
        "title_table",
        (),
        Words(MOST),
        "Titles of one's own by place, best to last, instead of those of the option titles.",
        ("XV-classes7",),
        later=True,
    ),
    Option(
        "scoring",
        "none",
        Choice(("none", "dai2_fu1", "pay", "table")),
        "Points after each hand: none, 2 and 1 for the rich, paid by the poor, or by a table.",
        ("PG-46", "PG-47", "PG-104", "AM-68", "C-8", "XV-points", "FO-30"),
        also=("得点",),
        needs=(
            Need(
                ("score_table",),
                lambda o: o["scoring"] != "table" or bool(_table_in_use(o)),
                "points in score_table",
            ),
        ),
    ),
    Option(
        "score_table",
        (),
        Numbers(-1000, 1000),
        "With scoring table: points by place, best to last.",
        ("XV-points",),
        needs=(Need(("scoring",), lambda o: o["scoring"] == "table", "scoring table"),),
        same_as=_table_in_use,
    ),
    Option(
        "session_end",
        "open",
        Pattern(
            ("open",), r"(?:hands|minutes|points):[1-9][0-9]{0,5}", "hands:N, minutes:N, points:N"
        ),
        "When a sitting ends: after a number of hands, minutes or points, or as the session says.",
        ("DX-20", "AM-77", "XV-match", "OR-75"),
        needs=(
            Need(
                ("scoring",),
                lambda o: not o["session_end"].startswith("points") or is_on(o["scoring"]),
                "scoring on",
            ),
        ),
    ),
    Option(
        "overall_winner",
        "none",
        Choice(("none", "last_daifugo", "most_points")),
        "Who wins the sitting: nobody, the winner of the last hand, or who has most points.",
        ("DX-21", "AM-77", "AM-78"),
        needs=(
            Need(
                ("scoring",),
                lambda o: o["overall_winner"] != "most_points" or is_on(o["scoring"]),
                "scoring on",
            ),
        ),
    ),
    Option(
        "forfeits",
        False,
        SWITCH,
        "The loser fetches drinks and snacks.",
        ("DX-15",),
        same_as=lambda o: False,
        text=True,
    ),
    Option(
        "discard_view",
        "face_down",
        Choice(("face_down", "open")),
        "Does the view of a hand repeat cards that were cleared from the table?",
        ("PG-35", "AM-70", "PG-21", "FO-15"),
    ),
)
def titles(wire: Wiring, o: Options) -> None:
    """Titles and points by place."""
    by_place = titles_in(o)
    wire.between(
        titles=by_place,
        points=points_for(o["scoring"], by_place, o["score_table"]),
        session_end=o["session_end"],
        overall_winner=o["overall_winner"],
        forfeits=o["forfeits"],
        open_discards=o["discard_view"] == "open",
    )
