"""Tricks: how long one goes on, what a pass means, who leads when its owner is gone."""

from __future__ import annotations

from typing import Final

from arena.rules.catalogue import SWITCH, Choice, Need, Option, Options, Whole, rule
from arena.rules.needs import GOES_ON
from arena.rules.wiring import Wiring


def _leaders_may_pass(o: Options) -> bool:
    """Can there be a pass on the empty table?"""
    return bool(o["lead_pass"] == "always" or o["forbidden_effect"] == "refuse")


PASSES_OUTLAST: Final = Need(
    ("trick",),
    lambda o: o["trick"] != "one_lap" or _leaders_may_pass(o),
    "a trick of more than one turn each",
)
PASSES_END_IT: Final = Need(
    ("trick", "agari_nagashi"),
    lambda o: o["trick"] != "one_lap" and not o["agari_nagashi"],
    "tricks that go on after their owner is out, and end by passes",
)
LEADERS_PASS: Final = Need(("lead_pass",), lambda o: o["lead_pass"] == "always", "lead_pass always")


@rule(
    Option(
        "trick",
        "unbeaten",
        Choice(("unbeaten", "one_lap", "unbeaten_self")),
        "The table is cleared when nobody else will beat the last play, after one turn each, or "
        "when the last player has passed on his own play too.",
        (
            "PG-34",
            "RU-20",
            "RU-21",
            "AM-52",
            "OR-51",
            "C-10",
            "XV-unbeaten_self",
            "PG-33",
            "PG-36",
            "FO-15",
            "FO-23",
            "RU-17",
        ),
        also=("全員パスまで",),
    ),
    Option(
        "pass_lockout",
        False,
        SWITCH,
        "Who passes is out of the trick until the table is cleared.",
        ("PG-40", "PG-98", "DX-09", "FO-24", "OR-01", "AM-50", "XV-pass_lock", "FO-25"),
        "パス制限",
        "pasu seigen",
        also=("pass lock",),
        needs=(PASSES_OUTLAST,),
    ),
    Option(
        "out_lead",
        "next_left",
        Choice(("next_left", "sole_survivor")),
        "Who leads when the owner of an unbeaten play is out: the next with cards, or the only "
        "one who has not passed.",
        ("PG-43", "DX-10", "AM-51", "OR-05", "OR-06", "FO-28"),
        needs=(PASSES_END_IT, GOES_ON),
        same_as=lambda o: o["out_lead"] if o["players"] > 2 else "next_left",
    ),
    Option(
        "auto_clear",
        False,
        SWITCH,
        "The table is cleared at once when nobody could beat the play; it shows what is not held.",
        ("AM-55", "OR-39", "OR-69"),
    ),
)
def tricks(wire: Wiring, o: Options) -> None:
    """How a trick goes on and ends."""
    one_lap = o["trick"] == "one_lap"
    wire.playing(
        one_lap=one_lap,
        own_turn=o["trick"] == "unbeaten_self",
        lockout=o["pass_lockout"],
        sole_survivor=o["out_lead"] == "sole_survivor" and not one_lap,
        auto_clear=o["auto_clear"],
    )


@rule(
    Option(
        "lead_pass",
        "if_stuck",
        Choice(("never", "if_stuck", "always")),
        "May the leader pass: never, only without a legal play, or always.",
        ("AM-24", "AM-30", "C-3", "OR-02", "XV-kuba_pass"),
        "空場パス",
        "kūba pasu",
        needs=(
            Need(
                ("max_idle_passes",),
                lambda o: o["lead_pass"] != "always" or o["max_idle_passes"] > 0,
                "a limit",
                "passing never ends (C-2)",
            ),
        ),
        same_as=lambda o: "if_stuck" if o["lead_pass"] == "never" else o["lead_pass"],
    ),
    Option(
        "max_idle_passes",
        0,
        Whole(0, 1000),
        "With lead_pass always: the hand ends after this many passes in a row.",
        ("AM-79", "C-2"),
        needs=(LEADERS_PASS,),
    ),
    Option(
        "idle_rank",
        "cards",
        Choice(("cards", "random")),
        "How those left rank after too many passes: by fewest cards, or by lot (contest rules).",
        ("C-2",),
        needs=(LEADERS_PASS,),
    ),
)
def idling(wire: Wiring, o: Options) -> None:
    """Passing on the empty table."""
    wire.playing(
        lead_pass=o["lead_pass"] == "always",
        max_idle=o["max_idle_passes"] if o["lead_pass"] == "always" else 0,
        idle_by_lot=o["idle_rank"] == "random",
    )
