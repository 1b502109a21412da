"""The exchange of cards between rich and poor, from the second hand on (カード交換, kādo kōkan)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from arena.rules.cards import (
    COPY,
    FIRST_JOKER,
    JACK,
    JOKER_RANK,
    JOKERS,
    ORDER,
    RANK_MASKS,
    TWO,
    canonical,
    ids,
)
from arena.rules.catalogue import SWITCH, Choice, Need, Option, Options, Program, rule
from arena.rules.events import Gave, Way
from arena.rules.needs import LATER_HANDS, jokers, of_a_rank
from arena.rules.options.titles import may_keep_joker, poor_classes, titles_in
from arena.rules.state import State
from arena.rules.wiring import Step, Wiring

ROLES: Final = ("first", "second", "second_last", "last")
TWO_AND_ONE: Final[tuple[Step, ...]] = (
    ("last", "first", 2, "highest"),
    ("second_last", "second", 1, "highest"),
    ("first", "last", 2, "any"),
    ("second", "second_last", 1, "any"),
)
PROGRAMS: Final = ("none", "pagat", "pagat_two_one", "denexa", "ru")


def _extremes(count: int) -> tuple[Step, ...]:
    """Only the last and the first exchange."""
    return (("last", "first", count, "highest"), ("first", "last", count, "any"))


def program_for(name: str | tuple[Step, ...], players: int) -> tuple[Step, ...]:
    """The steps of an exchange program for a number of players (PG-48, PG-101, DX-16, RU-24)."""
    if not isinstance(name, str):
        return name
    if name == "pagat":
        return TWO_AND_ONE if players >= 5 else _extremes(1)
    if name == "pagat_two_one":
        return TWO_AND_ONE if players >= 4 else _extremes(2)
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


def asked(
    held: int, count: int, wishes: tuple[tuple[int, int | None], ...], *, by_suit: bool = False
) -> Way:
    """The cards that go out of a canonical hand: each one held that was asked for, the rest made up
    with the highest, of which equals are free (AM-61).

    A wish is (rank, suit) or (rank, None) for any card of the rank (AM-65). by_suit: equals that
    make up the number go in the order spades, hearts, diamonds, clubs, while the suit of a rank
    that was named is free (OR-64).
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
        if not left:
            break  # nothing to make up: the other ranks need not be sorted
        more = min(left, _of_rank(rest, rank).bit_count() - numbers[rank])
        left -= more
        if by_suit:
            group = _of_rank(rest, rank)
            first = sum(1 << c for c in sorted(ids(group), key=ORDER.__getitem__)[:more])
            exact |= first
            rest &= ~first
        else:
            numbers[rank] += more
    groups = [(_of_rank(rest, rank), n) for rank, n in numbers.items() if n]
    return (*([(exact, exact.bit_count())] if exact else []), *groups)


def _of_rank(cards: int, rank: int) -> int:
    return cards & (JOKERS if rank == JOKER_RANK else RANK_MASKS[rank])


def _copy(cards: int, rank: int, suit: int) -> int:
    """One copy of a card out of some; 0 if there is none."""
    both = cards & (1 << rank * 4 + suit | 1 << rank * 4 + suit + COPY)
    return both & -both


def _seat(role: str, players: int) -> int:
    """The place of a role, 0 the best."""
    return {"first": 0, "second": 1, "second_last": players - 2, "last": players - 1}[role]


def _steps(o: Options) -> tuple[Step, ...]:
    """The steps of the exchange of a ruleset."""
    return program_for(o["exchange"], o["players"])


def _winners_first(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps of the winners before those of the losers."""
    return tuple(sorted(steps, key=lambda step: step[0] not in ("first", "second")))


def _between_two(o: Options) -> bool:
    """Is the giver of each step another player than the receiver?"""
    players = o["players"]
    return all(_seat(giver, players) != _seat(to, players) for giver, to, *_ in _steps(o))


def _one_gift_each(o: Options) -> bool:
    """Is there no giver who would be asked twice at the same moment?"""
    givers = [_seat(step[0], o["players"]) for step in _steps(o)]
    named = isinstance(o["exchange"], str)
    return named or o["exchange_order"] != "together" or len(set(givers)) == len(givers)


def _order_matters(o: Options) -> bool:
    """Does the order of giving change anything?"""
    steps, order = _steps(o), o["exchange_order"]
    if o["exchange"] == "ru":  # it keeps its own order, which is the winner's first (OR-43)
        return bool(order == "winner_first")
    return len(steps) > 1 if order == "together" else _winners_first(steps) != steps


def _same_program(o: Options) -> Any:
    """The first named program with the same steps; `ru` keeps its own order (OR-43)."""
    same = (n for n in PROGRAMS if n != "ru" and program_for(n, o["players"]) == _steps(o))
    return next(same, o["exchange"])


def _may_keep(o: Options) -> bool:
    """May the poorest player of this table keep a joker? (OR-58, OR-71)"""
    return bool(o["exchange_keep_joker"]) and may_keep_joker(titles_in(o))


OWN_PROGRAM: Final = Need(
    ("players",),
    _between_two,
    "a giver and a receiver who are not the same player",
    "somebody gives to himself",
)
ONE_STEP_EACH: Final = Need(
    ("exchange_order",),
    _one_gift_each,
    "one step for each giver if all give together",
    "somebody is asked twice",
)
ORDER_MATTERS: Final = Need(("exchange",), _order_matters, "an exchange whose order it changes")
HIGHEST: Final = Need(
    ("exchange",),
    lambda o: any(step[3] == "highest" for step in _steps(o)),
    "an exchange in which somebody gives his highest cards",
)
JOKERS_GO: Final = Need(
    ("exchange_no_joker",), lambda o: not o["exchange_no_joker"], "exchange_no_joker off"
)
TOO_MANY: Final = 5  # 2s and jokers in one hand (XV-dokusen)
FIVE_HIGH: Final = Need(
    ("suits", "decks", "jokers"),
    lambda o: of_a_rank(o) + o["jokers"] >= TOO_MANY,
    "five 2s and jokers in the pack",
)
LAST_GIVES: Final = Need(
    ("exchange",),
    lambda o: any(step[0] == "last" and step[3] == "highest" for step in _steps(o)),
    "an exchange in which the last player gives his highest cards",
)


@rule(
    Option(
        "exchange",
        "pagat",
        Program(PROGRAMS, ROLES, ("highest", "any")),
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
        needs=(LATER_HANDS, OWN_PROGRAM, ONE_STEP_EACH),
        same_as=_same_program,
    ),
    Option(
        "exchange_order",
        "loser_first",
        Choice(("loser_first", "together", "winner_first")),
        "Losers give first and winners see it, all give at once unseen, or winners give first.",
        ("AM-62", "OR-43", "XV-exchange_forms"),
        also=("同時交換",),
        needs=(ORDER_MATTERS, LATER_HANDS),
        same_as=lambda o: "winner_first" if o["exchange"] == "ru" else o["exchange_order"],
    ),
    Option(
        "exchange_pick",
        "highest",
        Choice(("highest", "asked")),
        "Losers give their highest cards, or those the winners ask for.",
        ("PG-103", "AM-65"),
        needs=(HIGHEST, LATER_HANDS),
    ),
    Option(
        "exchange_keep_joker",
        False,
        SWITCH,
        "The poorest need not give a joker away.",
        ("PG-102", "AM-64", "OR-58", "OR-71"),
        needs=(jokers(1), LAST_GIVES, LATER_HANDS, JOKERS_GO),
        same_as=_may_keep,
    ),
    Option(
        "exchange_no_joker",
        False,
        SWITCH,
        "Who gives his highest cards gives the highest that are no jokers.",
        ("XV-exchange_forms",),
        also=("ジョーカー抜きの交換",),
        later=True,
        needs=(jokers(1), HIGHEST, LATER_HANDS),
    ),
    Option(
        "exchange_ties",
        "giver",
        Choice(("giver", "suits")),
        "Among equal highest cards the giver chooses, or spades go before hearts, diamonds, clubs.",
        ("AM-61", "OR-64"),
        needs=(HIGHEST, LATER_HANDS),
    ),
)
def exchange(wire: Wiring, o: Options) -> None:
    """The exchange."""
    steps, order = _steps(o), o["exchange_order"]
    if order == "winner_first" and o["exchange"] != "ru":
        steps = _winners_first(steps)
    wire.dealing(
        program=steps,
        order=order,
        highest=_highest(o),
        asked=o["exchange_pick"] == "asked",
    )


def _highest(o: Options) -> Callable[[State, int, int], tuple[Way, ...]]:
    """The function that finds what a loser may give."""
    by_suit = o["exchange_ties"] == "suits"
    keeps, no_joker = _may_keep(o), o["exchange_no_joker"]

    def ways(s: State, seat: int, count: int) -> tuple[Way, ...]:
        held = canonical(s.held[seat])
        wishes = next((wishes for giver, wishes in s.setup.wishes if giver == seat), ())
        most = (held & JOKERS).bit_count() if keeps and seat == s.setup.before[-1] else 0
        natural = held & ~JOKERS
        enough = natural.bit_count() >= count
        hands = [natural if no_joker and enough else held] + [
            natural | ((1 << kept) - 1) << FIRST_JOKER
            for kept in range(most)
            if natural.bit_count() + kept >= count
        ]
        return tuple(dict.fromkeys(asked(hand, count, wishes, by_suit=by_suit) for hand in hands))

    return ways


@rule(
    Option(
        "dokusen",
        False,
        SWITCH,
        "If the winner of the hand before holds five or more 2s and jokers after the exchange, his "
        "2s go to the others, one by one.",
        ("XV-dokusen",),
        "独占禁止法",
        "dokusen kinshi-hō",
        also=("antitrust law",),
        later=True,
        needs=(LATER_HANDS, FIVE_HIGH),
    ),
)
def dokusen(wire: Wiring, o: Options) -> None:
    """The law against monopolies."""

    def shared(s: State) -> Iterable[Gave]:
        if not s.setup.before:
            return
        rich, players = s.setup.before[0], s.players
        twos = s.held[rich] & RANK_MASKS[TWO]
        if (twos | s.held[rich] & JOKERS).bit_count() < TOO_MANY:
            return
        cards = sorted(ids(canonical(twos)), key=lambda card: ORDER[card])
        for distance in range(1, players):
            share = sum(1 << card for card in cards[distance - 1 :: players - 1])
            if share:
                to = (rich + distance * s.direction) % players
                yield Gave(rich, to, share, share.bit_count(), "dokusen")

    if o["dokusen"]:
        wire.exchanged(shared)


@rule(
    Option(
        "both_jokers_reversal",
        False,
        SWITCH,
        "If a poor player is dealt all jokers (at least two), the titles turn round.",
        ("PG-70", "AM-57", "C-1", "OR-57"),
        needs=(jokers(2), LATER_HANDS),
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
        needs=(LATER_HANDS,),
        same_as=lambda o: (
            "ends" if o["tenpen_chii"] == "both" and o["players"] < 4 else o["tenpen_chii"]
        ),
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

    if o["both_jokers_reversal"]:
        wire.dealing(reversal=reversal)
    pairs = 2 if o["tenpen_chii"] == "both" and o["players"] >= 4 else 1
    if o["tenpen_chii"] != "off":
        wire.dealing(upheaval=upheaval)
