"""Tables in this process: deals, seats, titles, faults."""

from __future__ import annotations

import pytest

from arena.match.tables import play_table, seats_of, shuffle
from arena.rules import EMPTY, compile_ruleset, decide
from arena.rules.commands import Deal
from arena.sitting import by_seat
from arena.tournament.sprt import block_score
from tests.match.players import BOTS, UECDA, Low, Lucky, Silent, Stubborn, setting


def quartet():
    return [Low() for _ in BOTS]


def test_a_table_plays_its_hands_and_everybody_is_told_of_each_end():
    players = quartet()
    played = play_table(setting(hands=4), players)
    assert len(played) == 4
    assert all(sorted(hand.result.bots) == list(BOTS) for hand in played)
    assert all(sorted(hand.seating) == [0, 1, 2, 3] for hand in played)
    assert players[0].ended == [(number, True) for number in (1, 2, 3, 4)]


def test_the_same_setting_is_the_same_table_to_the_byte():
    def once():
        return play_table(setting(hands=5), [Lucky(seed) for seed in range(4)])

    assert once() == once()


def packets(players):
    """The cards of each seat, by hand; players who never had to answer are left out."""
    found = {}
    for player in players:
        for number, (seat, cards) in player.dealt.items():
            found[number, seat] = cards
    return found


@pytest.mark.parametrize("reseat_every", [0, 1])
def test_with_seats_moved_on_everybody_gets_the_cards_of_everybody(reseat_every):
    rules = compile_ruleset({"preset": "pagat", "options": {"exchange": "none", "jokers": 0}})
    seen = {bot: set() for bot in range(4)}
    for turned in range(4):
        players = quartet()
        play_table(setting(rules, hands=2, turned=turned, reseat_every=reseat_every), players)
        for bot, player in enumerate(players):
            seen[bot] |= {(number, *player.dealt[number]) for number in player.dealt}
    assert all(len(deals) == 8 for deals in seen.values())
    assert len(set().union(*seen.values())) == 8


def test_moving_the_seats_on_keeps_who_sits_before_whom():
    first = seats_of(setting(), 1)
    assert {seats_of(setting(turned=turned), 1) for turned in range(4)} == {
        first[at:] + first[:at] for at in range(4)
    }
    assert seats_of(setting(turned=1), 1)[1:] == first[:-1]


def test_tables_with_the_same_word_share_shuffles_and_others_do_not():
    one, other = shuffle(UECDA, 7, "s", 1), shuffle(UECDA, 7, "s", 2)
    assert one == shuffle(UECDA, 7, "s", 1)
    assert len({one, other, shuffle(UECDA, 7, "t", 1), shuffle(UECDA, 8, "s", 1)}) == 4
    assert sorted(one[0]) == sorted(UECDA.deck)


@pytest.mark.parametrize(
    "options", [{}, {"direction": "ccw"}, {"blind_cards": 3}, {"players": 5}, {"decks": 2}]
)
def test_a_seat_gets_the_same_cards_whoever_deals(options):
    rules = compile_ruleset({"preset": "pagat", "options": options})
    deck, lots = shuffle(rules, 1, "s", 1)
    hands = []
    for dealer in range(rules.players):
        deal = Deal(deck, dealer, lots, ())
        ordered = by_seat(rules, deal)
        assert sorted(ordered) == sorted(deck)
        events = decide(rules, EMPTY, deal._replace(deck=ordered))
        hands.append(events[0].hands)
    least = len(rules.deck) // rules.players - 1
    for seat in range(rules.players):
        shared = set.intersection(*({c for c in range(128) if h[seat] >> c & 1} for h in hands))
        assert len(shared) >= least - (options.get("blind_cards", 0) + 1) // 2


def test_who_does_not_answer_is_answered_for_and_comes_last():
    players = [Low(), Low(), Silent(), Low()]
    played = play_table(setting(hands=2), players)
    assert all(hand.result.bots[-1] == "c" for hand in played)
    assert all(hand.result.faults == ("c",) for hand in played)


def test_after_three_faulty_hands_the_rest_is_forfeited():
    played = play_table(setting(hands=6), [Low(), Low(), Silent(), Low()])
    assert [bool(hand.result.forfeits) for hand in played] == [False] * 3 + [True] * 3
    assert played[-1].seating == ()
    assert block_score([hand.result for hand in played], "a", "b").meetings == 3


def test_a_refused_answer_is_told_and_may_be_given_again_until_the_budget_is_spent():
    stubborn = Stubborn()
    played = play_table(setting(hands=1), [Low(), stubborn, Low(), Low()])
    reasons = [getattr(reason, "reason", None) for reason in stubborn.reasons]
    if "must_lead" in reasons:
        assert played[0].result.faults == ("b",)
        assert reasons.count("must_lead") % 5 == 0


def test_a_ruleset_that_ends_the_sitting_ends_the_table():
    rules = compile_ruleset({"preset": "pagat", "options": {"session_end": "hands:2"}})
    assert len(play_table(setting(rules, hands=9), quartet())) == 2
