"""Components: which bots their hands can rate relative to each other, and which only from one side.

The graph has an arrow from every bot to those that it has finished ahead of, or level with. Between
two bots that reach each other along arrows, the gap of the ratings has an estimate; of a component
that was always ahead of the rest, only a lower bound is known (Ford's condition). Pure; it
estimates nothing.

Source: L. R. Ford, American Mathematical Monthly 64 (1957), 28-33.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.tournament.tallies import Ints

ABOVE, BELOW = ">", "<"
Bools = NDArray[np.bool_]


class Strata(NamedTuple):
    """Connected bots by strong component; arrays and `bounds` are parallel to the bots.

    component: the number of each bot's. above: shape (n, n), whether the row's component was always
    ahead of the column's, or of one that was. bounds: `>` for a bot of a component that was always
    ahead of the rest, `<` always behind, else empty. field: the bots that the scale rests on, those
    of the largest component; everybody if no component has two bots.
    """

    component: Ints
    above: Bools
    bounds: tuple[str, ...]
    field: Bools


def connected(met: Bools) -> list[Ints]:
    """The connected parts of a symmetric graph, largest first, then by first bot."""
    parts: list[Ints] = []
    left = np.ones(len(met), dtype=np.bool_)
    while left.any():
        part = _reached(met, int(np.argmax(left)), left)
        parts.append(np.flatnonzero(part))
        left &= ~part
    return sorted(parts, key=lambda part: (-len(part), int(part[0])))


def stratify(points: Ints) -> Strata:
    """The strata of connected bots; `points[i, j]` is above 0 if i was once ahead of, or level
    with, j."""
    parts = _strong(points > 0)
    component = np.zeros(len(points), dtype=np.int64)
    for number, part in enumerate(parts):
        component[part] = number
    reach = _closure(_between(points > 0, component, len(parts)))
    largest = _largest(points, parts, reach)
    bounds = _bounds(reach, largest)
    return Strata(
        component=component,
        above=reach[np.ix_(component, component)],
        bounds=tuple(bounds[number] for number in component.tolist()),
        field=np.full(len(points), largest is None) | (component == largest),
    )


def _reached(arrows: Bools, start: int, inside: Bools) -> Bools:
    """The bots among `inside` that can be reached from one of them, itself included."""
    reached = np.zeros(len(arrows), dtype=np.bool_)
    edge = reached.copy()
    edge[start] = True
    while edge.any():
        reached |= edge
        edge = arrows[edge].any(axis=0) & inside & ~reached
    return reached


def _strong(arrows: Bools) -> list[Ints]:
    """The strong components: what a bot reaches and is reached from, then the same of the rest."""
    parts: list[Ints] = []
    waiting = [np.ones(len(arrows), dtype=np.bool_)]
    while waiting:
        inside = waiting.pop()
        if not inside.any():
            continue
        start = int(np.argmax(inside))
        after = _reached(arrows, start, inside)
        before = _reached(arrows.T, start, inside)
        parts.append(np.flatnonzero(after & before))
        waiting += [after & ~before, before & ~after, inside & ~after & ~before]
    return sorted(parts, key=lambda part: int(part[0]))


def _between(arrows: Bools, component: Ints, count: int) -> Bools:
    """Shape (count, count): the arrows from one component to another."""
    between = np.zeros((count, count), dtype=np.bool_)
    rows, columns = np.nonzero(arrows)
    between[component[rows], component[columns]] = True
    np.fill_diagonal(between, val=False)
    return between


def _closure(between: Bools) -> Bools:
    """Which component reaches which, along any number of arrows."""
    reach = between.copy()
    for middle in range(len(reach)):
        reach |= np.outer(reach[:, middle], reach[middle])
    return reach


def _largest(points: Ints, parts: Sequence[Ints], reach: Bools) -> int | None:
    """The component with most bots, then most hands among themselves, then the upper one; None if
    none has two bots."""
    best = max(
        range(len(parts)),
        key=lambda at: (
            len(parts[at]),
            int(points[np.ix_(parts[at], parts[at])].sum()),
            int(reach[at].sum()),
            -int(parts[at][0]),
        ),
    )
    return best if len(parts[best]) > 1 else None


def _bounds(reach: Bools, largest: int | None) -> list[str]:
    """The bound of every component. Without a field, one in the middle has none."""
    return [_bound(reach, at, largest) for at in range(len(reach))]


def _bound(reach: Bools, at: int, largest: int | None) -> str:
    if at == largest or len(reach) == 1:
        return ""
    if largest is not None and (reach[at, largest] or reach[largest, at]):
        return ABOVE if reach[at, largest] else BELOW
    if largest is None and reach[at].any() and reach[:, at].any():
        return ""
    return BELOW if reach[:, at].any() else ABOVE
