"""The words that an answer in text may be made of, and the cutting of a text into tokens.

English and Japanese words, card codes in either order and case, and suit symbols. A token is a kind
with a value; what several of them mean together is `arena.text.reading`'s business. The time taken
grows with the length of the text and with nothing else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from arena.text.words import JOKER, RANK_LETTERS, RANK_WORDS, SUIT_LETTERS, plural


class Token(NamedTuple):
    """A piece of a text. kind: card, rank, plural, suit, size, or one of the words that stand for
    themselves (`as`, `of`, `a`, `run`, `nothing`, `pass`, `throw`, `accept`, `unknown`); value: its
    code; text: as it was written."""

    kind: str
    value: str
    text: str


FILLER_WORDS = (
    "an and in with plus my the i i'll play plays lead follow give discard name ask for card cards "
    "choose throw single please answer to emperor on は を の と で も"
)
FILLERS = frozenset(FILLER_WORDS.split())
"""Words that change nothing."""
RANK_SPELLINGS = {
    **{word: RANK_LETTERS[i] for i, word in enumerate(RANK_WORDS[:13])},
    **{letter: letter.upper() for letter in "tjqk"},
    **{str(value): str(value) for value in range(2, 10)},
    "10": "T",
    "deuce": "2",
    "エース": "A",
    "ジャック": "J",
    "クイーン": "Q",
    "キング": "K",
}
PLURALS = {
    **{plural(word): RANK_LETTERS[i] for i, word in enumerate(RANK_WORDS[:13])},
    "jokers": JOKER,
    "deuces": "2",
    "10s": "T",
    **{f"{letter}s": letter.upper() for letter in "23456789"},
}
SUIT_SPELLINGS = {
    letter: code
    for code, words in {
        "S": ("spade", "spades", "♠", "♤", "スペード"),
        "H": ("heart", "hearts", "♥", "♡", "ハート"),
        "D": ("diamond", "diamonds", "♦", "♢", "ダイヤ", "ダイヤモンド"),
        "C": ("club", "clubs", "♣", "♧", "クラブ", "クローバー", "クローバ"),
    }.items()
    for letter in words
}
SIZES = {
    **dict.fromkeys(("pair", "ペア", "二枚"), "2"),
    **dict.fromkeys(("triple", "triplet", "trio", "三枚"), "3"),
    **dict.fromkeys(("quad", "quads", "四枚"), "4"),
}
WORDS = {
    **dict.fromkeys(("joker", "jk", "ジョーカー", "ジョーカ"), ("card", JOKER)),
    **dict.fromkeys(("pass", "passes", "skip", "パス"), ("pass", "")),
    **dict.fromkeys(("run", "sequence", "straight", "階段"), ("run", "")),
    **dict.fromkeys(
        ("nothing", "none", "何も渡さない", "何も捨てない", "何も指定しない", "何も求めない"),
        ("nothing", ""),
    ),
    **dict.fromkeys(("rock", "stone", "グー"), ("throw", "rock")),
    **dict.fromkeys(("paper", "パー"), ("throw", "paper")),
    **dict.fromkeys(("scissors", "チョキ"), ("throw", "scissors")),
    **dict.fromkeys(("accept", "yes", "はい", "受ける"), ("accept", "yes")),
    **dict.fromkeys(("decline", "no", "いいえ", "断る"), ("accept", "")),
    "as": ("as", ""),
    "=": ("as", ""),
    "of": ("of", ""),
    "a": ("a", ""),
    **{word: ("size", value) for word, value in SIZES.items()},
    **{word: ("suit", value) for word, value in SUIT_SPELLINGS.items()},
    **{word: ("plural", value) for word, value in PLURALS.items()},
    **{word: ("rank", value) for word, value in RANK_SPELLINGS.items()},
}
JAPANESE = "|".join(
    sorted((re.escape(w) for w in (*WORDS, *FILLERS) if not w.isascii()), key=len, reverse=True)
)
MOST_DIGITS = 4
SUIT_MARK = "[shdc♠♥♦♣♤♡♢♧]"
RANK_MARK = "(?:10|[2-9tjqka])"
NEXT = rf"(?=[^a-z0-9]|{SUIT_MARK}{RANK_MARK}|{RANK_MARK}{SUIT_MARK}|$)"
TOKEN = re.compile(
    rf"(?P<card>{SUIT_MARK}{RANK_MARK}{NEXT}|{RANK_MARK}{SUIT_MARK}{NEXT})"
    rf"|(?P<japanese>{JAPANESE})"
    r"|(?P<word>[a-z0-9]+(?:'[a-z]+)?|=)"
    r"|(?P<space>[\s,;&+./|()\[\]{}\"'`*_!?<>、。「」・\-–—]+)"
    r"|(?P<other>.)",
    re.DOTALL,
)


def plain(text: str) -> str:
    """A text in small letters, with full-width and other forms of a character as the usual one."""
    return unicodedata.normalize("NFKC", text).lower().replace("’", "'").replace("\ufe0f", "")


def cut(text: str, *, suits_first: bool) -> Iterator[Token]:
    """The tokens of a plain text, fillers left out.

    suits_first: are "4s" and "as" cards where they may be words? Who reads tries both.
    """
    for match in TOKEN.finditer(text):
        kind, word = match.lastgroup, match[0]
        if kind == "space" or word in FILLERS:
            continue
        if kind == "card" and (suits_first or word not in WORDS):
            yield Token("card", _code(word), word)
        elif word.isdecimal() and word not in WORDS and len(word) < MOST_DIGITS:
            yield Token("size", str(int(word)), word)
        else:
            yield Token(*WORDS.get(word, ("unknown", "")), word)


def has_two_meanings(text: str) -> bool:
    """Is there a "4s" or an "as" in a plain text?"""
    return any(match["card"] in WORDS for match in TOKEN.finditer(text) if match["card"])


def _code(word: str) -> str:
    """A card's code out of its two halves, in either order."""
    marks = {**{letter.lower(): letter for letter in SUIT_LETTERS}, **SUIT_SPELLINGS}
    is_suit_first = word[0] in marks
    suit, rank = (word[0], word[1:]) if is_suit_first else (word[-1], word[:-1])
    return marks[suit] + rank.upper().replace("10", "T")
