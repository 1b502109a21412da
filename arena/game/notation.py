"""A position as one line of text.

Fields are written in the order of `FIELDS`, those that say nothing are left out, so equal positions
are equal text. What each field means is in `arena/manual/positions.md`; `arena.game.reading` reads
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from arena.game.places import BLIND, HIDDEN, JOKER_KIND, FaceDown, Whereabouts
from arena.game.position import Position
from arena.rules import resolve
from arena.rules.cards import CODES, JOKER, RANKS, SUITS, codes
from arena.rules.cards import JOKER_RANK as ANY_JOKER
from arena.rules.events import Due, Pending, Played, Promised, Question
from arena.rules.presets import PRESETS
from arena.rules.short_form import short_form

VERSION = "daifugo/1"
NONE = "-"
PLACE_LETTERS = {HIDDEN: "h", BLIND: "b"}
PLAIN_DUE = Due(-1)


def write_position(position: Position) -> str:
    """The line of a position."""
    fields = (f"{name}={text}" for name, write in FIELDS.items() if (text := write(position)))
    return " ".join((VERSION, position.ruleset, *fields))


def write_cards(mask: int) -> str:
    """Cards one after the other in card order; `-` for none."""
    return "".join(codes(mask)) or NONE


def write_seats(seats: Iterable[int]) -> str:
    """Seats, one digit each."""
    return "".join(map(str, seats))


def seats_in(mask: int) -> str:
    """The seats of a mask, rising."""
    return write_seats(seat for seat in range(8) if mask >> seat & 1)


def write_kinds(mask: int) -> str:
    """Kinds of cards behind `!`: whole ranks by their letter, others by their codes."""
    if not mask:
        return ""
    parts = []
    for rank, letter in enumerate(RANKS):
        suits = mask >> 4 * rank & 0b1111
        if suits == 0b1111:
            parts.append(letter)
        else:
            parts += [SUITS[suit] + letter for suit in range(4) if suits >> suit & 1]
    return "!" + ".".join([*parts, JOKER] if mask & JOKER_KIND else parts)


def _write_unknown(count: int, known: int, never: int) -> str:
    """Cards that are not all known: how many, those that are, the kinds of which none is."""
    return f"{count}{f'({write_cards(known)})' if known else ''}{write_kinds(never)}"


def _held(p: Position) -> str:
    """What each seat holds."""
    return "/".join(
        write_cards(cards)
        if p.seat in (None, seat)
        else _write_unknown(count, cards, p.never[seat])
        for seat, (cards, count) in enumerate(zip(p.state.held, p.counts, strict=True))
    )


def write_meld(played: Played) -> str:
    """A play: the seat, the cards, and what jokers stand for where it matters."""
    meld = played.meld
    roles = f"={''.join(meld.role_codes)}" if meld.roles else ""
    return f"{played.seat}:{write_cards(meld.cards)}{roles}"


def _taken(p: Position) -> str:
    """The cards of the trick that have left the table again."""
    laid = [code for played in p.state.trick for code in played.meld.codes]
    for code in codes(p.state.table):
        laid.remove(code)
    return "".join(laid)


def _hidden(p: Position) -> str:
    """What has left the game face down."""
    known = p.state.gone & ~p.state.cleared
    if p.seat is None:
        return write_cards(known) if known else ""
    batches = p.batches or ((FaceDown(0),) if known else ())
    return "/".join(
        _write_unknown(count + (0 if n else known.bit_count()), 0 if n else known, never)
        for n, (count, never) in enumerate(batches)
    )


def _blind(p: Position) -> str:
    """The cards that are known to be blind."""
    blind = p.state.setup.blind
    return write_cards(blind) if blind else ""


def _where(w: Whereabouts) -> str:
    """What is known of some cards."""
    places = "".join(PLACE_LETTERS.get(place, str(place)) for place in w.places)
    return f"{write_cards(w.cards)}@{places}{f':{w.least}' if w.least else ''}"


def _order(p: Position) -> str:
    """What reverses the order of the ranks, or will."""
    s = p.state
    words = {"revolution": s.revolution, "trick": s.jack, "pending": s.pending}
    return "+".join(word for word, on in words.items() if on)


def _marks(marks: Mapping[str, int]) -> str:
    """The memory of rules, by name."""
    return ",".join(f"{name}:{marks[name]}" for name in sorted(marks))


def _question(q: Question) -> str:
    to = f">{q.to}" if q.to >= 0 else ""
    return f"{q.seat}.{q.kind}.{q.rule}.{q.least}.{q.most}{to}"


def _pending(q: Pending) -> str:
    to = f">{q.to}" if q.to >= 0 else ""
    return f"{q.seat}.{q.kind}.{q.rule}.{q.most}.{q.pick}{to}"


def _due(p: Position) -> str:
    """What follows the questions."""
    due = p.state.due
    if due is None:
        return ""
    more = (
        f"{name}:{int(value) if isinstance(value, bool) else value}"
        for name, value in due._asdict().items()
        if name != "seat" and value != getattr(PLAIN_DUE, name)
    )
    return ",".join([str(due.seat), *more])


def write_wish(wish: tuple[int, int | None]) -> str:
    """A card that was asked for: a rank, a card or JK."""
    rank, suit = wish
    if rank == ANY_JOKER:
        return JOKER
    return RANKS[rank] if suit is None else CODES[rank * 4 + suit]


def _promise(p: Promised) -> str:
    return f"{p.seat}>{p.to}:{write_cards(p.cards) if p.cards else p.size}"


def _each(write: Callable[[Any], str], values: Iterable[Any]) -> str:
    return "/".join(map(write, values))


def dropped(p: Position) -> int:
    """The seats that are out of the hand by a fall, as a mask."""
    state = p.state
    everybody = (1 << state.players) - 1
    finished = sum(1 << seat for seat in {*state.out, *state.fouled})
    return everybody & ~state.active & ~finished


FIELDS: dict[str, Callable[[Position], str]] = {
    "seat": lambda p: "all" if p.seat is None else str(p.seat),
    "move": lambda p: str(p.state.to_move) if p.state.to_move >= 0 else "",
    "asked": lambda p: _each(_question, p.state.questions),
    "places": lambda p: write_seats(p.state.places),
    "held": _held,
    "trick": lambda p: _each(write_meld, p.state.trick),
    "taken": _taken,
    "gone": lambda p: write_cards(p.state.cleared) if p.state.cleared else "",
    "hidden": _hidden,
    "blind": _blind,
    "where": lambda p: _each(_where, p.whereabouts),
    "order": _order,
    "direction": lambda p: "ccw" if p.state.direction < 0 else "",
    "passed": lambda p: seats_in(p.state.passed),
    "barred": lambda p: seats_in(p.state.barred),
    "acted": lambda p: seats_in(p.state.acted),
    "idle": lambda p: str(p.state.idle or ""),
    "lead_passes": lambda p: write_seats(p.state.lead_passes),
    "trick_marks": lambda p: _marks(p.state.trick_marks),
    "hand_marks": lambda p: _marks(p.state.hand_marks),
    "queue": lambda p: _each(_pending, p.state.queue),
    "due": _due,
    "out": lambda p: write_seats(p.state.out),
    "fouled": lambda p: write_seats(p.state.fouled),
    "fallen": lambda p: write_seats(p.state.fallen),
    "dropped": lambda p: seats_in(dropped(p)),
    "dealer": lambda p: str(p.state.setup.dealer),
    "before": lambda p: write_seats(p.state.setup.before),
    "wishes": lambda p: _each(
        lambda w: f"{w[0]}:{'.'.join(map(write_wish, w[1])) or NONE}", p.state.setup.wishes
    ),
    "promised": lambda p: _each(_promise, p.state.setup.promised),
    "thrown": lambda p: "".join(
        NONE if shape < 0 else str(shape) for shape in p.state.setup.thrown
    ),
    "contenders": lambda p: write_seats(p.state.setup.contenders),
    "leader": lambda p: write_seats(p.state.setup.lots.leader),
    "idle_order": lambda p: write_seats(p.state.setup.lots.idle),
}
"""What writes each field; nothing written is a field left out."""


def written_ruleset(options: Mapping[str, Any]) -> str:
    """The short form of a full table of options: the nearest preset and what is different."""
    tables = {preset: resolve(preset) for preset in PRESETS}
    preset = min(tables, key=lambda name: len(_differences(options, tables[name])))
    return short_form({"preset": preset, "options": _differences(options, tables[preset])})


def _differences(options: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """The options that have another value in a table."""
    return {name: value for name, value in options.items() if value != table[name]}
