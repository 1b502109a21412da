"""Choices after a play, cards that leave the table or a whole hand: what comes besides a play."""

from __future__ import annotations

from tests.rules.table import after, holds, table

NOW = {"kakumei": True, "kakumei_timing": "immediate", "kakumei_optional": True}
FOURS = "A S9 H9 D9 C9 S3 / B S8 H8 D8 C8 H3 / C D3 D4"
JACKS = {"jack_back": "trick", "jack_back_optional": True}


def test_a_revolution_may_be_accepted_or_declined() -> None:
    """rests: XV-kakumei_choice"""
    scene = after(table(NOW, FOURS), "A S9 H9 D9 C9")
    holds(scene, choice={"by": "A", "kind": "accept", "min": 1, "max": 1}, revolution=False)
    after(scene, "B pass !choice_pending, A pass !choice_pending, A accepts")
    holds(scene, revolution=True, turn="B", choice=None)
    holds(after(table(NOW, FOURS), "A S9 H9 D9 C9, A declines"), revolution=False, turn="B")


def test_only_who_is_asked_may_accept() -> None:
    """rests: XV-kakumei_choice"""
    after(table(NOW, FOURS), "A accepts !no_choice")
    after(table(NOW, FOURS), "A S9 H9 D9 C9, B accepts !choice_pending")
    scene = table({"ten_discard": "on_play"}, "A ST S3 S4 / B H3 H4")
    after(scene, "A ST, A accepts !choice_pending")


def test_an_optional_revolution_by_the_last_cards_is_asked_for_too() -> None:
    """rests: XV-kakumei_choice, AM-08"""
    scene = after(table(NOW, "A S9 H9 D9 C9 / B H8 H3 / C D3 D4"), "A S9 H9 D9 C9, A accepts")
    holds(scene, revolution=True, out=["A"], turn="B")


def test_a_declined_revolution_leaves_nothing_behind_and_an_accepted_one_all_it_does() -> None:
    """rests: XV-kakumei_choice, XV-kakumei_clears, XV-no_counter"""
    options = NOW | {"kakumei_clears": True, "kakumei_counter": False}
    yes = after(table(options, FOURS), "A S9 H9 D9 C9, A accepts")
    holds(yes, cleared=1, turn="A", revolution=True)
    no = after(table(options, FOURS), "A S9 H9 D9 C9, A declines")
    holds(no, cleared=0, turn="B", revolution=False)
    assert not no.state.hand_marks
    assert yes.state.hand_marks == {"revolution_stays": 1}


def test_after_a_revolution_that_stays_nobody_is_asked() -> None:
    """rests: XV-kakumei_choice, XV-no_counter"""
    options = NOW | {"kakumei_counter": False}
    scene = after(table(options, FOURS), "A S9 H9 D9 C9, A accepts, B S8 H8 D8 C8")
    holds(scene, revolution=True, choice=None, turn="C")


def test_whether_a_jack_reverses_is_asked_before_the_other_choices_of_the_play() -> None:
    """rests: XV-jack_options"""
    options = JACKS | {"ten_discard": "on_play"}
    scene = after(table(options, "A S9 ST SJ S3 S4 / B H3 H4"), "A S9 ST SJ")
    holds(scene, choice={"by": "A", "kind": "accept", "min": 1, "max": 1})
    holds(after(scene, "A accepts"), choice={"by": "A", "kind": "discard", "min": 0, "max": 1})
    holds(after(scene, "A discard S3"), jack=True, turn="B")
    holds(after(table(JACKS, "A SJ S3 / B H3 HK"), "A SJ, A declines, B HK"), jack=False)


def test_a_jack_in_a_play_that_clears_asks_nothing_about_the_trick() -> None:
    """rests: XV-jack_options, C-6"""
    options = JACKS | {"hachi_giri": True}
    run = "A S8 S9 ST SJ S3 / B H3 H4"
    holds(after(table(options, run), "A S8 S9 ST SJ"), choice=None, cleared=1)
    hand = options | {"jack_back": "hand"}
    scene = after(table(hand, run), "A S8 S9 ST SJ, A accepts")
    holds(scene, cleared=1, revolution=True, turn="A")


def test_four_jacks_that_clear_by_an_accepted_revolution_reverse_no_trick() -> None:
    """rests: XV-jack_options, XV-kakumei_clears"""
    options = NOW | JACKS | {"kakumei_clears": True}
    scene = after(table(options, "A SJ HJ DJ CJ S3 / B H3 H4"), "A SJ HJ DJ CJ, A accepts")
    holds(after(scene, "A accepts"), cleared=1, revolution=True, jack=False, turn="A")


def test_who_lays_four_jacks_is_asked_for_the_revolution_first() -> None:
    """rests: XV-jack_options XV-kakumei_choice"""
    options = NOW | JACKS | {"kakumei_optional": True}
    scene = after(table(options, "A SJ HJ DJ CJ S3 / B H3 H4"), "A SJ HJ DJ CJ, A declines")
    holds(scene, revolution=False, jack=False)
    holds(after(scene, "A accepts"), revolution=False, jack=True)


def test_three_jacks_reverse_the_next_trick_too_and_not_the_one_after() -> None:
    """rests: XV-jack_options"""
    options = {"jack_back": "trick", "jack_back_three": True}
    hands = "A SJ HJ DJ S9 S3 / B H9 HK / C C3 CK"
    scene = after(table(options, hands), "A SJ HJ DJ, B pass, C pass")
    holds(scene, cleared=1, jack=True, turn="A")
    holds(after(scene, "A S9, B HK !too_low, B pass, C pass"), jack=False, turn="A", cleared=2)
    answered = hands.replace("H9 HK", "H9 D9 C9 HK")
    scene = after(table(options, answered), "A SJ HJ DJ, B H9 D9 C9, C pass, A pass")
    holds(scene, cleared=1, jack=True, turn="B")
    two = after(table(options, hands), "A SJ HJ, B pass, C pass")
    holds(two, cleared=1, jack=False)


def test_where_jacks_stay_nobody_is_asked_about_a_second_one() -> None:
    """rests: XV-jack_options AM-26"""
    options = JACKS | {"jack_back_again": "stay", "equal_plays": True}
    scene = after(table(options, "A SJ S3 / B HJ H4 / C C9 C4"), "A SJ, A accepts, B HJ")
    holds(scene, choice=None, jack=True, turn="C")


def test_three_jacks_that_did_not_reverse_leave_nothing_for_the_next_trick() -> None:
    """rests: XV-jack_options"""
    options = JACKS | {"jack_back_three": True}
    scene = table(options, "A SJ HJ DJ S9 / B H9 HK / C C3 CK")
    holds(after(scene, "A SJ HJ DJ, A declines, B pass, C pass"), cleared=1, jack=False)


def test_three_sevens_that_nobody_beats_bring_their_player_out() -> None:
    """rests: XV-lucky_seven"""
    hands = "A S7 H7 D7 S3 S4 / B HK DK CK H4 / C C9 C4"
    scene = after(table({"lucky_seven": True}, hands), "A S7 H7 D7, B pass")
    holds(scene, out=[])
    holds(after(scene, "C pass"), out=["A"], turn="B", hand_A="", cleared=1)
    beaten = after(table({"lucky_seven": True}, hands), "A S7 H7 D7, B HK DK CK, C pass, A pass")
    holds(beaten, out=[], turn="B")
    pair = after(table({"lucky_seven": True}, hands), "A S7 H7, B pass, C pass")
    holds(pair, out=[], turn="A")
    run = table({"lucky_seven": True}, "A S7 S8 S9 S3 / B HK H4 / C C9 C4")
    holds(after(run, "A S7 S8 S9, B pass, C pass"), out=[], turn="A")


def test_three_sevens_of_who_is_out_already_change_nothing() -> None:
    """rests: XV-lucky_seven"""
    scene = after(table({"lucky_seven": True}, "A S7 H7 D7 / B HK H4 / C C9 C4"), "A S7 H7 D7")
    holds(after(scene, "B pass, C pass"), out=["A"], turn="B", ended=False)


def test_a_hand_may_end_by_three_sevens() -> None:
    """rests: XV-lucky_seven"""
    hands = "A S7 H7 D7 S3 S4 / B HK H4"
    scene = after(table({"lucky_seven": True}, hands), "A S7 H7 D7, B pass")
    holds(scene, ended=True, places=["A", "B"])


def test_four_twos_reverse_and_bring_their_player_out_at_once() -> None:
    """rests: XV-dai_kakumei"""
    options = {"dai_kakumei": True, "kakumei_timing": "immediate"}
    scene = after(table(options, "A S2 H2 D2 C2 S3 S4 / B HK H4 / C C9 C4"), "A S2 H2 D2 C2")
    holds(scene, out=["A"], revolution=True, turn="B", hand_A="")
    last = table(options | {"forbidden_finish": ["high_set"]}, "A S2 H2 D2 C2 / B HK / C C9 C4")
    holds(after(last, "A S2 H2 D2 C2"), fouled=["A"])


def test_an_ace_takes_the_cards_that_it_beats() -> None:
    """rests: XV-a_hiroi"""
    options = {"ace_take": True}
    scene = after(table(options, "A SA S3 / B HK H4 / C C2 C4", "C CK"), "A SA")
    holds(scene, hand_A="CK S3", turn="B")
    holds(after(scene, "B pass, C C2, A pass, B pass"), turn="C", cleared=1, hand_A="CK S3")
    pair = table(options, "A SA JK S3 / B HK H4", "B DK CK")
    holds(after(pair, "A SA JK"), hand_A="CK DK S3")


def test_an_ace_takes_no_aces_nothing_as_a_last_card_and_nothing_in_a_run() -> None:
    """rests: XV-a_hiroi"""
    options = {"ace_take": True, "equal_plays": True}
    holds(after(table(options, "A SA S3 / B HK H4", "B CA"), "A SA"), hand_A="S3")
    last = after(table(options, "A SA / B HK H4 / C C5 C6", "B CK"), "A SA")
    holds(last, out=["A"], hand_A="")
    run = table(options, "A SQ SK SA S3 / B HK H4", "B DJ DQ DK")
    holds(after(run, "A SQ SK SA"), hand_A="S3")
    past = options | {"sequence_past_two": True}
    low = table(past, "A SA S2 JK S3 / B HK H4", "B DJ DQ DK")
    holds(after(low, "A SA S2 JK"), hand_A="S3")
    holds(after(table(options, "A SA S3 / B HK H4"), "A SA"), hand_A="S3")
    holds(after(table(options, "A SK S3 / B HK H4", "B HQ"), "A SK"), hand_A="S3")
