"""What a player asks about the rules while playing: all that are not at their default, or one."""

from __future__ import annotations

from arena.reference.entries import written
from arena.reference.listing import name_text, settings
from arena.rules import Ruleset


def about_rules(rules: Ruleset, name: str) -> list[str]:
    """Lines about a ruleset, or about the option of a name. Raises BadInput."""
    if name:
        return name_text(name).splitlines()
    return [
        f"{each.option} = {written(each.value)}: {each.says}"
        for each in settings({"options": dict(rules.document)})
        if each.value != each.other
    ]
