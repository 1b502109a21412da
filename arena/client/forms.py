"""The forms of an answer: what a bot's method returned, as the protocol writes it.

Catches what the arena would refuse as malformed, and says in words what is wrong with it. Whether
an answer is legal is the arena's business. May not open connections.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from arena.client import cards as c

Answer = dict[str, Any]
SHAPES = ("rock", "paper", "scissors")
LONGEST_NOTE = 280
"""Characters of a note; the arena refuses longer ones."""
THOUGHT = "thought_ms"
MOST_THOUGHT_MS = 86_400_000
"""The arena refuses longer times."""
UNPRINTED = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
"""What a note may not have: ends of lines and other control characters, halves of characters."""


def as_answer(value: Any, method: str = "play") -> Answer:
    """What a bot's method returned, in the form of the protocol. ValueError if it is none."""
    if type(value) is dict:  # most answers are one: the rest is for the others
        mistake = _mistake(value)
        if mistake is None:
            return with_note(value, value["note"]) if "note" in value else value.copy()
        raise ValueError(f"{method}() returned {value!r}: {mistake}")
    if value is None:
        raise ValueError(f"{method}() returned None. Is a `return` missing?")
    if inspect.iscoroutine(value):
        value.close()
        raise ValueError(f"{method}() is `async def`: write it as a plain `def`")
    if isinstance(value, str):
        answer: Answer = {"pass": True} if value == "pass" else {"cards": [value]}
    elif isinstance(value, Mapping):
        answer = dict(value)
    elif isinstance(value, list | tuple | set | frozenset):
        answer = {"cards": list(value)}
    elif isinstance(value, int) and not isinstance(value, bool):
        advice = f'the entry number {value} of turn.legal is {{"choice": {value}}}'
        raise ValueError(f"{method}() returned {value!r}, which is not an answer; {advice}")
    else:
        raise ValueError(f"{method}() returned {value!r}, which is not an answer")
    if "note" in answer:
        answer = with_note(answer, answer["note"])
    mistake = _mistake(answer)
    if mistake is not None:
        raise ValueError(f"{method}() returned {value!r}: {mistake}")
    return answer


def with_note(answer: Mapping[str, Any], note: Any) -> Answer:
    """An answer with a note that the arena takes: no note is worth a move.

    What is too long is cut, with an ellipsis; a line break and the like becomes a space.
    """
    text = UNPRINTED.sub(" ", str(note)).strip() if note else ""
    if len(text) > LONGEST_NOTE:
        text = text[: LONGEST_NOTE - 1] + "…"
    bare = {member: value for member, value in answer.items() if member != "note"}
    return {**bare, "note": text} if text else bare


def with_thought(answer: Answer, thought_s: float) -> Answer:
    """An answer with how long the bot has thought, for its owner's ledger; one that says it itself
    stays as it is."""
    if THOUGHT in answer:
        return answer
    return {**answer, THOUGHT: min(max(0, round(thought_s * 1000)), MOST_THOUGHT_MS)}


def size_of_note(answer: Mapping[str, Any]) -> int:
    """How many bytes an answer's note takes in a request."""
    return len(json.dumps(answer["note"])) if "note" in answer else 0


def _mistake(answer: Answer) -> str | None:
    """What is malformed in an answer, None if nothing is."""
    if not answer:
        return "an empty answer"
    if not answer.keys() <= FORMS.keys():
        try:
            json.dumps(answer)
        except TypeError as error:
            return f"that is not JSON: {error}"
        if answer.keys().isdisjoint(FORMS):
            return f"an answer has one of the members {', '.join(FORMS)}"
    for member, value in answer.items():
        mistake = FORMS[member](value) if member in FORMS else None
        if mistake is not None:
            return mistake
    return None


def _cards(value: Any) -> str | None:
    if not isinstance(value, list | tuple):
        return f"{value!r} must be a list of cards"
    return next(filter(None, map(c.mistake, value)), None)


def _wishes(value: Any) -> str | None:
    """Ranks or cards."""
    if not isinstance(value, list | tuple):
        return f"{value!r} must be a list of ranks or cards"
    return next((c.mistake(wish) for wish in value if wish not in c.RANK_CODES), None)


def _ranks(value: Any) -> str | None:
    if not isinstance(value, list | tuple):
        return f"{value!r} must be a list of ranks"
    wrong = [rank for rank in value if rank not in c.RANK_CODES]
    return f"{wrong[0]!r} is no rank: 3-9 T J Q K A 2, ten is T" if wrong else None


def _pass(value: Any) -> str | None:
    return None if value is True else '"pass" is followed by True, or is left out'


def _choice(value: Any) -> str | None:
    good = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return None if good else f"the choice {value!r} is no index of turn.legal"


def _throw(value: Any) -> str | None:
    return None if value in SHAPES else f"{value!r} is none of {', '.join(SHAPES)}"


def _accept(value: Any) -> str | None:
    return None if isinstance(value, bool) else '"accept" is followed by True or False'


def _free_text(value: Any) -> str | None:
    return None if isinstance(value, str) and value.strip() else f"{value!r} must be a text"


FORMS: Mapping[str, Callable[[Any], str | None]] = {
    "cards": _cards,
    "as": _cards,
    "pass": _pass,
    "choice": _choice,
    "ask": _wishes,
    "name": _ranks,
    "throw": _throw,
    "accept": _accept,
    "text": _free_text,
}
"""The members of an answer, each with what finds a mistake in it."""
