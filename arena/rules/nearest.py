"""What somebody may have meant who gave a name that does not exist."""

from __future__ import annotations

from collections.abc import Collection
from difflib import SequenceMatcher

FEW = 12
"""Up to this many names are listed where none is near."""
MOST_GUESSES = 3
LEAST_SIMILARITY = 0.6


def nearest(name: str, names: Collection[str]) -> list[str]:
    """At most three names that are like this one, the nearest first.

    A name with a prefix (``pagat.kakumei``) is compared with it and without.
    """
    wanted = name.casefold().rpartition(".")[2]
    matcher = SequenceMatcher(None, "", wanted)  # what it finds out of the second text is kept
    similarity = {known: _similarity(matcher, wanted, known.rpartition(".")[2]) for known in names}
    near = [known for known in similarity if similarity[known] >= LEAST_SIMILARITY]
    return sorted(near, key=lambda known: -similarity[known])[:MOST_GUESSES]


def expected_name(kind: str, name: object, names: Collection[str]) -> str:
    """What was expected: the nearest names; if none is near, the names if they are few."""
    near = nearest(str(name), names)
    if near:
        return f"{kind}, perhaps " + " or ".join(near)
    if len(names) <= FEW:
        return f"{kind}: one of " + ", ".join(names)
    return f"{kind}; `arena rules list` prints them, `arena rules find` searches"


def _similarity(matcher: SequenceMatcher[str], wanted: str, known: str) -> float:
    """0 to 1; a name that contains the other, or is contained in it, is near in any case.

    Upper bounds come first: they are cheap, and hardly any name is near.
    """
    shorter = min(len(wanted), len(known))
    contained = shorter >= 3 and (wanted in known or known in wanted)
    matcher.set_seq1(known.casefold())
    if matcher.real_quick_ratio() < LEAST_SIMILARITY or matcher.quick_ratio() < LEAST_SIMILARITY:
        return LEAST_SIMILARITY if contained else 0.0
    return max(matcher.ratio(), LEAST_SIMILARITY) if contained else matcher.ratio()
