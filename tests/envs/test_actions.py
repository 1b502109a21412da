"""The list of actions is whole, has everything once, and says what is legal."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings

from arena.envs import actions as actions_module
from arena.envs.actions import FEATURE_NAMES, Actions, actions_of
from arena.envs.layout import QUESTIONS
from arena.envs.parts import answer_of, next_parts
from arena.errors import BadInput
from arena.rules import Ruleset, State, compile_ruleset, legal
from arena.rules.commands import Ask, Discard, Give, Name
from arena.rules.events import Question
from arena.rules.legal import MOST_ANSWERS
from tests.envs.playing import ANY_RULES, SEEDS, SPECS, begun, turns

TWO_PACKS = "house,players=6,decks=2,jokers=2"


def rows(actions: Actions, question: Question, chosen: tuple[int, ...] = ()) -> list[list[int]]:
    """Every row of actions that answers a question."""
    following = next_parts(actions, question, chosen)
    if not following:
        return [[*chosen]]
    found = []
    for action in following:
        done = action == actions.done
        found += [[*chosen, action]] if done else rows(actions, question, (*chosen, action))
    return found


def check(rules: Ruleset, state: State, seat: int) -> None:
    """Each legal answer of a seat is one row of actions, and each row is one legal answer."""
    actions, menu = actions_of(rules), legal(rules, state, seat)
    answers = [menu[at] for at in range(len(menu))]
    question = state.question_for(seat)
    if question is None:
        legal_actions = actions.of_menu(menu)
        assert [actions.play(action, seat) for action in legal_actions] == answers
        assert [actions.of_answer(answer) for answer in answers] == [[a] for a in legal_actions]
        assert legal_actions == sorted(legal_actions)
        return
    if len(answers) == MOST_ANSWERS:
        return  # more are legal than are listed
    found = rows(actions, question)
    parts = [[action for action in row if action != actions.done] for row in found]
    given_answers = [answer_of(actions, question, row) for row in parts]
    assert sorted(map(repr, given_answers)) == sorted(map(repr, answers))
    assert [actions.of_answer(answer) for answer in given_answers] == parts
    assert all(row == sorted(row) for row in parts)


@pytest.mark.parametrize("name", SPECS)
def test_every_legal_answer_is_one_row_of_actions_in_all_of_these(name: str) -> None:
    episode = begun(name, 3, hands=3)
    for _ in turns(episode, Random(3)):
        if not episode.chosen:
            check(episode.rules, episode.state, episode.seat)


def test_they_ask_every_kind_of_question() -> None:
    """The test above would say less if some kind of question never came up."""
    asked = set()
    for name in SPECS:
        episode = begun(name, 3, hands=3)
        asked |= {q.kind for each in turns(episode, Random(3)) for q in each.state.questions}
    assert asked == {*QUESTIONS} - {"move"}


@pytest.mark.slow
@settings(max_examples=min(40, settings().max_examples))
@given(ANY_RULES, SEEDS)
def test_so_it_is_under_any_options(rules: Ruleset, seed: int) -> None:
    episode = begun(rules, seed, hands=2)
    for _ in turns(episode, Random(seed)):
        if not episode.chosen:
            check(rules, episode.state, episode.seat)


@pytest.mark.parametrize("name", SPECS)
def test_the_mask_is_one_for_the_legal_actions_and_zero_for_all_others(name: str) -> None:
    episode = begun(name, 1)
    for _ in turns(episode, Random(1)):
        mask = episode.mask(episode.player)
        assert np.flatnonzero(mask).tolist() == sorted({*episode.legal()})
        assert len(mask) == len(episode.actions)
        other = (episode.player + 1) % episode.rules.players
        assert not episode.mask(other).any()
        for player in (episode.player, other):
            both = episode.observed(player)
            assert np.array_equal(both["action_mask"], episode.mask(player))
            assert np.array_equal(both["observation"], episode.observe(player))


@pytest.mark.parametrize("name", SPECS)
def test_every_action_has_a_name_of_its_own(name: str) -> None:
    actions = Actions(compile_ruleset(name))
    assert len({*actions.names}) == len(actions.names) == len(actions)
    ranges = actions.ranges
    assert [part.first for part in ranges] == sorted(part.first for part in ranges)
    assert sum(part.number for part in ranges) == len(actions)


def test_melds_come_by_number_of_cards_then_card_by_card() -> None:
    names = Actions(compile_ruleset("pagat")).names
    assert names[:4] == ("pass", "play S3", "play S4", "play S5")
    assert names.index("play H3") == names.index("play S2") + 1
    assert names.index("play JK") < names.index("play S3 H3") < names.index("play S3 S4 S5")
    assert "play S3 S4 JK=S5" in names
    assert names[-1] == "done"


def test_a_suit_that_is_whole_with_a_joker_at_either_end_is_one_answer_and_one_action() -> None:
    actions = Actions(compile_ruleset("uecda"))
    whole = [m for m in actions.of_meld if m.size == 14 and m.codes[0] == "S3"]
    assert len(whole) == 2
    assert len({actions.of_meld[meld] for meld in whole}) == 1


def test_cards_are_given_one_by_one_in_card_order() -> None:
    actions = Actions(compile_ruleset("pagat"))
    held = 0b111  # S3 H3 D3
    question = Question(0, "give", "exchange", 2, 2, (((held, 2),),), to=1)
    assert named(actions, next_parts(actions, question, [])) == ["card S3", "card H3"]
    first = actions.names.index("card S3")
    assert named(actions, next_parts(actions, question, [first])) == ["card H3", "card D3"]
    chosen = [first, actions.names.index("card D3")]
    assert next_parts(actions, question, chosen) == []
    assert answer_of(actions, question, chosen) == Give(0, 0b101)


def test_fewer_cards_than_the_most_end_with_done() -> None:
    actions = Actions(compile_ruleset("house"))
    ways = tuple(((0b11, count),) for count in range(3))
    question = Question(2, "discard", "ten_discard", 0, 2, ways)
    assert named(actions, next_parts(actions, question, [])) == ["card S3", "card H3", "done"]
    assert answer_of(actions, question, []) == Discard(2, 0)


def test_copies_are_given_one_after_the_other() -> None:
    actions = Actions(compile_ruleset("pagat,decks=2"))
    both = 1 | 1 << 56
    question = Question(0, "give", "exchange", 2, 2, (((both, 2),),), to=1)
    card = actions.names.index("card S3")
    assert rows(actions, question) == [[card, card]]
    assert answer_of(actions, question, [card, card]) == Give(0, both)


def test_ranks_and_wishes_have_actions_too() -> None:
    actions = Actions(compile_ruleset("house"))
    name = Question(0, "name", "q_bomber", 2, 2)
    rank = actions.names.index
    assert answer_of(actions, name, [rank("rank 3"), rank("rank T")]) == Name(0, (0, 7))
    wish = Question(1, "ask", "exchange", 0, 2, to=0)
    chosen = [rank("card H2"), rank("rank K")]
    assert answer_of(actions, wish, chosen) == Ask(1, ((10, None), (12, 1)))
    assert named(actions, next_parts(actions, wish, []))[-1] == "done"
    assert len(next_parts(actions, wish, [])) == 53 + 13 + 1


def named(actions: Actions, some: list[int]) -> list[str]:
    return [actions.names[action] for action in some]


@pytest.mark.parametrize("name", ["pagat", "uecda", TWO_PACKS])
def test_different_actions_have_different_features(name: str) -> None:
    actions = Actions(compile_ruleset(name))
    assert actions.features.shape == (len(actions), len(FEATURE_NAMES))
    assert len(np.unique(actions.features, axis=0)) == len(actions)


def test_features_say_what_an_action_is() -> None:
    actions = Actions(compile_ruleset("pagat"))
    row = actions.features[actions.names.index("play S3 S4 JK=S5")]
    said = {FEATURE_NAMES[at]: int(row[at]) for at in np.flatnonzero(row)}
    assert said == {
        "cards.S3": 1,
        "cards.S4": 1,
        "cards.JK1": 1,
        "roles.S5": 1,
        "is.sequence": 1,
        "size": 3,
        "jokers": 1,
        "low": 1,
        "high": 3,
    }
    with pytest.raises(ValueError, match="read-only"):
        actions.features[0, 0] = 1


def test_a_list_that_would_be_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions_module, "MOST_ACTIONS", 2000)
    with pytest.raises(BadInput, match="ruleset is '2,387 actions'; expected one with at most"):
        Actions(compile_ruleset("pagat"))


@pytest.mark.slow
def test_the_longest_list_of_melds_that_we_know_is_not() -> None:
    spec = "pagat,decks=2,jokers=4,max_set=12,shibari=full,joker_lock=full,sequence_past_two=true"
    assert len(Actions(compile_ruleset(f"{spec},sequence_below_three=true"))) > 80_000
