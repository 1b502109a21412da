"""The opening of a hand: the deal, titles turned round, the exchange, and who leads.

Chance comes in with the `Deal` command and is only read here.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from arena.errors import BadInput
from arena.rules.cards import NATURAL, canonical, mask_of, spread
from arena.rules.commands import Deal
from arena.rules.events import (
    Asked,
    Dealt,
    Due,
    Event,
    Marked,
    Pending,
    Retitled,
    Shown,
    Swapped,
    ToMove,
    Turned,
)
from arena.rules.evolve import evolve
from arena.rules.questions import ask_next, form
from arena.rules.ruleset import Ruleset
from arena.rules.state import State
from arena.rules.turns import resume
from arena.rules.wiring import JANKEN, Titles

JANKEN_ROUNDS: Final = 64


def deal(rules: Ruleset, s: State, command: Deal) -> list[Event]:
    """Deal the cards; then titles, exchange and lead, as far as nobody has to be asked."""
    if s.seq:
        raise BadInput("hand", "already dealt", "a hand that has not begun")
    _check(rules, command)
    hands, blind = _hands(rules, command)
    titles = titles_of(rules.table.titles, command.places, rules.players)
    counts = tuple(h.bit_count() for h in hands)
    events: list[Event] = [
        Dealt(command.dealer, hands, counts, blind, command.places, titles, command.lots)
    ]
    if rules.play.direction < 0:
        events.append(Turned(-1, "direction"))
    s = evolve(s, events)
    if not command.places:
        return events + begin_play(rules, s, ())
    if rules.deal.reversal(s):
        places = tuple(reversed(s.setup.before))
        titles = titles_of(rules.table.titles, places, rules.players)
        retitled = Retitled(places, titles, "both_jokers_reversal")
        events.append(retitled)
        s = evolve(s, (retitled,))
    return events + _exchange(rules, s)


def titles_of(titles: Titles, places: tuple[int, ...], players: int) -> Titles:
    """Titles by seat from titles by place; none where there are no places."""
    if not places:
        return (None,) * players
    return tuple(titles[places.index(seat)] for seat in range(players))


def begin_play(rules: Ruleset, s: State, queue: tuple[Pending, ...]) -> list[Event]:
    """The next step of the exchange, or the lead."""
    if queue and queue[0].kind == "give" and rules.deal.order == "together":
        return _ask_all(rules, s, queue)
    asked = ask_next(rules, s, queue, None)
    return [asked] if asked is not None else _first_move(rules, s)


def janken_round(rules: Ruleset, s: State) -> list[Event]:
    """All contenders have thrown: show the round, go on until one is left (PG-17 to PG-19)."""
    contenders = s.setup.contenders or tuple(range(s.players))
    left = survivors({seat: s.setup.thrown[seat] for seat in contenders})
    outcome = Shown(s.setup.thrown, left, "janken")
    rounds = s.hand_marks.get("janken_rounds", 0) + 1
    events: list[Event] = [outcome]
    if len(left) == 1:
        return [*events, *_lead(rules, s, left[0], "janken")]
    if rounds >= JANKEN_ROUNDS:
        chosen = next(seat for seat in s.setup.lots.leader if seat in left)
        return [*events, *_lead(rules, s, chosen, "lot")]
    events.append(Marked("janken_rounds", rounds, "hand", "janken"))
    return [*events, _ask_to_throw(rules, s, left)]


def survivors(shapes: dict[int, int]) -> tuple[int, ...]:
    """Who is left after a round of janken: shapes (0 rock, 1 paper, 2 scissors) by seat."""
    kinds = set(shapes.values())
    if len(kinds) != 2:
        return tuple(shapes)
    winning = next(k for k in kinds if (k - 1) % 3 in kinds)
    return tuple(seat for seat, shape in shapes.items() if shape == winning)


def _check(rules: Ruleset, command: Deal) -> None:
    """Refuse a deal that is none."""
    if sorted(command.deck) != [*rules.deck]:
        raise BadInput("deck", len(command.deck), f"each of the {len(rules.deck)} cards once")
    if not 0 <= command.dealer < rules.players:
        raise BadInput("dealer", command.dealer, f"a seat from 0 to {rules.players - 1}")
    if command.places and sorted(command.places) != list(range(rules.players)):
        raise BadInput("places", command.places, f"the {rules.players} seats, best to last")


def _hands(rules: Ruleset, command: Deal) -> tuple[tuple[int, ...], int]:
    """The hands by seat and the blind cards: the last natural ones of the deck (never jokers).

    So the last seats that are dealt to hold a joker a little more often (XV-blind in `RULES.md`);
    recorded deals rest on it.
    """
    deck, blind = command.deck, 0
    if rules.deal.blind:
        natural = [card for card in deck if NATURAL >> card & 1]
        blind = mask_of(natural[-rules.deal.blind :])
        deck = tuple(card for card in deck if not blind >> card & 1)
    players, step = rules.players, rules.play.direction
    first = rules.deal.start(command, players, step)
    hands = [0] * players
    for turn in range(players):
        hands[(first + step * turn) % players] = mask_of(deck[turn::players])
    if rules.deal.decks == 1 and rules.deal.jokers < 2:
        return tuple(hands), blind
    # Copies go by the order of seats, so that a log of names folds to the same masks.
    *dealt, rest = spread(canonical(cards) for cards in (*hands, blind))
    return tuple(dealt), rest


def _exchange(rules: Ruleset, s: State) -> list[Event]:
    """The exchange of the ruleset, from the second hand on."""
    swaps = [
        Swapped(rich, poor, canonical(s.held[rich]), canonical(s.held[poor]), "tenpen_chii")
        for rich, poor in rules.deal.upheaval(s)
    ]
    if swaps:
        return [*swaps, *begin_play(rules, evolve(s, swaps), ())]
    steps = exchange_steps(rules, s)
    return begin_play(rules, s, steps)


def _ask_all(rules: Ruleset, s: State, gifts: tuple[Pending, ...]) -> list[Event]:
    """Ask for all gifts of the exchange at once."""
    questions = tuple(q for q in (form(rules, s, gift) for gift in gifts) if q is not None)
    return [Asked(questions)] if questions else _first_move(rules, s)


def exchange_steps(rules: Ruleset, s: State) -> tuple[Pending, ...]:
    """The exchange program with seats for roles, in the order in which it is asked."""
    steps = _steps(rules, s)
    if rules.deal.order == "together":
        return tuple(sorted(steps, key=lambda step: step.kind != "ask"))  # wishes, then all give
    return tuple(steps)


def first_leader(rules: Ruleset, s: State) -> int:
    """Who leads the hand by the ruleset, `JANKEN` where janken decides."""
    chooser = rules.deal.next_lead if s.setup.before else rules.deal.first_lead
    return chooser(s, rules.play.direction)


def _steps(rules: Ruleset, s: State) -> Iterable[Pending]:
    """The exchange program with seats for roles."""
    roles = {
        "first": s.setup.before[0],
        "second": s.setup.before[1],
        "second_last": s.setup.before[-2],
        "last": s.setup.before[-1],
    }
    for giver, receiver, count, pick in rules.deal.program:
        if pick == "highest" and rules.deal.asked:
            yield Pending(roles[receiver], "ask", "exchange", count, roles[giver])
        yield Pending(roles[giver], "give", "exchange", count, roles[receiver], pick)


def _first_move(rules: Ruleset, s: State) -> list[Event]:
    """The exchange is done: what rules bring about then, and the leader's move."""
    events = [event for follows in rules.on_exchanged for event in follows(s)]
    return events + _leaders_move(rules, evolve(s, events))


def _leaders_move(rules: Ruleset, s: State) -> list[Event]:
    """The leader's move, or the janken that decides who leads."""
    seat = first_leader(rules, s)
    if seat != JANKEN:
        return _lead(rules, s, seat, "next_lead" if s.setup.before else "first_lead")
    everybody = tuple(range(s.players))
    if rules.deal.interactive_janken:
        return [_ask_to_throw(rules, s, everybody)]
    events: list[Event] = []
    left = everybody
    for throws in s.setup.lots.throws:
        shown = _shown(throws, left)
        events.append(shown)
        left = shown.seats
        if len(left) == 1:
            return [*events, *_lead(rules, s, left[0], "janken")]
    chosen = next(seat for seat in s.setup.lots.leader if seat in left)
    return [*events, *_lead(rules, s, chosen, "lot")]


@lru_cache(maxsize=4096)
def _shown(throws: tuple[int, ...], contenders: tuple[int, ...]) -> Shown:
    """A round of janken: the same few come again and again."""
    shapes = {seat: throws[seat] for seat in contenders}
    public = tuple(shapes.get(seat, -1) for seat in range(len(throws)))
    return Shown(public, survivors(shapes), "janken")


def _ask_to_throw(rules: Ruleset, s: State, seats: tuple[int, ...]) -> Asked:
    """Ask all contenders for a shape at once."""
    pending = [Pending(seat, "throw", "janken", 1) for seat in seats]
    questions = (form(rules, s, p) for p in pending)
    return Asked(tuple(q for q in questions if q is not None))


def _lead(rules: Ruleset, s: State, seat: int, how: str) -> list[Event]:
    """The first move of the hand; with a card that has to be in it, if the rule asks for one."""
    events: list[Event] = []
    card = rules.deal.must_show
    if not s.setup.before and card >= 0 and canonical(s.held[seat]) >> card & 1:
        events.append(Marked("must_show", card + 1, "hand", "first_lead_show"))
    queue = tuple(pending for asks in rules.on_lead for pending in asks(s))
    if queue:
        return events + resume(rules, evolve(s, events), queue, Due(seat, lead=True))
    return [*events, ToMove(seat, how)]
