"""The reference of the rules as Markdown: what `arena rules reference` and `/rules` show.

Generated from the catalogue; the engine plays every example in it when the page is generated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from arena.reference.entries import TEXT, said, written
from arena.reference.examples import EXAMPLES
from arena.reference.interactions import INTERACTIONS
from arena.reference.inventory import STATEMENTS
from arena.reference.scenes import Example, difference, lines_of, without
from arena.rules.catalogue import Option
from arena.rules.options import FAMILY, OPTIONS
from arena.rules.patches import patch_names
from arena.rules.presets import PRESETS

TITLE = "The rules of Daifugō Arena"
INTRODUCTION = """\
A ruleset is a preset, patches laid over it, and single options:
`{"preset": "pagat", "patches": ["kakumei"], "options": {"shibari": "full"}}`, in short
`pagat+kakumei,shibari=full`. A ruleset with an option that would do nothing in it is refused: what
an option needs stands with it. Rulesets that play alike have one fingerprint. This page is
generated from the engine's catalogue.

**Notation.** A card is a suit and a rank: suits `S` `H` `D` `C`, ranks `3 4 5 6 7 8 9 T J Q K A 2`
from low to high; `JK` is a joker. Players are A, B, C ... clockwise. In an example the first lines
say who holds what; each further line is a move and what followed from it. All examples have been
played by the engine; where it refuses a move the line says why.

**Ids** such as PG-55 name statements of the documents that the rules come from (the list is at the
end); AM, OR and C name readings that were settled, XV variants from elsewhere.
"""
FAMILIES = {
    "answering": "Answers to certain plays",
    "clearing": "Clearing and answering",
    "completing": "Completing a set on the table",
    "deck": "Cards, seats and dealing",
    "discards": "Cards that leave a hand unplayed",
    "equality": "Hands without titles",
    "exchange": "The exchange",
    "finishing": "Going out and the end of a hand",
    "forms": "Melds",
    "instant_wins": "Wins at once",
    "leading": "Who leads",
    "limits": "Limits of a trick",
    "locks": "Locks",
    "reversals": "Reversals",
    "robbing": "Cards taken from others",
    "seats": "Seats",
    "titles": "Titles, points, sittings",
    "tricks": "Tricks and passing",
    "turning": "Turn order",
}


def reference(section: Callable[[str], Sequence[str]] | None = None) -> str:
    """The whole page. section: what gives an option's lines by its name, `section_of` if None; all
    of them take some tenths of a second. Raises `ExampleError` if an example does not go as it
    says."""
    section = section or section_of
    lines = [f"# {TITLE}", "", *INTRODUCTION.splitlines(), "", *_presets(), *_patches()]
    lines += ["## Options", ""]
    family = ""
    for name in OPTIONS:
        if FAMILY[name] != family:
            family = FAMILY[name]
            lines += [f"### {FAMILIES[family]}", ""]
        lines += section(name)
    lines += ["## Statements", "", *statements()]
    return "\n".join(lines) + "\n"


def section_of(name: str) -> list[str]:
    """The section of an option."""
    return option_section(OPTIONS[name])


def option_section(option: Option) -> list[str]:
    """One option: names, sentence, values, ids, uses, needs, what it meets, example."""
    called = f" — {option.kanji}, {option.reading}" if option.kanji else ""
    lines = [f"#### `{option.name}`{called}", "", option.says, ""]
    lines += [f"- also called: {', '.join(option.also)}"] if option.also else []
    lines += [f"- values: {option.values.text()}", f"- default: `{written(option.default)}`"]
    lines += [f"- rests on: {', '.join(option.rests)}"]
    uses = ", ".join(f"{where} `{written(value)}`" for where, value in used(option.name))
    lines += [f"- used by: {uses}"] if uses else []
    lines += [f"- {TEXT}"] if option.text else []
    lines += [f"- needs: {need.says}" for need in option.needs]
    lines += [f"- {line}" for line in interactions(option.name)]
    return [*lines, "", *example_block(option.name, EXAMPLES[option.name]), ""]


def used(name: str) -> Iterator[tuple[str, object]]:
    """The presets and patches that set an option, with the value they give it."""
    for preset, definition in PRESETS.items():
        if name in definition.options:
            yield preset, definition.options[name]
    for full, patch in patch_names():
        if name in patch.options:
            yield full, patch.options[name]


def interactions(name: str) -> Iterator[str]:
    """What is settled where this option meets others."""
    for meeting in INTERACTIONS:
        if name in meeting.options:
            others = ", ".join(f"`{other}`" for other in meeting.options if other != name)
            rests = f" ({', '.join(meeting.rests)})" if meeting.rests else ""
            yield f"with {others}: {meeting.says}{rests}"


def example_block(name: str, example: Example) -> list[str]:
    """An option's example, played now, and the first line that is another one without it."""
    played = lines_of(example)
    lines = [f"Example: `{example.preset}` with {said(example.options)}.", "", "```text"]
    lines += [*played, "```", ""]
    other = difference(name, example, lines=played)
    if other:
        lines += [f"With `{name}` {written(without(name, example))} instead:", ""]
        lines += ["```text", other, "```"]
    return lines


def _presets() -> list[str]:
    """The list of presets."""
    lines = ["## Presets", ""]
    for name, preset in PRESETS.items():
        differences = said(preset.options) or "nothing: the defaults"
        lines += [f"### `{name}`", "", f"{preset.says} Source: {preset.source}.", ""]
        lines += [f"Differences from the defaults: {differences}.", ""]
    return lines


def _patches() -> list[str]:
    """The table of patches."""
    lines = ["## Patches", "", "A patch is named with or without the prefix of its document.", ""]
    lines += ["Those of `local` need no prefix on any preset.", ""]
    lines += ["| patch | name | what it is | changes |", "|---|---|---|---|"]
    rows = [
        f"| `{name}` | {patch.kanji} | {patch.says} | {said(patch.options)} |"
        for name, patch in patch_names()
    ]
    return [*lines, *rows, ""]


def statements() -> list[str]:
    """The inventory as a Markdown table."""
    lines = ["| id | statement |", "|---|---|"]
    return lines + [f"| {s.id} | {s.says} |" for s in STATEMENTS.values()]
