"""Names that are made to be taken for another name are refused, with the reason.

The referee sees to it that a name has no invisible characters; here it is looked at as people see
it: scripts that are mixed, letters that pass for Latin ones, ornamental forms. This module may not
know which names are taken.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from arena.errors import BadInput

JAPANESE: Final = frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA"})
KOREAN: Final = frozenset({"LATIN", "CJK", "HANGUL"})
COMMONLY_MIXED: Final = (JAPANESE, KOREAN)
"""Scripts that are written together in daily life."""

LIKE_LATIN: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "CYRILLIC": frozenset("асԁеһіјӏорԛѕԝхуүАВСЕНІЈКМОРЅТХУҮԌԚԜ"),
        "GREEK": frozenset("ανορτυχιγκΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϳ"),
        "ARMENIAN": frozenset("օոսզցհաՕՍԼՏ"),
    }
)
"""Letters that look like Latin ones; a name of nothing else reads as a Latin name."""

SAME_SCRIPT: Final[Mapping[str, str]] = MappingProxyType(
    {"KATAKANA-HIRAGANA": "KATAKANA", "IDEOGRAPHIC": "CJK", "HALFWIDTH": "KATAKANA"}
)
MOST_MARKS: Final = 2


def check_likeness(name: str) -> None:
    """Raises BadInput, with the reason, for a name that could pass for another one."""
    if unicodedata.normalize("NFKC", name) != name:
        raise BadInput("name", name, "plain letters, no ornamental, wide or narrow forms of them")
    if any(not c.isascii() and unicodedata.category(c)[0] == "N" for c in name):
        raise BadInput("name", name, "digits 0 to 9 only")
    if _longest_run_of_marks(name) > MOST_MARKS:
        raise BadInput("name", name, f"at most {MOST_MARKS} marks above or below a letter")
    _check_scripts(name)


def _check_scripts(name: str) -> None:
    letters = [c for c in name if unicodedata.category(c)[0] == "L"]
    scripts = {_script(letter) for letter in letters}
    if len(scripts) > 1 and not any(scripts <= mixed for mixed in COMMONLY_MIXED):
        told = ", ".join(sorted(script.title() for script in scripts))
        raise BadInput("name", name, f"letters of one script, not of {told} together")
    for script in scripts & LIKE_LATIN.keys():
        if LIKE_LATIN[script].issuperset(letters):
            told = script.title()
            raise BadInput("name", name, f"not only {told} letters that look like Latin ones")


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
