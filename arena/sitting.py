"""A sitting: the hands of one table in a row, as a fold over ended hands.

What carries over from hand to hand is here: titles (as places), dealer, seats, points. Players are
numbers 0..k-1 in the table's line-up and keep them; seats may change with every hand, and a
`seating` says who sits where: seat → player. Pure, like the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.rules import Ruleset, State
from arena.rules.cards import NATURAL
from arena.rules.commands import Deal, Lots
from arena.rules.options.seats import new_seats

Seating = tuple[int, ...]


class Sitting(NamedTuple):
    """What carries over between hands.

    hands: played so far; dealer: player who dealt the last one (-1: none yet); places: players,
    best to last, of the last hand; points: by player; seating: of the last hand; equal: has it left
    nobody a title?
    """

    hands: int = 0
    dealer: int = -1
    places: tuple[int, ...] = ()
    points: tuple[int, ...] = ()
    seating: Seating = ()
    equal: bool = False


def start(rules: Ruleset) -> Sitting:
    """A sitting before its first hand."""
    return Sitting(points=(0,) * rules.players)


def seating_for(rules: Ruleset, sitting: Sitting, proposed: Seating) -> Seating:
    """Who sits where in the next hand: as the ruleset moves the players, else as proposed."""
    if rules.table.seats == "fixed":
        return proposed
    if not sitting.places:
        return sitting.seating or proposed
    step = rules.play.direction
    mode, points = rules.table.seats, sitting.points
    return new_seats(mode, sitting.seating, sitting.places, step=step, points=points)


def next_deal(
    rules: Ruleset, sitting: Sitting, seating: Seating, *, deck: Sequence[int], lots: Lots
) -> Deal:
    """The deal of the next hand; deck: card ids, top first."""
    titled = _titled(rules, sitting)
    places = tuple(seating.index(player) for player in sitting.places) if titled else ()
    return Deal(tuple(deck), _dealer(rules, sitting, seating, lots), lots, places)


def by_seat(rules: Ruleset, deal: Deal) -> tuple[int, ...]:
    """The deck so ordered that every seat gets the same cards whoever deals.

    Else the loser, who deals next, would carry the deal round with it: replays with the seats moved
    on would give a player the same cards again and again, and add variance instead of taking it.
    """
    players, step = rules.players, rules.play.direction
    blind = _blind(rules, deal.deck)
    dealt = [card for card in deal.deck if card not in blind]
    packets = [dealt[at::players][::-1] for at in range(players)]
    order: list[int] = []
    seat = rules.deal.start(deal, players, step)
    for _ in dealt:
        packet = packets[seat * step % players] or max(packets, key=len)
        order.append(packet.pop())
        seat = (seat + step) % players
    return (*order, *blind)


def _blind(rules: Ruleset, deck: Sequence[int]) -> tuple[int, ...]:
    """The cards that are taken out unseen: the last natural ones."""
    natural = [card for card in deck if NATURAL >> card & 1]
    return tuple(natural[len(natural) - rules.deal.blind :])


def after_hand(rules: Ruleset, sitting: Sitting, seating: Seating, state: State) -> Sitting:
    """The sitting after a hand that is over."""
    places = tuple(seating[seat] for seat in state.places)
    points = list(sitting.points)
    for player, more in zip(places, rules.table.points, strict=True):
        points[player] += more
    dealer, equal = seating[state.setup.dealer], rules.table.equal(state)
    return Sitting(sitting.hands + 1, dealer, places, tuple(points), seating, equal)


def is_over(rules: Ruleset, sitting: Sitting, *, hands: int, elapsed_ms: int = 0) -> bool:
    """Has the sitting ended? By the ruleset's `session_end`, else after so many hands.

    A time limit stops after the hand being played (AM-77); `hands` is a limit in any case.
    """
    kind, _, number = rules.table.session_end.partition(":")
    if kind == "hands":
        return sitting.hands >= int(number)
    if kind == "minutes" and elapsed_ms >= int(number) * 60_000:
        return True
    if kind == "points" and max(sitting.points) >= int(number):
        return True
    return sitting.hands >= hands


def overall(
    mode: str, finishes: Sequence[Sequence[str]], points: Mapping[str, int]
) -> str | list[str] | None:
    """Who has won the sitting: the winner of the last finished hand, or who has most points.

    Equal points share it (AM-78): then a list in the order of the mapping.
    """
    if mode == "last_daifugo":
        return finishes[-1][0] if finishes else None
    if mode == "most_points" and points:
        best = max(points.values())
        winners = [name for name, score in points.items() if score == best]
        return winners[0] if len(winners) == 1 else winners
    return None


def next_dealer(
    mode: str, dealer: int, order: Sequence[int], players: int, *, step: int = 1
) -> int:
    """The seat that deals next: the loser's, or the next one round the table (PG-11, RU-08)."""
    return (dealer + step) % players if mode == "rotate" else order[-1]


def _titled(rules: Ruleset, sitting: Sitting) -> bool:
    """Do the places of the last hand count for the next one?"""
    every = rules.table.reset_every
    reset = sitting.equal or (every and sitting.hands % every == 0)
    return bool(sitting.places) and not reset


def _dealer(rules: Ruleset, sitting: Sitting, seating: Seating, lots: Lots) -> int:
    """The dealer's seat in the next hand."""
    if sitting.dealer < 0:
        return lots.dealer[0] if rules.table.first_dealer == "random" else seating.index(0)
    order = [seating.index(player) for player in sitting.places]
    last = seating.index(sitting.dealer)
    step = rules.play.direction
    return next_dealer(rules.table.next_dealer, last, order, rules.players, step=step)
