"""Statements about hands in a row, each played: deal, titles, exchange, seats, end."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from random import Random

import pytest

from arena.errors import Refused
from arena.rules import EMPTY, Ruleset, State, compile_ruleset, decide, evolve, legal
from arena.rules.cards import parse
from arena.rules.commands import Ask, Command, Give, Pass, Play
from arena.sitting import is_over, overall
from tests.rules.dealing import PlayedHand, deal, dealt, dealt_with, play_out, play_sitting
from tests.rules.shorthand import names

FIVE = (0, 1, 2, 3, 4)
SEEDS = range(6)


def leader(hand: PlayedHand) -> int:
    """Who made the first play or pass of a hand."""
    return next(c.seat for c, _ in hand.steps if isinstance(c, Play | Pass))


def later(ruleset: str, *, hands: int = 3) -> list[tuple[PlayedHand, PlayedHand]]:
    """Pairs of hands, one after the other, of several sittings."""
    rules = compile_ruleset(ruleset)
    return [pair for seed in SEEDS for pair in pairwise(play_sitting(rules, hands, seed=seed))]


def last_seat(first: PlayedHand) -> int:
    """The seat of the loser of a hand, in a sitting of fixed seats."""
    return first.end.places[-1]


@pytest.mark.parametrize("ruleset", ["pagat", "qcsalon_forum", "ru", "denexa"])
def test_cards_are_dealt_clockwise_one_at_a_time_from_the_dealers_left(ruleset: str) -> None:
    """rests: PG-08 PG-12 PG-13 PG-14 FO-04 RU-09 DX-05 AM-59"""
    rules = compile_ruleset(ruleset)
    command = deal(rules, 3)
    state = play_out(rules, 3)[1][0][1]
    held = next(event.hands for event in state if type(event).__name__ == "Dealt")
    for place, card in enumerate(command.deck):
        assert held[(command.dealer + 1 + place) % rules.players] >> card & 1
    assert max(map(int.bit_count, held)) - min(map(int.bit_count, held)) <= 1


@pytest.mark.parametrize("ruleset", ["pagat", "qcsalon_forum", "ru", "denexa"])
def test_anybody_may_deal_the_first_hand_as_it_is_drawn(ruleset: str) -> None:
    """rests: PG-10 DX-04 RU-06 FO-04"""
    rules = compile_ruleset(ruleset)
    firsts = [next(play_sitting(rules, 1, seed=seed)) for seed in range(40)]
    assert all(hand.opening.setup.dealer == hand.deal.lots.dealer[0] for hand in firsts)
    assert {hand.opening.setup.dealer for hand in firsts} == set(range(rules.players))


@pytest.mark.parametrize("ruleset", ["pagat", "qcsalon_forum", "denexa"])
def test_afterwards_the_loser_deals(ruleset: str) -> None:
    """rests: PG-11 FO-04 DX-13 DX-14"""
    for first, second in later(ruleset):
        assert second.opening.setup.dealer == last_seat(first)


def test_on_the_russian_page_the_deal_goes_round() -> None:
    """rests: RU-08"""
    for first, second in later("ru"):
        assert second.opening.setup.dealer == (first.opening.setup.dealer + 1) % 4


@pytest.mark.parametrize("ruleset", ["pagat", "qcsalon_forum"])
def test_the_first_player_of_a_sitting_is_drawn_by_janken(ruleset: str) -> None:
    """rests: PG-15 PG-16 FO-05 FO-06"""
    rules = compile_ruleset(ruleset)
    firsts = [next(play_sitting(rules, 1, seed=seed)) for seed in range(40)]
    assert {leader(hand) for hand in firsts} == set(range(4))
    shown = [e for e in play_out(rules, 1)[1][0][1] if type(e).__name__ == "Shown"]
    assert shown
    assert all(event.by == "janken" for event in shown)


def test_with_denexa_the_first_to_lead_sits_left_of_the_dealer_and_then_the_winner_leads() -> None:
    """rests: DX-07 DX-19"""
    for first, second in later("denexa", hands=2):
        assert leader(first) == (first.opening.setup.dealer + 1) % 5
        assert leader(second) == first.end.places[0]


@pytest.mark.parametrize("ruleset", ["pagat", "pagat,players=5", "qcsalon_forum"])
def test_the_loser_of_the_hand_before_leads(ruleset: str) -> None:
    """rests: PG-52 FO-32"""
    assert all(leader(second) == last_seat(first) for first, second in later(ruleset))


def test_on_the_russian_page_every_first_move_is_drawn() -> None:
    """rests: RU-10 AM-69"""
    for pair in later("ru"):
        assert all(leader(hand) == hand.deal.lots.leader[0] for hand in pair)


@pytest.mark.parametrize(
    ("ruleset", "titles"),
    [
        ("pagat,players=3", "fugo - hinmin"),
        ("qcsalon_forum,players=3", "fugo - hinmin"),
        ("pagat", "fugo - - hinmin"),
        ("qcsalon_forum", "fugo - - hinmin"),
        ("pagat,players=5", "dai_fugo fugo - hinmin dai_hinmin"),
        ("qcsalon_forum,players=6", "dai_fugo fugo - - hinmin dai_hinmin"),
        ("denexa,players=3", "daifugo commoner destitute"),
        ("denexa,players=4", "daifugo millionaire poor destitute"),
        ("denexa", "daifugo millionaire commoner poor destitute"),
        ("denexa,players=6", "daifugo millionaire commoner commoner poor destitute"),
        ("ru", "very_rich - - very_poor"),
        ("pagat,players=2", "fugo hinmin"),
        ("denexa,players=2", "daifugo destitute"),
    ],
)
def test_titles_go_by_the_places_of_the_hand_before(ruleset: str, titles: str) -> None:
    """rests: PG-03 PG-44 PG-45 FO-29 DX-11 DX-12 RU-23 OR-59"""
    wanted = [None if title == "-" else title for title in titles.split()]
    for first, second in later(ruleset):
        assert [second.opening.setup.titles[seat] for seat in first.end.places] == wanted


@pytest.mark.parametrize(
    ("ruleset", "points"),
    [
        ("pagat,players=5", (0, 0, 0, 0, 0)),
        ("qcsalon_forum,players=5", (0, 0, 0, 0, 0)),
        ("pagat+score,players=5", (2, 1, 0, 0, 0)),
        ("qcsalon_forum+score,players=5", (2, 1, 0, 0, 0)),
        ("pagat+score", (1, 0, 0, 0)),
        ("pagat+score_pay,players=5", (2, 1, 0, -1, -2)),
        ("pagat+score_pay", (1, 0, 0, -1)),
        ("ru,scoring=dai2_fu1", (2, 0, 0, 0)),
        ("denexa,scoring=dai2_fu1", (2, 1, 0, 0, 0)),
        ("uecda", (5, 4, 3, 2, 1)),
    ],
)
def test_points_go_by_title_or_table_and_add_up(ruleset: str, points: tuple[int, ...]) -> None:
    """rests: PG-46 PG-47 PG-104 FO-30 AM-68 C-8 XV-points"""
    hands = list(play_sitting(compile_ruleset(ruleset), 3))
    total = [0] * len(points)
    for hand in hands:
        for seat, more in zip(hand.end.places, points, strict=True):
            total[seat] += more
        assert list(hand.sitting.points) == total


def owed(state: State) -> list[tuple[int, str, int]]:
    return [(q.seat, q.kind, q.most) for q in state.questions]


def state_after(rules: Ruleset, state: State, command: Command) -> State:
    return evolve(state, decide(rules, state, command))


def refused(rules: Ruleset, state: State, command: Command) -> None:
    with pytest.raises(Refused):
        decide(rules, state, command)


@pytest.mark.parametrize("ruleset", ["pagat,players=5", "qcsalon_forum,players=5"])
def test_from_the_second_hand_on_the_poor_give_their_highest_and_get_any_cards(
    ruleset: str,
) -> None:
    """rests: PG-48 PG-49 PG-50 PG-51 FO-31"""
    rules = compile_ruleset(ruleset)
    assert owed(dealt_with(rules, {}, places=())) == []
    state = dealt_with(rules, {4: "JK H2 SA", 3: "S2 SK", 0: "S3 S4", 1: "H3"}, places=FIVE)
    refused(rules, state, Give(4, parse(["JK", "SA"])))
    steps: list[tuple[tuple[int, str, int], Give]] = [
        ((4, "give", 2), Give(4, parse(["JK", "H2"]))),
        ((3, "give", 1), Give(3, parse(["S2"]))),
        ((0, "give", 2), Give(0, parse(["S3", "S4"]))),
        ((1, "give", 1), Give(1, parse(["H3"]))),
    ]
    for question, gift in steps:
        assert owed(state) == [question]
        state = state_after(rules, state, gift)
    assert state.to_move == 4
    assert {"JK", "H2"} <= set(names(state.held[0]))
    assert {"S3", "S4"} <= set(names(state.held[4]))
    assert "S2" in names(state.held[1])
    assert "H3" in names(state.held[3])


def test_with_denexa_only_first_and_last_exchange_two_for_any_two() -> None:
    """rests: DX-16 DX-17 DX-18"""
    rules = compile_ruleset("denexa")
    state = dealt_with(rules, {4: "S2 H2 SA", 0: "S3 C4 D2 C2"}, places=FIVE)
    assert owed(state) == [(4, "give", 2)]
    refused(rules, state, Give(4, parse(["S2", "SA"])))
    state = state_after(rules, state, Give(4, parse(["S2", "H2"])))
    assert owed(state) == [(0, "give", 2)]
    state = state_after(rules, state, Give(0, parse(["S3", "C4"])))
    assert (owed(state), state.to_move) == ([], 0)


def test_the_russian_exchange_is_two_for_two_and_then_the_highest_for_one() -> None:
    """rests: RU-24 RU-25 RU-26 RU-27 AM-66"""
    rules = compile_ruleset("ru")
    state = dealt_with(rules, {0: "S3 S4 S5", 3: "JK H2 D3 D4"})
    for question, gift in (
        ((0, "give", 2), Give(0, parse(["S3", "S4"]))),
        ((3, "give", 2), Give(3, parse(["D3", "D4"]))),
        ((3, "give", 1), Give(3, parse(["JK"]))),
        ((0, "give", 1), Give(0, parse(["S5"]))),
    ):
        assert owed(state) == [question]
        if gift.cards == parse(["JK"]):
            refused(rules, state, Give(3, parse(["H2"])))
        state = state_after(rules, state, gift)
    assert owed(state) == []


def test_the_poorest_may_keep_the_joker_and_gives_the_next_highest() -> None:
    """rests: PG-102 AM-64"""
    rules = compile_ruleset("pagat+keep_joker,players=5")
    state = dealt_with(rules, {4: "JK H2 SA"}, places=FIVE)
    state_after(rules, state, Give(4, parse(["H2", "SA"])))
    state_after(rules, state, Give(4, parse(["JK", "H2"])))
    refused(rules, state, Give(4, parse(["JK", "SA"])))


@pytest.mark.parametrize(
    ("ruleset", "may"),
    [
        ("pagat,exchange_keep_joker=true", False),
        ("denexa,exchange_keep_joker=true,players=4,jokers=1", True),
        ("pagat,exchange_keep_joker=true,players=5", True),
    ],
)
def test_who_may_keep_a_joker_goes_by_the_titles(ruleset: str, may: bool) -> None:
    """rests: OR-58"""
    rules = compile_ruleset(ruleset)
    last = rules.players - 1
    state = dealt_with(rules, {last: "JK H2 SA"}, places=tuple(range(rules.players)))
    gifts = [names(answer.cards) for answer in legal(rules, state, last).others]  # type: ignore[union-attr]
    assert any("JK" not in gift for gift in gifts) == may


def test_winners_ask_for_cards_and_the_rest_is_made_up_with_the_highest() -> None:
    """rests: PG-103 AM-65"""
    rules = compile_ruleset("pagat+ask,players=5")
    state = dealt_with(rules, {4: "H2 SA DK C5"}, places=FIVE)
    assert owed(state) == [(0, "ask", 2)]
    state = state_after(rules, state, Ask(0, ((13, None), (10, None))))
    while state.questions[0].seat != 4:
        state = state_after(rules, state, legal(rules, state, state.questions[0].seat).answer(0))
    held = set(names(state.held[4]))
    assert {"DK"} <= held or "DK" in names(state.held[0])
    refused(rules, state, Give(4, parse(["H2", "C5"])))


def test_of_equal_cards_the_suit_decides_what_is_made_up_but_not_a_rank_that_was_asked_for() -> (
    None
):
    """rests: OR-64"""
    rules = compile_ruleset("pagat+ask,players=5,exchange_ties=suits")
    wanted = {4: "HA DA CA S9 H9", 0: "JK S2 H2 D2 C2", 1: "SA D9 C9"}
    state = dealt_with(rules, wanted, places=FIVE)
    state = state_after(rules, state, Ask(0, ((6, None), (13, None))))
    while state.questions[0].seat != 4:
        state = state_after(rules, state, legal(rules, state, state.questions[0].seat).answer(0))
    gifts = {names(answer.cards) for answer in legal(rules, state, 4).others}  # type: ignore[union-attr]
    assert gifts == {("S9", "HA"), ("H9", "HA")}


@pytest.mark.parametrize("holder", [3, 4])
def test_both_jokers_with_one_of_the_poor_turn_all_roles_round(holder: int) -> None:
    """Dai Hinmin or Hinmin: seat 4 was last, seat 3 second last.

    rests: PG-70 AM-57
    """
    rules = compile_ruleset("pagat+early_1979,players=5")
    state = dealt_with(rules, {holder: "JK JK"}, places=FIVE)
    assert state.setup.before == (4, 3, 2, 1, 0)
    assert state.setup.titles == ("dai_hinmin", "hinmin", None, "fugo", "dai_fugo")
    assert owed(state) == [(0, "give", 2)]


@pytest.mark.parametrize("holders", [{2: "JK JK"}, {1: "JK JK"}, {0: "JK JK"}, {3: "JK", 4: "JK"}])
def test_jokers_elsewhere_turn_nothing(holders: dict[int, str]) -> None:
    """rests: PG-70 OR-57"""
    rules = compile_ruleset("pagat+early_1979,players=5")
    assert dealt_with(rules, holders, places=FIVE).setup.before == FIVE


def test_after_a_reversal_exchange_and_lead_follow_the_reversed_titles() -> None:
    """rests: C-1"""
    rules = compile_ruleset("pagat+early_1979,players=5")
    state = dealt_with(rules, {3: "JK JK"}, places=FIVE)
    givers = []
    while state.questions:
        givers.append(state.questions[0].seat)
        state = state_after(rules, state, legal(rules, state, givers[-1]).answer(0))
    assert (givers, state.to_move) == ([0, 1, 4, 3], 0)


@pytest.mark.parametrize("start", ["random", "first_place"])
def test_the_first_card_may_go_to_whom_the_lots_name(start: str) -> None:
    """In the first hand, in which nobody has a place yet, also by the first place.

    rests: AM-59
    """
    rules = compile_ruleset(f"pagat,deal_start={start}")
    for seed in range(5):
        command = deal(rules, seed)
        held = evolve(EMPTY, decide(rules, EMPTY, command)).held
        assert held[command.lots.start[0]] >> command.deck[0] & 1


def test_every_new_deal_starts_in_the_original_order() -> None:
    """rests: PG-62"""
    rules = compile_ruleset("pagat+kakumei+jack,kakumei_timing=immediate,kakumei_triples=5+6+7+8")
    reversed_ends = 0
    for seed in range(30):
        for first, second in pairwise(play_sitting(rules, 3, seed=seed)):
            reversed_ends += first.end.revolution
            assert not second.opening.revolution
            assert not second.opening.pending
    assert reversed_ends


def clockwise_from(start: int, hand: PlayedHand) -> list[int]:
    """The players of a hand clockwise from one of them."""
    seating = hand.sitting.seating
    place = seating.index(start)
    return [*seating[place:], *seating[:place]]


def players_by_place(first: PlayedHand) -> list[int]:
    return list(first.sitting.places)


@pytest.mark.parametrize(
    ("ruleset", "order"),
    [
        ("pagat+seats,players=5", lambda p: [p[4], p[3], p[2], p[1], p[0]]),
        ("pagat+seats_reverse,players=5", lambda p: [p[4], p[0], p[1], p[2], p[3]]),
    ],
)
def test_new_seats_are_taken_before_each_deal(
    ruleset: str, order: Callable[[list[int]], list[int]]
) -> None:
    """rests: PG-99 PG-100 AM-58"""
    for first, second in later(ruleset):
        places = players_by_place(first)
        assert clockwise_from(places[-1], second) == order(places)


def test_where_the_richest_sits_left_of_the_poorest_the_richest_begins() -> None:
    """rests: PG-100"""
    for first, second in later("pagat+seats_reverse,players=5"):
        assert second.sitting.seating[leader(second)] == first.sitting.places[0]


def test_very_rich_and_very_poor_change_seats() -> None:
    """rests: RU-47 AM-58"""
    for first, second in later("ru+seats"):
        before, after = list(first.sitting.seating), list(second.sitting.seating)
        rich, poor = first.sitting.places[0], first.sitting.places[-1]
        swap = {rich: poor, poor: rich}
        assert after == [swap.get(player, player) for player in before]


def test_the_titles_at_the_end_of_the_hand_decide_who_gives_so_a_fallen_winner_does() -> None:
    """rests: AM-63 AM-56"""
    fallen = 0
    for first, second in later("pagat+miyako_ochi,players=4", hands=6):
        assert second.opening.questions[0].seat == last_seat(first)
        if first.end.fallen:
            fallen += 1
            assert (last_seat(first),) == first.end.fallen == first.end.setup.before[:1]
    assert fallen


def test_a_sitting_stops_after_the_number_of_hands_or_at_the_time_that_was_agreed() -> None:
    """rests: DX-20 AM-77 XV-match"""
    rules, timed = compile_ruleset("denexa,session_end=hands:3"), compile_ruleset("denexa+timed")
    ends = [is_over(rules, h.sitting, hands=9) for h in play_sitting(rules, 4)]
    assert ends == [False, False, True, True]
    (hand,) = play_sitting(timed, 1)
    assert not is_over(timed, hand.sitting, hands=9, elapsed_ms=3_599_999)
    assert is_over(timed, hand.sitting, hands=9, elapsed_ms=3_600_000)


def test_the_winner_of_the_last_finished_hand_has_won_the_sitting() -> None:
    """rests: DX-21 AM-77"""
    rules = compile_ruleset("denexa")
    hands = list(play_sitting(rules, 3))
    finishes = [["ABCDE"[player] for player in hand.sitting.places] for hand in hands]
    assert overall(rules.table.overall_winner, finishes, {}) == finishes[-1][0]


def test_players_with_equal_points_share_the_overall_win() -> None:
    """rests: AM-78"""
    rules = compile_ruleset("pagat+score,overall_winner=most_points")
    for seed in range(20):
        *_, last = play_sitting(rules, 2, seed=seed)
        points = dict(zip("ABCD", last.sitting.points, strict=True))
        best = [name for name in points if points[name] == max(points.values())]
        winner = overall(rules.table.overall_winner, [], points)
        assert winner == (best[0] if len(best) == 1 else best)


def test_titles_begin_anew_every_few_hands() -> None:
    """rests: XV-match"""
    hands = list(play_sitting(compile_ruleset("pagat,reset_every=2"), 5))
    assert [bool(hand.deal.places) for hand in hands] == [False, True, False, True, False]


def test_blind_cards_are_taken_out_so_that_all_hold_the_same_number() -> None:
    """rests: XV-blind"""
    rules = compile_ruleset("japan_league")
    (hand,) = play_sitting(rules, 1)
    assert {h.bit_count() for h in hand.opening.held} == {13}
    assert hand.opening.setup.blind.bit_count() == 2


def test_steps_of_the_exchange_are_cut_to_the_cards_that_are_held() -> None:
    """rests: AM-67"""
    program = "last:first:13:highest+first:last:13:any"
    rules = compile_ruleset(f"pagat,players=8,exchange={program}")
    state = dealt_with(rules, {}, places=tuple(range(8)))
    assert owed(state) == [(7, "give", state.held[7].bit_count())]


def test_left_is_the_next_in_the_direction_of_play() -> None:
    """rests: OR-60"""
    rules = compile_ruleset("pagat,direction=ccw,first_lead=dealer_left")
    (hand,) = play_sitting(rules, 1)
    dealer = hand.opening.setup.dealer
    for place, card in enumerate(hand.deal.deck):
        assert hand.opening.held[(dealer - 1 - place) % 4] >> card & 1
    assert leader(hand) == (dealer - 1) % 4


@pytest.mark.parametrize(("options", "held_by"), [("decks=2", 2), ("blind_cards=1", 0)])
def test_a_card_that_several_or_none_hold_lets_the_leader_be_drawn_among_them_or_all(
    options: str, held_by: int
) -> None:
    """rests: OR-52"""
    rules = compile_ruleset(f"pagat,first_lead=holder:D3,{options}")
    tried = 0
    for seed in range(300):
        opening = dealt(rules, seed)
        holders = [seat for seat in range(4) if "D3" in names(opening.held[seat])]
        if len(holders) == held_by:
            tried += 1
            drawn = [s for s in deal(rules, seed).lots.leader if s in (holders or range(4))]
            assert opening.to_move == drawn[0]
    assert tried


def test_after_a_reversal_the_fall_follows_the_reversed_titles_too() -> None:
    """rests: OR-55"""
    rules = compile_ruleset("pagat+early_1979+miyako_ochi,players=5")
    fell = 0
    for seed in range(20):
        state = dealt_with(rules, {4: "JK JK"}, places=FIVE)
        random = Random(seed)
        while not state.over and not state.out:
            seat, _ = random.choice(state.open)
            menu = legal(rules, state, seat)
            state = state_after(rules, state, menu.answer(random.randrange(len(menu))))
        if not state.over:
            assert state.fallen == (() if state.out[0] == 4 else (4,))
            fell += state.fallen == (4,)
    assert fell
