"""Random compatible rulesets of all options, for the laws that every ruleset has to keep."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from arena.rules import Ruleset, compile_ruleset
from arena.rules.catalogue import (
    Choice,
    Numbers,
    Option,
    Pattern,
    Program,
    Subset,
    Switch,
    Whole,
    Words,
)
from arena.rules.idle import without_idle
from arena.rules.options import OPTIONS
from arena.rules.patches import PATCHES
from arena.rules.presets import PRESETS
from arena.rules.ruleset import written_table

_WORDS = {
    "first_lead": ("janken", "lot", "dealer_left", "holder:D3", "holder:S3", "holder:JK"),
    "next_lead": ("loser", "winner", "lot", "dealer_left", "holder:C3", "holder:D3"),
    "session_end": ("open", "hands:3", "minutes:60", "points:10"),
}
_WHOLE = {
    "players": st.integers(2, 8),
    "jokers": st.integers(0, 4),
    "blind_cards": st.integers(0, 20),
    "max_set": st.one_of(st.just("auto"), st.integers(1, 9)),
    "reset_every": st.integers(0, 5),
    "max_idle_passes": st.integers(1, 25),
}
_SUBSETS = {"suits": (list("SHDC"), list("SHDC"), list("SHD"), list("HDC"))}
_ROLES = ("first", "second", "second_last", "last")
_STEPS = st.tuples(
    st.sampled_from(_ROLES),
    st.sampled_from(_ROLES),
    st.integers(1, 3),
    st.sampled_from(("highest", "any")),
).filter(lambda step: step[0] != step[1])


def value_of(option: Option) -> st.SearchStrategy[Any]:
    """Any value of an option, but sensible ones where there are thousands."""
    values = option.values
    if isinstance(values, Switch):
        return st.booleans()
    if isinstance(values, Choice):
        return st.sampled_from(values.values)
    if isinstance(values, Whole):
        return _WHOLE[option.name]
    if isinstance(values, Subset) and option.name in _SUBSETS:
        return st.sampled_from(_SUBSETS[option.name])
    if isinstance(values, Words):
        return st.lists(st.sampled_from(("boss", "fugo", "hinmin", "slave")), max_size=8)
    if isinstance(values, Subset):
        return st.lists(st.sampled_from(values.values), unique=True, max_size=4)
    if isinstance(values, Pattern):
        return st.sampled_from(_WORDS[option.name])
    if isinstance(values, Program):
        return st.one_of(st.sampled_from(values.names), st.lists(_STEPS, max_size=4))
    assert isinstance(values, Numbers)
    return st.just([3, 6]) if values.fixed else st.lists(st.integers(-9, 9), max_size=8)


def _without_idle(options: dict[str, Any]) -> dict[str, Any]:
    """The same with a limit for endless passing, and without what would do nothing."""
    if options.get("lead_pass") == "always":
        options = {"max_idle_passes": 7, **options}
    table = without_idle(written_table({"options": options}))
    return {name: value for name, value in table.items() if value != OPTIONS[name].default}


def option_tables(**fixed: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Any options that go together, some of them fixed."""
    free = {name: value_of(option) for name, option in OPTIONS.items() if name not in fixed}
    return st.fixed_dictionaries({}, optional=free).map(lambda o: _without_idle(o | fixed))


def rulesets(**fixed: Any) -> st.SearchStrategy[Ruleset]:
    """Any ruleset of options that go together."""
    return option_tables(**fixed).map(lambda options: compile_ruleset({"options": options}))


def named_rulesets() -> list[str]:
    """Every preset, and every patch on the first preset of its document, in short form."""
    first = {about.document: preset for preset, about in reversed(PRESETS.items())}
    return [
        *PRESETS,
        *(
            f"{first.get(document, 'pagat')}+{patch}"
            for document, patches in PATCHES.items()
            for patch in patches
        ),
    ]
