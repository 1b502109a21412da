"""Profiles: what the hands of a session say of one bot, and of two.

From standings and the hands that they rest on, so whatever is withheld there is withheld here.
Pure: it reads no store and no clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from arena.documents import Document
from arena.session.scoring import ScoredHand
from arena.tournament.head_to_head import Gap, Record, gap, records
from arena.tournament.history import BotPoint, History
from arena.tournament.ratings import Group
from arena.tournament.reporting.documents import percent, rounded, row_document
from arena.tournament.reporting.history_reports import rating_document
from arena.tournament.standings import Row, Standings

NOTABLE = 3
"""How many hands are named as the best, and as the worst."""


class HandOfBot(NamedTuple):
    """A hand of a bot. place: as in sport, 1 the best; of: how many sat there. played: False if it
    was not, because somebody was out. surplus: of its opponents it left so many behind more than
    the ratings expect."""

    hand: str
    place: int
    of: int
    points: float
    played: bool
    faults: tuple[str, ...]
    surplus: float


class Opponent(NamedTuple):
    """An opponent. gap: by the ratings, None if these cannot be compared."""

    bot: str
    name: str
    record: Record
    gap: Gap | None


class Profile(NamedTuple):
    """A bot. places: how often it finished where; faults: by their cause; moves, charged_ms: of all
    its hands; met: in the order of the standings; hands: as they were played; best, worst: by
    surplus."""

    row: Row
    places: Mapping[int, int]
    faults: Mapping[str, int]
    moves: int
    charged_ms: int
    met: tuple[Opponent, ...]
    hands: tuple[HandOfBot, ...]
    best: tuple[HandOfBot, ...]
    worst: tuple[HandOfBot, ...]


class Shared(NamedTuple):
    """A hand that two bots shared, with the place of each."""

    hand: str
    place: int
    other_place: int
    played: bool


class Pairing(NamedTuple):
    """Two bots. record, gap: of the first; None if they never met, or cannot be compared."""

    row: Row
    other: Row
    record: Record | None
    gap: Gap | None
    hands: tuple[Shared, ...]


def row_of(standings: Standings, bot: str) -> Row | None:
    """The row of a bot, by its id or its name."""
    rows = [row for section in standings.sections for row in section.rows]
    by_id = next((row for row in rows if row.bot == bot), None)
    return by_id or next((row for row in rows if row.name == bot), None)


def profile(standings: Standings, hands: Iterable[ScoredHand], row: Row) -> Profile:
    """What the hands say of a bot that the standings have."""
    own = [hand for hand in hands if row.bot in hand.bots]
    elos = {each.bot: each.elo for section in standings.sections for each in section.rows}
    played = tuple(_played(hand, row.bot, elos) for hand in own)
    players = [hand.bots.index(row.bot) for hand in own]
    ordered = sorted((each for each in played if each.played), key=lambda each: -each.surplus)
    return Profile(
        row,
        places=dict(sorted(Counter(each.place for each in played if each.played).items())),
        faults=dict(sorted(Counter(cause for each in played for cause in each.faults).items())),
        moves=sum(hand.moves[at] for hand, at in zip(own, players, strict=True)),
        charged_ms=sum(hand.charged_ms[at] for hand, at in zip(own, players, strict=True)),
        met=tuple(_met(standings, row.bot)),
        hands=played,
        best=tuple(each for each in ordered[:NOTABLE] if each.surplus > 0),
        worst=tuple(each for each in ordered[: -NOTABLE - 1 : -1] if each.surplus < 0),
    )


def _played(hand: ScoredHand, bot: str, elos: Mapping[str, float | None]) -> HandOfBot:
    result, player = hand.result, hand.bots.index(bot)
    place = result.finish[result.bots.index(bot)]
    return HandOfBot(
        hand.hand,
        place,
        len(hand.bots),
        points=hand.points[player],
        played=not result.forfeits,
        faults=tuple(cause for failed, cause in hand.causes if failed == bot),
        surplus=_surplus(hand, bot, place=place, elos=elos),
    )


def _surplus(hand: ScoredHand, bot: str, *, place: int, elos: Mapping[str, float | None]) -> float:
    """How many more of its opponents were left behind than the ratings expect; ties are halves."""
    surplus = 0.0
    for other, other_place in zip(hand.result.bots, hand.result.finish, strict=True):
        if other != bot:
            scored = 0.5 + (place < other_place) / 2 - (place > other_place) / 2
            surplus += scored - _expected(elos.get(bot), elos.get(other))
    return surplus


def _expected(elo: float | None, other: float | None) -> float:
    if elo is None or other is None:
        return 0.5
    return float(1.0 / (1.0 + 10.0 ** ((other - elo) / 400.0)))


def _met(standings: Standings, bot: str) -> Iterable[Opponent]:
    met = records(standings.ratings.tally, bot)
    group = _group(standings, bot)
    for section in standings.sections:
        for row in section.rows:
            if row.bot in met:
                yield Opponent(row.bot, row.name, met[row.bot], _gap(group, bot, row.bot))


def _group(standings: Standings, bot: str) -> Group | None:
    return next((group for group in standings.ratings.groups if bot in group.bots), None)


def _gap(group: Group | None, bot: str, other: str) -> Gap | None:
    """By the ratings; None where one of them has a bound instead of one, or they never met."""
    if group is None or other not in group.bots:
        return None
    bounded = any(group.bounds[group.bots.index(each)] for each in (bot, other))
    return None if bounded else gap(group, bot, other)


def pairing(standings: Standings, hands: Iterable[ScoredHand], row: Row, other: Row) -> Pairing:
    """What the hands say of two bots that the standings have."""
    shared = tuple(
        _shared(hand, row.bot, other.bot)
        for hand in hands
        if row.bot in hand.bots and other.bot in hand.bots
    )
    record = records(standings.ratings.tally, row.bot).get(other.bot)
    between = _gap(_group(standings, row.bot), row.bot, other.bot)
    return Pairing(row, other, record, between, shared)


def _shared(hand: ScoredHand, bot: str, other: str) -> Shared:
    places = dict(zip(hand.result.bots, hand.result.finish, strict=True))
    return Shared(hand.hand, places[bot], places[other], played=not hand.result.forfeits)


def ratings_of(history: History, bot: str) -> tuple[tuple[int, BotPoint], ...]:
    """The rating of a bot after each round, with the number of the round."""
    return tuple(
        (point.round, rating)
        for point in history.points
        for rating in point.ratings
        if rating.bot == bot
    )


def profile_document(
    said: Profile, history: Sequence[tuple[int, BotPoint]], *, after: int, limit: int
) -> Document:
    """A profile as plain data for JSON. after, limit: which of its hands."""
    page = said.hands[after : after + limit]
    return {
        "row": row_document(said.row),
        "history": [{"round": round_, **rating_document(rating)} for round_, rating in history],
        "places": [{"place": place, "hands": count} for place, count in said.places.items()],
        "faults": dict(said.faults),
        "moves": said.moves,
        "charged_ms": said.charged_ms,
        "opponents": [
            {"bot": each.bot, "name": each.name, **_versus(each.record, each.gap)}
            for each in said.met
        ],
        "best": [_played_document(each) for each in said.best],
        "worst": [_played_document(each) for each in said.worst],
        "hands": [_played_document(each) for each in page],
        "next": after + limit if len(said.hands) > after + limit else None,
    }


def _played_document(each: HandOfBot) -> Document:
    return {
        "hand": each.hand,
        "place": each.place,
        "of": each.of,
        "points": each.points,
        "played": each.played,
        "faults": list(each.faults),
        "surplus": rounded(each.surplus, 3),
    }


def _versus(record: Record | None, between: Gap | None) -> Document:
    return {
        "shared": 0 if record is None else record.hands,
        "ahead": 0 if record is None else record.ahead,
        "ahead_percent": None if record is None else percent(record.share),
        "ahead_error": None if record is None else percent(record.error),
        "gap_elo": None if between is None else rounded(between.elo, 2),
        "gap_error_elo": None if between is None else rounded(between.error, 2),
        "superiority_percent": None if between is None else percent(between.superiority),
    }


def pairing_document(said: Pairing, *, after: int, limit: int) -> Document:
    """Two bots as plain data for JSON. after, limit: which of their hands."""
    page = said.hands[after : after + limit]
    return {
        "bots": [row_document(said.row), row_document(said.other)],
        **_versus(said.record, said.gap),
        "hands": [
            {"hand": each.hand, "places": [each.place, each.other_place], "played": each.played}
            for each in page
        ],
        "next": after + limit if len(said.hands) > after + limit else None,
    }
