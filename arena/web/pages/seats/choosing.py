"""The form in which a person chooses a table: its values for a template, and what is wished for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from arena.organising.casual import MIXED, MOST_HANDS, CasualTable
from arena.rules.patches import PATCHES
from arena.rules.presets import PRESETS
from arena.rules.ruleset import DEFAULT_PRESET
from arena.rules.short_form import read_short_form
from arena.session.config import SIZES
from arena.session.people import NO_CLOCK, USUAL
from arena.settings import Settings
from arena.web.api.browser_forms import Form, first_text, whole_number

POPULAR = (
    *("pagat.kakumei", "pagat.hachi_giri", "pagat.shibari", "pagat.jack", "pagat.spade_three"),
    *("pagat.miyako_ochi", "local.go_tobi", "local.nana_watashi", "local.ten_discard"),
    "local.kyu_reverse",
)
"""Patches that can be ticked; all others are written."""
STRENGTH_WORDS: Mapping[str, str] = {
    MIXED: "mixed",
    "random": "random: plays anything",
    "lowest": "lowest: plays the lowest it can",
    "heuristic": "heuristic: plans its hand",
}
CLOCK_WORDS: Mapping[str, str] = {
    USUAL: "30 seconds a turn, and 2 minutes in reserve",
    "x1.5": "half as long again",
    "x2": "twice as long",
    NO_CLOCK: "no clock (the table ends when nobody answers for an hour)",
}
HANDS = (1, 3, 5, 10, MOST_HANDS)


class OfferedChoice(NamedTuple):
    """One thing that can be chosen. value: as the form sends it."""

    value: str
    words: str
    chosen: bool
    kanji: str = ""
    says: str = ""


def start_values(strengths: Sequence[str], settings: Settings, kept: Form) -> dict[str, Any]:
    """The form. strengths: of the house bots that are here; kept: what was chosen before."""
    one = partial(first_text, kept)
    return {
        "open": bool(strengths) and settings.casual_tables > 0,
        "name": one("name", ""),
        "more": one("more", ""),
        "presets": _choices(
            {name: f"{name}: {p.says}" for name, p in PRESETS.items()},
            one("preset", DEFAULT_PRESET),
        ),
        "patches": [_patch(name, kept.get("patch", ())) for name in POPULAR],
        "players": _choices(
            {
                "": "as many as the ruleset says",
                **{str(n): str(n) for n in range(SIZES[0], SIZES[1] + 1)},
            },
            one("players", ""),
        ),
        "strengths": _choices(
            {name: STRENGTH_WORDS[name] for name in (MIXED, *strengths)}, one("strength", MIXED)
        ),
        "hands_offered": _choices({str(n): str(n) for n in HANDS}, one("hands", "3")),
        "clocks": _choices(CLOCK_WORDS, one("clock", USUAL)),
    }


def _choices(words: Mapping[str, str], chosen: str) -> list[OfferedChoice]:
    return [OfferedChoice(value, said, value == chosen) for value, said in words.items()]


def _patch(name: str, chosen: Sequence[str]) -> OfferedChoice:
    document, _, plain = name.partition(".")
    patch = PATCHES[document][plain]
    ticked = name in chosen or plain in chosen
    return OfferedChoice(
        name, patch.reading or plain.replace("_", " "), ticked, patch.kanji, patch.says
    )


def read_wishes(form: Form) -> CasualTable:
    """What a person wishes for. Raises BadInput."""
    one = partial(first_text, form)
    players = one("players").strip()
    return CasualTable(
        name=one("name").strip(),
        ruleset=read_short_form(_short_form(form)),
        players=whole_number("players", players) if players else None,
        strength=one("strength", MIXED),
        hands=whole_number("hands", one("hands", "3").strip()),
        clock=one("clock", USUAL),
    )


def _short_form(form: Form) -> str:
    """The ruleset in one line: the preset, the patches that are ticked, and what was written."""
    text = "+".join([*form.get("preset", [DEFAULT_PRESET])[:1], *form.get("patch", ())])
    more = first_text(form, "more").strip().strip(",+")
    if not more:
        return text
    return f"{text},{more}" if "=" in more.partition(",")[0] else f"{text}+{more}"
