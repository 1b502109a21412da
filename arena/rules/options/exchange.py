"""The exchange of cards between rich and poor, from the second hand on (カード交換, kādo kōkan)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from arena.rules.cards import (
    COPY,
    FIRST_JOKER,
    JACK,
    JOKER_RANK,
    JOKERS,
    ORDER,
    RANK_MASKS,
    canonical,
    ids,
)
from arena.rules.catalogue import SWITCH, Choice, Option, Options, Program, rule
from arena.rules.events import Way
from arena.rules.options.titles import poor_classes, titles_in
from arena.rules.state import State
from arena.rules.wiring import Step, Wiring

_ROLES = ("first", "second", "second_last", "last")
_TWO_AND_ONE: tuple[Step, ...] = (
    ("last", "first", 2, "highest"),
    ("second_last", "second", 1, "highest"),
    ("first", "last", 2, "any"),
    ("second", "second_last", 1, "any"),
)
_PROGRAMS = ("none", "pagat", "pagat_two_one", "denexa", "ru")


def _extremes(count: int) -> tuple[Step, ...]:
    """Only the last and the first exchange."""
    return (("last", "first", count, "highest"), ("first", "last", count, "any"))


def program_for(name: str | tuple[Step, ...], players: int) -> tuple[Step, ...]:
    """The steps of an exchange program for a number of players (PG-48, PG-101, DX-16, RU-24)."""
    if not isinstance(name, str):
        return name
    if name == "pagat":
        return _TWO_AND_ONE if players >= 5 else _extremes(1)
    if name == "pagat_two_one":
        return _TWO_AND_ONE if players >= 4 else _extremes(2)
    if name == "denexa":
        return _extremes(2)
    if name == "ru":
        return (
            ("first", "last", 2, "any"),
            ("last", "first", 2, "any"),
            ("last", "first", 1, "highest"),
            ("first", "last", 1, "any"),
        )
    return ()


def owed(held: int, count: int, *, by_suit: bool = False) -> Way:
    """The highest `count` cards of a canonical hand: those that must go, and what may be chosen
    from among equals (AM-61); by_suit: equals in the order spades, hearts, diamonds, clubs."""
    must = 0
    for rank in range(JOKER_RANK, -1, -1):
        group = held & (JOKERS if rank == JOKER_RANK else RANK_MASKS[rank])
        size = group.bit_count()
        if size <= count:
            must |= group
            count -= size
        elif count:
            if by_suit:
                first = sorted(ids(group), key=lambda c: ORDER[c])[:count]
                return ((must | sum(1 << c for c in first), must.bit_count() + count),)
            return ((must, must.bit_count()), (group, count)) if must else ((group, count),)
        if not count:
            break
    return ((must, must.bit_count()),)


def asked(held: int, count: int, wishes: tuple[tuple[int, int | None], ...]) -> Way:
    """The cards that go when some were asked for: each one held, the rest made up with the highest.

    A wish is (rank, suit) or (rank, None) for any card of the rank (AM-65).
    """
    exact = 0
    for rank, suit in wishes:
        if suit is not None and exact.bit_count() < count:
            exact |= _copy(held & ~exact, rank, suit)
    rest = held & ~exact
    numbers = dict.fromkeys(range(14), 0)
    left = count - exact.bit_count()
    for rank, suit in wishes:
        if suit is None and left and numbers[rank] < _of_rank(rest, rank).bit_count():
            numbers[rank] += 1
            left -= 1
    for rank in range(JOKER_RANK, -1, -1):
        more = min(left, _of_rank(rest, rank).bit_count() - numbers[rank])
        numbers[rank] += more
        left -= more
    groups = [(_of_rank(rest, rank), n) for rank, n in numbers.items() if n]
    return (*([(exact, exact.bit_count())] if exact else []), *groups)


def _of_rank(cards: int, rank: int) -> int:
    return cards & (JOKERS if rank == JOKER_RANK else RANK_MASKS[rank])


def _copy(cards: int, rank: int, suit: int) -> int:
    """One copy of a card out of some; 0 if there is none."""
    both = cards & (1 << rank * 4 + suit | 1 << rank * 4 + suit + COPY)
    return both & -both


@rule(
    Option(
        "exchange",
        "pagat",
        Program(_PROGRAMS, _ROLES, ("highest", "any")),
        "The exchange program from the second hand on: who gives how many cards to whom.",
        (
            "PG-48",
            "PG-49",
            "PG-50",
            "PG-51",
            "PG-101",
            "DX-16",
            "DX-17",
            "DX-18",
            "RU-24",
            "RU-25",
            "FO-31",
            "RU-26",
            "RU-27",
            "AM-63",
            "AM-66",
            "AM-67",
            "OR-59",
            "XV-exchange_ladders",
        ),
        "カード交換",
        "kādo kōkan",
    ),
    Option(
        "exchange_order",
        "loser_first",
        Choice(("loser_first", "together", "winner_first")),
        "Losers give first and winners see it, all give at once unseen, or winners give first.",
        ("AM-62", "OR-43", "XV-exchange_forms"),
        also=("同時交換",),
    ),
    Option(
        "exchange_pick",
        "highest",
        Choice(("highest", "asked")),
        "Losers give their highest cards, or those the winners ask for.",
        ("PG-103", "AM-65"),
    ),
    Option(
        "exchange_keep_joker",
        False,
        SWITCH,
        "The poorest need not give a joker away.",
        ("PG-102", "AM-64", "OR-58"),
    ),
    Option(
        "exchange_ties",
        "giver",
        Choice(("giver", "suits")),
        "Among equal highest cards the giver chooses, or spades go before hearts, diamonds, clubs.",
        ("AM-61",),
    ),
)
def exchange(wire: Wiring, o: Options) -> None:
    """The exchange."""
    players, order = o["players"], o["exchange_order"]
    steps = program_for(o["exchange"], players)
    if order == "winner_first" and o["exchange"] != "ru":
        steps = tuple(sorted(steps, key=lambda step: step[0] not in ("first", "second")))
    wire.dealing(
        program=steps,
        order="loser_first" if order == "together" and o["exchange"] == "ru" else order,
        highest=_highest(o),
        asked=o["exchange_pick"] == "asked",
    )


def _highest(o: Options) -> Callable[[State, int, int], tuple[Way, ...]]:
    """The function that finds what a loser may give."""
    by_suit = o["exchange_ties"] == "suits"
    titles = titles_in(o)
    keeps = o["exchange_keep_joker"] and (
        poor_classes(titles) >= 2 or o["titles"] in ("denexa", "ru")
    )

    def ways(s: State, seat: int, count: int) -> tuple[Way, ...]:
        held = canonical(s.held[seat])
        wishes = next((wishes for giver, wishes in s.setup.wishes if giver == seat), ())
        most = (held & JOKERS).bit_count() if keeps and seat == s.setup.before[-1] else 0
        natural = held & ~JOKERS
        hands = [held] + [
            natural | ((1 << kept) - 1) << FIRST_JOKER
            for kept in range(most)
            if natural.bit_count() + kept >= count
        ]
        if wishes:
            return tuple(dict.fromkeys(asked(hand, count, wishes) for hand in hands))
        return tuple(dict.fromkeys(owed(hand, count, by_suit=by_suit) for hand in hands))

    return ways


@rule(
    Option(
        "both_jokers_reversal",
        False,
        SWITCH,
        "If a poor player is dealt all jokers (at least two), the titles turn round.",
        ("PG-70", "AM-57", "C-1", "OR-57"),
    ),
    Option(
        "tenpen_chii",
        "off",
        Choice(("off", "ends", "both")),
        "If the last player holds nothing above 10, first and last swap whole hands instead; both: "
        "the second last and the second do so too, by their own hands.",
        ("XV-tenpen_chii", "OR-42"),
        "天変地異",
        "tenpen-chii",
        also=("swap of hands",),
    ),
)
def upheavals(wire: Wiring, o: Options) -> None:
    """What may take place before or instead of the exchange."""
    all_jokers = ((1 << o["jokers"]) - 1) << FIRST_JOKER
    poor = max(1, min(2, poor_classes(titles_in(o))))
    high = sum(RANK_MASKS[rank] for rank in range(JACK, 13)) | JOKERS

    def reversal(s: State) -> bool:
        return any(s.held[seat] & all_jokers == all_jokers for seat in s.setup.before[-poor:])

    def upheaval(s: State) -> Iterable[tuple[int, int]]:
        before = s.setup.before
        for rich, poor in ((before[0], before[-1]), (before[1], before[-2]))[:pairs]:
            if not s.held[poor] & high:
                yield rich, poor

    if o["both_jokers_reversal"] and o["jokers"] >= 2:
        wire.dealing(reversal=reversal)
    pairs = 2 if o["tenpen_chii"] == "both" and o["players"] >= 4 else 1
    if o["tenpen_chii"] != "off":
        wire.dealing(upheaval=upheaval)
