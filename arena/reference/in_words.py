"""The rules of a session in words, for who has to play by them: a language model, or a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from arena.rules.needs import is_on
from arena.rules.options import OPTIONS
from arena.rules.short_form import short_form, written

GAME = (
    "Daifugō: get rid of your cards before the others. Each play has to beat what lies on the "
    "table with as many cards of the same kind; if all others pass, the table is cleared and the "
    "last player leads. What holds besides:"
)


def rules_in_words(document: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    """The game in a sentence, then every option that is on, with what it says.

    document: the ruleset as it was asked for; options: the value of each option.
    """
    return "\n".join([f"Ruleset: {short_form(document)}", GAME, *_lines(options)])


def _lines(options: Mapping[str, Any]) -> Iterator[str]:
    for name, value in options.items():
        option = OPTIONS.get(name)
        if option is not None and is_on(value):
            reading = f" ({option.reading})" if option.reading else ""
            yield f"- {name} = {written(value)}{reading}: {option.says}"
