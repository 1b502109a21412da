"""The opening of later hands: exchange programs, wishes, jokers kept, upheavals, who leads."""

from __future__ import annotations

from typing import Any

import pytest

from arena.errors import Refused
from arena.rules import EMPTY, Ruleset, State, compile_ruleset, decide, default, evolve, legal, see
from arena.rules.cards import parse
from arena.rules.commands import Ask, Command, Give, Pass, Play, Throw
from arena.rules.legal import MOST_ANSWERS
from arena.rules.options.exchange import asked as exchange_asked
from arena.rules.options.exchange import program_for
from arena.rules.options.seats import new_seats
from arena.rules.options.titles import titles_in
from arena.rules.ruleset import compile_table, written_table
from tests.rules.dealing import deal_of, dealt_with
from tests.rules.shorthand import names
from tests.rules.table import after, table

PLACES = (0, 1, 2, 3)


def does(rules: Ruleset, state: State, *commands: Command) -> State:
    for command in commands:
        state = evolve(state, decide(rules, state, command))
    return state


def ruleset(**options: Any) -> Ruleset:
    return compile_ruleset({"options": options})


def asked(state: State) -> list[tuple[int, str, int]]:
    return [(q.seat, q.kind, q.most) for q in state.questions]


def test_the_loser_gives_his_highest_first_and_the_winner_sees_it() -> None:
    """rests: PG-101 AM-62"""
    rules = ruleset(exchange="pagat_two_one")
    state = dealt_with(rules, {3: "JK S2 S3"})
    assert asked(state) == [(3, "give", 2)]
    with pytest.raises(Refused) as caught:
        decide(rules, state, Give(3, parse(["JK", "S3"])))
    assert caught.value.reason == "not_owed"
    state = does(rules, state, Give(3, parse(["JK", "S2"])))
    assert asked(state) == [(2, "give", 1)]
    assert {"JK", "S2"} <= set(names(state.held[0]))


def test_all_give_at_once_and_nothing_moves_before_the_last_has_given() -> None:
    """rests: AM-62 XV-exchange_forms"""
    rules = ruleset(exchange="pagat_two_one", exchange_order="together")
    state = dealt_with(rules, {})
    assert [seat for seat, _, _ in asked(state)] == [3, 2, 0, 1]
    held = state.held
    for seat in (0, 1, 2):
        state = does(rules, state, legal(rules, state, seat).answer(0))
    assert state.held == held
    state = does(rules, state, legal(rules, state, 3).answer(0))
    assert state.held != held
    assert state.to_move == 3


def test_where_all_give_at_once_the_winners_wish_first() -> None:
    rules = ruleset(exchange="pagat_two_one", exchange_order="together", exchange_pick="asked")
    state = dealt_with(rules, {3: "S5 H5 SK", 2: "D9"})
    assert asked(state) == [(0, "ask", 2)]
    state = does(rules, state, Ask(0, ((2, None), (10, 0))))
    assert asked(state) == [(1, "ask", 1)]
    state = does(rules, state, Ask(1, ((6, 2),)))
    assert [seat for seat, _, _ in asked(state)] == [3, 2, 0, 1]
    with pytest.raises(Refused):
        decide(rules, state, Give(2, parse(["S2"])))
    state = does(rules, state, Give(2, parse(["D9"])), Give(3, parse(["H5", "SK"])))
    for seat in (0, 1):
        state = does(rules, state, legal(rules, state, seat).answer(0))
    assert state.questions == ()


def test_the_poorest_may_keep_a_joker_even_if_asked_for_it() -> None:
    """rests: AM-64 AM-65"""
    rules = ruleset(
        players=5, jokers=2, exchange_keep_joker=True, exchange_pick="asked", exchange="denexa"
    )
    state = dealt_with(rules, {4: "JK SA S3"}, places=(0, 1, 2, 3, 4))
    state = does(rules, state, Ask(0, ((13, None), (11, None))))
    listed = {names(a.cards) for a in legal(rules, state, 4).others}  # type: ignore[union-attr]
    assert any("JK" in cards for cards in listed)
    assert any("JK" not in cards for cards in listed)


def test_of_more_cards_asked_for_than_are_left_to_give_the_first_go() -> None:
    hand, wishes = parse(["S5", "H5", "D5"]), ((2, 0), (2, 1), (2, 2))
    assert exchange_asked(hand, 1, wishes) == ((parse(["S5"]), 1),)
    assert exchange_asked(hand, 2, wishes) == ((parse(["S5", "H5"]), 2),)
    twice = parse(["H5", "H5", "SK"])
    assert exchange_asked(twice, 2, ((2, 1), (2, 1))) == ((parse(["H5", "H5"]), 2),)


def test_of_two_jokers_the_poorest_may_keep_both_or_one_or_none() -> None:
    """rests: AM-64"""
    rules = ruleset(players=5, jokers=2, exchange_keep_joker=True, exchange="denexa")
    state = dealt_with(rules, {4: "JK JK S2 SA", 0: "H2 D2 C2 HA DA CA"}, places=(0, 1, 2, 3, 4))
    assert gifts(rules, state, 4) == {("JK", "JK"), ("S2", "JK"), ("SA", "S2")}
    assert default(rules, state, 4) == Give(4, parse(["SA", "S2"]))


def test_nobody_but_the_poorest_may_keep_a_joker() -> None:
    """rests: AM-64"""
    rules = ruleset(players=5, exchange_keep_joker=True)
    state = dealt_with(rules, {3: "JK SA", 4: "S2 H2"}, places=(0, 1, 2, 3, 4))
    state = does(rules, state, Give(4, parse(["S2", "H2"])))
    assert gifts(rules, state, 3) == {("JK",)}


def test_a_joker_may_be_kept_where_just_enough_other_cards_are_there_to_give() -> None:
    """rests: AM-64"""
    program = [["last", "first", 3, "highest"]]
    rules = ruleset(players=8, blind_cards=20, exchange_keep_joker=True, exchange=program)
    state = dealt_with(rules, {7: "JK S5 S4 S3"}, places=tuple(range(8)))
    assert gifts(rules, state, 7) == {("S4", "S5", "JK"), ("S3", "S4", "S5")}
    two = ruleset(players=8, jokers=2, blind_cards=20, exchange_keep_joker=True, exchange=program)
    state = dealt_with(two, {7: "JK JK S4 S3"}, places=tuple(range(8)))
    assert gifts(two, state, 7) == {("S4", "JK", "JK"), ("S3", "S4", "JK")}
    without = ruleset(players=8, blind_cards=20, exchange_no_joker=True, exchange=program)
    state = dealt_with(without, {7: "JK S5 S4 S3"}, places=tuple(range(8)))
    assert gifts(without, state, 7) == {("S3", "S4", "S5")}


def gifts(rules: Ruleset, state: State, seat: int) -> set[tuple[str, ...]]:
    """All that a seat may give now."""
    return {names(answer.cards) for answer in legal(rules, state, seat).others}  # type: ignore[union-attr]


def test_a_card_that_was_asked_for_counts_once_and_the_rest_are_the_highest() -> None:
    """rests: AM-65"""
    hand = parse(["S5", "H5", "SK"])
    assert exchange_asked(hand, 2, ((2, 0),)) == ((parse(["S5"]), 1), (parse(["SK"]), 1))
    both = exchange_asked(hand, 2, ((2, 0), (2, None)))
    assert both == ((parse(["S5"]), 1), (parse(["H5"]), 1))
    ace = exchange_asked(parse(["SA", "S5", "S6"]), 2, ((11, None),))
    assert ace == ((parse(["S6"]), 1), (parse(["SA"]), 1))
    assert exchange_asked(hand, 1, ((2, None), (2, None))) == ((parse(["S5", "H5"]), 1),)
    pair = exchange_asked(parse(["SA", "HA", "S5"]), 2, ((2, None),))
    assert pair == ((parse(["S5"]), 1), (parse(["SA", "HA"]), 1))


def test_a_gift_may_take_the_lowest_cards_too() -> None:
    hand = parse(["S4", "H3", "S3"])
    assert exchange_asked(hand, 3, ()) == ((parse(["S3", "H3"]), 2), (parse(["S4"]), 1))
    assert exchange_asked(hand, 2, ()) == ((parse(["S3", "H3"]), 1), (parse(["S4"]), 1))


def test_of_two_copies_of_a_card_as_many_go_as_were_asked_for() -> None:
    """rests: AM-65"""
    hand, five = parse(["S5", "S5", "SK"]), (2, 0)
    assert exchange_asked(hand, 2, (five,)) == ((parse(["S5"]), 1), (parse(["SK"]), 1))
    assert exchange_asked(hand, 2, (five, five)) == ((parse(["S5", "S5"]), 2),)
    highest = exchange_asked(parse(["SA", "SA", "HA"]), 2, (), by_suit=True)
    assert highest == ((parse(["SA", "SA"]), 2),)


def test_equal_highest_cards_go_by_suit_where_the_ruleset_says_so() -> None:
    """rests: AM-61"""
    wanted = {3: "HA DA CA SK"}
    rest = {0: "JK S2 H2 D2 C2", 1: "SA"}
    by_suit = ruleset(exchange_ties="suits")
    assert len(legal(by_suit, dealt_with(by_suit, wanted | rest), 3)) == 1
    free = ruleset()
    assert len(legal(free, dealt_with(free, wanted | rest), 3)) == 3


def test_winners_give_first_where_the_ruleset_says_so() -> None:
    """rests: AM-62 OR-43"""
    rules = ruleset(exchange="pagat_two_one", exchange_order="winner_first")
    assert givers(rules) == [0, 1, 3, 2]


def givers(rules: Ruleset) -> list[int]:
    """Who gives in an exchange, one after the other."""
    state, seats = dealt_with(rules, {}), []
    while state.questions:
        ((seat, _),) = state.open
        seats.append(seat)
        state = does(rules, state, legal(rules, state, seat).answer(0))
    return seats


@pytest.mark.parametrize("order", ["loser_first", "winner_first"])
def test_the_russian_program_keeps_its_own_order(order: str) -> None:
    """rests: OR-43 AM-66"""
    assert givers(ruleset(exchange="ru", exchange_order=order)) == [0, 3, 3, 0]


def test_a_custom_program_is_played_step_by_step() -> None:
    """rests: XV-exchange_ladders"""
    rules = ruleset(exchange=[["second", "last", 1, "any"], ["last", "second", 3, "highest"]])
    state = dealt_with(rules, {})
    assert asked(state) == [(1, "give", 1)]
    state = does(rules, state, legal(rules, state, 1).answer(0))
    assert asked(state) == [(3, "give", 3)]


def test_both_jokers_turn_the_titles_round_before_the_exchange() -> None:
    """rests: AM-57 OR-57"""
    rules = ruleset(jokers=2, both_jokers_reversal=True)
    state = dealt_with(rules, {3: "JK JK"})
    assert state.setup.before == (3, 2, 1, 0)
    assert state.setup.titles == ("hinmin", None, None, "fugo")
    assert asked(state) == [(0, "give", 1)]
    assert dealt_with(rules, {2: "JK JK"}).setup.before == PLACES
    assert dealt_with(rules, {3: "JK", 2: "JK"}).setup.before == PLACES


def test_a_last_player_with_nothing_above_ten_swaps_hands_with_the_first() -> None:
    """rests: XV-tenpen_chii OR-42"""
    rules = ruleset(tenpen_chii="ends", players=8, exchange="pagat")
    low = "S3 H3 D3 C3 S4 H4"
    state = dealt_with(rules, {7: low}, places=tuple(range(8)))
    assert names(state.held[0]) == ("S3", "S4", "H3", "H4", "D3", "C3")
    assert state.questions == ()
    assert state.to_move == 7
    joker = dealt_with(rules, {7: f"{low} JK"[3:]}, places=tuple(range(8)))
    assert [question.kind for question in joker.questions] == ["give"]
    jack = dealt_with(rules, {7: f"{low} SJ"[3:]}, places=tuple(range(8)))
    assert [question.kind for question in jack.questions] == ["give"]


def test_both_jokers_turn_round_only_for_the_last_where_no_title_is_poor() -> None:
    """rests: OR-57"""
    table = ["boss", "foreman", "hand", "boy"]
    rules = ruleset(jokers=2, both_jokers_reversal=True, title_table=table)
    for holder, titles in ((3, table[::-1]), (2, table), (0, table)):
        state = dealt_with(rules, {holder: "JK JK"})
        assert state.setup.titles == tuple(titles)


def test_of_three_poor_classes_the_jokers_count_with_the_two_poorest() -> None:
    """rests: OR-57"""
    rules = ruleset(jokers=2, both_jokers_reversal=True, titles="king", players=7)
    places = tuple(range(7))
    for holder, before in ((6, places[::-1]), (5, places[::-1]), (4, places)):
        state = dealt_with(rules, {holder: "JK JK"}, places=places)
        assert state.setup.before == before


def test_a_table_of_two_titles_leaves_those_in_the_middle_without() -> None:
    """rests: XV-classes7"""
    assert titles_in({"title_table": ("boss", "slave"), "players": 4}) == (
        "boss",
        None,
        None,
        "slave",
    )


def test_the_second_last_does_not_swap_where_only_the_ends_may() -> None:
    """rests: XV-tenpen_chii"""
    rules = ruleset(tenpen_chii="ends", players=8, exchange="pagat")
    low, other = "S3 H3 D3 C3 S4 H4", "S5 H5 D5 C5 S6 H6"
    state = dealt_with(rules, {7: low, 6: other}, places=tuple(range(8)))
    assert "S3" in names(state.held[0])
    assert names(state.held[6]) == ("S5", "S6", "H5", "H6", "D5", "C5")


def test_the_second_last_swaps_too_where_both_pairs_may_each_by_its_own_hand() -> None:
    """rests: XV-tenpen_chii"""
    rules = ruleset(tenpen_chii="both", players=8, exchange="pagat")
    low, other = "S3 H3 D3 C3 S4 H4", "S5 H5 D5 C5 S6 H6"
    both = dealt_with(rules, {7: low, 6: other}, places=tuple(range(8)))
    assert names(both.held[0]) == ("S3", "S4", "H3", "H4", "D3", "C3")
    assert names(both.held[1]) == ("S5", "S6", "H5", "H6", "D5", "C5")
    second = dealt_with(rules, {7: "S2", 6: other}, places=tuple(range(8)))
    assert names(second.held[1]) == ("S5", "S6", "H5", "H6", "D5", "C5")
    assert "S2" in names(second.held[7])
    assert second.questions == ()


def test_of_four_players_the_third_swaps_too_where_both_pairs_may() -> None:
    """rests: XV-tenpen_chii"""
    low = "S3 H3 D3 C3 S4 H4 D4 C4 S5 H5 D5 C5 S6"
    for kind, holder in (("both", 1), ("ends", 2)):
        rules = ruleset(tenpen_chii=kind, exchange="pagat")
        state = dealt_with(rules, {2: low, 3: "S2"})
        assert "S3" in names(state.held[holder])


def test_with_three_players_only_first_and_last_swap() -> None:
    """rests: XV-tenpen_chii"""
    rules = ruleset(tenpen_chii="both", players=3, blind_cards=20, exchange="pagat")
    low, other = "S3 H3 D3 C3 S4 H4 D4 C4 S5 H5 D5", "C5 S6 H6 D6 C6 S7 H7 D7 C7 S8 H8"
    state = dealt_with(rules, {2: low, 1: other}, places=(0, 1, 2))
    assert "S3" in names(state.held[0])
    assert "C5" in names(state.held[1])
    assert state.questions == ()
    middle = dealt_with(rules, {2: "S2", 1: other}, places=(0, 1, 2))
    assert [(q.seat, q.kind) for q in middle.questions] == [(2, "give")]


def test_the_holder_of_a_card_leads_and_must_show_it_in_the_first_hand() -> None:
    """rests: XV-start_card OR-38"""
    rules = ruleset(first_lead="holder:D3", first_lead_show=True)
    state = dealt_with(rules, {2: "D3 S3 S9"}, places=())
    assert state.to_move == 2
    shown = legal(rules, state, 2)
    assert not shown.may_pass
    assert all("D3" in m.codes for m in shown.melds)


def test_of_the_holders_of_several_jokers_one_is_drawn() -> None:
    """rests: OR-52"""
    rules = ruleset(first_lead="holder:JK", jokers=2)
    command = deal_of(rules, {1: "JK", 2: "JK"}, places=())
    for lots, leads in (((0, 1, 2, 3), 1), ((3, 2, 1, 0), 2)):
        drawn = command._replace(lots=command.lots._replace(leader=lots))
        assert evolve(EMPTY, decide(rules, EMPTY, drawn)).to_move == leads


def test_a_stored_table_in_which_a_card_is_to_be_shown_that_nobody_has_to_hold_compiles() -> None:
    table = written_table({"options": {"first_lead": "lot", "first_lead_show": True}})
    assert dealt_with(compile_table(table), {}, places=()).hand_marks == {}


def test_in_a_stored_table_a_limit_of_passes_without_free_passes_ends_nothing() -> None:
    rules = compile_table(written_table({"options": {"max_idle_passes": 2}}))
    scene = dealt_with(rules, {0: "S3"}, places=())
    played = does(rules, scene, Play(scene.to_move, parse(["S3"])), Pass(1), Pass(2), Pass(3))
    assert not played.over


@pytest.mark.parametrize("lacks", [{"joker_wild": False}, {"jokers": 0}])
def test_in_a_stored_table_no_run_goes_past_the_two_without_wild_jokers(lacks: Any) -> None:
    options = {"sequence_past_two": True, "top_sequence_clears": True} | lacks
    rules = compile_table(written_table({"options": options}))
    state = dealt_with(rules, {0: "SK SA S2"}, places=())
    assert state.to_move == 0
    assert not does(rules, state, Play(0, parse(["SK", "SA", "S2"]))).trick
    options = {"sequence_below_three": True, "top_sequence_clears": True} | lacks
    low = table(options, "A S3 S4 S5 S9 / B H3", revolution=True)
    assert not after(low, "A S3 S4 S5").state.trick


def test_janken_is_thrown_until_one_is_left() -> None:
    """rests: PG-16 PG-17 PG-18 PG-19 FO-06"""
    rules = ruleset(janken_mode="interactive", players=3)
    state = dealt_with(rules, {}, places=())
    state = does(rules, state, Throw(0, 0), Throw(1, 1), Throw(2, 2))
    assert len(state.open) == 3
    state = does(rules, state, Throw(2, 1), Throw(1, 1), Throw(0, 0))
    assert [seat for seat, _ in state.open] == [1, 2]
    with pytest.raises(Refused):
        decide(rules, state, Throw(0, 1))
    state = does(rules, state, Throw(1, 2), Throw(2, 1))
    assert state.to_move == 1


def test_janken_that_does_not_end_is_settled_by_lot() -> None:
    rules = ruleset(janken_mode="interactive", players=3)
    state = dealt_with(rules, {}, places=())
    rounds = 0
    while state.questions:
        state = does(rules, state, *(Throw(seat, 0) for seat in range(3)))
        rounds += 1
    assert rounds == 64
    assert state.to_move == 0


def test_programs_follow_the_number_of_players() -> None:
    two_one = program_for("pagat_two_one", 4)
    assert two_one == program_for("pagat", 5) == program_for("pagat", 8)
    assert program_for("pagat_two_one", 3) == program_for("denexa", 7)
    assert program_for("pagat", 2) == program_for("pagat", 4)
    assert program_for("none", 4) == ()


def test_new_seats_go_to_the_left_in_the_direction_of_play() -> None:
    places = (4, 3, 2, 1, 0)
    assert new_seats("poor_first", range(5), places) == (0, 1, 2, 3, 4)
    assert new_seats("poor_first", range(5), places, step=-1) == (0, 4, 3, 2, 1)
    assert new_seats("rich_first", range(5), places) == (0, 4, 3, 2, 1)
    assert new_seats("rich_first", range(5), places, step=-1) == (0, 1, 2, 3, 4)


def test_by_points_the_best_keeps_his_seat_and_the_others_sit_to_his_left() -> None:
    points, places = (3, 9, 0, 3), (3, 0, 1, 2)
    assert new_seats("by_points", range(4), places, points=points) == (2, 1, 3, 0)
    assert new_seats("by_points", range(4), places, points=points, step=-1) == (3, 1, 2, 0)


def test_a_gift_of_thirteen_cards_out_of_many_is_listed_in_part_and_answered_by_default() -> None:
    rules = ruleset(
        players=2, exchange=[["first", "last", 13, "any"], ["last", "first", 13, "any"]]
    )
    state = dealt_with(rules, {}, places=(0, 1))
    listed = legal(rules, state, 0)
    assert len(listed) == MOST_ANSWERS
    lowest = default(rules, state, 0)
    assert isinstance(lowest, Give)
    state = does(rules, state, lowest)
    assert asked(state) == [(1, "give", 13)]


def test_a_fallen_player_who_is_out_has_no_place_in_the_view_until_the_end() -> None:
    before = ["B", "C", "D", "A"]
    hands = "A S3 / B H4 / C D5 / D S6 S8 / E D8 D9"
    scene = table({"miyako_ochi": "play_on"}, hands, prev_places=[*before, "E"])
    after(scene, "A S3, B H4, C D5")
    assert see(scene.rules, scene.state, None).places == (1, None, 2, None, None)
