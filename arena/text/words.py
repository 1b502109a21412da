"""English words for cards, plays and answers, out of their names: "a pair of nines".

The viewer's sentences (`arena.narration.english`) and the text of a turn are made of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

RANK_LETTERS = "3456789TJQKA2"
SUIT_LETTERS = "SHDC"
JOKER = "JK"
RANK_WORDS = (
    *("three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("jack", "queen", "king", "ace", "two", "joker"),
)
SUIT_WORDS = ("spades", "hearts", "diamonds", "clubs")
SET_WORDS = {2: "a pair of", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}
ORDINALS = ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th")
TITLES = {"daifugo": "daifugō", "dai_fugo": "daifugō", "fugo": "fugō", "dai_hinmin": "daihinmin"}
CAUSE_WORDS = {
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


def rank_word(name: str) -> str:
    """The rank of a card, or of a rank's own letter: "S3" and "3" are "three"."""
    return "joker" if name == JOKER else RANK_WORDS[RANK_LETTERS.index(name[-1])]


def suit_word(name: str) -> str:
    """The suit of a card, or of a suit's own letter."""
    return SUIT_WORDS[SUIT_LETTERS.index(name[0])]


def card_in_words(name: str) -> str:
    """A card: "three of spades"."""
    return "joker" if name == JOKER else f"{rank_word(name)} of {suit_word(name)}"


def cards_in_words(names: Iterable[str]) -> str:
    """Some cards: "the three of spades and the joker"."""
    return listed([f"the {card_in_words(name)}" for name in names])


def plural(word: str) -> str:
    """The plural of a rank."""
    return f"{word}es" if word == "six" else f"{word}s"


def title_in_words(word: str | None) -> str:
    """A title as people write it; one of the organiser's own as it is."""
    return TITLES.get(word or "", (word or "").replace("_", " "))


def shape_of(cards: Sequence[str], roles: Sequence[str]) -> str:
    """The kind of a play that is known by its cards only: set, sequence or emperor."""
    stand_for = [name for name in (*cards, *roles) if name != JOKER]
    ranks = {name[1] for name in stand_for}
    if len(cards) == 1 or (len(ranks) < 2 and JOKER not in roles):
        return "set"
    return "sequence" if len({name[0] for name in stand_for}) < 2 else "emperor"


def kind_in_words(kind: str, cards: Sequence[str], roles: Sequence[str]) -> str:
    """A play of several cards without all of them: "three fours", "a run of 3 in spades"."""
    natural = [name for name in cards if name != JOKER]
    if kind == "set":
        rank = rank_word((*natural, *roles, JOKER)[0])
        return f"{SET_WORDS.get(len(cards), len(cards))} {plural(rank)}"
    if kind == "emperor":
        return "an emperor"
    suit = f" in {suit_word(natural[0])}" if natural else ""
    return f"a run of {len(cards)}{suit}"


def play_in_words(kind: str, cards: Sequence[str], roles: Sequence[str]) -> str:
    """A play. kind: set, sequence or emperor; a single card is a set; roles: what its jokers stand
    for, empty where that does not matter."""
    if len(cards) == 1:
        return cards_in_words(cards)
    head = kind_in_words(kind, cards, roles)
    natural = [name for name in cards if name != JOKER]
    if kind == "set" and not natural and not roles:
        return head
    if kind == "set":
        names, word = [suit_word(name) for name in natural], suit_word
    elif kind == "sequence":
        names, word = [rank_word(name) for name in natural], rank_word
    else:
        names, word = [f"the {card_in_words(name)}" for name in natural], card_in_words
    jokers = _jokers(roles or (JOKER,) * (len(cards) - len(natural)), word)
    return f"{head}, {listed([*names, *jokers])}"


def _jokers(roles: Sequence[str], word: Callable[[str], str]) -> list[str]:
    """Each joker, with what it stands for where that matters."""
    return ["a joker" if role == JOKER else f"a joker as {word(role)}" for role in roles]


def wish_in_words(wish: str) -> str:
    """What somebody asks for: a rank ("2"), a card ("HA") or the joker."""
    if wish == JOKER:
        return "a joker"
    if len(wish) == 2:
        return f"the {card_in_words(wish)}"
    word = rank_word(wish)
    return f"{'an' if word in ('eight', 'ace') else 'a'} {word}"


def answer_in_words(kind: str, answer: Mapping[str, Any]) -> str:
    """An answer as an entry of `legal` has it: "a pair of nines, hearts and clubs", "give the two
    of spades". kind: of the turn."""
    if "pass" in answer:
        return "pass"
    if "name" in answer:
        return f"name {listed([plural(rank_word(r)) for r in answer['name']]) or 'nothing'}"
    if "ask" in answer:
        return f"ask for {listed([wish_in_words(wish) for wish in answer['ask']]) or 'nothing'}"
    if "throw" in answer:
        return str(answer["throw"])
    if "accept" in answer:
        return "accept" if answer["accept"] else "decline"
    cards, roles = answer["cards"], answer.get("as") or ()
    if kind in ("give", "discard"):
        return f"{kind} {cards_in_words(cards) or 'nothing'}"
    return play_in_words(shape_of(cards, roles), cards, roles)


def question_in_words(name: str, kind: str, *, least: int, most: int, to: str) -> str:
    """What somebody is asked, without a full stop. to: the name of whom it is about, "" if it is
    about nobody."""
    count = number(most) if most in (least, 1) else f"up to {number(most)}"
    is_to = "is to" if least else "may"
    what = {
        "give": f"{is_to} give {count} to {to}",
        "discard": f"{is_to} discard {count}",
        "name": f"is to name {'a rank' if most == 1 else f'{most} ranks'}",
        "ask": f"may ask {to} for {count}",
        "throw": "is to choose rock, paper or scissors",
        "accept": "is to accept or decline",
    }[kind]
    return f"{name} {what}"


def on_table(play: str, owner: str) -> str:
    """What lies face up. play: in words, "" if nothing lies there."""
    return f"On the table: {play}, played by {owner}." if play else "The table is empty."


def seat_in_words(
    name: str, *, count: int, passed: bool, place: int | None, held: Iterable[str] = ()
) -> str:
    """How a player stands. held: the cards, where the reader knows them."""
    if place is not None:
        return f"{name}: {ORDINALS[place - 1]}."
    shown = cards_in_words(held)
    return f"{name}: {number(count)}{', has passed' * passed}{f': {shown}' if shown else ''}."


def suits_locked(suits: Mapping[str, int]) -> str:
    """A lock of suits: each with how many cards of it are wanted."""
    words = [suit_word(letter) for letter in SUIT_LETTERS for _ in range(suits.get(letter, 0))]
    return f"locked to {listed(words)}"


def ranks_allowed(ranks: Iterable[str]) -> str:
    """A limit of ranks, by their letters."""
    return f"only {listed([plural(rank_word(rank)) for rank in ranks])} may follow"


def force_in_words(
    *, is_reversed: bool, is_pending: bool, is_turned: bool, lock: Mapping[str, Any]
) -> list[str]:
    """What is in force besides the usual, in phrases. lock: as in a turn document."""
    phrases = ["the order of ranks is reversed"] if is_reversed else []
    phrases += ["a revolution from the next clear"] if is_pending else []
    phrases += ["play goes anticlockwise"] if is_turned else []
    phrases += [f"the suit is {suits_locked(lock['suits'])}"] if lock.get("suits") else []
    phrases += ["only the next rank may follow"] if lock.get("number") else []
    phrases += [f"the colour is locked to {lock['colour']}"] if lock.get("colour") else []
    return phrases + ([ranks_allowed(lock["ranks"])] if lock.get("ranks") else [])
