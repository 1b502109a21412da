"""The fold of what a spectator is sent: as true as the hand itself, as far as it goes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.cli.terminal.spectating import Spectator
from arena.narration.language import Detail, Speaker
from arena.narration.sentences import LANGUAGES, PUBLIC, describe_position, narrate
from arena.rules import EMPTY, Ruleset, compile_ruleset, evolve, redact, see
from arena.rules.presets import PRESETS
from tests.narration.golden import NAMES
from tests.rules.dealing import play_out
from tests.rules.strategies import rulesets

ENGLISH = LANGUAGES["en"]


def check_hand(rules: Ruleset, seed: int) -> None:
    """What a spectator reads, sees and counts is what the arena would say to it, event by event."""
    places = tuple(range(rules.players)) if seed % 2 else ()
    _, steps = play_out(rules, seed, places=places)
    speaker = Speaker(NAMES[: rules.players], rules.table.titles, Detail.FULL)
    state, spectator = EMPTY, Spectator(rules)
    for event in (event for _, events in steps for event in events):
        before, sent = spectator.take(redact(event, None))
        said = list(narrate(ENGLISH, speaker, (sent,), reader=PUBLIC, state=before))
        assert said == list(narrate(ENGLISH, speaker, (event,), reader=PUBLIC, state=state))
        state = evolve(state, (event,))
        lines = [
            describe_position(ENGLISH, speaker, rules, each, reader=PUBLIC)
            for each in (state, spectator.state)
        ]
        assert lines[0] == lines[1]
        assert see(rules, spectator.state, None) == see(rules, state, None)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_hand_of_every_preset_is_followed_truly_without_its_hidden_cards(preset: str) -> None:
    for seed in range(4):
        check_hand(compile_ruleset(preset), seed)


@given(rulesets(), st.integers(0, 10**6))
@settings(max_examples=40)
def test_a_hand_of_any_rules_is_followed_truly(rules: Ruleset, seed: int) -> None:
    check_hand(rules, seed)
