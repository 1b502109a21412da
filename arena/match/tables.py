"""Tables: the hands of one line-up, played in this process by players that are function calls.

Deals and seatings follow from a seed and a label, so that the same shuffles can be played again
with the seats moved on, or at another table. No clock: a player may think as long as it likes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from arena import sitting
from arena.errors import ArenaError, BadInput, Refused
from arena.rules import EMPTY, Ruleset, State, decide, evolve
from arena.rules.commands import Answer, Command, Deal, Expire, Lots
from arena.rules.events import Event
from arena.tournament.pairing.seatings import seating
from arena.tournament.random_stream import WORDS, RandomStream, Seed, key_of
from arena.tournament.results import HandResult, forfeit, forfeiting, settle

THROWS = 64
ILLEGAL_BUDGET = 5
"""Refused answers to one question, before the referee answers instead."""


class TableSetup(NamedTuple):
    """A table that is to be played.

    block, pool: as in the results. bots: one name for each player, all different. shuffles: tables
    with the same seed and the same word here get the same deals. seats: the same for their
    seatings. turned: by how many seats all players sit further on. reseat_every: hands, 0 for
    never.
    """

    rules: Ruleset
    block: str
    pool: str
    bots: tuple[str, ...]
    hands: int
    seed: Seed
    shuffles: str
    seats: str
    turned: int = 0
    reseat_every: int = 1


class SeatView(NamedTuple):
    """What a player may look at when it is asked; it must keep to what its seat may know.

    events: the hand so far. seating: player by seat. hand: its number, from 1.
    """

    setting: TableSetup
    hand: int
    seating: tuple[int, ...]
    seat: int
    state: State
    events: Sequence[Event]


class Player(Protocol):
    """Whoever answers for a bot at one table."""

    def answer(self, look: SeatView, refused: ArenaError | None) -> Answer | None:
        """The answer to the question that waits; refused: why the last one was not accepted.

        None leaves it to the referee, which is a fault.
        """

    def hand_over(self, look: SeatView) -> None:
        """The hand has ended; `look` is the last one at it, from the player's seat."""


class PlayedHand(NamedTuple):
    """A hand as it went. seating: player by seat; empty for a hand that was not played."""

    result: HandResult
    seating: tuple[int, ...] = ()


def play_table(setting: TableSetup, players: Sequence[Player]) -> list[PlayedHand]:
    """Play a table to its end; the ruleset may end it before `hands`."""
    rules = setting.rules
    carried = sitting.start(rules)
    played: list[PlayedHand] = []
    while len(played) < setting.hands and not _is_over(rules, carried, setting.hands):
        out = forfeiting([hand.result.faults for hand in played])
        if out:
            result = forfeit(setting.bots, out, block=setting.block, pool=setting.pool)
            played += [PlayedHand(result)] * (setting.hands - len(played))
            break
        number = len(played) + 1
        order = sitting.seating_for(rules, carried, seats_of(setting, number))
        deal = _deal(setting, carried, order, number)
        state, failed = _play_hand(setting, players, deal, order, number)
        carried = sitting.after_hand(rules, carried, order, state)
        played.append(PlayedHand(_settled(setting, carried.places, failed), order))
    return played


def _is_over(rules: Ruleset, carried: sitting.Sitting, hands: int) -> bool:
    return sitting.is_over(rules, carried, hands=hands)


def seats_of(setting: TableSetup, number: int) -> tuple[int, ...]:
    """The seating of a hand: player by seat."""
    seed = key_of(setting.seed, "seats", setting.seats)
    order = seating(len(setting.bots), number, seed=seed, reseat_every=setting.reseat_every)
    cut = len(order) - setting.turned % len(order)
    return order[cut:] + order[:cut]


def _deal(
    setting: TableSetup, carried: sitting.Sitting, order: tuple[int, ...], number: int
) -> Deal:
    rules = setting.rules
    deck, lots = shuffle(rules, setting.seed, setting.shuffles, number)
    deal = sitting.next_deal(rules, carried, order, deck=deck, lots=lots)
    return deal._replace(deck=sitting.by_seat(rules, deal))


def shuffle(rules: Ruleset, seed: Seed, shuffles: str, number: int) -> tuple[tuple[int, ...], Lots]:
    """Deck and lots of a hand. Not those of a session, whose deals follow from its secret alone."""
    draw = RandomStream(seed, "deal", shuffles, number)
    seats = range(rules.players)
    deck = draw.shuffled(rules.deck)
    dealer, leader, start, idle = (draw.shuffled(seats) for _ in range(4))
    word = draw.below(WORDS)
    throws = tuple(_throws(word + at, rules.players) for at in range(THROWS))
    return deck, Lots(dealer, leader, start, idle, throws)


def _throws(word: int, players: int) -> tuple[int, ...]:
    """A round of throws of those that are answered for: cheap, for few rulesets ask for any."""
    mixed = word * 2_654_435_761 % 2**32
    return tuple((mixed >> (2 * seat + 8)) % 3 for seat in range(players))


def _settled(setting: TableSetup, places: Sequence[int], failed: Sequence[int]) -> HandResult:
    return settle(
        [setting.bots[player] for player in places],
        range(1, len(places) + 1),
        block=setting.block,
        pool=setting.pool,
        faults=[setting.bots[player] for player in failed],
    )


def _play_hand(
    setting: TableSetup,
    players: Sequence[Player],
    deal: Deal,
    order: tuple[int, ...],
    number: int,
) -> tuple[State, list[int]]:
    """The last state of a hand, and the players that failed, in the order of failing."""
    rules = setting.rules
    events = list(decide(rules, EMPTY, deal))
    state = evolve(EMPTY, events)
    failed: list[int] = []
    while not state.over:
        seat = state.open[0][0]
        look = SeatView(setting, number, order, seat, state, events)
        command, more = _answered(look, players[order[seat]])
        if isinstance(command, Expire):
            failed.append(order[seat])
        events += more
        state = evolve(state, more)
    for seat, player in enumerate(order):
        players[player].hand_over(SeatView(setting, number, order, seat, state, events))
    return state, failed


def _answered(look: SeatView, player: Player) -> tuple[Command, Sequence[Event]]:
    """The player's answer and what follows; the referee's if the player has none that is legal."""
    rules, state = look.setting.rules, look.state
    refused: ArenaError | None = None
    for _ in range(1 + ILLEGAL_BUDGET):
        try:
            answer = player.answer(look, refused)
            if answer is None:
                break
            return answer, decide(rules, state, answer)
        except (Refused, BadInput) as error:
            refused = error
    expired = Expire(look.seat, "timeout" if refused is None else "illegal")
    return expired, decide(rules, state, expired)
