"""Names as people see them: what looks alike, what looks empty, what looks like something else.

`skeleton` gives two names that can be taken for each other the same key; `check_appearance`
refuses, with the reason, names that are made to be taken for something else. This module may not
know which names are taken, and does no I/O.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

from arena.errors import BadInput
from arena.session.confusables_data import PROTOTYPES

JAPANESE = frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA"})
KOREAN = frozenset({"LATIN", "CJK", "HANGUL"})
COMMONLY_MIXED = (JAPANESE, KOREAN)
"""Scripts that are written together in daily life."""

LIKE_LATIN: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "CYRILLIC": frozenset("асԁеһіјӏорԛѕԝхуүАВСЕНІЈКМОРЅТХУҮԌԚԜ"),
        "GREEK": frozenset("ανορτυχιγκΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϳ"),
        "ARMENIAN": frozenset("օոսզցհաՕՍԼՏ"),
    }
)
"""Letters that look like Latin ones; a name of nothing else reads as a Latin name."""

SAME_SCRIPT: Mapping[str, str] = MappingProxyType(
    {"KATAKANA-HIRAGANA": "KATAKANA", "IDEOGRAPHIC": "CJK", "HALFWIDTH": "KATAKANA"}
)
MOST_MARKS = 2

INVISIBLE = frozenset(
    map(
        chr,
        (
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0x16FE4, 0x1D159),
            *range(0x180B, 0x1810),
            *range(0xFE00, 0xFE10),
            *range(0xE0100, 0xE01F0),
        ),
    )
)
"""Marks, letters and symbols without a glyph: variation selectors, fillers, blanks."""

PATH = frozenset('/\\:*?"<>|')
"""Characters that mean something in the path of a file or a URL."""

OUR_IDS = re.compile(
    r"[bs]-[a-z0-9]{8}"
    r"|.*-r[0-9]{2,}-[tb][0-9]{2,}[a-z]*(-h[0-9]{3,}(\.[0-9.]*)?)?"
    r"|dfa[a-z]*_.*",
    re.DOTALL,
)
"""Ids of bots and sessions, tables, blocks, hands and turns; tokens and codes. Case-folded."""

SIGNS_OF_IDS = frozenset("-_.")

ALIKE = str.maketrans({"i": "l", "1": "l", "|": "l", "0": "o"})
"""What UTS #39 does not say, since it knows no case: I is i for some and l for others."""
DOTTED = re.compile("([lj])\u0307")
"""A dot above where there is, or might be, one already."""
RUNS = re.compile(r"([-_ ])\1+")


def skeleton(text: str) -> str:
    """A key that two texts share if they can be taken for each other. Not for people to read.

    The skeleton of Unicode Technical Standard 39 (section 4), over case-folded text and closed
    under case: compatibility forms are taken apart (NFKD) and folded; what has no glyph goes;
    dashes of all kinds become ``-`` and spaces of all kinds a space; each character becomes its
    prototype; 1, i, l, I and | become one, 0 and o too; a dot above i, l or j goes; of several
    hyphens, low lines or spaces in a row one is left. So ``Alice-1``, ``aIice-1``, ``alıce–l`` and
    ``alice-1`` have the same one. The skeleton of a skeleton is itself.
    """
    folded = unicodedata.normalize("NFD", unicodedata.normalize("NFKD", text).casefold())
    visible = "".join(map(_plain, folded)).translate(PROTOTYPES).translate(ALIKE)
    decomposed = DOTTED.sub(r"\1", unicodedata.normalize("NFD", visible))
    return RUNS.sub(r"\1", decomposed).strip(" ")


def _plain(character: str) -> str:
    """A character without what sets it apart only for machines."""
    category = unicodedata.category(character)
    if character in INVISIBLE or category[0] == "C":
        return ""
    return {"Pd": "-", "Zs": " ", "Zl": " ", "Zp": " "}.get(category, character)


def invisible(text: str) -> str | None:
    """The first character without a glyph, as ``U+2800``; None if there is none."""
    character_ = next((character for character in text if character in INVISIBLE), None)
    return None if character_ is None else f"U+{ord(character_):04X}"


def check_appearance(thing: str, name: str) -> None:
    """Raises BadInput, with the reason, for a name that could pass for something else.

    thing: what it is the name of, for the message.
    """
    _check_form(thing, name)
    if unicodedata.normalize("NFKC", name) != name:
        raise BadInput(thing, name, "plain letters, no ornamental, wide or narrow forms of them")
    if any(not c.isascii() and unicodedata.category(c)[0] == "N" for c in name):
        raise BadInput(thing, name, "digits 0 to 9 only")
    if _longest_run_of_marks(name) > MOST_MARKS:
        raise BadInput(thing, name, f"at most {MOST_MARKS} marks above or below a letter")
    _check_scripts(thing, name)


def _check_form(thing: str, name: str) -> None:
    """No path, no id, and something to be seen."""
    if not any(unicodedata.category(c) == "So" or unicodedata.category(c)[0] in "LN" for c in name):
        raise BadInput(thing, name, "at least one letter, digit or picture")
    if name.startswith("-"):
        raise BadInput(thing, name, "no hyphen at the beginning, as of an option of a command")
    if name.startswith(".") or any(map(_is_of_paths, name)):
        raise BadInput(thing, name, 'no dot at the beginning, and none of / \\ : * ? " < > |')
    folded = "".join(map(_simple, unicodedata.normalize("NFKC", name).casefold()))
    if OUR_IDS.fullmatch(name) or OUR_IDS.fullmatch(folded):
        raise BadInput(thing, name, "nothing of the form of an id, a token or a code of this arena")


def _simple(character: str) -> str:
    """As `_plain`; also other signs than dashes, such as minus, that look like ``-``, ``_``, ``.``.

    A sign only: the kana ー is a letter.
    """
    prototype = PROTOTYPES.get(ord(character), "")
    sign = unicodedata.category(character)[0] in "PS"
    return prototype if sign and prototype in SIGNS_OF_IDS else _plain(character)


def _is_of_paths(character: str) -> bool:
    if character in PATH:
        return True
    sign = unicodedata.category(character)[0] in "PS"  # the kana ノ looks like a slash, but is none
    return sign and PROTOTYPES.get(ord(character)) in PATH


def _check_scripts(thing: str, name: str) -> None:
    letters = [c for c in name if unicodedata.category(c)[0] == "L"]
    scripts = {_script(letter) for letter in letters}
    if len(scripts) > 1 and not any(scripts <= mixed for mixed in COMMONLY_MIXED):
        listed = ", ".join(sorted(script.title() for script in scripts))
        raise BadInput(thing, name, f"letters of one script, not of {listed} together")
    for script in scripts & LIKE_LATIN.keys():
        if LIKE_LATIN[script].issuperset(letters):
            expected = f"not only {script.title()} letters that look like Latin ones"
            raise BadInput(thing, name, expected)


def _script(letter: str) -> str:
    """The first word of the letter's Unicode name, which is that of its script."""
    word = unicodedata.name(letter, "UNNAMED").partition(" ")[0]
    return SAME_SCRIPT.get(word, word)


def _longest_run_of_marks(name: str) -> int:
    longest = run = 0
    for character in name:
        run = run + 1 if unicodedata.category(character)[0] == "M" else 0
        longest = max(longest, run)
    return longest
