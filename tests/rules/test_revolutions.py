"""Further revolutions, those that stay, and what a revolution does besides."""

from __future__ import annotations

from tests.rules.table import after, holds, table

NOW = {"kakumei": True, "kakumei_timing": "immediate"}
FOURS = "A S9 H9 D9 C9 S3 / B S8 H8 D8 C8 H3 / C D3 D4"


def test_two_jokers_reverse() -> None:
    """rests: XV-joker_kakumei"""
    options = {"joker_kakumei": True, "jokers": 2, "kakumei_timing": "immediate"}
    holds(after(table(options, "A JK JK S3 / B H4 H5"), "A JK JK"), revolution=True)
    holds(after(table(options, "A S4 JK S3 / B H4 H5"), "A S4 JK"), revolution=False)
    holds(after(table(options, "A JK S3 / B H4 H5"), "A JK"), revolution=False)


def test_three_of_a_kind_reverse_where_the_federation_plays_three() -> None:
    """rests: XV-league3"""
    hands = "A S9 H9 D9 S3 / B S8 H8 D8 H3"
    holds(after(table(NOW | {"kakumei_set": 3}, hands), "A S9 H9 D9"), revolution=True)
    holds(after(table(NOW, hands), "A S9 H9 D9"), revolution=False)
    genuine = NOW | {"kakumei_set": 3, "kakumei_joker": False}
    scene = table(genuine, "A S9 H9 JK S3 / B S8 H8 D8 H3")
    holds(after(scene, "A S9 H9 JK"), revolution=False)


def test_without_counter_revolution_the_first_one_stays() -> None:
    """rests: XV-no_counter"""
    scene = after(table(NOW | {"kakumei_counter": False}, FOURS), "A S9 H9 D9 C9, B S8 H8 D8 C8")
    holds(scene, revolution=True)
    holds(after(table(NOW, FOURS), "A S9 H9 D9 C9, B S8 H8 D8 C8"), revolution=False)


def test_four_of_a_kind_are_no_run_that_reverses() -> None:
    """rests: XV-kaidan_kakumei"""
    options = {"kakumei_sequence": 4, "kakumei_timing": "immediate"}
    hands = "A S9 H9 D9 C9 S4 S5 S6 S7 S3 / B H3 H4"
    holds(after(table(options, hands), "A S9 H9 D9 C9"), revolution=False)
    holds(after(table(options, hands), "A S4 S5 S6 S7"), revolution=True)


def test_a_pending_revolution_stays_too() -> None:
    """rests: XV-no_counter, AM-02"""
    options = {"kakumei": True, "kakumei_counter": False}
    hands = "A S9 H9 D9 C9 S3 / B ST HT DT CT H3 / C D3 D4"
    scene = after(table(options, hands), "A S9 H9 D9 C9, B ST HT DT CT")
    holds(scene, pending=True)
    holds(after(scene, "C pass, A pass"), revolution=True, turn="B")


def test_a_revolution_that_stays_does_not_hinder_jacks() -> None:
    """rests: XV-no_counter, C-5"""
    options = NOW | {"kakumei_counter": False, "jack_back": "trick"}
    scene = table(options, "A SJ HJ DJ CJ S3 / B H3 H4")
    holds(after(scene, "A SJ HJ DJ CJ"), revolution=True, jack=True)


def test_a_revolution_of_five_cards_stays_and_one_of_four_does_not() -> None:
    """rests: XV-cho_kakumei"""
    options = NOW | {"kakumei_lock_at": 5, "max_set": 5}
    later = ", B pass, C pass, A S4, B H3, C pass, A pass, B S8 H8 D8 C8"
    rest = "/ B S8 H8 D8 C8 H3 H5 / C D3 D4"
    five = table(options, "A S9 H9 D9 C9 JK S3 S4" + rest)
    holds(after(five, "A S9 H9 D9 C9 JK" + later), revolution=True)
    four = table(options, "A S9 H9 D9 C9 S3 S4" + rest)
    holds(after(four, "A S9 H9 D9 C9" + later), revolution=False)


def test_the_omen_stays_for_the_hand_and_another_triplet_does_not() -> None:
    """rests: XV-kakumei_triples"""
    options = NOW | {"kakumei_triples": ["6", "7"], "omen_final": True}
    hands = "A S6 H6 D6 S7 H7 D7 S3 / B S5 H5 D5 C5 H3 H4 / C D3 D4"
    scene = after(table(options, hands), "A S6 H6 D6, B pass, C pass, A S7 H7 D7")
    holds(scene, revolution=True)
    scene = after(table(options, hands), "A S7 H7 D7, B pass, C pass, A S6 H6 D6")
    holds(scene, revolution=False)
    holds(after(scene, "B pass, C pass, A S3"), revolution=False)


def test_a_triplet_with_a_joker_reverses_unless_jokers_do_not_count() -> None:
    """rests: XV-kakumei_triples OR-14 AM-05"""
    options = NOW | {"kakumei_triples": ["9"]}
    hands = "A S9 H9 JK S3 / B H4 H5 / C D3 D4"
    holds(after(table(options, hands), "A S9 H9 JK"), revolution=True)
    real = options | {"kakumei_joker": False}
    holds(after(table(real, hands), "A S9 H9 JK"), revolution=False)


def test_a_revolution_may_clear_the_table() -> None:
    """rests: XV-kakumei_clears"""
    options = {"kakumei": True, "kakumei_clears": True}
    scene = after(table(options, FOURS), "A S9 H9 D9 C9")
    holds(scene, cleared=1, revolution=True, pending=False, turn="A")


def test_a_revolution_that_does_not_take_place_clears_nothing() -> None:
    """rests: XV-kakumei_clears, XV-no_counter"""
    options = NOW | {"kakumei_clears": True, "kakumei_counter": False}
    hands = "A S9 H9 D9 C9 S4 S3 / B S8 H8 D8 C8 H3 H4 / C D3 D4"
    scene = after(table(options, hands), "A S9 H9 D9 C9, A S4, B H3, C pass, A pass")
    holds(after(scene, "B S8 H8 D8 C8"), cleared=2, revolution=True, turn="C")


def test_under_a_revolution_other_ranks_clear_and_a_jack_is_no_revolution() -> None:
    """rests: XV-five_six_seven_cut"""
    options = {"kakumei_cuts": ["5", "6"], "jack_back": "trick"}
    hands = "A S5 S3 / B H6 H4 / C D4 D5"
    holds(after(table(options, hands, revolution=True), "A S5"), cleared=1, turn="A")
    holds(after(table(options, hands), "A S5"), cleared=0)
    jack = table(options, hands, "C CJ", jack=True)
    holds(after(jack, "A S5"), cleared=0)
    run = table(options, "A S4 S5 S6 S3 / B H6 H4", revolution=True)
    holds(after(run, "A S4 S5 S6"), cleared=1)


def test_the_run_of_court_cards_clears_and_no_other() -> None:
    """rests: XV-igen"""
    hands = "A SJ SQ SK SA S3 / B H6 H4"
    holds(after(table({"igen": True}, hands), "A SJ SQ SK"), cleared=1, turn="A")
    holds(after(table({"igen": True}, hands), "A SQ SK SA"), cleared=0)
    holds(after(table({"igen": True}, hands), "A SJ SQ SK SA"), cleared=0)
    joker = table({"igen": True}, "A SJ JK SK S3 / B H6 H4")
    holds(after(joker, "A SJ JK SK as SQ"), cleared=1)


def test_the_lowest_rank_may_be_laid_on_the_highest_and_clears() -> None:
    """rests: XV-ansatsu"""
    options = {"ansatsu": True}
    hands = "A S3 H3 S2 S9 S8 / B H4 H5 / C D4 D5"
    holds(after(table(options, hands, "C C2"), "A S3"), cleared=1, turn="A")
    reversed_ = table(options, hands, "C C3", revolution=True)
    holds(after(reversed_, "A S3 !too_low, A S2"), cleared=1, turn="A")
    after(table(options, hands, "C C2"), "A S8 !too_low")
    after(table(options, hands, "C CA"), "A S3 !too_low")
    after(table(options, hands, "C C2 D2"), "A S3 H3 !too_low")
    more = table(options, "A S3 H3 S4 S5 S9 / B H4 H5", "B C2")
    after(more, "A S3 H3 !wrong_kind, A S3 S4 S5 !wrong_kind")
    after(table({}, hands, "C C2"), "A S3 !too_low")


def test_a_murder_needs_the_order_in_force_and_obeys_locks() -> None:
    """rests: XV-ansatsu"""
    options = {"ansatsu": True, "jack_back": "trick", "shibari": "full", "kakumei": True}
    hands = "A S3 H3 S2 S9 S8 / B H4 H5 / C D4 D5"
    jack = table(options, hands, "B SJ, C C3", jack_reversal=True)
    holds(after(jack, "A S2"), cleared=1)
    ordinary = table(options, hands, "C C2", revolution=True)
    holds(after(ordinary, "A S3"), cleared=0, turn="B")
    locked = table(options, hands, "B HA, C H2", lock=["H"])
    holds(after(locked, "A S3 !suit_locked, A H3"), cleared=1)


def test_under_a_revolution_the_spade_two_answers_a_single_joker() -> None:
    """rests: XV-spade_two"""
    hands = "A S2 S9 / B H4 H5 / C D4 D5"
    clears, beatable = {"spade_two": "clears"}, {"spade_two": "beatable", "shibari": "full"}
    holds(after(table(clears, hands, "C JK", revolution=True), "A S2"), cleared=1, turn="A")
    scene = after(table(beatable, hands, "C JK", revolution=True, lock=["D"]), "A S2")
    holds(scene, cleared=0, turn="B")
    after(table(clears, hands, "C JK"), "A S2 !too_low")
    after(table(clears, hands, "C CK", revolution=True), "A S2 !too_low")
    after(table({}, hands, "C JK", revolution=True), "A S2 !too_low")
    jack = clears | {"jack_back": "trick"}
    after(table(jack, hands, "B SJ, C JK", jack_reversal=True), "A S2 !too_low")
    both = table(jack, hands, "B SJ, C JK", jack_reversal=True, revolution=True)
    holds(after(both, "A S2"), cleared=1)
