"""What a person types at a table, read: a word for the program, a number of the list, an answer.

As lenient as can be without guessing: `s4 h4`, `10h`, `♠4`, `joker`. Whether an answer is legal is
the rules' business.
"""

from __future__ import annotations

import unicodedata
from typing import Any, NamedTuple

from arena.client.cards import RANK_CODES, RANKS_MEANT, meant
from arena.documents import Document
from arena.errors import BadInput

WORDS = ("help", "hand", "trick", "table", "counts", "rules", "moves", "last", "quit")
"""Words for the program; what may follow some of them is theirs to read."""
ALSO = {
    word: known
    for known, words in (
        ("help", ("?", "h", "ヘルプ")),
        ("hand", ("cards", "手札")),
        ("table", ("場",)),
        ("counts", ("枚数",)),
        ("rules", ("ルール",)),
        ("moves", ("m", "選択肢")),
        ("last", ("履歴",)),
        ("quit", ("q", "exit", "終了")),
    )
    for word in words
}
PASSES = ("pass", "p", "パス")
THROWS = {
    word: shape
    for shape, kana in (("rock", "グー"), ("paper", "パー"), ("scissors", "チョキ"))
    for word in (shape, kana)
}
ACCEPTS = {
    **dict.fromkeys(("accept", "yes", "y", "はい", "受ける"), True),
    **dict.fromkeys(("decline", "no", "n", "いいえ", "断る"), False),
}
VERBS = ("play", "give", "discard", "name", "ask", "throw", "choose")
RANKED = ("name", "ask")
MAY_BE_NOTHING = ("give", "discard", "ask")
EXPECTED = {
    "play": "cards such as S4 H4, or pass",
    "give": "cards such as S4 H4",
    "discard": "cards such as S4 H4",
    "name": "ranks such as T Q",
    "ask": "ranks or cards such as A JK",
    "throw": "rock, paper or scissors",
    "accept": "yes or no",
}
CARD = "a suit S H D C and a rank 3-9 T J Q K A 2, or JK for a joker; blanks between cards"


class Typed(NamedTuple):
    """What was typed. word: for the program, and what follows it; number: of the list, from 1;
    body: an answer as the protocol writes it; all empty for an empty line."""

    word: str = ""
    more: str = ""
    number: int | None = None
    body: Document | None = None


def is_quit(text: str) -> bool:
    """Does somebody want to leave?"""
    words = _words(text)
    return bool(words) and ALSO.get(words[0], words[0]) == "quit"


def read_typed(text: str, kind: str) -> Typed:
    """A line that was typed while a question of some kind waits. Raises BadInput."""
    words = _words(text)
    if not words:
        return Typed()
    first = ALSO.get(words[0], words[0])
    if first in WORDS:
        return Typed(word=first, more=" ".join(words[1:]))
    if len(words) == 1 and words[0].isdecimal():
        return Typed(number=int(words[0]))
    if words[0] in VERBS:
        words = words[1:]
    return Typed(body=_body(words, kind))


def _words(text: str) -> list[str]:
    return unicodedata.normalize("NFKC", text).casefold().replace(",", " ").split()


def _body(words: list[str], kind: str) -> Document:
    """An answer. Raises BadInput for what is none."""
    first = words[0] if words else "nothing"
    if kind == "play" and first in PASSES:
        return {"pass": True}
    if kind in MAY_BE_NOTHING and first in (*PASSES, "nothing"):
        return {"ask" if kind == "ask" else "cards": []}
    if kind == "throw" and first in THROWS:
        return {"throw": THROWS[first]}
    if kind == "accept" and first in ACCEPTS:
        return {"accept": ACCEPTS[first]}
    if kind in ("throw", "accept") or first in ("nothing", "as"):
        raise BadInput("answer", " ".join(words) or first, EXPECTED[kind])
    if kind in RANKED:
        return {kind: [_rank_or_card(word, kind) for word in words]}
    if "as" not in words:
        return {"cards": _cards(words)}
    at = words.index("as")
    return {"cards": _cards(words[:at]), "as": _cards(words[at + 1 :])}


def _cards(words: list[str]) -> list[str]:
    return [_card(word) for word in words]


def _card(word: str) -> str:
    card = meant(word)
    if card is None:
        raise BadInput("card", word, CARD)
    return card


def _rank_or_card(word: str, kind: str) -> Any:
    rank = RANKS_MEANT.get(word, (word.upper(),))[0]
    if rank in RANK_CODES:
        return rank
    if kind == "ask":
        return _card(word)
    raise BadInput("rank", word, "3 to 9, T (ten), J, Q, K, A or 2")
