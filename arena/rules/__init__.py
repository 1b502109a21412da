"""The rules of Daifugō: pure functions over immutable values, standard library only.

    decide(rules, state, command) -> events      refuses with a reason, changes nothing
    evolve(state, events)         -> state       no rule knowledge
    see(rules, state, seat)       -> view        what that seat may know
    legal(rules, state, seat)     -> menu        what it may answer now

No clock, no chance, no I/O, no logging in here: chance comes in with the `Deal` command.
"""

from __future__ import annotations

from arena.rules.decide import decide
from arena.rules.evolve import evolve
from arena.rules.legal import Menu, default, legal
from arena.rules.ruleset import Ruleset, compile_ruleset, resolve
from arena.rules.state import EMPTY, State
from arena.rules.view import View, hides, redact, see

__all__ = [
    "EMPTY",
    "Menu",
    "Ruleset",
    "State",
    "View",
    "compile_ruleset",
    "decide",
    "default",
    "evolve",
    "hides",
    "legal",
    "redact",
    "resolve",
    "see",
]
