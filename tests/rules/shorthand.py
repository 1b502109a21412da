"""Short hands for tests: states with few cards, and the names of what they hold."""

from __future__ import annotations

from random import Random

from arena.rules import Ruleset, State
from arena.rules.cards import canonical, codes, ids, mask_of
from tests.rules.dealing import dealt


def short_deal(rules: Ruleset, seed: int, *, cards: int, places: tuple[int, ...] = ()) -> State:
    """A dealt hand in which everybody holds at most so many cards; the rest is out of play."""
    state = dealt(rules, seed, places=places)
    random = Random(seed)
    held = []
    for hand in state.held:
        kept = list(ids(hand))
        random.shuffle(kept)
        held.append(mask_of(kept[:cards]))
    gone = sum(state.held) - sum(held)
    return state.changed(held=tuple(held), gone=state.gone | gone)


def names(mask: int) -> tuple[str, ...]:
    """The names of a mask in card order."""
    return codes(canonical(mask))
