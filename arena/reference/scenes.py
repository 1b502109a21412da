"""Played examples: a few cards, some moves in card notation, and the engine that plays them.

Three kinds: an `ExampleHand` gives seats certain cards and plays some moves; a `Dealing` deals a
whole pack and plays its opening; an `ExampleTable` plays whole hands in a row, between which seats,
dealer and points change. An example is printed in lines (`arena.rules.transcript`); it shows its
option by being different from the same example without it. Chance comes from digests of a seed, so
that the lines are the same everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from arena.errors import BadInput, Refused
from arena.rules import EMPTY, Ruleset, State, compile_ruleset, decide, evolve, legal, see
from arena.rules import events as e
from arena.rules.cards import CODES, IDS, codes, parse, spread
from arena.rules.commands import (
    Accept,
    Answer,
    Ask,
    Deal,
    Discard,
    Give,
    Lots,
    Name,
    Pass,
    Play,
    Throw,
)
from arena.rules.opening import titles_of
from arena.rules.options import OPTIONS
from arena.rules.ruleset import compile_table, written_table
from arena.rules.transcript import SHAPES, Voice, hand_lines, move_line, refusal_line
from arena.sitting import Sitting, after_hand, is_over, next_deal, overall, seating_for, start
from arena.wire.values import read_rank, read_roles, read_wish

SEATS = "ABCDEFGH"
VOICE = Voice(SEATS)
ROUNDS = 8


class ExampleHand(NamedTuple):
    """The cards of each seat and the moves that follow.

    options: what the ruleset has on top of `preset`; hands: ``"A S3 S4 / B H5"``, seats in order;
    moves: ``"A S3, B pass"``; before: places of the hand before, best to last; instead: the value
    of the option that the example is compared with (None: the default).
    """

    options: Mapping[str, Any]
    hands: str
    moves: str
    before: str = ""
    instead: Any = None
    preset: str = "pagat"


class Dealing(NamedTuple):
    """A deal of the whole pack and the moves that follow; hands: cards that somebody must get."""

    options: Mapping[str, Any]
    hands: str = ""
    moves: str = ""
    before: str = ""
    instead: Any = None
    preset: str = "pagat"


class ExampleTable(NamedTuple):
    """Some hands in a row, played by digests of a seed."""

    options: Mapping[str, Any]
    hands: int
    seed: str = "table"
    instead: Any = None
    preset: str = "pagat"


Example = ExampleHand | Dealing | ExampleTable


class ExampleError(ValueError):
    """An example does not go as it says."""


class ExampleStep(NamedTuple):
    """What one move of a played example brought about, or why it was refused. text: the move in
    card notation, "" for the deal; state: before it."""

    text: str
    state: State
    events: Sequence[e.Event]
    refused: Refused | None = None


class ExampleSitting(NamedTuple):
    """A hand of an example's table. after: the sitting after it."""

    deal: Deal
    steps: Sequence[Sequence[e.Event]]
    after: Sitting


def rules_of(example: Example, **changes: Any) -> Ruleset:
    """The ruleset of an example, with some options changed; some may do nothing then."""
    options = dict(example.options)
    if isinstance(example, ExampleHand):
        options.setdefault("players", len(_hands(example.hands)))
    document = {"preset": example.preset, "options": options | changes}
    return compile_table(written_table(document)) if changes else compile_ruleset(document)


def lines_of(example: Example, **changes: Any) -> list[str]:
    """An example as the engine plays it, in lines.

    With `changes` to its options a move may go otherwise than the example says; without, that is a
    `ExampleError`.
    """
    rules = rules_of(example, **changes)
    if isinstance(example, ExampleTable):
        return list(_table_lines(rules, example))
    first, *moves = steps_of(rules, example, strict=not changes)
    return [*_opening(example, first), *map(_line, moves), *end_lines(rules, _last(first, moves))]


def steps_of(
    rules: Ruleset, example: ExampleHand | Dealing, *, strict: bool = True
) -> list[ExampleStep]:
    """The deal of an example and its moves, as the engine takes them. strict: with a move that goes
    otherwise than it says it is a `ExampleError`."""
    places = tuple(SEATS.index(name) for name in example.before)
    if isinstance(example, ExampleHand):
        leader = SEATS.index(example.moves.split()[0])
        events = hands_dealt(rules, example.hands, leader=leader, places=places)
    else:
        events = dealt(rules, example.hands, places=places)
    state = evolve(EMPTY, events)
    return [ExampleStep("", EMPTY, events), *_moves(rules, state, example.moves, strict=strict)]


def _last(first: ExampleStep, moves: Sequence[ExampleStep]) -> State:
    """The state in which an example ends."""
    return evolve(EMPTY, (event for step in (first, *moves) for event in step.events))


def _opening(example: ExampleHand | Dealing, first: ExampleStep) -> list[str]:
    """The lines that show who holds what, and what was drawn where a pack was dealt."""
    if isinstance(example, ExampleHand):
        return hand_lines(VOICE, evolve(EMPTY, first.events))
    held = evolve(EMPTY, first.events[:1])
    return [*hand_lines(VOICE, held), move_line(VOICE, EMPTY, first.events)]


def _line(move: ExampleStep) -> str:
    """A move in one line."""
    if move.refused is None:
        return move_line(VOICE, move.state, move.events)
    return refusal_line(VOICE, SEATS.index(move.text[0]), move.text[2:], move.refused)


def without(name: str, example: Example) -> Any:
    """The value of the option `name` that its example is compared with."""
    return OPTIONS[name].default if example.instead is None else example.instead


def difference(name: str, example: Example, *, lines: Sequence[str] | None = None) -> str:
    """The first line that is another one without the option; "" if there is none. lines: those of
    the example with it, where they are known."""
    try:
        others = _after_the_hands(lines_of(example, **{name: without(name, example)}))
    except BadInput as refused:
        return f"not to be had: {refused}"
    lines = _after_the_hands(lines_of(example) if lines is None else lines)
    for line, other in zip(lines, others, strict=False):
        if line != other:
            return other
    longer = others[len(lines) :] or ["(nothing more)"]
    return longer[0] if len(lines) != len(others) else ""


def _after_the_hands(lines: Sequence[str]) -> list[str]:
    """The lines without those that show the hands."""
    return [line for line in lines if line[1:3] != ": "]


def digest(*parts: object) -> int:
    """A large number out of some words, the same everywhere and for ever."""
    text = "/".join(map(str, parts))
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big")


def shuffled(things: Sequence[int], *seed: object) -> tuple[int, ...]:
    """The things in an order that depends on the seed alone."""
    return tuple(sorted(things, key=lambda thing: digest(*seed, thing)))


def lots(players: int, *seed: object) -> Lots:
    """Lots out of a seed."""
    seats = range(players)
    throws = tuple(
        tuple(digest(*seed, "throw", number, seat) % 3 for seat in seats)
        for number in range(ROUNDS)
    )
    return Lots(
        dealer=shuffled(seats, *seed, "dealer"),
        leader=shuffled(seats, *seed, "leader"),
        start=shuffled(seats, *seed, "start"),
        idle=shuffled(seats, *seed, "idle"),
        throws=throws,
    )


def lively(rules: Ruleset, s: State, seed: str) -> Answer:
    """An answer by digest: a pass only now and then, else any that is legal."""
    seat, _ = s.open[0]
    menu = legal(rules, s, seat)
    if menu.may_pass and (not menu.melds or digest(seed, s.seq, "pass") % 4 == 0):
        return menu.answer(0)
    first = int(menu.may_pass)
    return menu.answer(first + digest(seed, s.seq) % (len(menu) - first))


def whole_hand(rules: Ruleset, deal: Deal, seed: str) -> tuple[State, list[list[e.Event]]]:
    """A hand to its end by `lively` answers: its last state and the events of every step."""
    steps = [decide(rules, EMPTY, deal)]
    state = evolve(EMPTY, steps[0])
    while not state.over:
        steps.append(decide(rules, state, lively(rules, state, seed)))
        state = evolve(state, steps[-1])
    return state, steps


def end_lines(rules: Ruleset, s: State) -> list[str]:
    """What the end of a hand means: titles, points, forfeits; and the cards open to all."""
    lines = []
    view = see(rules, s, None)
    if view.cleared:
        lines.append(f"open to all: {' '.join(codes(view.cleared))}")
    if s.over:
        titles = [f"{SEATS[p]} {t}" for p, t in zip(s.places, rules.table.titles, strict=True) if t]
        lines.append("titles: " + ", ".join(titles))
        if any(rules.table.points):
            points = zip(s.places, rules.table.points, strict=True)
            lines.append("points: " + ", ".join(f"{SEATS[p]} {n:+}" for p, n in points))
        if rules.table.forfeits:
            lines.append(f"forfeit: {SEATS[s.places[-1]]} fetches drinks and snacks")
    return lines


def _hands(text: str) -> dict[str, list[str]]:
    """``"A S3 S4 / B H5"`` as cards by name."""
    parts = [part.split() for part in text.split("/") if part.strip()]
    return {name: cards for name, *cards in parts}


def with_hands(
    rules: Ruleset, hands: str, *, leader: int = 0, places: tuple[int, ...] = ()
) -> State:
    """A hand in which exactly these cards have been dealt and the leader is to move."""
    return evolve(EMPTY, hands_dealt(rules, hands, leader=leader, places=places))


def hands_dealt(
    rules: Ruleset, hands: str, *, leader: int = 0, places: tuple[int, ...] = ()
) -> list[e.Event]:
    """What happens until exactly these cards have been dealt and the leader is to move."""
    masks = spread(parse(cards) for cards in _hands(hands).values())
    seats = tuple(range(len(masks)))
    drawn = Lots(seats, seats, seats, seats[::-1], ())
    titles = titles_of(rules.table.titles, places, rules.players)
    counts = tuple(mask.bit_count() for mask in masks)
    events: list[e.Event] = [e.Dealt(seats[-1], masks, counts, 0, places, titles, drawn)]
    if rules.play.direction < 0:
        events.append(e.Turned(-1, "direction"))
    return [*events, e.ToMove(leader)]


def dealt(rules: Ruleset, hands: str = "", *, places: tuple[int, ...] = ()) -> list[e.Event]:
    """A deal by the last seat in which everybody gets the cards that are wanted for him."""
    deal = Deal((), rules.players - 1, lots(rules.players, "dealing"), places)
    wanted = {SEATS.index(name): cards for name, cards in _hands(hands).items()}
    deck = _stacked(rules, deal, wanted)
    return decide(rules, EMPTY, deal._replace(deck=deck))


def _stacked(rules: Ruleset, deal: Deal, wanted: Mapping[int, list[str]]) -> tuple[int, ...]:
    """The deck that brings the wanted cards to their seats; the rest is shuffled."""
    rest = list(shuffled(rules.deck, "deck"))
    kept: dict[int, list[int]] = {}
    for seat, names in wanted.items():
        kept[seat] = [_take(rest, name) for name in names]
    blind = [card for card in rest if CODES[card] != "JK"][: rules.deal.blind]
    rest = [card for card in rest if card not in blind]
    seat, deck = rules.deal.start(deal, rules.players, rules.play.direction), []
    while rest or any(kept.values()):
        mine = kept.get(seat)
        deck.append(mine.pop(0) if mine else rest.pop())
        seat = (seat + rules.play.direction) % rules.players
    return (*deck, *blind)


def _take(rest: list[int], name: str) -> int:
    """A card of this name out of the rest."""
    for card in rest:
        if CODES[card] == name:
            rest.remove(card)
            return card
    raise BadInput("card", name, "a card of the pack that nobody else gets")


def _moves(rules: Ruleset, s: State, moves: str, *, strict: bool) -> Iterator[ExampleStep]:
    """The moves of an example, one by one."""
    for move in filter(None, (part.strip() for part in moves.split(","))):
        text = move.removesuffix(" refused")
        try:
            events = decide(rules, s, read_move(text))
        except Refused as refused:
            if strict and text == move:
                raise ExampleError(f"{move}: {refused.reason}: {refused}") from refused
            yield ExampleStep(text, s, (), refused)
            continue
        if strict and text != move:
            raise ExampleError(f"{move}: it was accepted")
        yield ExampleStep(text, s, events)
        s = evolve(s, events)


def read_move(text: str) -> Answer:
    """A move in card notation.

    ``"A S3 JK as H3"``, ``"A pass"``, ``"A gives S3"``, ``"A throws S3"``, ``"A names 5"``,
    ``"A asks 2 HA"``, ``"A chooses rock"``, ``"A accepts"``, ``"A declines"``.
    """
    name, *words = text.split()
    seat = SEATS.index(name)
    if words == ["pass"]:
        return Pass(seat)
    verb, rest = words[0], words[1:]
    if verb in IDS:
        cards, _, roles = text[2:].partition(" as ")
        return Play(seat, parse(cards.split()), read_roles(roles.split()) if roles else None)
    if verb == "names":
        return Name(seat, tuple(read_rank(rank) for rank in rest))
    if verb == "asks":
        return Ask(seat, tuple(read_wish(wish) for wish in rest))
    if verb in ("accepts", "declines"):
        return Accept(seat, verb == "accepts")
    if verb == "chooses":
        return Throw(seat, SHAPES.index(rest[0]))
    kinds: dict[str, type[Give | Discard]] = {"gives": Give, "throws": Discard}
    return kinds[verb](seat, parse(rest))


def _table_lines(rules: Ruleset, example: ExampleTable) -> Iterator[str]:
    """The hands of a table, a few lines each."""
    least, most = rules.options["players_range"]
    yield f"a lobby offers it for {least} to {most} players"
    hands = list(hands_of(rules, example))
    yield from (_hand_line(hand.after, hand.deal) for hand in hands)
    sitting = hands[-1].after
    finishes = [[SEATS[player] for player in hand.after.places] for hand in hands]
    names = {SEATS[player]: points for player, points in enumerate(sitting.points)}
    winner = overall(rules.table.overall_winner, finishes, names)
    yield f"the sitting ends after {sitting.hands} hands"
    if winner is not None:
        yield f"overall winner: {' '.join(winner)}"


def hands_of(rules: Ruleset, example: ExampleTable) -> Iterator[ExampleSitting]:
    """The hands of an example's table, played to their ends."""
    sitting = start(rules)
    seating = tuple(range(rules.players))
    while not is_over(rules, sitting, hands=example.hands):
        seed = f"{example.seed}/{sitting.hands}"
        seating = seating_for(rules, sitting, seating)
        deck = shuffled(rules.deck, seed, "deck")
        deal = next_deal(rules, sitting, seating, deck=deck, lots=lots(rules.players, seed))
        state, steps = whole_hand(rules, deal, seed)
        sitting = after_hand(rules, sitting, seating, state)
        yield ExampleSitting(deal, steps, sitting)


def _hand_line(sitting: Sitting, deal: Deal) -> str:
    """One hand of a table; its players sat in the order of the seats."""
    seats = " ".join(SEATS[player] for player in sitting.seating)
    titles = "with titles" if deal.places else "without titles"
    places = " ".join(SEATS[player] for player in sitting.places)
    points = " ".join(f"{n:+}" for n in sitting.points)
    return (
        f"hand {sitting.hands}: seats {seats}; {SEATS[sitting.dealer]} deals {titles}; "
        f"places {places}" + (f"; points {points}" if any(sitting.points) else "")
    )
