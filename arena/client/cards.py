"""Cards for bots: plain strings such as "S3", "DT" (ten of diamonds) and "JK" (a joker).

Written to be read and copied by students. It knows the pack, not the rules: what may be played
is in a turn's `legal`. May import nothing of ours.

    >>> sort_cards(["JK", "H2", "S3", "DT"])
    ['S3', 'DT', 'H2', 'JK']
    >>> strength("S3"), strength("S3", order="reversed"), strength("JK", order="reversed")
    (0, 12, 13)
    >>> by_rank(["S7", "H7", "C4"])
    {'4': ['C4'], '7': ['S7', 'H7']}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

SUITS = "SHDC"
RANKS = "3456789TJQKA2"  # weakest to strongest, as long as there is no revolution
JOKER = "JK"
RANK_CODES = tuple(RANKS)
PACK = tuple(suit + rank for suit in SUITS for rank in RANKS)

SIGNS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
RANKS_MEANT = {
    "10": ("T", "ten is T"),
    "1": ("A", "ace is A"),
    "14": ("A", "ace is A"),
    "11": ("J", "jack is J"),
    "12": ("Q", "queen is Q"),
    "13": ("K", "king is K"),
    "15": ("2", "two is 2"),
}
JOKERS_MEANT = ("JOKER", "JOKER1", "JOKER2", "JO", "JK1", "JK2", "BJ", "RJ", "*")


def is_joker(card: str) -> bool:
    return card == JOKER


def suit(card: str) -> str:
    """S, H, D or C; "" for a joker."""
    return "" if is_joker(card) else card[0]


def rank(card: str) -> str:
    """3 ... 9, T, J, Q, K, A, 2; "JK" for a joker."""
    return JOKER if is_joker(card) else card[1]


def strength(card: str, order: str = "normal") -> int:
    """0 (weakest) to 12; a joker is always 13. Takes a card ("S3") or a rank ("3").

    `order` is the turn's: "normal" or "reversed" (revolution).
    """
    if is_joker(card):
        return len(RANKS)
    step = RANKS.index(card[-1])
    return step if order == "normal" else len(RANKS) - 1 - step


def flip(order: str) -> str:
    """The other order."""
    return "normal" if order == "reversed" else "reversed"


def sort_cards(cards: Iterable[str], order: str = "normal") -> list[str]:
    """Weakest first; equal ranks in the order of the suits S H D C."""
    return sorted(cards, key=lambda card: (strength(card, order), SUITS.find(card[0])))


def by_rank(cards: Iterable[str]) -> dict[str, list[str]]:
    """{"3": ["S3", "D3"], "5": [...]}: weakest rank first, jokers left out."""
    groups: dict[str, list[str]] = {}
    for card in sort_cards(card for card in cards if not is_joker(card)):
        groups.setdefault(rank(card), []).append(card)
    return groups


def runs(cards: Iterable[str], at_least: int = 3) -> list[list[str]]:
    """Every sequence of consecutive cards of one suit, short and long, jokers left out.

    >>> runs(["S3", "S4", "S5", "S6", "H4"])
    [['S3', 'S4', 'S5'], ['S3', 'S4', 'S5', 'S6'], ['S4', 'S5', 'S6']]
    """
    have = set(cards)
    sequences = []
    for letter in SUITS:
        for start in range(len(RANKS)):
            run: list[str] = []
            for step in RANKS[start:]:
                if letter + step not in have:
                    break
                run.append(letter + step)
                if len(run) >= at_least:
                    sequences.append(list(run))
    return sequences


def without(cards: Iterable[str], played: Iterable[str]) -> list[str]:
    """What is left of `cards`; of two equal cards (two packs, two jokers) only one goes."""
    left = list(cards)
    for card in played:
        left.remove(card)
    return left


def reading(play: Mapping[str, Any]) -> list[str]:
    """The cards that a play stands for: jokers replaced by what `as` says, or by the set's rank.

    >>> reading({"cards": ["S4", "S5", "JK"], "as": ["S6"]})
    ['S4', 'S5', 'S6']
    >>> reading({"cards": ["S7", "JK"]})
    ['S7', 'S7']
    """
    real = [card for card in play["cards"] if not is_joker(card)]
    jokers = len(play["cards"]) - len(real)
    if not jokers or not real:
        return list(play["cards"])
    return real + list(play.get("as") or [real[0]] * jokers)


def shape(play: Mapping[str, Any]) -> str:
    """The kind of a play: "single", "set" or "sequence"."""
    ranks = {rank(card) for card in reading(play)}
    if len(play["cards"]) == 1:
        return "single"
    return "set" if len(ranks) == 1 else "sequence"


def play_strength(play: Mapping[str, Any], order: str = "normal") -> int:
    """How strong a play is: the rank of a set, the weakest card of a sequence."""
    return min(strength(card, order) for card in reading(play))


def pretty(card: str) -> str:
    """A card for people.

    >>> pretty("ST"), pretty("JK")
    ('♠10', 'Joker')
    """
    if is_joker(card):
        return "Joker"
    return SIGNS[card[0]] + ("10" if card[1] == "T" else card[1])


def mistake(card: object) -> str | None:
    """What is wrong with the way a card is written, in words; None if it is a card.

    >>> mistake("S10")
    "'S10' is no card, ten is T: ST"
    >>> mistake("7h")
    "'7h' is no card, the suit comes first, in capitals: H7"
    >>> mistake("ST") is None
    True
    """
    if not isinstance(card, str):
        return f'{card!r} is no card: a card is text such as "S3", in a list of cards'
    if card in PACK or is_joker(card):
        return None
    if len(card.split()) > 1 and all(mistake(part) is None for part in card.split()):
        return f"{card!r} are several cards: write a list, {card.split()}"
    reasons, meant = _meant(card)
    if meant is None:
        return f"{card!r} is no card: a suit S H D C and a rank 3-9 T J Q K A 2, or JK for a joker"
    return f"{card!r} is no card, {', '.join(reasons)}: {meant}"


def meant(card: str) -> str | None:
    """The card that somebody may have meant, however it is written; None: nobody knows.

    >>> meant("10h"), meant("♠3"), meant("joker"), meant("S11"), meant("X9")
    ('HT', 'S3', 'JK', 'SJ', None)
    """
    return _meant(card)[1]


def _meant(card: str) -> tuple[list[str], str | None]:
    """What is wrong with a card's code, and the code that was meant; None: nobody knows."""
    text = card.strip().upper()
    for letter, sign in SIGNS.items():
        text = text.replace(sign, letter)
    if text in (JOKER, *JOKERS_MEANT):
        return ["a joker is JK"], JOKER
    reasons = []
    head, tail = text[:1], text[1:]
    if head not in SUITS and text[-1:] in SUITS:
        head, tail = text[-1:], text[:-1]
        reasons.append("the suit comes first")
    if tail in RANKS_MEANT:
        tail, reason = RANKS_MEANT[tail]
        reasons.append(reason)
    if card.strip() != card:
        reasons.append("without blanks")
    elif any(sign in card for sign in SIGNS.values()):
        reasons.append("suits are the letters S H D C")
    elif card != card.upper():
        reasons.append("in capitals")
    return reasons, head + tail if head + tail in PACK else None
