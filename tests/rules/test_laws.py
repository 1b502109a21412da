"""The laws that every ruleset keeps, on random compatible combinations of all options."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import Refused
from arena.rules import EMPTY, Ruleset, State, decide, default, evolve, legal
from arena.rules.cards import mask_of, parse
from arena.rules.commands import Command, Discard, Expire, Give, Name, Pass, Play
from arena.rules.events import Event, Question
from arena.rules.fingerprints import canonical_json
from arena.rules.legal import MOST_ANSWERS
from arena.rules.ruleset import _compile
from arena.wire import read_command, read_event, shared_event, write_command, write_event
from arena.wire.values import read_roles, write_suits
from tests.rules import brute
from tests.rules.dealing import deal
from tests.rules.shorthand import names, short_deal
from tests.rules.strategies import option_tables, rulesets

SEEDS = st.integers(0, 10**9)
LIMIT = 3000


def walk(
    rules: Ruleset, state: State, random: Random, *, limit: int = LIMIT
) -> Iterator[tuple[State, Command, list[Event]]]:
    """Random play: each state with the command chosen in it and what it brought about."""
    for _ in range(limit):
        if state.over:
            return
        seat, _since = random.choice(state.open)
        menu = legal(rules, state, seat)
        command = menu.answer(random.randrange(len(menu)))
        events = decide(rules, state, command)
        yield state, command, events
        state = evolve(state, events)
    raise AssertionError("the hand does not end")


def opened(rules: Ruleset, seed: int, *, cards: int) -> State:
    """A short hand, later ones with the places of a hand before."""
    random = Random(seed)
    state = short_deal(rules, seed, cards=cards)
    if random.random() < 0.5:
        places = tuple(random.sample(range(rules.players), rules.players))
        state = state.changed(setup=state.setup._replace(before=places))
    return state


def places_or_none(rules: Ruleset, seed: int) -> tuple[int, ...]:
    random = Random(seed)
    return tuple(random.sample(range(rules.players), rules.players)) if seed % 3 else ()


def parts(state: State) -> list[int]:
    return [*state.held, state.table, state.gone, state.setup.blind]


@given(rulesets(), SEEDS)
def test_cards_are_conserved_and_disjoint_in_every_state(rules: Ruleset, seed: int) -> None:
    command = deal(rules, seed, places=places_or_none(rules, seed))
    state = evolve(EMPTY, decide(rules, EMPTY, command))
    for before, _, events in walk(rules, state, Random(seed)):
        assert sum(parts(before)) == mask_of(rules.deck)
        for index in range(len(events)):
            state = evolve(before, events[: index + 1])
            assert sum(parts(state)) == mask_of(rules.deck)
            assert sum(p.bit_count() for p in parts(state)) == len(rules.deck)
            assert not state.cleared & ~state.gone


@given(rulesets(), SEEDS, st.integers(1, 7))
def test_the_legal_plays_are_those_that_brute_force_finds(
    rules: Ruleset, seed: int, cards: int
) -> None:
    options = dict(rules.options)
    for state, _, _ in walk(rules, opened(rules, seed, cards=cards), Random(seed)):
        if state.questions or state.held[state.to_move].bit_count() > 8:
            continue
        seat = state.to_move
        menu = legal(rules, state, seat)
        listed = [(m.codes, m.role_codes) for m in menu.melds]
        table = brute.table_of(options, state, seat)
        wanted = brute.plays(options, names(state.held[seat]), table)
        assert set(listed) == wanted
        assert len(listed) == len(wanted)
        free = options["lead_pass"] == "always" and not state.hand_marks.get("must_show")
        assert menu.may_pass == (bool(state.trick) or free or not wanted)


@given(
    rulesets(geki_shibari=False, joker_lifts_lock=False, q_toki=False), SEEDS, st.integers(2, 13)
)
def test_suits_are_locked_as_the_plays_of_the_trick_say(
    rules: Ruleset, seed: int, cards: int
) -> None:
    options = dict(rules.options)
    if options["shibari"] == "off":
        return
    for state, _, _ in walk(rules, opened(rules, seed, cards=cards), Random(seed)):
        trick = [laid.meld for laid in state.trick]
        read = [
            brute.known_reading(options, m.codes, m.role_codes, m.kind.value, m.low) for m in trick
        ]
        locked = write_suits(state.trick_marks.get("suit_lock", 0)) or {}
        assert locked == brute.suit_lock(options, read)


@given(rulesets(), SEEDS, st.integers(1, 6))
def test_what_is_listed_is_accepted_and_all_else_is_refused(
    rules: Ruleset, seed: int, cards: int
) -> None:
    options = dict(rules.options)
    random = Random(seed)
    for state, _, _ in walk(rules, opened(rules, seed, cards=cards), Random(seed)):
        if state.questions or random.random() < 0.7:
            continue
        seat = state.to_move
        snapshot = State(state)
        listed = {(m.codes, m.role_codes) for m in legal(rules, state, seat).melds}
        hand = names(state.held[seat])
        for tried, roles in every_declared_play(options, hand):
            command = Play(seat, parse(tried), read_roles(roles) if roles else None)
            accepted = accepts(rules, state, command)
            if roles or "JK" not in tried:
                assert accepted == ((tried, roles) in listed), (tried, roles)
            elif accepted:
                assert any(cards_ == tried for cards_, _ in listed), tried
        for other in range(rules.players):
            assert not accepts(rules, state, Pass(other)) or other == seat
        assert not accepts(rules, state, Give(seat, 0))
        assert not accepts(rules, state, Discard(seat, 0))
        assert not accepts(rules, state, Name(seat, (0,)))
        assert state == snapshot


def every_declared_play(options: dict[str, Any], hand: tuple[str, ...]) -> set[Any]:
    """Every subset of a hand as each of its readings, and undeclared; some declared as nonsense."""
    found = set()
    for size in range(1, len(hand) + 1):
        for tried in set(combinations(hand, size)):
            found |= {r.entry for r in brute.readings(options, tried)} | {(tried, ())}
            found.add((tried, ("S4",)))
    suits_matter = brute.names_suits(options)
    return {
        (tried, roles)
        for tried, roles in found
        if suits_matter or roles != ("S4",) or set(tried) != {"S4", "JK"}
    } - {
        (tried, roles)
        for tried, roles in found
        if roles == ("S4",) and not suits_matter and all(c == "JK" or c[1] == "4" for c in tried)
    }


def accepts(rules: Ruleset, state: State, command: Command) -> bool:
    try:
        decide(rules, state, command)
    except Refused:
        return False
    return True


@given(rulesets(), SEEDS)
def test_every_listed_answer_to_a_question_is_accepted(rules: Ruleset, seed: int) -> None:
    command = deal(rules, seed, places=places_or_none(rules, seed))
    dealt = evolve(EMPTY, decide(rules, EMPTY, command))
    random = Random(seed)
    for state, _, _ in walk(rules, dealt, random):
        for question in state.questions:
            menu = legal(rules, state, question.seat)
            assert len(set(menu.others)) == len(menu.others) > 0
            for answer in random.sample(menu.others, min(20, len(menu.others))):
                assert accepts(rules, state, answer), answer
            if question.kind in ("give", "discard") and len(menu.others) < MOST_ANSWERS:
                check_gifts(rules, state, question, menu.others)


def check_gifts(rules: Ruleset, state: State, question: Question, answers: tuple[Any, ...]) -> None:
    """The cards that may be given or thrown away are those that brute force finds."""
    listed = {names(a.cards) for a in answers}
    hand = names(state.held[question.seat])
    if question.rule != "exchange":
        sizes = range(question.least, question.most + 1)
        assert listed == {c for n in sizes for c in set(combinations(hand, n))}
    elif not state.setup.wishes and rules.options["exchange_ties"] == "giver":
        free = set(combinations(hand, question.most))
        keeps = rules.options["exchange_keep_joker"]
        strict = brute.highest_gifts(hand, question.most, may_keep=False)
        loose = brute.highest_gifts(hand, question.most, may_keep=True)
        natural = tuple(card for card in hand if card != "JK")
        if rules.options["exchange_no_joker"] and len(natural) >= question.most:
            strict = brute.highest_gifts(natural, question.most, may_keep=False)
        assert listed in (free, strict, loose if keeps else strict)


@given(rulesets(), SEEDS)
def test_a_log_folds_to_the_live_state_and_survives_json(rules: Ruleset, seed: int) -> None:
    first = deal(rules, seed, places=places_or_none(rules, seed))
    steps: list[tuple[Command, list[Event]]] = [(first, decide(rules, EMPTY, first))]
    state = evolve(EMPTY, steps[0][1])
    for _, command, events in walk(rules, state, Random(seed)):
        steps.append((command, events))
        state = evolve(state, events)
    log = [event for _, events in steps for event in events]
    written = list(map(write_event, log))
    assert list(map(shared_event, log)) == written
    read = [read_event(json.loads(json.dumps(event))) for event in written]
    assert read == log
    assert evolve(EMPTY, read) == state
    again = EMPTY
    for command, events in steps:
        said = read_command(json.loads(json.dumps(write_command(command))))
        assert write_command(said) == write_command(command)
        assert decide(rules, again, said) == events
        again = evolve(again, events)


@given(rulesets(), SEEDS)
def test_hands_end_by_default_answers_alone(rules: Ruleset, seed: int) -> None:
    command = deal(rules, seed, places=places_or_none(rules, seed))
    state = evolve(EMPTY, decide(rules, EMPTY, command))
    random = Random(seed)
    for _ in range(LIMIT):
        if state.over:
            break
        seat, _since = random.choice(state.open)
        answer = default(rules, state, seat)
        events = decide(rules, state, Expire(seat, "timeout"))
        assert events[1:] == decide(rules, state, answer)
        state = evolve(state, events)
    assert state.over
    assert sorted(state.places) == list(range(rules.players))


@given(rulesets(), SEEDS, st.integers(1, 13))
def test_the_fast_paths_agree_with_the_slow_one(rules: Ruleset, seed: int, cards: int) -> None:
    careful = _compile.__wrapped__(canonical_json(rules.document))  # one that nobody else has
    careful.looks_ahead = True  # every act is folded before it is told who moves next
    for state, command, events in walk(rules, opened(rules, seed, cards=cards), Random(seed)):
        if isinstance(command, Play | Pass):
            assert decide(careful, state, command) == events


@pytest.mark.parametrize("size", [1, 2, 3])
@settings(max_examples=15)
@given(option_tables(players=3), SEEDS)
def test_places_name_every_seat_once(size: int, options: dict[str, Any], seed: int) -> None:
    from arena.rules import compile_ruleset

    rules = compile_ruleset({"options": options})
    last = None
    for state, _, events in walk(rules, opened(rules, seed, cards=size), Random(seed)):
        last = evolve(state, events)
    assert last is not None
    assert sorted(last.places) == [0, 1, 2]
