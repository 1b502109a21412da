"""What an observation says, and that it says nothing that the seat may not know."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from arena.envs.actions import cell_names
from arena.envs.layout import ObservationLayout
from arena.envs.observing import HandObserver, answer_progress
from arena.envs.planes import double_plane, put, single_plane, take
from arena.errors import Refused
from arena.rules import EMPTY, Ruleset, compile_ruleset, decide, evolve
from arena.rules.cards import canonical, codes, mask_of, parse
from arena.rules.commands import Command
from arena.rules.presets import PRESETS
from tests.envs.playing import ANY_RULES, SEEDS, SPECS, actions_named, begun, turns
from tests.envs.playing import take as take_actions
from tests.rules.dealing import play_out
from tests.rules.strategies import rulesets
from tests.rules.test_leaks import TELLING, hidden_pairs, in_other_world

Reader = Callable[[str], list[int]]


def reader(layout: ObservationLayout, observation: NDArray[np.int8]) -> Reader:
    """From the name of a part to its numbers."""

    def read(name: str) -> list[int]:
        part = next(part for _, part in layout.parts if part.name == name)
        first = layout.at(name)
        return [int(number) for number in observation[first : first + part.size]]

    return read


def cards(row: list[int]) -> str:
    """The cards of a plane in card order, each as often as it is there."""
    found = [name for name, count in zip(cell_names(), row, strict=True) for _ in range(count)]
    return " ".join(codes(parse(name[:2] for name in found)))


def test_a_first_lead_is_seen_by_who_follows() -> None:
    episode = begun("pagat", 5)
    leader = episode.player
    play = actions_named(episode)[0]
    take_actions(episode, play)
    read = reader(episode.layout, episode.observe(episode.player))
    card = play.removeprefix("play ")
    assert cards(read("held")) == " ".join(codes(episode.state.held[episode.seat]))
    assert cards(read("pile")) == card
    distance = (episode.seating.index(leader) - episode.seat) % 4
    assert cards(read(f"laid_{distance}")) == cards(read(f"last_{distance}")) == card
    assert read("owner")[distance] == 1 == sum(read("owner"))
    assert read("to_move") == [1, 0, 0, 0]
    assert read("pile_kind") == [1, 0, 0]
    assert read("pile_size") == [1]
    assert read("asked") == [1, 0, 0, 0, 0, 0, 0]
    order = [(episode.seat + at) % 4 for at in range(4)]
    assert read("count") == [episode.state.held[seat].bit_count() for seat in order]
    assert read("order_reversed") == read("pending") == [0]
    assert read("clockwise") == [1]
    assert read("hand") == [1]
    assert read("hands_left") == [0]
    assert sum(read("held")) + sum(read("unseen")) + sum(read("pile")) == 53


def test_cards_that_were_given_are_known_to_the_giver_until_they_are_laid() -> None:
    episode = begun("pagat", 2, hands=2)
    random = Random(2)
    for _ in turns(episode, random):
        if episode.hand == 2:
            break
    names = episode.actions.names
    assert episode.state.question_for(episode.seat) is not None
    giver = episode.seat
    given_cards = names[episode.legal()[0]].removeprefix("card ")
    question = episode.state.question_for(giver)
    assert question is not None
    take_actions(episode, f"card {given_cards}")
    read = reader(episode.layout, episode.observe(episode.seating[giver]))
    assert cards(read(f"known_{(question.to - giver) % 4}")) == given_cards
    receiver = question.to
    for _ in turns(episode, random):
        laid = episode.state.trick
        if any(played.seat == receiver and given_cards in played.meld.codes for played in laid):
            break
    read = reader(episode.layout, episode.observe(episode.seating[giver]))
    assert given_cards not in cards(read(f"known_{(receiver - giver) % 4}")).split()


def test_what_is_chosen_of_an_answer_is_seen_by_who_answers_and_by_nobody_else() -> None:
    episode = begun("dqx", 1, hands=2)
    for _ in turns(episode, Random(1)):
        question = episode.state.question_for(episode.seat)
        if question is not None and question.most == 2:
            break
    player = episode.player
    others = [episode.observe(other) for other in range(4) if other != player]
    card = episode.actions.names[episode.legal()[0]].removeprefix("card ")
    take_actions(episode, f"card {card}")
    read = reader(episode.layout, episode.observe(player))
    assert cards(read("chosen")) == card
    assert read("parts") == [1]
    assert read("exchange") == [1]
    assert read("most") == [2]
    again = [episode.observe(other) for other in range(4) if other != player]
    assert all(np.array_equal(one, other) for one, other in zip(others, again, strict=True))


def test_one_card_may_be_wished_for_again_and_again() -> None:
    spec = "pagat,exchange_pick=asked,exchange=last:first:3:highest"
    episode = begun(spec, 1, hands=2)
    for _ in turns(episode, Random(1)):
        if any(question.kind == "ask" for question in episode.state.questions):
            break
    for wished in range(1, 3):
        take_actions(episode, "card S3")
        read = reader(episode.layout, episode.observe(episode.player))
        assert cards(read("chosen")) == "S3"
        assert read("parts") == [wished]
    take_actions(episode, "card S3")
    assert episode.chosen == []


def test_each_number_has_a_name_of_its_own() -> None:
    for name in PRESETS:
        layout = ObservationLayout(compile_ruleset(name))
        assert len({*layout.names}) == len(layout.names) == layout.size == len(layout.high)
        assert layout.names[layout.at("count.1")] == "count.1"
        assert layout.names[layout.at("count")] == "count.0"
    with pytest.raises(KeyError):
        layout.at("nothing")


def check(rules: Ruleset, seed: int) -> None:
    """Numbers are in their bounds, cards add up, and what is known is so, at all turns."""
    episode = begun(rules, seed, hands=2)
    layout = episode.layout
    for _ in turns(episode, Random(seed)):
        state, seat = episode.state, episode.seat
        observation = episode.observe(episode.player)
        assert observation.dtype == np.int8
        assert observation.shape == (layout.size,)
        assert not (observation < 0).any()
        assert not (observation > layout.high).any()
        read = reader(layout, observation)
        unseen = read("unseen")
        assert sum(unseen) <= len(rules.deck) - sum(read("held"))
        assert sum(unseen) >= sum(c.bit_count() for s, c in enumerate(state.held) if s != seat)
        for other in range(1, rules.players):
            there = plane_of(rules, state.held[(seat + other) % rules.players])
            known = read(f"known_{other}")
            assert all(one <= two for one, two in zip(known, there, strict=True))


def plane_of(rules: Ruleset, held: int) -> list[int]:
    write = double_plane if rules.deal.decks == 2 else single_plane
    return list(write(canonical(held)))


@pytest.mark.parametrize("name", SPECS)
def test_cards_add_up_and_what_is_known_is_so_in_all_of_these(name: str) -> None:
    check(compile_ruleset(name), 7)


@pytest.mark.slow
@settings(max_examples=min(30, settings().max_examples))
@given(ANY_RULES, SEEDS)
def test_so_it_is_under_any_options(rules: Ruleset, seed: int) -> None:
    check(rules, seed)


def observations(rules: Ruleset, commands: list[Command], seat: int) -> list[bytes] | None:
    """All that a seat observes in a hand; None if the actions are not possible."""
    layout = ObservationLayout(rules)
    observer = HandObserver(rules, layout)
    progress = answer_progress(observer.plane(0), ranks=0, parts=0, hand=1, left=0)
    state, found = EMPTY, []
    for command in commands:
        try:
            events = decide(rules, state, command)
        except Refused:
            return None
        state = evolve(state, events)
        observer.follow(events)
        found.append(observer.observe(state, seat, progress).tobytes())
    return found


def compare_worlds(rules: Ruleset, seed: int) -> int:
    """Two worlds that differ in what a seat cannot know are one to it -> how many were compared."""
    random = Random(seed)
    places = tuple(random.sample(range(rules.players), rules.players)) if seed % 2 else ()
    _, steps = play_out(rules, seed, places=places)
    steps = steps[: random.randrange(1, len(steps) + 1)]
    commands = [command for command, _ in steps]
    compared = 0
    for seat in range(rules.players):
        swap = hidden_pairs(rules, steps, seat, random)
        other = [in_other_world(command, swap) for command in commands]
        world = observations(rules, other, seat)
        if swap and world is not None:
            assert world == observations(rules, commands, seat)
            compared += 1
    return compared


def test_second_copies_that_were_given_are_known_no_more_when_they_are_played() -> None:
    options = {
        "players": 3,
        "decks": 2,
        "jokers": 2,
        "exchange": "pagat_two_one",
        "dokusen": True,
        "joker_wild": False,
        "equal_plays": True,
        "sequences": False,
        "lead_pass": "always",
        "max_idle_passes": 2,
    }
    check(compile_ruleset({"options": options}), 78)


@pytest.mark.slow
@settings(max_examples=min(40, settings().max_examples))
@given(rulesets(decks=1, **TELLING), st.integers(0, 10**9))
def test_cards_that_a_seat_cannot_know_change_no_byte_of_its_observations(
    rules: Ruleset, seed: int
) -> None:
    compare_worlds(rules, seed)


def test_the_two_worlds_are_often_possible() -> None:
    """The test above would say nothing if every second world were impossible."""
    rules = compile_ruleset("pagat+tens")
    assert sum(compare_worlds(rules, seed) for seed in range(12)) >= 12


PACKS = st.lists(st.sampled_from(range(108)), unique=True, max_size=12)


@given(PACKS, PACKS)
def test_cards_are_put_together_and_taken_away_as_multisets(one: list[int], two: list[int]) -> None:
    first, second = canonical(mask_of(one)), mask_of(two)  # any copies
    plane, other = counted(first), counted(canonical(second))
    together = [a + b for a, b in zip(plane, other, strict=True)]
    without = [max(0, a - b) for a, b in zip(plane, other, strict=True)]
    assert counted(take(first, second)) == without
    if max(together[:52]) <= 2 and together[52] <= 4:
        assert counted(put(first, second)) == together


def counted(mask: int) -> list[int]:
    """How many of each card, jokers all together."""
    plane = list(double_plane(mask))
    return [*plane[:52], sum(plane[52:])]
