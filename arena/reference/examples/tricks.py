"""Played examples of the options in `arena.rules.options.tricks`."""

from __future__ import annotations

from arena.reference.scenes import Example, ExampleHand

IDLE = "A S3 S4 S5 / B H4 / C C9 D4"

EXAMPLES: dict[str, Example] = {
    "trick": ExampleHand(
        {"trick": "one_lap"},
        "A S5 S9 S3 / B H7 H3 / C C9 D4",
        "A S5, B H7, C pass, B H3",
    ),
    "pass_lockout": ExampleHand(
        {"pass_lockout": True},
        "A S5 S9 S3 / B HK H3 / C C7 CA D4",
        "A S5, B pass, C C7, A S9, C CA",
    ),
    "out_lead": ExampleHand(
        {"pass_lockout": True, "out_lead": "sole_survivor"},
        "A S5 S3 / B HA H3 / C C7 D4 / D DK",
        "A S5, B pass, C C7, D DK, A pass, C D4",
    ),
    "auto_clear": ExampleHand(
        {"auto_clear": True},
        "A S2 S4 / B HK H3 / C C9 D4",
        "A S2, A S4",
    ),
    "lead_pass": ExampleHand(
        {"lead_pass": "always", "max_idle_passes": 20},
        "A S5 S9 / B H7 H3 / C C9 D4",
        "A pass, B H7",
    ),
    "max_idle_passes": ExampleHand(
        {"lead_pass": "always", "max_idle_passes": 3},
        IDLE,
        "A pass, B pass, C pass",
        instead=20,
    ),
    "idle_rank": ExampleHand(
        {"lead_pass": "always", "max_idle_passes": 3, "idle_rank": "random"},
        IDLE,
        "A pass, B pass, C pass",
    ),
}
