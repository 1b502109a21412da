"""How a trick goes on and ends: laps, lockouts, skips, directions, the last who has not passed."""

from __future__ import annotations

from tests.rules.table import after, holds, table

DENEXA = {"pass_lockout": True, "out_lead": "sole_survivor"}


def test_the_only_one_who_has_not_passed_leads_when_the_winner_is_gone() -> None:
    """rests: AM-51"""
    scene = table(DENEXA, "A S9 / B H4 HJ / C D4 DK / D C4 CK", "D C3", locked_out=["C", "D"])
    after(scene, "A S9")
    holds(scene, out=["A"], cleared=1, turn="B")


def test_without_lockout_not_passed_means_since_the_last_play() -> None:
    """rests: OR-05"""
    options = {"out_lead": "sole_survivor"}
    scene = table(options, "A S9 / B H4 HJ / C D4 DK / D C4 CK", "D C3")
    after(scene, "A S9, B pass")
    holds(scene, turn="C", cleared=0)
    after(scene, "C pass")
    holds(scene, turn="D", cleared=1)


def test_with_one_lap_the_next_to_the_left_of_the_winner_leads() -> None:
    """rests: OR-06"""
    options = {"trick": "one_lap", "out_lead": "sole_survivor"}
    scene = table(options, "A S9 / B H4 HJ / C D4 DK", "C D3", turn="A")
    after(scene, "A S9")
    holds(scene, turn="B", cleared=0)
    after(scene, "B pass")
    holds(scene, turn="B", cleared=1)


def test_a_leader_who_has_passed_is_not_asked_again_in_the_lap_if_a_pass_bars() -> None:
    options = {
        "trick": "one_lap",
        "pass_lockout": True,
        "lead_pass": "always",
        "max_idle_passes": 9,
    }
    scene = table(options, "A S9 S3 / B H4 HJ / C D5 DK")
    after(scene, "A pass, B H4, C D5")
    holds(scene, turn="C", cleared=1)


def test_a_leader_who_has_passed_has_his_turn_in_the_lap_if_a_pass_does_not_bar() -> None:
    options = {"trick": "one_lap", "lead_pass": "always", "max_idle_passes": 9}
    scene = table(options, "A S9 S3 / B H4 HJ / C D5 DK")
    after(scene, "A pass, B H4, C D5, A S9")
    holds(scene, turn="A", cleared=1)


def test_if_all_are_barred_on_the_empty_table_the_bars_fall() -> None:
    """rests: OR-01"""
    options = {"pass_lockout": True, "lead_pass": "always", "max_idle_passes": 9}
    scene = table(options, "A S9 S3 / B H4 HJ / C D5 DK")
    after(scene, "A pass, B pass, C pass")
    holds(scene, turn="A")
    after(scene, "A S3, B H4")
    holds(scene, turn="C")


def test_the_last_player_goes_on_over_his_own_play_until_he_passes() -> None:
    """rests: XV-unbeaten_self C-10"""
    options = {"trick": "unbeaten_self", "pass_lockout": True}
    scene = table(options, "A S9 SJ S3 / B H4 HJ")
    after(scene, "A S9, B pass, A SJ, A pass")
    holds(scene, cleared=1, turn="A")


def test_the_owner_is_asked_once_more_when_all_others_are_skipped() -> None:
    """rests: C-10"""
    options = {"trick": "unbeaten_self", "go_tobi": "per_card"}
    scene = table(options, "A S5 H5 S3 S6 / B H4 HJ / C D4 DJ")
    after(scene, "A S5 H5")
    holds(scene, cleared=0, turn="A")
    after(scene, "A pass")
    holds(scene, cleared=1, turn="A")


def test_if_all_others_are_skipped_the_table_is_cleared() -> None:
    """rests: AM-60"""
    scene = table({"go_tobi": "per_card"}, "A S5 H5 S3 S6 / B H4 HJ / C D4 DJ")
    after(scene, "A S5 H5")
    holds(scene, cleared=1, turn="A")


def test_a_skip_hits_the_next_who_may_still_act() -> None:
    """rests: OR-25"""
    options = {"go_tobi": "one", "pass_lockout": True}
    hands = "A S5 S6 / B H4 HJ / C D4 DJ / D C4 CJ"
    scene = table(options, hands, "D C3", locked_out=["B"])
    after(scene, "A S5")
    holds(scene, turn="D")


def test_skips_follow_the_direction_that_a_nine_in_the_same_run_turns() -> None:
    options = {"go_tobi": "one", "kyu_reverse": "hand", "sequence_min": 3}
    hands = "A S5 S6 S7 S8 S9 S3 / B H4 HJ / C D4 DJ / D C4 CJ"
    scene = table(options, hands)
    after(scene, "A S5 S6 S7 S8 S9")
    holds(scene, direction="ccw", turn="C")


def test_no_skips_after_a_clear() -> None:
    """rests: OR-24"""
    options = {"go_tobi": "one", "hachi_giri": True}
    scene = table(options, "A S5 S6 S7 S8 S3 / B H4 HJ / C D4 DJ")
    after(scene, "A S5 S6 S7 S8")
    holds(scene, cleared=1, turn="A")


def test_a_turn_for_the_trick_is_turned_back_before_the_new_lead() -> None:
    """rests: C-4"""
    scene = table({"kyu_reverse": "trick"}, "A S9 / B H4 HJ / C D4 DJ", "C D3")
    after(scene, "A S9")
    holds(scene, direction="ccw", turn="C")
    after(scene, "C pass, B pass")
    holds(scene, direction="cw", turn="B")


def test_each_has_one_turn_in_a_lap_in_whatever_direction() -> None:
    """rests: OR-51"""
    options = {"trick": "one_lap", "kyu_reverse": "hand"}
    scene = table(options, "A S4 S3 / B H9 HJ / C D4 DJ / D C4 CJ")
    after(scene, "A S4, B H9")
    holds(scene, turn="D")
    after(scene, "D pass, C pass")
    holds(scene, cleared=1, turn="B")


def test_the_table_is_cleared_at_once_when_nobody_who_may_act_can_beat_it() -> None:
    """rests: OR-39"""
    options = {"auto_clear": True, "pass_lockout": True}
    scene = table(options, "A S9 S3 / B H4 H5 / C DJ D5 / D C4 C5", "D C3", locked_out=["C"])
    after(scene, "A S9")
    holds(scene, cleared=1, turn="A")
