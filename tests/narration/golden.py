"""Golden sentences: a whole hand of each preset in English and in Japanese, kept in `golden/`.

`python -m tests.narration.golden` writes them anew; what changed is then read line by line before
it is kept.
"""

from __future__ import annotations

from pathlib import Path

from arena.narration.language import Detail, Speaker
from arena.narration.sentences import ABOVE, LANGUAGES, describe_position, narrate
from arena.reference.scenes import lots, shuffled, whole_hand
from arena.rules import EMPTY, Ruleset, compile_ruleset, evolve
from arena.rules.commands import Deal
from arena.rules.events import Event
from arena.rules.presets import PRESETS

FOLDER = Path(__file__).parent / "golden"
NAMES = ("north", "east", "south", "west", "five", "six", "seven", "eight")


def golden_hand(name: str) -> tuple[Deal, Ruleset, list[list[Event]]]:
    """A hand of a preset in which cards are exchanged: its deal, rules, and events by step."""
    rules = compile_ruleset(name)
    places = shuffled(range(rules.players), name, "places")
    deal = Deal(shuffled(rules.deck, name, "deck"), places[-1], lots(rules.players, name), places)
    return deal, rules, whole_hand(rules, deal, name)[1]


def preset_text(name: str, code: str) -> str:
    """A golden hand, and how it stood in the middle."""
    words = LANGUAGES[code]
    _, rules, steps = golden_hand(name)
    speaker = Speaker(NAMES[: rules.players], rules.table.titles, Detail.FULL)
    state, lines = EMPTY, []
    for number, events in enumerate(steps):
        sentences = narrate(words, speaker, events, reader=ABOVE, state=state)
        lines.append(words.between.join(sentence.text for sentence in sentences))
        state = evolve(state, events)
        if number == len(steps) // 2:
            position = describe_position(words, speaker, rules, state, reader=ABOVE)
            lines += ["", *position, ""]
    return "\n".join(lines) + "\n"


def texts() -> dict[str, str]:
    """All golden hands by the name of their file."""
    return {f"{name}.{code}.txt": preset_text(name, code) for name in PRESETS for code in LANGUAGES}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, text in texts().items():
        (FOLDER / file).write_text(text, encoding="utf-8")
