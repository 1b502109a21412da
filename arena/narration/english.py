"""English: "careful plays a pair of nines, hearts and clubs"."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from arena.narration.language import EXCHANGE, Detail, Language, Phrase, Speaker
from arena.rules import events as e
from arena.rules.cards import (
    CODES,
    JOKER,
    JOKER_RANK,
    NATURAL,
    RANKS,
    SUITS,
    codes,
    spoken,
)
from arena.rules.catalogue import Option
from arena.rules.commands import Accept, Answer, Ask, Discard, Give, Name, Pass, Play, Throw
from arena.rules.melds import Meld
from arena.rules.state import State
from arena.rules.view import View

RANK_WORDS = (
    *("three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("jack", "queen", "king", "ace", "two", "joker"),
)
SUIT_WORDS = ("spades", "hearts", "diamonds", "clubs")
SET_WORDS = {2: "a pair of", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}
COLOUR_WORDS = ("", "black", "red")
SHAPES = ("rock", "paper", "scissors")
ORDINALS = ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th")
TITLES = {"daifugo": "daifugō", "dai_fugo": "daifugō", "fugo": "fugō", "dai_hinmin": "daihinmin"}
CAUSES = {
    "timeout": "no answer in time",
    "illegal": "too many refused answers",
    "absent": "it is absent",
    "withdrawn": "it has withdrawn",
    "disqualified": "it is disqualified",
    "server": "the arena stood still",
}


def listed(words: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def number(count: int) -> str:
    """How many cards."""
    return "1 card" if count == 1 else f"{count} cards"


def cards(names: Iterable[str]) -> str:
    """Some cards in words: "the three of spades and the joker"."""
    return listed([f"the {spoken(name)}" for name in names])


def mask(held: int, size: int) -> str:
    """Cards in words, or only how many where they are hidden."""
    return cards(codes(held)) if held or not size else number(size)


def ranks(rank: int) -> str:
    """The plural of a rank."""
    word = RANK_WORDS[rank]
    return f"{word}es" if word == "six" else f"{word}s"


def meld(play: Meld, *, detail: Detail) -> str:
    """A play in words."""
    if play.size == 1:
        return cards(play.codes)
    if play.kind == "set":
        return _set(play, detail=detail)
    kind = "an emperor" if play.kind == "emperor" else f"a run of {play.size}"
    if play.kind == "sequence" and play.cards & NATURAL:
        kind += f" in {SUIT_WORDS[SUITS.index(play.codes[0][0])]}"
    if detail is Detail.BRIEF:
        return f"{kind} from {RANK_WORDS[play.low]}" if 0 <= play.low < JOKER_RANK else kind
    of_one_suit = play.kind == "sequence"
    names = [name for name in play.codes if name != JOKER]
    named = [_rank(name) if of_one_suit else f"the {spoken(name)}" for name in names]
    jokers = _jokers(play, _rank if of_one_suit else spoken)
    return f"{kind}, {listed([*named, *jokers])}"


def _set(play: Meld, *, detail: Detail) -> str:
    kind = f"{SET_WORDS.get(play.size, play.size)} {ranks(play.low)}"
    if detail is Detail.BRIEF or play.low == JOKER_RANK:
        return kind
    suits = [_suit(name) for name in play.codes if name != JOKER]
    return f"{kind}, {listed([*suits, *_jokers(play, _suit)])}"


def _jokers(play: Meld, word: Callable[[str], str]) -> list[str]:
    """Each joker, with what it stands for where that matters."""
    roles = play.role_codes or (JOKER,) * play.jokers
    return ["a joker" if role == JOKER else f"a joker as {word(role)}" for role in roles]


def _rank(name: str) -> str:
    return RANK_WORDS[RANKS.index(name[1])]


def _suit(name: str) -> str:
    return SUIT_WORDS[SUITS.index(name[0])]


def title(word: str | None) -> str:
    """A title as people write it; one of the organiser's own as it is."""
    return TITLES.get(word or "", (word or "").replace("_", " "))


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
    given = [f"{v.names[seat]} is {title(word)}" for seat, word in enumerate(titles) if word]
    return f". {listed(given)}" if given else ""


def _retitled(v: Speaker, s: State, event: e.Retitled) -> str:
    return f"The titles are reversed{_titled(v, event.titles)}"


def _swapped(v: Speaker, s: State, event: e.Swapped) -> str:
    return f"{v.names[event.seat]} and {v.names[event.to]} swap all their cards"


def _asked(v: Speaker, s: State, event: e.Asked) -> str:
    return ". ".join(_question(v, q) for q in event.questions)


def _question(v: Speaker, q: e.Question) -> str:
    count = number(q.most) if q.most in (q.least, 1) else f"up to {number(q.most)}"
    is_to = "is to" if q.least else "may"
    to = v.names[q.to] if q.to >= 0 else ""
    what = {
        "give": f"{is_to} give {count} to {to}",
        "discard": f"{is_to} discard {count}",
        "name": f"is to name {'a rank' if q.most == 1 else f'{q.most} ranks'}",
        "ask": f"may ask {to} for {count}",
        "throw": "is to choose rock, paper or scissors",
        "accept": "is to accept or decline",
    }[q.kind]
    return f"{v.names[q.seat]} {what}"


def _wished(v: Speaker, s: State, event: e.Wished) -> str:
    wishes = listed([_wish(wish) for wish in event.wishes]) or "nothing"
    return f"{v.names[event.seat]} asks {v.names[event.to]} for {wishes}"


def _wish(wish: tuple[int, int | None]) -> str:
    rank, suit = wish
    if rank == JOKER_RANK:
        return "a joker"
    if suit is None:
        return f"{'an' if RANK_WORDS[rank] in ('eight', 'ace') else 'a'} {RANK_WORDS[rank]}"
    return f"the {spoken(CODES[rank * 4 + suit])}"


def _promised(v: Speaker, s: State, event: e.Promised) -> str:
    what = mask(event.cards, event.size)
    return f"{v.names[event.seat]} sets aside {what} for {v.names[event.to]}"


def _gave(v: Speaker, s: State, event: e.Gave) -> str:
    what = mask(event.cards, event.size) or "nothing"
    return f"{v.names[event.seat]} gives {v.names[event.to]} {what}"


def _discarded(v: Speaker, s: State, event: e.Discarded) -> str:
    return f"{v.names[event.seat]} discards {mask(event.cards, event.size) or 'nothing'}"


def _named(v: Speaker, s: State, event: e.Named) -> str:
    return f"{v.names[event.seat]} names {listed([ranks(rank) for rank in event.ranks])}"


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


def _suit_lock(value: int) -> str:
    suits = [SUIT_WORDS[i] for i in range(4) for _ in range(value >> 4 * i & 15)]
    return f"locked to {listed(suits)}"


def _rank_limit(value: int) -> str:
    return f"only {listed([ranks(rank) for rank in range(13) if value >> rank & 1])} may follow"


def _marked(v: Speaker, s: State, event: e.Marked) -> str:
    match event.name:
        case "colour_lock" if event.value:
            return f"The colour is locked to {COLOUR_WORDS[event.value]}"
        case "colour_lock":
            return "The colour is no longer locked"
        case "rank_limit":
            return _rank_limit(event.value).capitalize()
        case "revolutions":
            return f"Revolution number {event.value} of this hand"
        case "suit_lock":
            return f"The suit is {_suit_lock(event.value)}" if event.value else "The lock is lifted"
        case "number_lock":
            return "Only the next rank may follow" if event.value else "Any rank may follow again"
        case "skipped" if event.value:
            seats = [seat for seat in range(s.players) if event.value >> seat & 1]
            return f"{_seats(v, seats)} {_are(seats)} skipped unless somebody answers"
        case "revolution_stays":
            return "There is no further revolution in this hand"
        case "must_show" if event.value:
            return f"The first play must have the {spoken(CODES[event.value - 1])} in it"
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
    return f"The referee answers for {v.names[event.seat]}: {CAUSES[event.cause]}"


def _ended(v: Speaker, s: State, event: e.Ended) -> str:
    titles = (*v.titles, *[None] * len(event.places))
    places = [
        f"{ORDINALS[place]} {v.names[seat]}"
        + (f" ({title(titles[place])})" if titles[place] else "")
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
    if view.pile is None:
        pile = "The table is empty."
    else:
        what = meld(view.pile, detail=Detail.NORMAL)
        pile = f"On the table: {what}, played by {v.names[view.owner]}."
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
            return f"name {listed([ranks(rank) for rank in named])}"
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
    rules = ["the order of ranks is reversed"] if view.order_reversed else []
    rules += ["a revolution from the next clear"] if view.pending else []
    rules += ["play goes anticlockwise"] if view.direction < 0 else []
    rules += [f"the suit is {_suit_lock(view.suit_lock)}"] if view.suit_lock else []
    rules += ["only the next rank may follow"] if view.number_lock else []
    if view.colour_lock:
        rules.append(f"the colour is locked to {COLOUR_WORDS[view.colour_lock]}")
    return rules + ([_rank_limit(view.rank_limit)] if view.rank_limit else [])


def _seat_line(v: Speaker, view: View, seat: int, held: int) -> str:
    name, place = v.names[seat], view.places[seat]
    if place is not None:
        return f"{name}: {ORDINALS[place - 1]}."
    passed = ", has passed" if view.passed[seat] else ""
    shown = f": {cards(codes(held))}" if held else ""
    return f"{name}: {number(view.counts[seat])}{passed}{shown}."


ENGLISH = Language("en", PHRASES, sentence, position, answer, in_force, spoken, title, " ")
