"""From a ruleset document to a compiled ruleset: resolve, validate, fingerprint.

A document is ``{"preset": "pagat", "patches": ["kakumei"], "options": {"shibari": "kata"}}``, or
its short form ``"pagat+kakumei,shibari=kata"``. It resolves to the full flat table of options,
which is what is shown, stored and fingerprinted. Unknown names and values are errors, never
defaults.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from arena.errors import BadInput, Reason
from arena.rules.cards import pack
from arena.rules.catalogue import Patch
from arena.rules.fingerprints import canonical_json, fingerprint
from arena.rules.idle import check_active, without_idle
from arena.rules.melds import Meld
from arena.rules.memo import Memo
from arena.rules.nearest import expected_name
from arena.rules.options import OPTIONS, RULES
from arena.rules.patches import ADDING, PATCHES, patch_names, patches_of
from arena.rules.presets import PRESETS
from arena.rules.shapes import shapes_of
from arena.rules.short_form import read_short_form
from arena.rules.wiring import Bar, OnPlay, PileRules, Wiring

DEFAULT_PRESET: Final = "pagat"
MEMBERS: Final = ("preset", "patches", "options")


class Ruleset:
    """A compiled ruleset; shared by all hands that use it, so nothing is assigned to it after
    `__init__`.

    options: the full flat table; fingerprint: see `arena.rules.fingerprints`; document: what it was
    made from. The rest are the tables that `decide` and `legal` go through. effects_of: the
    effects that a meld triggers, in the order of their stages; pile_rules: the bars and trumps that
    are awake on a pile that has been met, the bars in the order of their reasons; next_seat: by
    direction, seat and mask of seats; looks_ahead: who moves next depends on more than who has
    passed.
    """

    def __init__(
        self,
        wiring: Wiring,
        options: Mapping[str, Any],
        *,
        fingerprint: str,
        document: Mapping[str, Any],
    ) -> None:
        self.options = options
        self.fingerprint = fingerprint
        self.document = document
        self.play = wiring.play
        self.deal = wiring.deal
        self.table = wiring.table
        self.players = wiring.deal.players
        about = wiring.deal
        self.deck = pack(decks=about.decks, jokers=about.jokers, suits=about.suits)
        self.shapes = shapes_of(wiring.forms)
        self._bars = _in_order(wiring.bars)
        self._all_bars = _in_order([*wiring.bars, *wiring.lock_bars])
        self._trumps = tuple(wiring.trumps)
        self.pile_rules: dict[Meld | None, PileRules] = {}
        self.fouls = tuple(wiring.fouls)
        self.on_out = tuple(wiring.on_out)
        self.on_passes = tuple(wiring.on_passes)
        self.on_clear = tuple(wiring.on_clear)
        self.on_exchanged = tuple(wiring.on_exchanged)
        self.on_lead = tuple(wiring.on_lead)
        self.next_seat = _next_seats(self.players)
        self._effects = tuple(sorted(wiring.effects, key=lambda e: e[0]))
        self.effects_of: dict[Meld, tuple[OnPlay, ...]] = Memo(self._effects_of)
        self.after_clear = tuple(wiring.after_clear)
        self.outcomes = wiring.outcomes
        self.looks_ahead = bool(
            self.on_clear or self.after_clear or self.play.auto_clear or self.play.moves_cards
        )

    def _effects_of(self, meld: Meld) -> tuple[OnPlay, ...]:
        return tuple(effect for _, trigger, effect in self._effects if trigger(meld))

    def awake_on(self, pile: Meld | None) -> PileRules:
        """What is awake on a pile, worked out when it is met first and kept in `pile_rules`."""
        awake = self.pile_rules[pile] = PileRules(
            self.shapes.answers(pile),
            tuple(bar for bar in self._bars if bar.on(pile)),
            tuple(bar for bar in self._all_bars if bar.on(pile)),
            tuple(trump for trump in self._trumps if pile is not None and trump.on(pile)),
        )
        return awake

    def next_of(self, seat: int, among: int, direction: int) -> int:
        """The next seat after `seat` out of a mask; itself last; -1 if the mask is empty."""
        return self.next_seat[direction > 0][seat][among]

    def __repr__(self) -> str:
        return f"<Ruleset {self.document} {self.fingerprint[:12]}>"


def compile_ruleset(document: Mapping[str, Any] | str) -> Ruleset:
    """The compiled ruleset of a document; the same object for the same options.

    Raises `BadInput` naming the option, its value and what was expected.
    """
    return compile_table(resolve(document))


def compile_table(table: Mapping[str, Any]) -> Ruleset:
    """The compiled ruleset of a full table of checked options, whether or not all do something."""
    return _compile(canonical_json(table))


def resolve(document: Mapping[str, Any] | str) -> dict[str, Any]:
    """The full flat table of options of a document, in catalogue order.

    Raises `BadInput` for unknown names and values, for an option that would do nothing, and for a
    patch of which nothing would be left (`arena.rules.idle`).
    """
    preset, patches, explicit = _parts(document)
    table = written_table(document)
    active = without_idle(table, but=explicit)
    check_active(table, {name: find_patch(preset, name).options for name in patches}, active)
    return active


def written_table(document: Mapping[str, Any] | str) -> dict[str, Any]:
    """The full table as it is written: each value is checked, but not whether it does anything."""
    preset, patches, explicit = _parts(document)
    table = {name: option.default for name, option in OPTIONS.items()}
    _apply(table, PRESETS[preset].options, add=False)
    for patch in patches:
        _apply(table, find_patch(preset, patch).options, add=True)
    for name in explicit:
        if name not in OPTIONS:
            raise BadInput("option", name, expected_name("an option", name, OPTIONS))
    _apply(table, explicit, add=False)
    return {name: OPTIONS[name].values.check(name, value) for name, value in table.items()}


def find_patch(preset: str, name: str) -> Patch:
    """A patch by its name, with or without the prefix of its document.

    Raises `BadInput` with the nearest names, or saying that it is the name of an option.
    """
    document, _, plain = name.rpartition(".")
    own = patches_of(PRESETS[preset].document)
    patch = PATCHES.get(document, {}).get(plain) if document else own.get(plain)
    if patch is not None:
        return patch
    if name in OPTIONS and not any(full.endswith(f".{name}") for full, _ in patch_names()):
        raise BadInput("patch", name, f"a patch; an option is written {preset},{name}=VALUE")
    known = [*own, *(full for full, _ in patch_names() if full.partition(".")[2] not in own)]
    raise BadInput("patch", name, expected_name(f"a patch of {preset}", name, known))


@lru_cache(maxsize=256)
def _compile(canonical: str) -> Ruleset:
    """Wire all rules; cached by the canonical JSON of the options."""
    plain = json.loads(canonical)
    options = {name: OPTIONS[name].values.check(name, plain[name]) for name in OPTIONS}
    wiring = Wiring()
    for rule in RULES:
        rule.wire(wiring, options)
    wiring.finish()
    return Ruleset(wiring, options, fingerprint=fingerprint(options), document=plain)


def _parts(document: Mapping[str, Any] | str) -> tuple[str, list[str], Mapping[str, Any]]:
    """Preset, patches and options of a document, each of the right type."""
    if isinstance(document, str):
        document = read_short_form(document)
    if not isinstance(document, Mapping):
        raise BadInput("ruleset", document, "an object of " + ", ".join(MEMBERS))
    for member in document:
        if member not in MEMBERS:
            raise BadInput("ruleset member", member, "one of " + ", ".join(MEMBERS))
    preset = document.get("preset", DEFAULT_PRESET)
    if not isinstance(preset, str) or preset not in PRESETS:
        raise BadInput("preset", preset, expected_name("a preset", preset, PRESETS))
    patches = document.get("patches", [])
    if not isinstance(patches, list | tuple) or not all(isinstance(p, str) for p in patches):
        raise BadInput("patches", patches, "a list of names of patches")
    options = document.get("options", {})
    if not isinstance(options, Mapping):
        raise BadInput("options", options, "an object of options and values")
    return preset, list(patches), options


def _apply(table: dict[str, Any], differences: Mapping[str, Any], *, add: bool) -> None:
    """Write differences into a table; with `add`, lists that patches add to grow (C-12)."""
    for name, value in differences.items():
        grows = add and name in ADDING
        table[name] = tuple(dict.fromkeys((*table[name], *value))) if grows else value


def _in_order(bars: Iterable[Bar]) -> tuple[Bar, ...]:
    """Bars in the order in which their reasons are looked for."""
    reasons = list(Reason)
    return tuple(sorted(bars, key=lambda bar: reasons.index(bar.reason)))


def _next_seats(players: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """For each direction (counter-clockwise first), seat and mask of seats: the next seat."""

    def after(seat: int, mask: int, step: int) -> int:
        for distance in range(1, players + 1):
            other = (seat + step * distance) % players
            if mask >> other & 1:
                return other
        return -1

    return tuple(
        tuple(tuple(after(s, m, step) for m in range(1 << players)) for s in range(players))
        for step in (-1, 1)
    )
