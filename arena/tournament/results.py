"""Results: one finished hand as every rating sees it, and what a fault does to it.

The only input of ratings and standings. It may not know how a hand was played: rules, seats and
times are gone, what is left is who finished ahead of whom, in which block.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from arena.errors import BadInput

FAULTY_HANDS = 3
"""After this many faulty hands at a table a bot forfeits the rest of them."""


class HandResult(NamedTuple):
    """Who finished ahead of whom in one hand.

    block: the independent unit (everything one line-up played on one set of shuffles).
    pool: ruleset fingerprint and number of seats; ratings never mix pools.
    bots: best to last. finish: parallel to bots, the place as in sport (1, 2, 2, 4); equal
    numbers are ties. faults: bots that failed in this hand, in the order of failing.
    forfeits: bots for whose sake the hand was not played on; only pairs with one of them count.
    """

    block: str
    pool: str
    bots: tuple[str, ...]
    finish: tuple[int, ...]
    faults: tuple[str, ...] = ()
    forfeits: tuple[str, ...] = ()


def settle(
    bots: Sequence[str],
    places: Sequence[int],
    *,
    block: str,
    pool: str,
    faults: Sequence[str] = (),
) -> HandResult:
    """The result of a hand that was played to its end.

    `places[i]` is the place of `bots[i]` in the game, smaller is better, equal is a tie.
    `faults` names the bots that failed, in the order of failing: they come last, the first to
    fail lowest, and the others keep their order. Raises BadInput for names that do not fit.
    """
    _check_names(bots, faults)
    if len(places) != len(bots):
        raise BadInput("places", tuple(places), f"one place for each of {len(bots)} bots")
    first_failed = _without_repeats(faults)
    keys = {bot: (0, place) for bot, place in zip(bots, places, strict=True)}
    keys.update({bot: (1, -at) for at, bot in enumerate(first_failed)})
    order, finish = _ranked(bots, keys)
    return HandResult(block, pool, order, finish, faults=first_failed)


def forfeit(bots: Sequence[str], forfeits: Sequence[str], *, block: str, pool: str) -> HandResult:
    """The result of a hand that is not played, since these bots are out (see `forfeiting`).

    They come last, the first to be out lowest. The others make no pairs among each other.
    """
    _check_names(bots, forfeits)
    if not forfeits:
        raise BadInput("forfeits", tuple(forfeits), "at least one bot of the table")
    out = _without_repeats(forfeits)
    keys = dict.fromkeys(bots, (0, 0))
    keys.update({bot: (1, -at) for at, bot in enumerate(out)})
    order, finish = _ranked(bots, keys)
    return HandResult(block, pool, order, finish, forfeits=out)


def forfeiting(faulty: Sequence[Sequence[str]], *, limit: int = FAULTY_HANDS) -> tuple[str, ...]:
    """The bots that are out at a table, in the order in which they went out.

    `faulty[h]` names the bots that failed in hand h, in the order of failing; a hand counts once
    for a bot however often it failed in it.
    """
    hands: dict[str, int] = {}
    out: list[str] = []
    for failed in faulty:
        for bot in _without_repeats(failed):
            hands[bot] = hands.get(bot, 0) + 1
            if hands[bot] == limit:
                out.append(bot)
    return tuple(out)


def check_result(hand: HandResult) -> HandResult:
    """The result, if there is a hand that it could be of. Raises BadInput."""
    _check_names(hand.bots, (*hand.faults, *hand.forfeits))
    ranks = sorted(hand.finish)
    valid = len(ranks) == len(hand.bots) and ranks == list(hand.finish)
    if not valid or [ranks.index(place) + 1 for place in ranks] != ranks:
        raise BadInput("finish", hand.finish, "a place for each bot, like 1 2 2 4")
    return hand


def pools(hands: Sequence[HandResult]) -> dict[str, tuple[HandResult, ...]]:
    """The hands of each pool, pools by name."""
    sorted_out: dict[str, list[HandResult]] = {}
    for hand in hands:
        sorted_out.setdefault(hand.pool, []).append(hand)
    return {pool: tuple(sorted_out[pool]) for pool in sorted(sorted_out)}


def _ranked(
    bots: Sequence[str], keys: dict[str, tuple[int, int]]
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Bots by key, tied ones by name so that seats leave no trace; and their places."""
    order = sorted(bots, key=lambda bot: (keys[bot], bot))
    ranks = sorted(keys.values())
    return tuple(order), tuple(ranks.index(keys[bot]) + 1 for bot in order)


def _without_repeats(bots: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(bots))


def _check_names(bots: Sequence[str], named: Sequence[str]) -> None:
    if len(set(bots)) != len(bots) or len(bots) < 2:
        raise BadInput("bots", tuple(bots), "two or more different bots")
    strangers = [bot for bot in named if bot not in bots]
    if strangers:
        raise BadInput("bot", strangers[0], f"one of the table: {', '.join(bots)}")
