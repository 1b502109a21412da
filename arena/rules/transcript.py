"""A hand in words: what a seat did and what followed from it, one line for a move.

For replays, for the played examples of the reference and for the golden hands. It reads events and
the state they are folded into and knows no rule; redacted events are told as far as they are known.
Nothing here changes anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from arena.errors import Refused
from arena.rules import events as e
from arena.rules.cards import CODES, JOKER, JOKER_RANK, RANKS, codes, spoken
from arena.rules.evolve import evolve
from arena.rules.options import OPTIONS
from arena.rules.state import State

SHAPES = ("rock", "paper", "scissors")
WIDTH = 20
SUITS = ("spades", "hearts", "diamonds", "clubs")
COLOURS = ("", "black", "red")
ORDINALS = ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th")


class Voice(NamedTuple):
    """Who is called what; spoken: cards in words, for people who listen."""

    names: Sequence[str] = "ABCDEFGH"
    spoken: bool = False

    def cards(self, names: Iterable[str]) -> str:
        """Some cards."""
        return ", ".join(map(spoken, names)) if self.spoken else " ".join(names)

    def mask(self, cards: int, size: int) -> str:
        """A set of cards, or only their number where they are hidden."""
        if cards or not size:
            return self.cards(codes(cards)) or "nothing"
        return "a card" if size == 1 else f"{size} cards"

    def seats(self, seats: Iterable[int]) -> str:
        """Some seats by name."""
        return " ".join(self.names[seat] for seat in seats)


def tag(rule: str) -> str:
    """A rule's Japanese name and its option, as far as there are such."""
    option = OPTIONS.get(rule)
    return f"「{option.kanji}」 {rule}" if option is not None and option.kanji else rule


def hand_lines(voice: Voice, s: State) -> list[str]:
    """What everybody holds, one line for each seat."""
    return [f"{voice.names[p]}: {voice.mask(held, 0)}" for p, held in enumerate(s.held)]


def move_line(voice: Voice, s: State, events: Sequence[e.Event]) -> str:
    """One line for what a command brought about. s: the state before it."""
    return _columns(*describe(voice, s, events))


def describe(voice: Voice, s: State, events: Sequence[e.Event]) -> tuple[str, str, list[str]]:
    """Who did what, and the list of what followed from it. s: the state before the events."""
    first, *rest = events
    who, why = "", ""
    if isinstance(first, e.Expired) and rest:
        why, (first, *rest) = f" ({first.cause})", rest
    if type(first) in DEEDS:
        who = voice.names[getattr(first, "seat", 0)]
        did = DEEDS[type(first)](voice, first)
        s = evolve(s, (first,))
    else:
        did, rest = "", list(events)
    return who, did + why, list(_following(voice, s, rest))


def refusal_line(voice: Voice, seat: int, did: str, refused: Refused) -> str:
    """One line for a move that was refused."""
    by = f" ({tag(refused.rule)})" if refused.rule else ""
    return _columns(voice.names[seat], did, [f"refused: {refused.reason}{by}"])


def transcript(
    steps: Iterable[Sequence[e.Event]], s: State, *, names: Sequence[str] = "", spoken: bool = False
) -> list[str]:
    """A line for each step, from the state before the first of them."""
    voice = Voice(names or Voice().names, spoken)
    lines = []
    for events in steps:
        lines.append(move_line(voice, s, events))
        s = evolve(s, events)
    return lines


def _columns(who: str, did: str, following: list[str]) -> str:
    start = f"{who}  {did}" if who else did
    return f"{start:<{WIDTH}}  {'; '.join(following)}".strip()


def _following(voice: Voice, s: State, events: Iterable[e.Event]) -> Iterator[str]:
    """What followed, phrase by phrase, with the rule that made it happen."""
    for event in events:
        s = evolve(s, (event,))
        phrase = PHRASES[type(event)](voice, s, event)
        rule = getattr(event, "by", "")
        if not phrase or not rule or rule == "exchange":
            yield from (phrase,) if phrase else ()
        elif isinstance(event, e.ToMove):
            yield f"{phrase} ({rule})"
        else:
            yield f"{tag(rule)}: {phrase}"


def _played(voice: Voice, event: e.Played) -> str:
    roles = event.meld.role_codes
    return voice.cards(event.meld.codes) + (f" as {voice.cards(roles)}" if roles else "")


def _gave(voice: Voice, event: e.Gave) -> str:
    return f"gives {voice.mask(event.cards, event.size)} to {voice.names[event.to]}"


def _promised(voice: Voice, event: e.Promised) -> str:
    return f"lays aside {voice.mask(event.cards, event.size)} for {voice.names[event.to]}"


def _discarded(voice: Voice, event: e.Discarded) -> str:
    return f"throws away {voice.mask(event.cards, event.size)}"


def _named(voice: Voice, event: e.Named) -> str:
    return "names " + " ".join(RANKS[rank] for rank in event.ranks)


def _wished(voice: Voice, event: e.Wished) -> str:
    return f"asks {voice.names[event.to]} for " + (" ".join(map(_wish, event.wishes)) or "nothing")


def _wish(wish: tuple[int, int | None]) -> str:
    rank, suit = wish
    if rank == JOKER_RANK:
        return JOKER
    return RANKS[rank] if suit is None else CODES[rank * 4 + suit]


def _thrown(voice: Voice, event: e.Thrown) -> str:
    return "chooses a shape" if event.shape < 0 else f"chooses {SHAPES[event.shape]}"


def _accepted(voice: Voice, event: e.Accepted) -> str:
    return "accepts" if event.yes else "declines"


def _took(voice: Voice, s: State, event: e.Took) -> str:
    return f"{voice.names[event.seat]} takes {voice.mask(event.cards, event.size)} from the table"


DEEDS: dict[type, Callable[[Voice, Any], str]] = {
    e.Played: _played,
    e.Passed: lambda voice, event: "pass",
    e.Gave: _gave,
    e.Promised: _promised,
    e.Discarded: _discarded,
    e.Named: _named,
    e.Wished: _wished,
    e.Thrown: _thrown,
    e.Accepted: _accepted,
}


def _dealt(voice: Voice, s: State, event: e.Dealt) -> str:
    counts = " ".join(map(str, event.counts))
    blind = f", {event.blind.bit_count()} taken out" if event.blind else ""
    return f"{voice.names[event.dealer]} deals {counts}{blind}"


def _titles(voice: Voice, titles: Sequence[str | None]) -> str:
    return ", ".join(f"{voice.names[p]} {title}" for p, title in enumerate(titles) if title)


def _asked(voice: Voice, s: State, event: e.Asked) -> str:
    return "; ".join(_question(voice, q) for q in event.questions)


def _question(voice: Voice, q: e.Question) -> str:
    number = f"{q.most}" if q.least == q.most else f"up to {q.most}"
    to = voice.names[q.to] if q.to >= 0 else ""
    what = {
        "give": f"to give {number} to {to}",
        "discard": f"to throw away {number}",
        "name": f"to name {number}",
        "ask": f"to ask {to} for {number}",
        "throw": "to choose a shape",
        "accept": "to accept or decline",
    }[q.kind]
    rule = f" ({tag(q.rule)})" if q.rule not in ("exchange", "janken") else ""
    return f"{voice.names[q.seat]} is asked {what}{rule}"


def _shown(voice: Voice, s: State, event: e.Shown) -> str:
    shapes = [
        f"{voice.names[p]} {SHAPES[shape]}" for p, shape in enumerate(event.shapes) if shape >= 0
    ]
    return f"{', '.join(shapes)} (left: {voice.seats(event.seats)})"


def _reversed(voice: Voice, s: State, event: e.Reversed) -> str:
    if event.scope == "pending":
        return "revolution from the next clear" if event.on else "revolution called off"
    until = " until the clear" if event.scope == "trick" else ""
    return f"order turned{until}, now {'reversed' if s.order_reversed else 'normal'}"


def _marked(voice: Voice, s: State, event: e.Marked) -> str:
    if event.name == "suit_lock":
        suits = [SUITS[i] for i in range(4) for _ in range(event.value >> 4 * i & 15)]
        return f"locked to {' and '.join(suits)}" if suits else "lock lifted"
    if event.name == "number_lock":
        return "ranks locked" if event.value else "ranks no longer locked"
    if event.name == "colour_lock":
        return f"locked to {COLOURS[event.value]}" if event.value else "colour no longer locked"
    if event.name == "rank_limit":
        return "only " + " ".join(RANKS[rank] for rank in range(13) if event.value >> rank & 1)
    if event.name == "skipped" and event.value:
        seats = [seat for seat in range(s.players) if event.value >> seat & 1]
        return f"{voice.seats(seats)} skipped, unless answered"
    if event.name == "revolutions":
        return f"revolution number {event.value}"
    if event.name == "revolution_stays":
        return "no further revolution in this hand"
    if event.name == "must_show" and event.value:
        return f"{CODES[event.value - 1]} must be in the first play"
    return ""


def _out(voice: Voice, s: State, event: e.Out) -> str:
    return f"{voice.names[event.seat]} is out, {ORDINALS[len(s.out) - 1]}"


def _fell(voice: Voice, s: State, event: e.Fell) -> str:
    return f"{voice.names[event.seat]} falls" + (" and plays on" if event.stays else "")


def _to_move(voice: Voice, s: State, event: e.ToMove) -> str:
    return f"{voice.names[event.seat]} {'to play' if s.trick else 'leads'}"


PHRASES: dict[type, Callable[[Voice, State, Any], str]] = {
    e.Dealt: _dealt,
    e.Retitled: lambda v, s, event: f"titles turn round: {_titles(v, event.titles)}",
    e.Swapped: lambda v, s, event: f"{v.names[event.seat]} and {v.names[event.to]} swap hands",
    e.Asked: _asked,
    e.Wished: lambda v, s, event: f"{v.names[event.seat]} {_wished(v, event)}",
    e.Promised: lambda v, s, event: "",
    e.Gave: lambda v, s, event: f"{v.names[event.seat]} {_gave(v, event)}",
    e.Discarded: lambda v, s, event: f"{v.names[event.seat]} {_discarded(v, event)}",
    e.Named: lambda v, s, event: f"{v.names[event.seat]} {_named(v, event)}",
    e.Thrown: lambda v, s, event: "",
    e.Shown: _shown,
    e.Accepted: lambda v, s, event: f"{v.names[event.seat]} {_accepted(v, event)}",
    e.Took: _took,
    e.ToMove: _to_move,
    e.Played: lambda v, s, event: f"{v.names[event.seat]} plays {_played(v, event)}",
    e.Passed: lambda v, s, event: f"{v.names[event.seat]} passes",
    e.Skipped: lambda v, s, event: f"{v.seats(event.seats)} skipped",
    e.Reversed: _reversed,
    e.Turned: lambda v, s, event: (
        "turns go " + ("clockwise" if s.direction > 0 else "the other way")
    ),
    e.Marked: _marked,
    e.Cleared: lambda v, s, event: "cleared",
    e.Freed: lambda v, s, event: "all may play again",
    e.Out: _out,
    e.Fouled: lambda v, s, event: f"{v.names[event.seat]} is out by a forbidden last play",
    e.Fell: _fell,
    e.Expired: lambda v, s, event: f"the referee answers ({event.cause})",
    e.Ended: lambda v, s, event: f"the hand ends: {v.seats(event.places)}",
}
