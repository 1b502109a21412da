"""A bot in a session, and two bots against each other, as pages."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from markupsafe import Markup

from arena.session.profiles import HandOfBot, Pairing, Profile, Shared, ratings_of
from arena.tournament.components import ABOVE
from arena.tournament.head_to_head import Gap, Record
from arena.tournament.history import BotPoint
from arena.tournament.reporting.html_tables import (
    NOTHING,
    Cell,
    bot_cell,
    interval,
    interval_scale,
    table,
)
from arena.tournament.reporting.layouts import likelihood
from arena.tournament.reporting.pictures import RatingBar
from arena.tournament.standings import Row
from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.queries import Param
from arena.web.api.results import CODES, SEATS
from arena.web.api.services import Call
from arena.web.pages.rendering import page, page_endpoint
from arena.web.pages.wording import elo_words, hand_label, ordinal

HANDS_A_PAGE = 50
AFTER = Param("after", "integer", "How many hands to leave out.", 0)
CAUSES: Mapping[str, str] = {
    "timeout": "did not answer in time",
    "illegal": "answered against the rules too often",
    "absent": "was not there",
    "withdrawn": "had left",
    "disqualified": "was disqualified",
}
"""Why the referee answered for a bot."""


class Fact(NamedTuple):
    """A number that stands at the head of a page."""

    value: str
    words: str


class HandLink(NamedTuple):
    """A hand that is named: where it is, and what came of it."""

    hand: str
    words: str
    result: str


class BotAddresses(NamedTuple):
    """Where the pages of a session's bots are. seats: of the tables that count, None: the usual."""

    session: str
    seats: int | None

    @property
    def home(self) -> str:
        """The page of the session."""
        return f"/sessions/{quote(self.session, safe='')}"

    def bot(self, bot: str) -> str:
        """The page of a bot."""
        return f"{self.home}/bots/{quote(bot, safe='')}{self.query()}"

    def pair(self, bot: str, other: str) -> str:
        """The page of two bots."""
        return f"{self.home}/pairs/{quote(bot, safe='')}/{quote(other, safe='')}{self.query()}"

    def query(self, **more: int) -> str:
        """What follows an address."""
        members = {**({"seats": self.seats} if self.seats else {}), **more}
        return f"?{urlencode(members)}" if members else ""


def bot_page(call: Call) -> Reply:
    """Show a bot in a session as a page: rating by round, opponents, places, faults, its hands."""
    at = BotAddresses(call.path["session"], call.query["seats"])
    fit, after = call.queries.fit(at.session, seats=at.seats), call.query["after"]
    name = call.queries.session(at.session)["name"]
    profile = fit.profile(call.path["bot"])
    history = fit.history()

    def values() -> Mapping[str, Any]:
        return {
            "session": name,
            "at": at,
            "row": profile.row,
            "facts": list(_facts(profile.row)),
            "standing": _standing(profile.row),
            "rounds": Markup(_rounds(ratings_of(history, profile.row.bot))),
            "met": Markup(_met(profile, at)),
            "places": Markup(_places(profile)),
            "faults": [(CAUSES.get(cause, cause), n) for cause, n in profile.faults.items()],
            "thinking": _thinking(profile),
            "notable": (
                ("Best hands", [_hand_link(each) for each in profile.best]),
                ("Worst hands", [_hand_link(each) for each in profile.worst]),
            ),
            "hands": Markup(_hands(profile.hands[after : after + HANDS_A_PAGE])),
            **_paging(len(profile.hands), after, at),
        }

    key = at, call.path["bot"], after
    return page(call, "bot.html", key, basis=(name, weakref.ref(fit)), values=values)


def pair_page(call: Call) -> Reply:
    """Show two bots of a session as a page: who was ahead, the difference, their hands."""
    at = BotAddresses(call.path["session"], call.query["seats"])
    fit, after = call.queries.fit(at.session, seats=at.seats), call.query["after"]
    name = call.queries.session(at.session)["name"]
    pairing = fit.pairing(call.path["bot"], call.path["other"])

    def values() -> Mapping[str, Any]:
        return {
            "session": name,
            "at": at,
            "rows": (pairing.row, pairing.other),
            "facts": list(_pair_facts(pairing)),
            "hands": Markup(_shared(pairing, pairing.hands[after : after + HANDS_A_PAGE])),
            **_paging(len(pairing.hands), after, at),
        }

    key = at, call.path["bot"], call.path["other"], after
    return page(call, "pair.html", key, basis=(name, weakref.ref(fit)), values=values)


def _paging(count: int, after: int, at: BotAddresses) -> dict[str, Any]:
    """Which of the hands are on the page, and where the others are."""
    before, beyond = max(0, after - HANDS_A_PAGE), after + HANDS_A_PAGE
    return {
        "count": count,
        "first": min(after + 1, count),
        "last": min(beyond, count),
        "before": at.query(**({"after": before} if before else {})) or "?" if after else None,
        "beyond": at.query(after=beyond) if beyond < count else None,
    }


def _facts(row: Row) -> Iterator[Fact]:
    if row.position is not None:
        ranks = "" if row.ranks is None else f"surely {row.ranks[0]} to {row.ranks[1]}"
        yield Fact(ordinal(row.position), f"place{', ' + ranks if ranks else ''}")
    if row.elo is not None:
        yield Fact(elo_words(row), "Elo, 95 %")
    if row.ahead is not None:
        yield Fact(f"{100 * row.ahead:.1f} %", "ahead of an opponent")
    if row.place is not None:
        yield Fact(f"{row.place:.2f}", "mean place")
    yield Fact(str(row.hands), f"hands in {row.blocks} blocks")


def _standing(row: Row) -> str:
    """What is special about how a bot takes part."""
    if row.disqualified:
        return "It was disqualified: its hands do not count."
    if row.withdrawn:
        return "It has left the session; what it has played stays."
    return ""


def _rounds(ratings: Sequence[tuple[int, BotPoint]]) -> str:
    """The rating after each round, drawn beside the number."""
    if not ratings:
        return "<p>No round with it is complete yet.</p>"
    bars = [_bar(rating) for _, rating in ratings]
    scale = interval_scale(bars)
    heads = (Cell("Round", "text"), Cell("Elo"), Cell("95 %", "text"), Cell("Hands so far", "mid"))
    rows = (
        (
            Cell(str(round_), "text"),
            Cell(_escaped_elo(rating)),
            Cell(interval(bar, scale), "text wider"),
            Cell(str(rating.hands), "mid"),
        )
        for (round_, rating), bar in zip(ratings, bars, strict=True)
    )
    return table("Rating after each round, from all hands until then", heads, rows)


def _escaped_elo(rating: BotPoint) -> str:
    return str(Markup.escape(elo_words(rating)))


def _bar(rating: BotPoint) -> RatingBar:
    if rating.bound_elo is not None:
        above = rating.bound == ABOVE
        low, high = (rating.bound_elo, None) if above else (None, rating.bound_elo)
    else:
        low, high = rating.elo - (rating.error or 0.0), rating.elo + (rating.error or 0.0)
    return RatingBar("", rating.elo, low, high, sure=True)


def _met(profile: Profile, at: BotAddresses) -> str:
    """How it did against each opponent."""
    heads = (
        Cell("Opponent", "text"),
        Cell("Ahead"),
        Cell("95 %", "text mid"),
        Cell("Hands"),
        Cell("Difference, Elo", "mid"),
        Cell("Better", "mid"),
    )

    def link(other: str) -> str:
        return at.pair(profile.row.bot, other)

    rows = (
        (
            bot_cell(each.bot, each.name, link),
            Cell(_share(each.record)),
            Cell(_share_picture(each.record), "text mid"),
            Cell(str(each.record.hands)),
            Cell(_gap(each.gap), "mid"),
            Cell(_better(each.gap), "mid"),
        )
        for each in profile.met
    )
    return table("Against each opponent, in the hands that they shared", heads, rows)


def _share(record: Record) -> str:
    error = "" if record.error is None else f" <small>±{100 * record.error:.0f}</small>"
    return f"{100 * record.share:.0f} %{error}"


def _share_picture(record: Record) -> str:
    """From none of the hands to all of them."""
    error = 100 * (record.error or 0.0)
    share = 100 * record.share
    bar = RatingBar("", share, max(0.0, share - error), min(100.0, share + error), sure=True)
    return interval(bar, (0.0, 100.0))


def _gap(between: Gap | None) -> str:
    return NOTHING if between is None else f"{between.elo:+.0f} ±{between.error:.0f}"


def _better(between: Gap | None) -> str:
    if between is None:
        return NOTHING
    return f"{Markup.escape(likelihood(between.superiority))} %"


def _places(profile: Profile) -> str:
    """How often it finished where."""
    total = sum(profile.places.values())
    if not total:
        return "<p>No hand of it has ended yet.</p>"
    rows = (
        (
            Cell(ordinal(place), "text"),
            Cell(_bar_picture(count / total), "text wider"),
            Cell(f"{count} <small>{100 * count / total:.0f} %</small>"),
        )
        for place, count in profile.places.items()
    )
    heads = (Cell("Place", "text"), Cell("Share", "text"), Cell("Hands"))
    return table("Where it finished", heads, rows)


def _bar_picture(share: float) -> str:
    """A share as the length of a bar; its numbers stand beside it."""
    return (
        '<svg class="int" viewBox="0 0 200 16" aria-hidden="true"><path d="M0 8h200"/>'
        f'<rect class="share" y="3" height="10" width="{200 * share:.1f}"/></svg>'
    )


def _thinking(profile: Profile) -> str:
    if not profile.moves:
        return "It has not answered a turn yet."
    mean = profile.charged_ms / profile.moves
    total = profile.charged_ms / 1_000
    return f"{mean:,.0f} ms a move over {profile.moves:,} moves, {total:,.1f} s in all."


def _hand_link(each: HandOfBot) -> HandLink:
    place = f"{ordinal(each.place)} of {each.of}"
    return HandLink(each.hand, hand_label(each.hand), f"{place}, {each.surplus:+.1f}")


def _hands(hands: Iterable[HandOfBot]) -> str:
    heads = (Cell("Hand", "text"), Cell("Place"), Cell("Points"), Cell("Faults", "text"))
    rows = (
        (
            _hand_cell(each.hand),
            Cell(f"{each.place} <small>of {each.of}</small>" if each.played else "not played"),
            Cell(f"{each.points:g}"),
            Cell(", ".join(each.faults) or "none", "text"),
        )
        for each in hands
    )
    return table("Its hands, as they were played", heads, rows)


def _hand_cell(hand: str) -> Cell:
    return Cell(f'<a href="/hands/{quote(hand, safe="")}">{hand_label(hand)}</a>', "text")


def _pair_facts(pairing: Pairing) -> Iterator[Fact]:
    record, between = pairing.record, pairing.gap
    if record is not None:
        error = "" if record.error is None else f" ±{100 * record.error:.0f}"
        share = f"{100 * record.share:.1f}{error} %"
        yield Fact(share, f"ahead: in {record.ahead:g} of {record.hands} hands that count")
    if between is not None:
        words = "Elo between them, by all hands of the session, 95 %"
        yield Fact(f"{between.elo:+.0f} ±{between.error:.0f}", words)
        yield Fact(f"{likelihood(between.superiority)} %", "likely the better one")


def _shared(pairing: Pairing, hands: Iterable[Shared]) -> str:
    names = [str(Markup.escape(row.name)) for row in (pairing.row, pairing.other)]
    heads = (
        Cell("Hand", "text"),
        *(Cell(f"<bdi>{name}</bdi>") for name in names),
        Cell("Ahead", "text"),
    )
    rows = (
        (
            _hand_cell(each.hand),
            Cell(str(each.place)),
            Cell(str(each.other_place)),
            Cell(_ahead(each, names), "text"),
        )
        for each in hands
    )
    return table("The hands that they shared, with the place of each", heads, rows)


def _ahead(each: Shared, names: Sequence[str]) -> str:
    if not each.played:
        return "not played"
    if each.place == each.other_place:
        return "a tie"
    return f"<bdi>{names[each.place > each.other_place]}</bdi>"


def endpoints() -> tuple[Endpoint, ...]:
    """The routes of these pages."""
    query = (SEATS, AFTER)
    return (
        page_endpoint("/sessions/{session}/bots/{bot}", bot_page, query=query, codes=CODES),
        page_endpoint(
            "/sessions/{session}/pairs/{bot}/{other}", pair_page, query=query, codes=CODES
        ),
    )
