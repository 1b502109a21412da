"""Tables: the hands of one line-up, played in this process by players that are function calls.

Deals and seatings follow from a seed and a label, so that the same shuffles can be played again
with the seats moved on, or at another table. No clock: a player may think as long as it likes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from arena import sitting
from arena.errors import ArenaError, BadInput, Refused
from arena.rules import EMPTY, Ruleset, State, decide, evolve
from arena.rules.commands import Answer, Command, Deal, Expire, Lots
from arena.rules.events import Cause, Event
from arena.session.deals import renumbered
from arena.tournament.pairing.seatings import seating
from arena.tournament.random_stream import WORDS, RandomStream, Seed, key_of
from arena.tournament.results import HandResult, forfeit, forfeiting, settle

THROWS = 64
THROW_BITS = range(8, 24, 2)
"""Where in a word the throw of each seat is."""
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
    """Whoever answers for a bot at one table. note: what it wrote beside its latest answer."""

    note: str

    def answer(self, look: SeatView, refused: ArenaError | None) -> Answer | None:
        """The answer to the question that waits; refused: why the last one was not accepted.

        None leaves it to the referee, which is a fault.
        """

    def hand_over(self, look: SeatView) -> None:
        """The hand has ended; `look` is the last one at it, from the player's seat."""


class PlayedStep(NamedTuple):
    """One step of a hand. refused: answers to its turn that were refused before it; note: what the
    player wrote beside its answer, "" for nothing."""

    command: Command
    events: tuple[Event, ...]
    refused: int = 0
    note: str = ""


class PlayedHand(NamedTuple):
    """A hand as it went. seating: player by seat; deck: as it was shuffled, top first; steps: the
    deal and every turn. All empty for a hand that was not played."""

    result: HandResult
    seating: tuple[int, ...] = ()
    deck: tuple[int, ...] = ()
    steps: tuple[PlayedStep, ...] = ()


class DealSource(Protocol):
    """Where the seats and the cards of each hand come from."""

    def seats(self, number: int) -> tuple[int, ...]:
        """The seating of a hand, player by seat, unless the ruleset moves the players itself."""

    def deal(
        self, carried: sitting.Sitting, order: tuple[int, ...], number: int
    ) -> tuple[tuple[int, ...], Deal]:
        """The deck as it was shuffled, and the deal of it. order: player by seat."""


class Shuffled(NamedTuple):
    """Seats and cards as the seed and the words of a table have them."""

    setting: TableSetup

    def seats(self, number: int) -> tuple[int, ...]:
        """The seating of a hand: player by seat."""
        return seats_of(self.setting, number)

    def deal(
        self, carried: sitting.Sitting, order: tuple[int, ...], number: int
    ) -> tuple[tuple[int, ...], Deal]:
        """The deck as it was shuffled, and the deal that gives every seat its packet of it."""
        rules = self.setting.rules
        deck, lots = shuffle(rules, self.setting.seed, self.setting.shuffles, number)
        deal = sitting.next_deal(rules, carried, order, deck=deck, lots=lots)
        return deck, deal._replace(deck=renumbered(sitting.by_seat(rules, deal)))


def play_table(setting: TableSetup, players: Sequence[Player]) -> list[PlayedHand]:
    """Play a table to its end; the ruleset may end it before `hands`."""
    return list(play_hands(setting, players))


def play_hands(
    setting: TableSetup, players: Sequence[Player], dealing: DealSource | None = None
) -> Iterator[PlayedHand]:
    """Play a table hand by hand: each as soon as it has ended. For who may leave in between.

    dealing: where seats and cards come from, if not from the setting's seed.
    """
    rules = setting.rules
    source = dealing or Shuffled(setting)
    carried = sitting.start(rules)
    faults: list[tuple[str, ...]] = []
    while len(faults) < setting.hands and not _is_over(rules, carried, setting.hands):
        out = forfeiting(faults)
        if out:
            result = forfeit(setting.bots, out, block=setting.block, pool=setting.pool)
            yield from [PlayedHand(result)] * (setting.hands - len(faults))
            return
        number = len(faults) + 1
        order = sitting.seating_for(rules, carried, source.seats(number))
        deck, deal = source.deal(carried, order, number)
        state, steps = _play_hand(setting, players, deal, order, number)
        carried = sitting.after_hand(rules, carried, order, state)
        result = _settled(setting, carried.places, _failed(steps, order))
        faults.append(result.faults)
        yield PlayedHand(result, order, deck, tuple(steps))


def _is_over(rules: Ruleset, carried: sitting.Sitting, hands: int) -> bool:
    return sitting.is_over(rules, carried, hands=hands)


def seats_of(setting: TableSetup, number: int) -> tuple[int, ...]:
    """The seating of a hand: player by seat."""
    seed = key_of(setting.seed, "seats", setting.seats)
    order = seating(len(setting.bots), number, seed=seed, reseat_every=setting.reseat_every)
    cut = len(order) - setting.turned % len(order)
    return order[cut:] + order[:cut]


def shuffle(
    rules: Ruleset, seed: Seed, shuffles: str, number: int, *, throws: bool = True
) -> tuple[tuple[int, ...], Lots]:
    """Deck and lots of a hand. Not those of a session, whose deals follow from its secret alone.

    throws: False leaves those of janken out, which take half the time, where none is played.
    """
    draw = RandomStream(seed, "deal", shuffles, number)
    seats = range(rules.players)
    deck = renumbered(draw.shuffled(rules.deck))
    dealer, leader, start, idle = (draw.shuffled(seats) for _ in range(4))
    word = draw.below(WORDS)
    rounds = tuple(_throws(word + at, rules.players) for at in range(THROWS if throws else 0))
    return deck, Lots(dealer, leader, start, idle, rounds)


def _throws(word: int, players: int) -> tuple[int, ...]:
    """A round of throws of those that are answered for: cheap, for few rulesets ask for any."""
    mixed = word * 2_654_435_761 % 2**32
    return tuple([(mixed >> shift) % 3 for shift in THROW_BITS[:players]])


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
) -> tuple[State, list[PlayedStep]]:
    """The last state of a hand, and its steps."""
    events = list(decide(setting.rules, EMPTY, deal))
    state = evolve(EMPTY, events)
    steps = [PlayedStep(deal, tuple(events))]
    while not state.over:
        seat = state.open[0][0]
        look = SeatView(setting, number, order, seat, state, events)
        step = answered(look, players[order[seat]])
        steps.append(step)
        events += step.events
        state = evolve(state, step.events)
    for seat, player in enumerate(order):
        players[player].hand_over(SeatView(setting, number, order, seat, state, events))
    return state, steps


def _failed(steps: Sequence[PlayedStep], order: Sequence[int]) -> list[int]:
    """The players that the referee answered for, in the order of failing."""
    return [order[step.command.seat] for step in steps if isinstance(step.command, Expire)]


def answered(look: SeatView, player: Player) -> PlayedStep:
    """The player's answer and what follows; the referee's if the player has none that is legal."""
    rules, state = look.setting.rules, look.state
    error: ArenaError | None = None
    refused = 0
    while refused <= ILLEGAL_BUDGET:
        try:
            answer = player.answer(look, error)
            if answer is None:
                break
            events = tuple(decide(rules, state, answer))
            return PlayedStep(answer, events, refused, player.note)
        except (Refused, BadInput) as reason:
            error = reason
            refused += 1
    expired = Expire(look.seat, Cause.TIMEOUT if error is None else Cause.ILLEGAL)
    return PlayedStep(expired, tuple(decide(rules, state, expired)), refused)
