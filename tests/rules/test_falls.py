"""What follows from the fall of the winner: his second falls too, or he loses his high cards."""

from __future__ import annotations

from arena.rules import decide
from arena.rules.cards import parse
from arena.rules.commands import Play
from arena.rules.events import Discarded, Fell
from tests.rules.table import after, holds, table

FU = {"miyako_ochi": "drop", "fu_ochi": True}
HANDS = "A S9 S4 / B HT H3 / C CK / D DA / E D5 D6 / F C5 C6"


def test_the_second_who_does_not_come_in_second_falls_with_the_first() -> None:
    """rests: XV-fu_ochi"""
    scene = table(FU, HANDS, prev_places=list("ABCDEF"))
    holds(after(scene, "A S9, B HT, C CK"), fallen="A", hand_A="", hand_B="H3")
    holds(after(scene, "D DA"), hand_B="", turn="E")
    assert scene.state.fallen == (0, 1)
    after(scene, "E pass, F pass, E D5, F C6, E pass, F C5")
    holds(scene, ended=True, places=list("CDFEBA"))


def test_a_second_who_comes_in_second_or_first_does_not_fall() -> None:
    """rests: XV-fu_ochi"""
    scene = table(FU, "A S9 S4 / B HT / C CK / D DA D3 / E D5 D6", prev_places=list("ABCDE"))
    after(scene, "A S9, B HT, C CK")
    assert (scene.state.out, scene.state.fallen) == ((1, 2), (0,))
    second = table(FU, "A S9 S4 / B HT HA / C CK / D DA D3 / E D5", prev_places=list("CBADE"))
    after(second, "A S9, B HT, C CK")
    assert (second.state.out, second.state.fallen) == ((2,), ())


def test_without_a_fall_of_the_first_the_second_does_not_fall() -> None:
    """rests: XV-fu_ochi"""
    scene = table(FU, "A S9 / B HT H3 / C CK / D DA D3 / E D5 D6", prev_places=list("ABCDE"))
    after(scene, "A S9, B HT, C CK")
    assert (scene.state.out, scene.state.fallen) == ((0, 2), ())


def test_one_who_has_fallen_and_plays_on_is_not_counted_as_second() -> None:
    """rests: XV-fu_ochi"""
    options = {"miyako_ochi": "play_on", "fu_ochi": True}
    hands = "A S9 SK / B HT H3 / C CJ / D DA D2 D3 / E D5 D6"
    scene = after(table(options, hands, prev_places=list("ABCDE")), "A S9, B HT, C CJ")
    after(scene, "D pass, E pass, A SK")
    assert (scene.state.out, scene.state.fallen) == ((2, 0), (0,))
    after(scene, "B pass, D DA, E pass, B pass, D D3, E D5, B pass, D D2")
    assert (scene.state.out, scene.state.fallen) == ((2, 0, 3), (0, 1))
    holds(after(scene, "E pass, B pass, E D6"), ended=True, places=list("CDEBA"))


def test_a_second_who_has_fouled_stays_below_the_fallen() -> None:
    """rests: XV-fu_ochi AM-48"""
    options = FU | {"forbidden_finish": ["high_set"]}
    hands = "A S9 S4 / B H2 / C CK CA / D JK / E D5 D6"
    scene = after(table(options, hands, prev_places=list("ABCDE")), "A S9, B H2, C pass, D JK")
    holds(scene, fouled=["B"], out=["D"], fallen="A")
    after(scene, "E pass, C pass, E D5, C CK, E pass, C CA")
    holds(scene, ended=True, places=list("DCEAB"))


def test_where_passes_end_the_hand_their_places_decide() -> None:
    """rests: XV-fu_ochi OR-65"""
    options = FU | {"lead_pass": "always", "max_idle_passes": 5}
    hands = "A S9 S4 S5 / B HT H3 H4 / C CK / D DA D2 / E D5 D6 D7"
    passes = "A pass, B pass, C pass, D pass, E pass"
    scene = after(table(options, hands, prev_places=list("ABCDE")), passes)
    holds(scene, ended=True, places=list("CDEBA"))
    second = "A S9 S4 S5 / B HT H3 / C CK / D DA D2 D4 / E D5 D6 D7"
    scene = after(table(options, second, prev_places=list("ABCDE")), passes)
    holds(scene, ended=True, places=list("CBDEA"))


BY_PASSES = {"lead_pass": "always", "max_idle_passes": 5}
ALL_PASS = "A pass, B pass, C pass, D pass, E pass"


def test_where_passes_end_the_hand_who_has_fallen_before_is_no_second() -> None:
    """rests: XV-fu_ochi OR-65"""
    hands = "A S9 S4 / B HT H3 H4 / C CK / D DA D2 / E D5 D6 D7"
    scene = table(FU | BY_PASSES, hands, prev_places=list("ABCDE"))
    after(scene, "A S9, B HT, C CK, D pass, E pass, B pass, D pass, E pass")
    holds(scene, ended=True, places=list("CBDEA"))
    assert scene.state.fallen == (0,)
    third = "A S9 S4 / B HT H3 H4 / C CK / D D2 / E D5 D6 D7"
    scene = table(FU | BY_PASSES, third, prev_places=list("ABCDE"))
    after(scene, "A S9, B HT, C CK, D pass, E pass, B pass, D pass, E pass")
    holds(scene, ended=True, places=list("CDEBA"))
    assert scene.state.fallen == (0, 1)


def test_who_has_fallen_and_plays_on_does_not_fall_again_where_passes_end_the_hand() -> None:
    """rests: OR-65 XV-after_fall"""
    options = {"miyako_ochi": "play_on"} | BY_PASSES
    hands = "A S9 S4 / B HT H3 H4 / C CK / D DA D2 / E D5 D6 D7"
    scene = table(options, hands, prev_places=list("ABCDE"))
    after(scene, "A S9, B HT, C CK, D pass, E pass, A pass, B pass, D pass")
    holds(scene, ended=True, places=list("CBDEA"))
    assert scene.state.fallen == (0,)
    stripped = options | {"mura_hachibu": True}
    scene = table(stripped, hands, prev_places=list("ABCDE"), turn="B")
    after(scene, "B pass, C pass, D pass, E pass, A pass")
    holds(scene, ended=True, fallen="A", hand_A="S4 S9")


def test_where_passes_end_the_hand_the_fallen_first_makes_room_for_a_second() -> None:
    """The old winner would be second by his cards: he falls, and the old second comes in second.

    rests: XV-fu_ochi OR-65
    """
    hands = "A S9 S4 / B HT H3 H4 / C CK / D DA D2 D3 D4 / E D5 D6 D7 D8"
    for options in (FU, {"miyako_ochi": "drop"}):
        scene = table(options | BY_PASSES, hands, prev_places=list("ABCDE"))
        holds(after(scene, ALL_PASS), ended=True, places=list("CBDEA"))
        assert scene.state.fallen == (0,)


def test_without_fu_ochi_the_second_keeps_the_place_that_passes_give_him() -> None:
    """rests: XV-fu_ochi OR-65"""
    hands = "A S9 S4 S5 / B HT H3 H4 / C CK / D DA D2 / E D5 D6 D7 D8"
    scene = table({"miyako_ochi": "drop"} | BY_PASSES, hands, prev_places=list("ABCDE"))
    holds(after(scene, ALL_PASS), ended=True, places=list("CDBEA"))


def test_where_passes_make_the_old_winner_first_again_his_second_falls_only_by_kyo_ochi() -> None:
    """rests: XV-fu_ochi XV-kyo_ochi OR-65"""
    hands = "A S9 / B HT H3 H4 / C CK C4 / D DA D2 / E D5 D6 D7 D8"
    for more, fallen in (({}, ()), ({"kyo_ochi": "drop"}, (1,))):
        scene = table(FU | BY_PASSES | more, hands, prev_places=list("ABCDE"))
        after(scene, ALL_PASS)
        assert scene.state.fallen == fallen


def test_who_falls_as_the_hand_ends_by_passes_keeps_his_cards_also_by_fu_ochi() -> None:
    """rests: XV-fu_ochi OR-65"""
    hands = "A S9 S4 S5 / B HT H3 H4 / C CK / D DA D2 / E D5 D6 D7"
    scene = after(table(FU | BY_PASSES, hands, prev_places=list("ABCDE")), ALL_PASS)
    holds(scene, places=list("CDEBA"), hand_A="S4 S5 S9", hand_B="H3 H4 HT")


def test_who_falls_and_plays_on_loses_his_cards_from_nine_upwards() -> None:
    """rests: XV-after_fall"""
    options = {"miyako_ochi": "play_on", "mura_hachibu": True}
    hands = "A S9 S8 SK SA S2 JK S9 / B HT / C C4 CK"
    scene = after(table(options | {"decks": 2}, hands, prev_places=list("ABC")), "A S9, B HT")
    holds(scene, fallen="A", hand_A="S8", turn="C")
    before = after(table(options | {"decks": 2}, hands, prev_places=list("ABC")), "A S9")
    events = decide(before.rules, before.state, Play(1, parse(["HT"])))
    assert [event.shown for event in events if isinstance(event, Discarded)] == [False]
    after(scene, "C CK, A pass, C C4")
    holds(scene, ended=True, places=list("BCA"))


def test_who_would_lose_all_his_cards_drops_at_once() -> None:
    """rests: XV-after_fall"""
    options = {"miyako_ochi": "play_on", "mura_hachibu": True}
    hands = "A S9 SK / B HT / C C4 CK / D D4 D5"
    scene = after(table(options, hands, prev_places=list("ABCD")), "A S9, B HT")
    holds(scene, fallen="A", hand_A="", turn="C")
    holds(after(scene, "C CK, D pass, C C4"), ended=True, places=list("BCDA"))
    before = after(table(options, hands, prev_places=list("ABCD")), "A S9")
    events = decide(before.rules, before.state, Play(1, parse(["HT"])))
    assert [event.stays for event in events if isinstance(event, Fell)] == [False]
    assert not any(isinstance(event, Discarded) for event in events)


def test_who_falls_by_kyo_ochi_and_plays_on_keeps_his_cards_from_nine_upwards() -> None:
    """rests: XV-after_fall XV-kyo_ochi"""
    options = {"miyako_ochi": "play_on", "kyo_ochi": "play_on", "mura_hachibu": True}
    for held in ("H9 HK", "H4 HK"):
        scene = table(options, f"A S9 / B {held} / C C4 CK / D D4", prev_places=list("ABCD"))
        holds(after(scene, "A S9"), fallen="B", hand_B=held, turn="B")
