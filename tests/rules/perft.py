"""Perft: how many ways of going on there are to a depth, for fixed deals of each preset.

A number that is wrong shows that some answer is missing or too many; the numbers below each first
answer, which are kept too, show where to look. `python -m tests.rules.golden` counts anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arena.reference.scenes import SEATS, VOICE, dealt, shuffled, with_hands
from arena.rules import EMPTY, Ruleset, State, compile_ruleset, decide, evolve, legal
from arena.rules.cards import CODES
from arena.rules.presets import PRESETS
from arena.rules.transcript import describe

FILE = Path(__file__).with_name("perft.json")
POOL = "38TJ2"  # the ranks of the small hands: those that many rules speak of
ENOUGH, DEEPEST = 1500, 12  # as deep as it takes to find so many paths
EACH = 4

Case = dict[str, Any]


def paths(rules: Ruleset, s: State, depth: int) -> int:
    """The number of ways to answer `depth` times (or to the end of the hand)."""
    if not depth or s.over:
        return 1
    return sum(paths(rules, after, depth - 1) for _, after in answers(rules, s))


def answers(rules: Ruleset, s: State) -> Iterator[tuple[str, State]]:
    """All answers of the first seat that is asked: in words, and the state after each."""
    menu = legal(rules, s, s.open[0][0])
    for index in range(len(menu)):
        events = decide(rules, s, menu.answer(index))
        who, did, _ = describe(VOICE, s, events)
        yield f"{who} {did}", evolve(s, events)


def below(rules: Ruleset, s: State, depth: int) -> dict[str, int]:
    """The number of paths under each first answer."""
    return {did: paths(rules, after, depth - 1) for did, after in answers(rules, s)}


def start(case: Case) -> tuple[Ruleset, State]:
    """The ruleset and the state of a case: small hands as given, or a whole deal."""
    rules = compile_ruleset(case["preset"])
    places = tuple(SEATS.index(name) for name in case["before"])
    if case["hands"]:
        return rules, with_hands(rules, case["hands"], places=places)
    return rules, evolve(EMPTY, dealt(rules, places=places))


def cases() -> list[Case]:
    """The cases without their counts: for each preset small hands, and the exchange and lead."""
    found: list[Case] = []
    for preset in PRESETS:
        rules = compile_ruleset(preset)
        before = SEATS[: rules.players]
        pool = [c for c in rules.deck if CODES[c] == "JK" or CODES[c][1] in POOL]
        cards = [CODES[card] for card in shuffled(pool, preset, "perft")]
        hands = [
            f"{name} {' '.join(cards[i * EACH : (i + 1) * EACH])}" for i, name in enumerate(before)
        ]
        found.append({"preset": preset, "hands": " / ".join(hands), "before": before})
        found.append({"preset": preset, "hands": "", "before": before})
    return found


def regenerate() -> None:
    """Count anew and write the file."""
    counted = [{**case, **_counted(case)} for case in cases()]
    FILE.write_text(json.dumps(counted, indent=1) + "\n", encoding="utf-8")


def _counted(case: Case) -> Case:
    """The counts of a case at the first depth with enough paths."""
    for depth in range(2, DEEPEST + 1):
        counts = below(*start(case), depth)
        if sum(counts.values()) >= ENOUGH:
            break
    return {"depth": depth, "paths": sum(counts.values()), "below": counts}
