"""Vectors of positions, for whoever writes them in another language: JSON Lines.

Each line has `position`, the line of text; `asked`, the seat that is asked; `legal`, all that it
may answer as a turn document has it; and where all is known, `answer`, the index of an answer, with
`after`, the position that follows. Lines with `column` are refused, for what stands in that column.

    python -m tests.game.vectors        writes them anew
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from arena.errors import BadInput
from arena.game import GameState, Position
from arena.rules import compile_ruleset
from arena.rules.presets import PRESETS
from arena.wire import menu_entries
from tests.game.moments import moments
from tests.game.test_bad_positions import BAD

FILE = Path(__file__).parent / "vectors.jsonl"
RULESETS = (
    *PRESETS,
    "pagat+tens",
    "pagat,nana_watashi=must,q_bomber=rank",
    "pagat,decks=2,jokers=4,max_set=8",
    "pagat,exchange_pick=asked,exchange_order=together",
    "pagat,janken_mode=interactive",
    "pagat,kakumei=true,kakumei_optional=true,shibari=kata",
    "pagat,instant_wins=tenho,blind_cards=2",
)
MOST_LEGAL = 40
EACH = 3


def vectors() -> Iterator[dict[str, Any]]:
    """All vectors, in the order of the file."""
    for name in RULESETS:
        rules = compile_ruleset(name)
        for seed in (1, 2):
            random = Random(f"{name}/{seed}")
            chosen = [m for m in moments(rules, seed, share=0.2) if _size(m.position(name))]
            for moment in random.sample(chosen, min(EACH, len(chosen))):
                yield vector(moment.position(name))
                yield vector(Position.of_state(rules, moment.state, ruleset=name), random)
    for text in BAD:
        yield {"position": text, "column": column_of(text)}


def _size(position: Position) -> bool:
    return 0 < len(position.legal()) <= MOST_LEGAL


def vector(position: Position, random: Random | None = None) -> dict[str, Any]:
    """A position that is good."""
    menu = position.legal()
    made = {"position": str(position), "asked": position.asked, "legal": menu_entries(menu)}
    if random is None:
        return made
    number = random.randrange(len(menu))
    after = GameState(position.rules, position.state).play(menu[number])
    follows = Position.of_state(after.rules, after.state, ruleset=position.ruleset)
    return {**made, "answer": number, "after": str(follows)}


def column_of(text: str) -> int:
    """The column for which a line is refused."""
    try:
        Position.parse(text)
    except BadInput as error:
        found = re.search(r"in column (\d+)", str(error))
        assert found is not None
        return int(found[1])
    raise AssertionError(text)


def lines() -> str:
    """The file."""
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in vectors())


if __name__ == "__main__":
    FILE.write_text(lines(), encoding="utf-8")
