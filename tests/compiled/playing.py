"""What the core says of the same games: `python -m tests.compiled.playing` prints it, line by line.

The cores of one tree are compared by it, each in a process of its own: hands under every named
ruleset, turn documents, and what is refused, with the words.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from arena import CORE
from arena.errors import ArenaError
from arena.rules import EMPTY, Ruleset, State, compile_ruleset, decide, evolve, legal
from arena.rules.commands import Command
from arena.rules.presets import PRESETS
from arena.wire import read_answer, read_command, read_event, write_command, write_event
from arena.wire.turns import turn_fields
from tests.rules.dealing import deal
from tests.rules.strategies import named_rulesets

HANDS_OF_A_PRESET = 3
TRIED_EVERY = 7
"""Bad input is tried at every such move."""
BODIES: tuple[dict[str, Any], ...] = (
    {},
    {"pass": True},
    {"pass": 1},
    {"cards": []},
    {"cards": ["S3"]},
    {"cards": ["S3", "S3", "S3"]},
    {"cards": ["X4"]},
    {"cards": [4]},
    {"cards": [None, ["S4"]]},
    {"cards": "S4"},
    {"cards": ["JK"], "as": ["D5"]},
    {"cards": ["JK"], "as": "S4"},
    {"cards": ["JK"], "as": [0]},
    {"choice": 0},
    {"choice": -1},
    {"choice": 10**30},
    {"choice": 1.0},
    {"choice": True},
    {"throw": "rock"},
    {"throw": ["rock"]},
    {"ask": "2"},
    {"ask": 2},
    {"name": ["JK"]},
    {"name": "A"},
    {"accept": True},
    {"accept": "yes"},
    {"pass": True, "cards": ["S3"]},
)
STRANGE: tuple[Any, ...] = (None, True, -1, 1.5, 10**30, "", "S3", [], ["S3"], [[]], {}, {"a": 1})


def lines() -> Iterator[str]:
    """Everything, in the same order each time."""
    for name in PRESETS:
        for number in range(HANDS_OF_A_PRESET):
            yield from hand_lines(f"{name} {number}", compile_ruleset(name), Random(number))
    for name in named_rulesets():
        yield from hand_lines(name, compile_ruleset(name), Random(name))


def hand_lines(title: str, rules: Ruleset, random: Random) -> Iterator[str]:
    """A hand played at random, with what every seat that may answer is shown."""
    yield f"{title} {rules.fingerprint}"
    places = tuple(random.sample(range(rules.players), rules.players))
    command: Command = deal(rules, random.randrange(10**6), places=places)
    state, moves = EMPTY, 0
    while True:
        events = decide(rules, state, command)
        state = evolve(state, events)
        yield written(write_command(command))
        yield from (written(write_event(event)) for event in events)
        if state.over:
            return
        for seat, _ in state.open:
            yield written(turn_fields(rules, state, seat, hints=True))
        seat, _ = random.choice(state.open)
        if moves % TRIED_EVERY == 0:
            yield from refusals(rules, state, seat)
            yield from misread(write_command(command), read_command, random)
            yield from misread(write_event(random.choice(events)), read_event, random)
        menu = legal(rules, state, seat)
        command = menu.answer(random.randrange(len(menu)))
        moves += 1


def refusals(rules: Ruleset, state: State, seat: int) -> Iterator[str]:
    """What is said to answers that are strange, early or against the rules."""
    for body in BODIES:
        yield outcome(lambda body=body: decide(rules, state, read_answer(rules, state, seat, body)))


def misread(
    document: dict[str, Any], read: Callable[[dict[str, Any]], object], random: Random
) -> Iterator[str]:
    """What is said to a document of a log in which one member is missing or strange."""
    member = random.choice(sorted(document))
    rest = {name: value for name, value in document.items() if name != member}
    yield outcome(lambda: read(rest))
    for value in STRANGE:
        yield outcome(lambda value=value: read(rest | {member: value}))


def outcome(call: Callable[[], object]) -> str:
    """What a call gives: a value, one of our errors with its words, or the kind of any other."""
    try:
        return repr(call())
    except ArenaError as error:
        return f"{type(error).__name__}: {error}"
    except Exception as error:
        return type(error).__name__


def written(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False)


if __name__ == "__main__":
    if CORE.expected:
        sys.exit(f"{CORE.wanted} cannot run: {CORE}")
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    for line in lines():
        print(line)
