"""Golden hands: a readable transcript for each option and each preset, kept in `golden/`.

`python -m tests.rules.golden` writes them anew, together with the perft counts and the schema of
rulesets; what changed is then looked at line by line before it is kept.
"""

from __future__ import annotations

from pathlib import Path

from arena.reference.entries import said, written
from arena.reference.examples import EXAMPLES
from arena.reference.scenes import (
    VOICE,
    difference,
    end_lines,
    lines_of,
    lots,
    shuffled,
    whole_hand,
    without,
)
from arena.reference.schema import FILE, ruleset_schema_text
from arena.rules import EMPTY, compile_ruleset, evolve
from arena.rules.commands import Deal
from arena.rules.options import OPTIONS
from arena.rules.presets import PRESETS
from arena.rules.transcript import hand_lines, transcript

FOLDER = Path(__file__).parent / "golden"
SCHEMA = Path(__file__).parents[2] / "schemas" / FILE


def option_text(name: str) -> str:
    """The transcript of an option's example, and what would be otherwise without it."""
    option, example = OPTIONS[name], EXAMPLES[name]
    lines = [f"{name} {option.kanji} {option.reading}".strip(), option.says, ""]
    lines += [f"{example.preset} with {said(example.options)}", "", *lines_of(example), ""]
    value = written(without(name, example))
    lines += [f"with {name} {value} instead:", difference(name, example) or "the same"]
    return "\n".join(lines) + "\n"


def preset_text(name: str) -> str:
    """The transcript of a whole hand: the second of a sitting, so that cards are exchanged."""
    rules = compile_ruleset(name)
    seats = range(rules.players)
    places = shuffled(seats, name, "places")
    drawn = lots(rules.players, name)
    deal = Deal(shuffled(rules.deck, name, "deck"), places[-1], drawn, places)
    state, steps = whole_hand(rules, deal, name)
    lines = [f"{name}: {PRESETS[name].says}", f"hand before: {VOICE.seats(places)}", ""]
    lines += [*hand_lines(VOICE, evolve(EMPTY, steps[0][:1])), "", *transcript(steps, EMPTY)]
    return "\n".join([*lines, *end_lines(rules, state)]) + "\n"


def texts() -> dict[str, str]:
    """All golden hands by the name of their file."""
    files = {f"option-{name}.txt": option_text(name) for name in OPTIONS}
    return files | {f"preset-{name}.txt": preset_text(name) for name in PRESETS}


def regenerate() -> None:
    """Write all files anew and remove those that belong to nothing."""
    from tests.rules.perft import regenerate as count_anew

    found = texts()
    for path in FOLDER.glob("*.txt"):
        if path.name not in found:
            path.unlink()
    for name, text in found.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    SCHEMA.write_text(ruleset_schema_text(), encoding="utf-8")
    count_anew()


if __name__ == "__main__":
    regenerate()
