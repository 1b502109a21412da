"""What a language has to say, and the speaker that says it.

A `Language` is a table of phrases, one for each kind of event, and a few words. `english` and
`japanese` each make one; nothing else knows a word of either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from arena.rules.catalogue import Option
from arena.rules.commands import Answer
from arena.rules.melds import Meld
from arena.rules.state import State
from arena.rules.view import View

EXCHANGE = "exchange"
"""The option whose name is not said: what it brings about says it."""


class Detail(StrEnum):
    """How much is said. Brief: no suits of sets, no turns; full: also how many cards are left."""

    BRIEF = "brief"
    NORMAL = "normal"
    FULL = "full"


class Speaker(NamedTuple):
    """Who is called what, by seat; titles: by place, best first, None where there is none."""

    names: Sequence[str]
    titles: Sequence[str | None] = ()
    detail: Detail = Detail.NORMAL


Phrase = Callable[[Speaker, State, Any], str]
"""What an event says, without a full stop. The state is that after it, of which a phrase uses only
what everybody knows; "" if it says nothing."""


class Language(NamedTuple):
    """One language.

    code: BCP 47; phrases: by type of event; sentence: a phrase with the option that made it happen
    (None: the game itself); position: the lines that say how things stand, from a view and the
    cards of each seat as far as the reader knows them; answer: what one may answer, without who
    answers and without a full stop, a play as the meld that it is; in_force: phrases for what is in
    force besides the usual; card, title: the words for a card's name and for a title; between: what
    parts two sentences.
    """

    code: str
    phrases: Mapping[type, Phrase]
    sentence: Callable[[str, Option | None], str]
    position: Callable[[Speaker, View, Sequence[int]], list[str]]
    answer: Callable[[Answer | Meld], str]
    in_force: Callable[[View], list[str]]
    card: Callable[[str], str]
    title: Callable[[str | None], str]
    between: str
