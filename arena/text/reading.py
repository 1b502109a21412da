"""From what somebody wrote to the answer that is meant: "3", "S4 S5", "four and five of spades".

A number alone is that of the list. Everything else is compared with what may be answered; a text
that fits nothing, or several answers, is refused with the answers that there are. Nothing is ever
guessed: a joker is meant only where it is named, and what it stands for may be left out only where
there is one way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from arena.text.describing import answer_as_cards, entry_in_words
from arena.text.lexicon import cut, has_two_meanings, plain
from arena.text.meaning import Meaning, meaning
from arena.text.words import answer_in_words

LONGEST = 400
"""Characters of an answer; the longest play in words has fewer."""
MOST_PARTS = 3
"""A line of the list has three, "3. S4: the four of spades"."""
MOST_LISTED = 12
"""Answers that a refusal names."""
MOST_QUOTED = 80
INDEX = re.compile(r"(?:option|number|no\.|nr\.|entry)?\s*#?([0-9]{1,6})[.):]?")
LISTED = re.compile(r"#?([0-9]{1,6})[.):]\s+(.+)", re.DOTALL)
ANSWER_LABEL = re.compile(r"(?:my )?(?:answer|move|play|choice)(?: is(?: ?[:=])? | ?[:=] ?)")
TRIMMED = " \t\r\n*`_\"'「」。!"
BRACKETS = "()[]"
OBJECT = re.compile(r"\s*(?:```(?:json)?)?\s*(\{.*\})\s*(?:```)?\s*", re.DOTALL)

SAID = {
    '{"pass": true}': "pass",
    '{"accept": true}': "yes",
    '{"accept": false}': "no",
    **{f'{{"throw": "{shape}"}}': shape for shape in ("rock", "paper", "scissors")},
}
"""Answers as programs send them, in words."""


class Unclear(ValueError):
    """A text that is no answer, or fits several; says what was read and what may be answered."""


def read_index(text: str, kind: str, legal: Sequence[Mapping[str, Any]]) -> int:
    """The index in `legal` of the answer that a text means. kind: of the turn. Raises Unclear."""
    parts = _parts(text)
    found = [_fitting(part, kind, legal) for part in parts]
    indices = sorted(set.intersection(*found)) if found else []
    if len(indices) > 1:
        indices = _said_exactly(parts, kind, legal, indices=indices)
    if len(indices) == 1:
        return indices[0]
    if indices:
        fitting = _some_answers(kind, legal, indices)
        raise Unclear(f"{quoted(text)} fits {len(indices)} answers; say which: {fitting}")
    may = _some_answers(kind, legal, range(len(legal)))
    raise Unclear(f"{quoted(text)}{_read_as(parts, kind)} fits no answer; the answers are: {may}")


def read_body(text: str, kind: str) -> dict[str, Any]:
    """The answer of the protocol that a text says by itself, where nothing is listed: each card has
    to be named. Raises Unclear."""
    bodies = []
    for part in _parts(text):
        read = (said.body(kind) for said in reversed(_meanings(part, kind)))
        body = next(filter(None, read), None)
        if body not in bodies:
            bodies.append(body)
    [first, *others] = bodies
    if first is not None and not others:
        return first
    how = 'name each card, "S4 S5" or "four and five of spades"'
    raise Unclear(f"{quoted(text)} is no answer: {how}")


def quoted(text: str) -> str:
    """A text as a refusal repeats it."""
    return repr(text if len(text) <= MOST_QUOTED else f"{text[:MOST_QUOTED]}…")


def _parts(text: str) -> list[str]:
    """What a text says: one thing, or the same in several ways, as a line of the list does."""
    if len(text) > LONGEST:
        raise Unclear(f"the answer has {len(text)} characters; at most {LONGEST} are read")
    written = plain(_spoken(text)).strip(TRIMMED)
    said = ANSWER_LABEL.sub("", written, count=1).strip(TRIMMED + BRACKETS)
    listed = LISTED.fullmatch(said)
    first, rest = ([listed[1]], listed[2]) if listed else ([], said)
    parts = [*first, *filter(None, (part.strip(TRIMMED) for part in rest.split(":")))]
    if not parts or len(parts) > MOST_PARTS:
        raise Unclear(f"{quoted(text)} is no answer: a number of the list, cards, or words")
    return parts


def _spoken(text: str) -> str:
    """The same in words where it is an answer as programs send it, {"cards": ["S4", "S5"]}."""
    found = OBJECT.fullmatch(text)
    try:
        body = json.loads(found[1]) if found else {}
    except ValueError:
        return text
    roles, _ = body.pop("as", []), body.pop("note", "")
    if len(body) != 1:
        return text
    [(member, value)] = body.items()
    if member in ("cards", "ask", "name") and _are_codes(value) and _are_codes(roles):
        return (" ".join(value) or "nothing") + (f" as {' '.join(roles)}" if roles else "")
    return SAID.get(json.dumps(body), f"{value}" if member == "choice" else text)


def _are_codes(value: object) -> bool:
    """Is it a list of texts?"""
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _fitting(part: str, kind: str, legal: Sequence[Mapping[str, Any]]) -> set[int]:
    """The indices of all answers that a part may mean."""
    number = INDEX.fullmatch(part)
    if number is not None:
        return {int(number[1])} & set(range(len(legal)))
    meanings = _meanings(part, kind)
    found = {i for i, entry in enumerate(legal) if any(m.fits(kind, entry) for m in meanings)}
    return found | _number_said(part, kind, len(legal))


def _number_said(part: str, kind: str, size: int) -> set[int]:
    """ "Play 3" may be the three as well as the answer number 3."""
    said = list(cut(part, suits_first=False))
    if kind in ("name", "ask") or len(said) != 1 or not said[0].text.isdecimal():
        return set()
    return {int(said[0].text)} & set(range(size))


def _meanings(part: str, kind: str) -> list[Meaning]:
    """What a part may mean: mostly one thing; "4s" are the four of spades, or fours, and an "as" is
    a card, or says what a joker stands for."""
    ways = (True, False) if has_two_meanings(part) else (True,)
    read = (meaning(list(cut(part, suits_first=way)), kind) for way in ways)
    return [each for each in read if each is not None]


def _said_exactly(
    parts: Sequence[str], kind: str, legal: Sequence[Mapping[str, Any]], *, indices: list[int]
) -> list[int]:
    """Of several answers the one whose own text was repeated to the letter; else all of them."""
    said = set(parts)
    same = [
        index
        for index in indices
        if {plain(answer_in_words(kind, legal[index])), plain(answer_as_cards(legal[index]))} & said
    ]
    return same if len(same) == 1 else indices


def _read_as(parts: Sequence[str], kind: str) -> str:
    """What could not be read in a text, for who wrote it."""
    for part in parts:
        unknown = [t.text for t in cut(part, suits_first=True) if t.kind == "unknown"]
        if unknown:
            return f" (of which {unknown[0]!r} is not understood)"
    return ""


def _some_answers(kind: str, legal: Sequence[Mapping[str, Any]], indices: Sequence[int]) -> str:
    """Some answers with their numbers."""
    listed = [f"{i}. {entry_in_words(kind, legal[i])}" for i in indices[:MOST_LISTED]]
    more = len(indices) - len(listed)
    return "; ".join(listed) + (f"; and {more} more" if more else "")
