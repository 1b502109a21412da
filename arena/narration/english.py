"""English: "careful plays a pair of nines, hearts and clubs"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.narration.language import EXCHANGE, Detail, Language, Phrase, Speaker
from arena.rules import events as e
from arena.rules.cards import CODES, JOKER, JOKER_RANK, RANKS, SUITS, codes
from arena.rules.catalogue import Option
from arena.rules.commands import Accept, Answer, Ask, Discard, Give, Name, Pass, Play, Throw
from arena.rules.melds import Meld
from arena.rules.state import State
from arena.rules.view import View
from arena.text.words import (
    CAUSE_WORDS,
    ORDINALS,
    RANK_WORDS,
    card_in_words,
    cards_in_words,
    force_in_words,
    kind_in_words,
    listed,
    number,
    on_table,
    play_in_words,
    plural,
    question_in_words,
    ranks_allowed,
    seat_in_words,
    suits_locked,
    title_in_words,
    wish_in_words,
)

COLOUR_WORDS = ("", "black", "red")
SHAPES = ("rock", "paper", "scissors")


def cards(names: Iterable[str]) -> str:
    """Some cards in words: "the three of spades and the joker"."""
    return cards_in_words(names)


def mask(held: int, size: int) -> str:
    """Cards in words, or only how many where they are hidden."""
    return cards(codes(held)) if held or not size else number(size)


def ranks(rank: int) -> str:
    """The plural of a rank."""
    return plural(RANK_WORDS[rank])


def meld(play: Meld, *, detail: Detail) -> str:
    """A play in words."""
    if play.size == 1 or detail is not Detail.BRIEF:
        return play_in_words(play.kind, play.codes, play.role_codes)
    brief = kind_in_words(play.kind, play.codes, play.role_codes)
    is_run = play.kind != "set" and 0 <= play.low < JOKER_RANK
    return f"{brief} from {RANK_WORDS[play.low]}" if is_run else brief


def _seats(v: Speaker, seats: Iterable[int]) -> str:
    return listed([v.names[seat] for seat in seats])


def _are(seats: Sequence[int]) -> str:
    return "is" if len(seats) == 1 else "are"


def _dealt(v: Speaker, s: State, event: e.Dealt) -> str:
    counts = ", ".join(
        f"{name} {count}" for name, count in zip(v.names, event.counts, strict=False)
    )
    out = s.setup.blind.bit_count()
    blind = f"; {number(out)} {'is' if out == 1 else 'are'} left out" if out else ""
    return f"{v.names[event.dealer]} deals: {counts}{blind}{_titled(v, event.titles)}"


def _titled(v: Speaker, titles: Sequence[str | None]) -> str:
    given = [
        f"{v.names[seat]} is {title_in_words(word)}" for seat, word in enumerate(titles) if word
    ]
    return f". {listed(given)}" if given else ""


def _retitled(v: Speaker, s: State, event: e.Retitled) -> str:
    return f"The titles are reversed{_titled(v, event.titles)}"


def _swapped(v: Speaker, s: State, event: e.Swapped) -> str:
    return f"{v.names[event.seat]} and {v.names[event.to]} swap all their cards"


def _asked(v: Speaker, s: State, event: e.Asked) -> str:
    return ". ".join(_question(v, q) for q in event.questions)


def _question(v: Speaker, q: e.Question) -> str:
    to = v.names[q.to] if q.to >= 0 else ""
    return question_in_words(v.names[q.seat], q.kind, least=q.least, most=q.most, to=to)


def _wished(v: Speaker, s: State, event: e.Wished) -> str:
    wishes = listed([_wish(wish) for wish in event.wishes]) or "nothing"
    return f"{v.names[event.seat]} asks {v.names[event.to]} for {wishes}"


def _wish(wish: tuple[int, int | None]) -> str:
    rank, suit = wish
    if rank == JOKER_RANK:
        return wish_in_words(JOKER)
    return wish_in_words(RANKS[rank] if suit is None else CODES[rank * 4 + suit])


def _promised(v: Speaker, s: State, event: e.Promised) -> str:
    what = mask(event.cards, event.size)
    return f"{v.names[event.seat]} sets aside {what} for {v.names[event.to]}"


def _gave(v: Speaker, s: State, event: e.Gave) -> str:
    what = mask(event.cards, event.size) or "nothing"
    return f"{v.names[event.seat]} gives {v.names[event.to]} {what}"


def _discarded(v: Speaker, s: State, event: e.Discarded) -> str:
    return f"{v.names[event.seat]} discards {mask(event.cards, event.size) or 'nothing'}"


def _named(v: Speaker, s: State, event: e.Named) -> str:
    named = listed([ranks(rank) for rank in event.ranks]) or "nothing"
    return f"{v.names[event.seat]} names {named}"


def _thrown(v: Speaker, s: State, event: e.Thrown) -> str:
    shape = "a shape" if event.shape < 0 else SHAPES[event.shape]
    return f"{v.names[event.seat]} chooses {shape}"


def _shown(v: Speaker, s: State, event: e.Shown) -> str:
    shapes = [f"{v.names[p]} {SHAPES[shape]}" for p, shape in enumerate(event.shapes) if shape >= 0]
    left = f"{_seats(v, event.seats)} {'wins' if len(event.seats) == 1 else 'stay in'}"
    left = "a draw" if len(event.seats) == len(shapes) else left
    return f"Rock, paper, scissors: {', '.join(shapes)}; {left}"


def _accepted(v: Speaker, s: State, event: e.Accepted) -> str:
    return f"{v.names[event.seat]} {'accepts' if event.yes else 'declines'}"


def _took(v: Speaker, s: State, event: e.Took) -> str:
    return f"{v.names[event.seat]} takes {mask(event.cards, event.size)} from the table"


def _to_move(v: Speaker, s: State, event: e.ToMove) -> str:
    if s.trick and not event.by:
        return ""
    return f"{v.names[event.seat]} {'is to play' if s.trick else 'leads'}"


def _played(v: Speaker, s: State, event: e.Played) -> str:
    left = s.held[event.seat].bit_count()
    rest = f"; {number(left)} left" if v.detail is Detail.FULL and left else ""
    return f"{v.names[event.seat]} plays {meld(event.meld, detail=v.detail)}{rest}"


def _passed(v: Speaker, s: State, event: e.Passed) -> str:
    barred = event.barred and v.detail is Detail.FULL
    rest = ", and may not play until the table is cleared" if barred else ""
    return f"{v.names[event.seat]} passes{rest}"


def _skipped(v: Speaker, s: State, event: e.Skipped) -> str:
    return f"{_seats(v, event.seats)} {_are(event.seats)} skipped"


def _reversed(v: Speaker, s: State, event: e.Reversed) -> str:
    if event.scope == "pending":
        return (
            "From the next clear the order of ranks is reversed"
            if event.on
            else "The order of ranks will not be reversed after all"
        )
    until = "Until the table is cleared the" if event.scope == "trick" else "The"
    if s.order_reversed:
        return f"{until} order of ranks is reversed: a three beats a two"
    return f"{until} order of ranks is normal again"


def _turned(v: Speaker, s: State, event: e.Turned) -> str:
    return "Play goes " + ("clockwise" if event.direction > 0 else "anticlockwise")


def _suits(value: int) -> dict[str, int]:
    """A lock of suits by their letters."""
    return {suit: value >> 4 * i & 15 for i, suit in enumerate(SUITS)}


def _ranks(value: int) -> list[str]:
    """Ranks as bits, by their letters."""
    return [RANKS[rank] for rank in range(13) if value >> rank & 1]


def _marked(v: Speaker, s: State, event: e.Marked) -> str:
    match event.name:
        case "colour_lock" if event.value:
            return f"The colour is locked to {COLOUR_WORDS[event.value]}"
        case "colour_lock":
            return "The colour is no longer locked"
        case "rank_limit":
            return ranks_allowed(_ranks(event.value)).capitalize()
        case "revolutions":
            return f"Revolution number {event.value} of this hand"
        case "suit_lock":
            if not event.value:
                return "The lock is lifted"
            return f"The suit is {suits_locked(_suits(event.value))}"
        case "number_lock":
            return "Only the next rank may follow" if event.value else "Any rank may follow again"
        case "skipped" if event.value:
            seats = [seat for seat in range(s.players) if event.value >> seat & 1]
            return f"{_seats(v, seats)} {_are(seats)} skipped unless somebody answers"
        case "revolution_stays":
            return "There is no further revolution in this hand"
        case "must_show" if event.value:
            return f"The first play must have the {card_in_words(CODES[event.value - 1])} in it"
    return ""


def _out(v: Speaker, s: State, event: e.Out) -> str:
    return f"{v.names[event.seat]} goes out {ORDINALS[len(s.out) - 1]}"


def _fouled(v: Speaker, s: State, event: e.Fouled) -> str:
    return f"{v.names[event.seat]} goes out by a forbidden last play"


def _fell(v: Speaker, s: State, event: e.Fell) -> str:
    won = event.seat == s.setup.before[0]
    place = "last" if len(s.fallen) == 1 else "second last"
    end = "and plays on" if event.stays else f"to the {place} place"
    who = "who won the hand before" if won else "who came second in the hand before"
    return f"{v.names[event.seat]}, {who}, falls {end}"


def _expired(v: Speaker, s: State, event: e.Expired) -> str:
    return f"The referee answers for {v.names[event.seat]}: {CAUSE_WORDS[event.cause]}"


def _ended(v: Speaker, s: State, event: e.Ended) -> str:
    titles = (*v.titles, *[None] * len(event.places))
    places = [
        f"{ORDINALS[place]} {v.names[seat]}"
        + (f" ({title_in_words(titles[place])})" if titles[place] else "")
        for place, seat in enumerate(event.places)
    ]
    return "The hand ends: " + ", ".join(places)


PHRASES: dict[type, Phrase] = {
    e.Dealt: _dealt,
    e.Retitled: _retitled,
    e.Swapped: _swapped,
    e.Asked: _asked,
    e.Wished: _wished,
    e.Promised: _promised,
    e.Gave: _gave,
    e.Discarded: _discarded,
    e.Named: _named,
    e.Thrown: _thrown,
    e.Shown: _shown,
    e.Accepted: _accepted,
    e.Took: _took,
    e.ToMove: _to_move,
    e.Played: _played,
    e.Passed: _passed,
    e.Skipped: _skipped,
    e.Reversed: _reversed,
    e.Turned: _turned,
    e.Marked: _marked,
    e.Cleared: lambda v, s, event: "The table is cleared",
    e.Freed: lambda v, s, event: "All may play again",
    e.Out: _out,
    e.Fouled: _fouled,
    e.Fell: _fell,
    e.Expired: _expired,
    e.Ended: _ended,
}


def sentence(phrase: str, option: Option | None) -> str:
    """A phrase with the Japanese name of the rule that made it happen, in Latin letters."""
    reading = option.reading if option is not None and option.name != EXCHANGE else ""
    return f"{phrase} ({reading})." if reading else f"{phrase}."


def position(v: Speaker, view: View, hands: Sequence[int]) -> list[str]:
    """How things stand: the pile, whose turn it is, what is in force, and each seat."""
    pile = on_table("", "")
    if view.pile is not None:
        pile = on_table(meld(view.pile, detail=Detail.NORMAL), v.names[view.owner])
    turn = [f"{v.names[view.to_move]} is to play."] if view.to_move >= 0 else []
    active = in_force(view)
    rules = [f"In force: {listed(active)}."] if active else []
    seats = [_seat_line(v, view, seat, held) for seat, held in enumerate(hands)]
    return [pile, *turn, *rules, *seats]


def answer(choice: Answer | Meld) -> str:
    """What one may answer: "a pair of nines, hearts and clubs", "give the two of spades"."""
    match choice:
        case Meld():
            return meld(choice, detail=Detail.NORMAL)
        case Give(cards=held):
            return f"give {cards(codes(held)) or 'nothing'}"
        case Discard(cards=held):
            return f"discard {cards(codes(held)) or 'nothing'}"
        case Name(ranks=named):
            return f"name {listed([ranks(rank) for rank in named]) or 'nothing'}"
        case Ask(wishes=wishes):
            return f"ask for {listed([_wish(wish) for wish in wishes]) or 'nothing'}"
        case Throw(shape=shape):
            return SHAPES[shape]
        case Accept(yes=yes):
            return "accept" if yes else "decline"
        case Play():
            return cards(codes(choice.cards))
        case Pass():
            return "pass"


def in_force(view: View) -> list[str]:
    """What is in force besides the usual, in phrases."""
    lock = {
        "suits": _suits(view.suit_lock) if view.suit_lock else {},
        "number": view.number_lock,
        "colour": COLOUR_WORDS[view.colour_lock],
        "ranks": _ranks(view.rank_limit),
    }
    return force_in_words(
        is_reversed=view.order_reversed,
        is_pending=view.pending,
        is_turned=view.direction < 0,
        lock=lock,
    )


def _seat_line(v: Speaker, view: View, seat: int, held: int) -> str:
    return seat_in_words(
        v.names[seat],
        count=view.counts[seat],
        passed=bool(view.passed[seat]),
        place=view.places[seat],
        held=codes(held),
    )


ENGLISH = Language(
    "en", PHRASES, sentence, position, answer, in_force, card_in_words, title_in_words, " "
)
