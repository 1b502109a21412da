"""Apart: which bots an organiser keeps from ever sitting at one table.

The document names groups of bots, by name or id, or of owners, with which all of their bots are
meant; no two of a group meet. Bots of one owner never meet anyway. Here groups are read, and turned
into pairs of a roster; what pairs a schedule can keep apart is decided in
`arena.tournament.pairing`. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from arena.errors import BadInput
from arena.session.owners import owner_key
from arena.tournament.pairing.conflicts import Unseatable

MOST_GROUPS = 200
MOST_MEMBERS = 400
"""Of all groups together."""
PATH = "schedule.apart"


class Member(NamedTuple):
    """A bot, by name or id, or all bots of an owner."""

    name: str
    owner: bool = False

    def document(self) -> str | dict[str, str]:
        """As it stands in the session's document."""
        return {"owner": self.name} if self.owner else self.name

    @property
    def key(self) -> Member:
        """By what it is found: owners that can be taken for each other are one."""
        return Member(owner_key(self.name), owner=True) if self.owner else self


Groups = tuple[tuple[Member, ...], ...]
Pairs = tuple[tuple[int, int], ...]


class Field(NamedTuple):
    """Who takes part: ids, names and owners, by participant."""

    bots: Sequence[str]
    names: Sequence[str]
    owners: Sequence[str]

    def numbers(self) -> dict[Member, set[int]]:
        """The participants that are meant by each name, id or owner."""
        found: dict[Member, set[int]] = {}
        for number, each in enumerate(zip(self.bots, self.names, self.owners, strict=True)):
            bot, name, owner = each
            for member in (Member(bot), Member(name), Member(owner_key(owner), owner=True)):
                found.setdefault(member, set()).add(number)
        return found


def read_apart(given: object) -> Groups:
    """The groups of a document; none where it does not tell them (null). Raises BadInput."""
    if given is None:
        return ()
    if not isinstance(given, list | tuple) or len(given) > MOST_GROUPS:
        raise BadInput(PATH, given, f"a list of at most {MOST_GROUPS} groups of bots")
    groups = tuple(_group(f"{PATH}[{at}]", each) for at, each in enumerate(given))
    members = sum(map(len, groups))
    if members > MOST_MEMBERS:
        raise BadInput(PATH, members, f"at most {MOST_MEMBERS} bots in all groups together")
    return groups


def _group(path: str, given: object) -> tuple[Member, ...]:
    if not isinstance(given, list | tuple) or not 2 <= len(given) <= MOST_MEMBERS:
        raise BadInput(path, given, "a list of two bots or more")
    members: dict[Member, None] = {}
    for at, each in enumerate(given):
        member = _member(f"{path}[{at}]", each)
        if member in members:
            raise BadInput(f"{path}[{at}]", each, "every bot once")
        members[member] = None
    return tuple(members)


def _member(path: str, given: object) -> Member:
    owner = given.get("owner") if isinstance(given, Mapping) and len(given) == 1 else None
    text = given if owner is None else owner
    if not isinstance(text, str) or not text:
        raise BadInput(path, given, 'the name or the id of a bot, or {"owner": a name}')
    return Member(text, owner is not None)


def pairs_apart(groups: Groups, roster: Field) -> Pairs:
    """The pairs of participants that never meet, in order; who is not there has none."""
    pairs: set[tuple[int, int]] = set()
    numbers = roster.numbers() if groups else {}
    for group in groups:
        for one, other in combinations([numbers.get(m.key, set()) for m in group], 2):
            pairs.update((min(i, j), max(i, j)) for i in one for j in other if i != j)
    return tuple(sorted(pairs))


def check_known(groups: Groups, is_known: Callable[[Member], bool]) -> None:
    """Raises BadInput for a member that stands for no bot."""
    for at, group in enumerate(groups):
        for place, member in enumerate(group):
            if not is_known(member):
                expected = "the owner of a bot" if member.owner else "the name or the id of a bot"
                raise BadInput(f"{PATH}[{at}][{place}]", member.name, f"{expected} that is here")


def in_words(error: Unseatable, names: Sequence[str]) -> BadInput:
    """Why a field cannot be seated, with the names of bots."""

    called = [names[bot] if bot < len(names) else "a house bot" for bot in error.bots]
    return BadInput(PATH, " and ".join(called), error.expected)


def apart_document(groups: Groups) -> list[list[Any]]:
    """The groups as they stand in the document."""
    return [[member.document() for member in group] for group in groups]


def read_pairs(given: object) -> Pairs:
    """Pairs as they are stored with a schedule; none where they are not told. Raises BadInput."""
    if given is None:
        return ()
    if not isinstance(given, list | tuple):
        raise BadInput("apart", given, "a list of pairs of participants")
    return tuple(map(_pair, given))


def _pair(given: object) -> tuple[int, int]:
    if isinstance(given, list | tuple) and [type(each) for each in given] == [int, int]:
        return given[0], given[1]
    raise BadInput("apart", given, "two participants")
