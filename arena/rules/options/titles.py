"""Titles, points and the end of a sitting."""

from __future__ import annotations

from arena.rules.catalogue import SWITCH, Choice, Numbers, Option, Options, Pattern, Words, rule
from arena.rules.wiring import Titles, Wiring

_MOST = 8  # players, and so titles
_RICH = {"king": 3, "dai_fugo": 2, "daifugo": 2, "very_rich": 2, "fugo": 1, "millionaire": 1}
_POOR = {
    "slave": 3,
    "dai_hinmin": 2,
    "daihinmin": 2,
    "destitute": 2,
    "very_poor": 2,
    "hinmin": 1,
    "poor": 1,
}
_SCHEMES: dict[str, dict[int, Titles]] = {
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
_ENDS: dict[str, tuple[Titles, str | None, Titles]] = {
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
    if players in _SCHEMES[scheme]:
        return _SCHEMES[scheme][players]
    top, middle, bottom = _ENDS[scheme]
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
    rich = [_RICH.get(title or "", 0) for title in titles]
    poor = [_POOR.get(title or "", 0) for title in titles]
    if scoring == "pay":
        return tuple(r - p for r, p in zip(rich, poor, strict=True))
    return tuple(rich) if scoring == "dai2_fu1" else (0,) * len(titles)


def poor_classes(titles: Titles) -> int:
    """How many of the places carry the title of a poor class."""
    return sum(title in _POOR for title in titles)


@rule(
    Option(
        "titles",
        "pagat",
        Choice(tuple(_ENDS)),
        "The titles of the places; king: from seven players on a king above and a slave below.",
        ("PG-44", "PG-45", "DX-11", "DX-12", "RU-23", "OR-59", "PG-03", "FO-29", "XV-classes7"),
        "大富豪・大貧民",
        "daifugō, daihinmin",
    ),
    Option(
        "title_table",
        (),
        Words(_MOST),
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
    ),
    Option(
        "score_table",
        (),
        Numbers(-1000, 1000),
        "With scoring table: points by place, best to last.",
        ("XV-points",),
    ),
    Option(
        "session_end",
        "open",
        Pattern(
            ("open",), r"(?:hands|minutes|points):[1-9][0-9]{0,5}", "hands:N, minutes:N, points:N"
        ),
        "When a sitting ends: after so many hands, minutes or points, or as the session says.",
        ("DX-20", "AM-77", "XV-match", "OR-75"),
    ),
    Option(
        "overall_winner",
        "none",
        Choice(("none", "last_daifugo", "most_points")),
        "Who wins the sitting: nobody, the winner of the last hand, or who has most points.",
        ("DX-21", "AM-77", "AM-78"),
    ),
    Option(
        "forfeits",
        False,
        SWITCH,
        "The loser fetches drinks and snacks: text only.",
        ("DX-15",),
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
