"""`arena rules find`: presets, patches and options by kanji, reading, English name or words."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from arena.reference.entries import OPTION, Entry, entries
from arena.reference.kana import romanized
from arena.reference.readings import Absent, absent
from arena.rules.nearest import nearest

NUMERALS = str.maketrans("一二三四五六七八九", "123456789")
LONG_VOWELS = re.compile("([aeiou])\\1+|ou")
GAPS = re.compile(r"[\s_\-‐・,.()（）]+")


BY_NAME, IN_A_NAME, WORDS_IN_NAMES, PHRASE, ALL_WORDS, NOT = 5, 4, 3, 2, 1, 0


class _Text(NamedTuple):
    """What an entry is searched by, folded. names: each of its names without gaps."""

    names: tuple[str, ...]
    words: str


def find(query: str) -> list[Entry]:
    """The entries that a query finds, the best first: those that have all of its words.

    A name that is the whole query comes before names that contain it, and these before sentences
    that have it as a phrase, or its words; of equals, options come first. Case, accents, hyphens,
    kana and written-out numerals (八 or 8) make no difference.
    """
    whole, words = _joined(query), _folded(query).split()
    joined = [_joined(word) for word in words]
    scored = [(_score(text, whole, words, joined=joined), entry) for text, entry in _texts()]
    best = sorted(scored, key=lambda item: (-item[0], item[1].kind != OPTION))
    return [entry for score, entry in best if score]


def guesses(query: str) -> list[str]:
    """Names that are like a query that finds nothing, the nearest first."""
    known: dict[str, str] = {}
    for entry in entries():
        for name in (entry.name.rpartition(".")[2], entry.reading, *entry.also):
            known.setdefault(_joined(name), entry.name.rpartition(".")[2])
    return list(dict.fromkeys(known[name] for name in nearest(_joined(query), known) if name))


def find_absent(query: str) -> list[Absent]:
    """The variants that are no options whose names have a query as a part, each with the reason."""
    whole = _joined(query)
    return [row for row in absent() if whole and whole in _joined(f"{row.names} {row.reading}")]


def _score(text: _Text, whole: str, words: list[str], *, joined: list[str]) -> int:
    """How well an entry answers: NOT if it lacks a word. joined: the words as names have them."""
    if not whole:
        return NOT
    if whole in text.names:
        return BY_NAME
    if any(whole in name for name in text.names):
        return IN_A_NAME
    if all(any(word in name for name in text.names) for word in joined):
        return WORDS_IN_NAMES
    if " ".join(words) in text.words:
        return PHRASE
    return ALL_WORDS if all(word in text.words for word in words) else NOT


@cache
def _texts() -> tuple[tuple[_Text, Entry], ...]:
    """All entries with what they are searched by, folded once: that takes longer than a search."""
    return tuple((_text(entry), entry) for entry in entries())


def _text(entry: Entry) -> _Text:
    """All that an entry is searched by."""
    name = entry.name.rpartition(".")[2]
    names = (name, entry.name, entry.kanji, entry.reading, *entry.also)
    folded = tuple(filter(None, dict.fromkeys(map(_joined, names))))
    return _Text(folded, _folded(" ".join([*names, entry.says, entry.values, entry.family])))


def _joined(text: str) -> str:
    """Folded text without gaps, long vowels written short: kyūkyūsha, kyuukyuusha, kyukyusha."""
    return LONG_VOWELS.sub(lambda m: m.group()[0], GAPS.sub("", _folded(text)))


def _folded(text: str) -> str:
    """Text without case, accents and width; kana in Latin letters, kanji numerals as digits."""
    plain = unicodedata.normalize("NFKD", text.casefold()).translate(NUMERALS)
    latin = "".join(c for c in plain if not "\u0300" <= c <= "\u036f")
    return romanized(unicodedata.normalize("NFC", latin))
