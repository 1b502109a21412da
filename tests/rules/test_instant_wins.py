"""Wins at once, and the law against monopolies: what happens between the exchange and the lead."""

from __future__ import annotations

from arena.rules import EMPTY, State, compile_ruleset, decide, default, evolve, legal, redact, see
from arena.rules.cards import COPY, canonical, parse
from arena.rules.commands import Accept, Command, Give, Play, Throw
from arena.rules.events import Discarded, Gave, Marked
from arena.rules.options.instant_wins import all_pairs, whole_suit
from arena.rules.ruleset import Ruleset
from tests.rules.dealing import deal_of, dealt_with
from tests.rules.shorthand import names
from tests.rules.table import after, holds, table

MIXED = {0: "S3 D4", 1: "D3 C5", 3: "C3 S6"}
HEARTS = "H3 H4 H5 H6 H7 H8 H9 HT HJ HQ HK HA H2"
PAIRS = "S3 H3 S4 H4 S5 H5 S6 H6 S7 H7 S8 H8 S9 H9"
OPTIONS = {"instant_wins": ["monopoly"], "first_lead": "lot", "exchange": "none"}


def ruleset(**more: object) -> Ruleset:
    return compile_ruleset({"options": OPTIONS | more})


def said(rules: Ruleset, state: State, *commands: Command) -> State:
    for command in commands:
        state = evolve(state, decide(rules, state, command))
    return state


def test_who_holds_a_whole_suit_may_show_it_and_is_out() -> None:
    """rests: XV-instant_wins"""
    rules = ruleset()
    state = dealt_with(rules, MIXED | {2: HEARTS}, places=())
    assert [(q.seat, q.kind, q.rule) for q in state.questions] == [(2, "accept", "instant_wins")]
    events = decide(rules, state, Accept(2, True))
    thrown = next(e for e in events if isinstance(e, Discarded))
    assert redact(thrown, 0) == thrown
    assert names(thrown.cards) == tuple(HEARTS.split())
    assert not any(isinstance(event, Marked) for event in events)
    state = evolve(state, events)
    assert (state.out, state.to_move, state.held[2]) == ((2,), 0, 0)


def test_who_does_not_show_his_cards_plays_on_and_that_is_what_a_deadline_means() -> None:
    """rests: XV-instant_wins"""
    rules = ruleset()
    state = dealt_with(rules, MIXED | {2: HEARTS}, places=())
    assert default(rules, state, 2) == Accept(2, False)
    state = said(rules, state, Accept(2, False))
    assert (state.out, state.to_move, state.held[2].bit_count()) == ((), 0, 13)


def test_a_hand_of_pairs_wins_and_all_who_may_win_are_asked_from_the_dealers_left_on() -> None:
    """rests: XV-instant_wins"""
    both = ["tenho", "monopoly"]
    rules = ruleset(instant_wins=both, players=3, suits=["S", "H", "D"], jokers=3)
    clubless = "S3 H3 S4 H4 S5 H5 S6 H6 S7 H7 S8 H8 S9 H9"
    diamonds = "D3 D4 D5 D6 D7 D8 D9 DT DJ DQ DK DA D2 ST"
    state = dealt_with(rules, {0: diamonds, 1: clubless}, places=())
    assert [q.seat for q in state.questions] == [1]
    shown = decide(rules, state, Accept(1, True))
    assert not any(isinstance(event, Marked) for event in shown)
    state = said(rules, state, Accept(1, False))
    assert [q.seat for q in state.questions] == [2]
    state = said(rules, state, Accept(2, True))
    assert [q.seat for q in state.questions] == [0]
    assert said(rules, state, Accept(0, True)).places == (2, 0, 1)


def test_who_leads_without_cards_passes_the_lead_on_and_owes_no_card() -> None:
    """rests: XV-instant_wins"""
    rules = ruleset(first_lead="holder:H3", first_lead_show=True)
    state = said(rules, dealt_with(rules, MIXED | {2: HEARTS}, places=()), Accept(2, True))
    assert state.to_move == 3
    assert legal(rules, state, 3).melds
    before = dealt_with(rules, MIXED | {2: HEARTS}, places=())
    marks = [e for e in decide(rules, before, Accept(2, True)) if isinstance(e, Marked)]
    assert marks == [Marked("must_show", 0, "hand", "instant_wins")]
    state = said(rules, dealt_with(rules, MIXED | {2: HEARTS}, places=()), Accept(2, False))
    assert all(m.cards & parse(["H3"]) for m in legal(rules, state, 2).melds)
    other = ruleset(first_lead="holder:D3", first_lead_show=True)
    state = said(other, dealt_with(other, MIXED | {2: HEARTS}, places=()), Accept(2, True))
    assert state.to_move == 1
    assert all(m.cards & parse(["D3"]) for m in legal(other, state, 1).melds)


def test_a_win_at_once_brings_the_winner_of_the_hand_before_down() -> None:
    """rests: XV-instant_wins AM-47"""
    rules = ruleset(miyako_ochi="drop")
    state = said(rules, dealt_with(rules, MIXED | {2: HEARTS}), Accept(2, True))
    assert (state.out, state.fallen, state.held[0]) == ((2,), (0,), 0)


def test_the_cards_are_looked_at_when_the_exchange_is_done() -> None:
    """rests: XV-instant_wins"""
    rules = ruleset(exchange="pagat")
    state = dealt_with(rules, MIXED | {0: HEARTS})
    assert [q.kind for q in state.questions] == ["give"]
    (question,) = state.questions
    state = said(rules, state, Give(3, next(iter(legal(rules, state, 3).others)).cards))
    assert question.seat == 3
    back = said(rules, state, Give(0, parse(["H3"])))
    assert not back.questions
    other = next(c for c in names(state.held[0]) if c not in HEARTS)
    kept = said(rules, state, Give(0, parse([other])))
    assert [q.rule for q in kept.questions] == ["instant_wins"]


def test_janken_is_thrown_before_anybody_shows_his_cards() -> None:
    """rests: XV-instant_wins PG-19"""
    rules = ruleset(first_lead="janken", janken_mode="interactive", players=2, suits=["S", "H"])
    state = dealt_with(rules, {1: HEARTS}, places=())
    assert {q.kind for q in state.questions} == {"throw"}
    state = said(rules, state, Throw(0, 0), Throw(1, 1))
    assert [q.rule for q in state.questions] == ["instant_wins"]
    assert said(rules, state, Accept(1, True)).places == (1, 0)


def test_pairs_may_be_filled_up_by_wild_jokers_only() -> None:
    pairs = parse(PAIRS.split())
    assert all_pairs(pairs, wild=True)
    assert all_pairs(parse(["S3", "H3", "S4", "JK"]), wild=True)
    assert not all_pairs(parse(["S3", "H3", "S4", "JK"]), wild=False)
    assert all_pairs(parse(["S3", "H3", "JK", "JK"]), wild=False)
    assert not all_pairs(parse(["S3", "H3", "JK"]), wild=True)
    assert not all_pairs(parse(["S3", "S4", "JK"]), wild=True)
    assert all_pairs(parse(["S3", "H3", "S4", "H4", "S5", "JK"]), wild=True)
    assert whole_suit(parse(HEARTS.split()))
    assert not whole_suit(parse([*HEARTS.split()[1:], "JK"]))


def test_four_of_a_kind_with_two_jokers_reverses_and_brings_its_player_out() -> None:
    """rests: XV-instant_wins"""
    options = {"instant_wins": ["tepodon"], "max_set": 6, "jokers": 2}
    hands = "A S5 H5 D5 C5 JK JK S9 S3 / B H3 H4 / C D3 D4"
    scene = after(table(options, hands), "A S5 H5 D5 C5 JK JK")
    holds(scene, out=["A"], pending=True, hand_A="", turn="B")
    holds(after(scene, "B pass, C pass"), revolution=True, turn="B", cleared=1)
    last = after(table(options, "A S5 H5 D5 C5 JK JK / B H3 H4 / C D3 D4"), "A S5 H5 D5 C5 JK JK")
    holds(last, out=["A"], pending=True)


def test_six_that_are_no_four_with_two_jokers_are_no_tepodon() -> None:
    """rests: XV-instant_wins"""
    options = {"instant_wins": ["tepodon"], "max_set": 6, "jokers": 2, "decks": 2}
    hands = "A S5 H5 D5 C5 S5 JK S9 / B H3 H4 / C D3 D4"
    holds(after(table(options, hands), "A S5 H5 D5 C5 S5 JK"), out=[], pending=False, hand_A="S9")
    four = table(options, "A S5 H5 JK JK S9 / B H3 H4 / C D3 D4")
    holds(after(four, "A S5 H5 JK JK"), out=[], pending=False, hand_A="S9")
    off = table({"max_set": 6, "jokers": 2}, "A S5 H5 D5 C5 JK JK S9 / B H3 H4 / C D3 D4")
    holds(after(off, "A S5 H5 D5 C5 JK JK"), out=[], pending=False, hand_A="S9")


def test_a_tepodon_with_kakumei_and_six_card_clears_reverses_once() -> None:
    """rests: XV-instant_wins AM-06"""
    options = {"instant_wins": ["tepodon"], "max_set": 6, "jokers": 2, "kakumei": True}
    more = options | {"six_card_clears": True}
    hands = "A S5 H5 D5 C5 JK JK S9 / B H3 H4 / C D3 D4"
    scene = after(table(more, hands), "A S5 H5 D5 C5 JK JK")
    holds(scene, out=["A"], revolution=True, cleared=1, turn="B")


def test_a_winner_with_too_many_high_cards_has_his_twos_taken_away() -> None:
    """rests: XV-dokusen"""
    rules = compile_ruleset({"options": {"dokusen": True, "exchange": "none"}})
    state = dealt_with(rules, {0: "S2 H2 D2 C2 JK"})
    assert [names(held & parse(["S2", "H2", "D2", "C2", "JK"])) for held in state.held] == [
        ("JK",),
        ("S2", "C2"),
        ("H2",),
        ("D2",),
    ]
    four = dealt_with(rules, {0: "S2 H2 D2 C2", 1: "JK"})
    assert names(four.held[0] & parse(["S2", "H2", "D2", "C2"])) == ("S2", "H2", "D2", "C2")
    first_hand = dealt_with(rules, {0: "S2 H2 D2 C2 JK"}, places=())
    assert names(first_hand.held[0] & parse(["S2", "JK"])) == ("S2", "JK")
    other = dealt_with(rules, {1: "S2 H2 D2 C2 JK"})
    assert names(other.held[1] & parse(["S2", "JK"])) == ("S2", "JK")


def test_of_two_packs_equal_twos_go_one_after_the_other_and_nobody_is_given_nothing() -> None:
    """rests: XV-dokusen"""
    options = {"dokusen": True, "exchange": "none", "decks": 2, "jokers": 3}
    rules = compile_ruleset({"options": options})
    other = deal_of(rules, {0: "S2 D2", 1: "S2 H2 D2 JK JK"}, places=(1, 0, 2, 3))
    gift = next(e for e in decide(rules, EMPTY, other) if isinstance(e, Gave))
    assert gift.cards == canonical(gift.cards)
    for held, others, shares in (
        ("S2 S2 H2 D2 JK", "H2 D2 C2 C2", [(1, ("S2", "D2")), (2, ("S2",)), (3, ("H2",))]),
        ("S2 H2 JK JK JK", "S2 H2 D2 D2 C2 C2", [(1, ("S2",)), (2, ("H2",))]),
    ):
        events = decide(rules, EMPTY, deal_of(rules, {0: held, 1: others}))
        gifts = [(e.to, names(e.cards)) for e in events if isinstance(e, Gave)]
        assert gifts == shares


def test_the_twos_go_away_after_the_exchange_and_others_see_no_suits() -> None:
    """rests: XV-dokusen"""
    rules = compile_ruleset({"options": {"dokusen": True, "next_lead": "winner"}})
    state = dealt_with(rules, {0: "S2 H2 D2 C2", 3: "JK"})
    state = said(rules, state, Give(3, parse(["JK"])))
    low = next(card for card in names(state.held[0]) if card[1] not in "2K")
    events = decide(rules, state, Give(0, parse([low])))
    gifts = [e for e in events if isinstance(e, Gave) and e.by == "dokusen"]
    assert [(e.to, names(e.cards)) for e in gifts] == [
        (1, ("S2", "C2")),
        (2, ("H2",)),
        (3, ("D2",)),
    ]
    assert {redact(e, 1).cards for e in gifts if isinstance(e, Gave)} == {0, parse(["S2", "C2"])}
    state = evolve(state, events)
    assert see(rules, state, None).counts == tuple(h.bit_count() for h in state.held)
    assert state.to_move == 0
    assert said(rules, state, Play(0, parse([names(state.held[0])[0]]))).trick


def test_a_hand_of_pairs_wins_nothing_where_only_a_whole_suit_does() -> None:
    """rests: XV-instant_wins"""
    for win, asked in (("tenho", [2]), ("monopoly", [])):
        rules = ruleset(instant_wins=[win], jokers=0, blind_cards=4)
        others = {0: "D3 C4", 1: "C3 D4", 3: "D5 C6"}
        state = dealt_with(rules, others | {2: PAIRS.removesuffix(" S9 H9")}, places=())
        assert [q.seat for q in state.questions] == asked, win


def test_a_whole_suit_wins_nothing_where_only_a_hand_of_pairs_does() -> None:
    """rests: XV-instant_wins"""
    rules = ruleset(instant_wins=["tenho"])
    assert not dealt_with(rules, MIXED | {2: HEARTS}, places=()).questions
    assert ruleset(instant_wins=["tenho"], suits=["S", "H"]).options["instant_wins"] == ("tenho",)


def test_what_a_win_throws_away_is_named_by_cards_whichever_copies_are_held() -> None:
    """rests: XV-instant_wins"""
    rules = ruleset(decks=2, players=8, jokers=0)
    state = dealt_with(rules, {0: "H5 HT", 2: HEARTS}, places=())
    thrown = next(e for e in decide(rules, state, Accept(2, True)) if isinstance(e, Discarded))
    assert thrown.cards == parse(HEARTS.split())
    six = {"instant_wins": ["tepodon"], "max_set": 6, "jokers": 2, "decks": 2}
    hands = "A S9 S3 / B S5 H5 D5 C5 JK JK S9 / C D3 D4"
    scene = table(six, hands, turn="B")
    play = Play(1, parse(["S5", "H5", "D5", "C5", "JK", "JK"]))
    events = decide(scene.rules, scene.state, play)
    assert [e.cards for e in events if isinstance(e, Discarded)] == [parse(["S9"])]


def test_a_whole_suit_may_have_one_of_its_cards_twice() -> None:
    """rests: XV-instant_wins"""
    assert whole_suit(parse(HEARTS.split()) & ~parse(["H9"]) | parse(["H9"]) << COPY)
    assert whole_suit(parse([*HEARTS.split(), "H3", "S9"]))
    assert not whole_suit(parse([*HEARTS.replace("HT", "H3").split(), "S9"]))


def test_a_run_of_six_with_two_jokers_is_no_tepodon_and_six_last_cards_throw_none_away() -> None:
    """rests: XV-instant_wins"""
    options = {"instant_wins": ["tepodon"], "max_set": 6, "jokers": 2}
    run = table(options, "A S4 S5 JK JK S8 S9 SK / B H3 H4 / C D3 D4")
    holds(after(run, "A S4 S5 JK JK S8 S9"), out=[], revolution=False, turn="B")
    six = "A S5 H5 D5 C5 JK JK"
    last, more = (table(options, f"{six}{rest} / B H3 H4 / C D3 D4") for rest in ("", " S9 S3"))
    play = Play(0, parse(["S5", "H5", "D5", "C5", "JK", "JK"]))
    for scene, shown in ((last, []), (more, [False])):
        events = decide(scene.rules, scene.state, play)
        assert [event.shown for event in events if isinstance(event, Discarded)] == shown
