"""Options that would do nothing in a table of options: which they are, and the table without them.

What a ruleset says in so many options is refused where it does nothing (OR-72). What a preset or a
patch brings along falls back to its default where something laid over it leaves it nothing to do:
`dqx+no_joker` is a game without jokers and without the rules for them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from arena.errors import BadInput
from arena.rules.catalogue import Need, Subset
from arena.rules.options import OPTIONS


def missing_needs(table: Mapping[str, Any]) -> Iterator[tuple[str, Need]]:
    """The options of a full table for which something is missing, each with what that is."""
    for name, option in OPTIONS.items():
        if table[name] != option.default:
            yield from ((name, need) for need in option.needs if not need.holds(table))


def without_idle(table: Mapping[str, Any], *, but: Collection[str] = ()) -> dict[str, Any]:
    """A full table in which all options that would do nothing stand at their defaults, and lists
    are without the items that would; but: names that stay as they are."""
    active = dict(table)
    while True:
        idle = ((name, need) for name, need in missing_needs(active) if name not in but)
        name, need = next(idle, ("", None))
        if need is None:
            return active
        active[name] = _without(active, name, need)


def check_active(
    table: Mapping[str, Any], patches: Mapping[str, Mapping[str, Any]], active: Mapping[str, Any]
) -> None:
    """Refuse a table in which an option does nothing, or a patch of which nothing is left.

    table: as it is written; patches: their differences by name; active: what is left of the table.
    Raises `BadInput` with the names of what is idle and of what it would need.
    """
    idle = list(missing_needs(active))
    if idle:
        raise _refusal(active, *idle[0], others=[name for name, _ in idle[1:]])
    for patch, differences in patches.items():
        if all(_is_lost(table[n], active[n], value) for n, value in differences.items()):
            name, need = next(miss for miss in missing_needs(table) if miss[0] in differences)
            raise _refusal(table, name, need, patch=patch)


def _is_lost(written: Any, active: Any, said: Any) -> bool:
    """Is nothing left of a value that a patch says?"""
    if isinstance(active, tuple):
        return written != active and not set(said) & set(active)
    return bool(written != active)


def _refusal(
    table: Mapping[str, Any],
    name: str,
    need: Need,
    *,
    others: Collection[str] = (),
    patch: str = "",
) -> BadInput:
    """The error for an option that lacks something; others: options that lack something too."""
    concerned = {option: table[option] for option in (name, *need.others)}
    expected = f"{need.says}, or {need.else_ or f'{patch or name} does nothing'}"
    more = ", ".join(dict.fromkeys(other for other in others if other != name))
    expected += f" (the same with {more})" if more else ""
    return BadInput(f"{name} with {', '.join(need.others)}", concerned, expected)


def _without(table: Mapping[str, Any], name: str, need: Need) -> Any:
    """The value of an option without what a need is missing for."""
    if isinstance(OPTIONS[name].values, Subset):
        return tuple(item for item in table[name] if need.holds({**table, name: (item,)}))
    return OPTIONS[name].default
