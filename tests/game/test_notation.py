"""A position is a line of text, and the line is the position again."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.game import GameState, Position
from arena.game.notation import written_ruleset
from arena.rules import Ruleset, State, compile_ruleset
from arena.rules.cards import canonical
from arena.rules.presets import PRESETS
from tests.game.moments import moments
from tests.rules.strategies import rulesets


def plain(state: State) -> State:
    """A state without telling the copies of cards apart."""
    return state.changed(
        held=tuple(map(canonical, state.held)),
        table=canonical(state.table),
        gone=canonical(state.gone),
        cleared=canonical(state.cleared),
        setup=state.setup._replace(blind=canonical(state.setup.blind)),
        trick_marks=dict(state.trick_marks),
        hand_marks=dict(state.hand_marks),
    )


def check(rules: Ruleset, seed: int) -> None:
    name = written_ruleset(rules.options)
    assert compile_ruleset(name) is rules
    random = Random(seed)
    for moment in moments(rules, seed):
        whole = Position.of_state(rules, moment.state, ruleset=name)
        again = Position.parse(str(whole))
        assert str(again) == str(whole)
        assert plain(again.state) == plain(whole.state)
        assert list(again.legal()) == list(GameState(rules, moment.state).legal(again.asked))
        seen = moment.position(name)
        read = Position.parse(str(seen))
        assert list(seen.legal()) == list(read.legal())
        assert str(read) == str(seen)
        assert list(read.legal()) == list(GameState(rules, moment.state).legal(moment.seat))
        [world] = read.worlds(1, random)
        assert list(world.legal(moment.seat)) == list(read.legal())


@pytest.mark.parametrize("name", PRESETS)
def test_every_position_comes_back_from_its_text(name: str) -> None:
    for seed in range(2):
        check(compile_ruleset(name), seed)


def test_a_seat_may_have_passed_the_lead_more_than_once() -> None:
    options = {"players": 3, "pass_lockout": True, "lead_pass": "always", "max_idle_passes": 7}
    check(compile_ruleset({"options": options}), seed=14)


def test_who_has_given_all_cards_away_is_not_asked_to_show_them() -> None:
    options = {
        "players": 5,
        "suits": ["S", "H", "D"],
        "blind_cards": 11,
        "exchange": [["last", "first", 2, "highest"], ["last", "first", 3, "highest"]],
        "joker_wild": False,
        "instant_wins": ["tenho"],
    }
    rules = compile_ruleset({"options": options})
    check(rules, seed=1)
    asked = [q for moment in moments(rules, 1) for q in moment.state.questions]
    assert all(q.rule != "instant_wins" for q in asked)


@given(rulesets(), st.integers(0, 10**9))
def test_so_it_does_under_any_options(rules: Ruleset, seed: int) -> None:
    check(rules, seed)
