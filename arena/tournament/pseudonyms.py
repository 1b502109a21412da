"""Pseudonyms: standings for a class, in which everybody has a name that only staff can trace.

Two words from a keyed hash of the bot's name: the same key gives the same bot the same pseudonym in
every table and every week. Without the key nobody can compute a name's pseudonym, and nobody can
turn a pseudonym into a name. Pure; where keys come from and what is printed is for others.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from itertools import count

from arena.errors import BadInput
from arena.tournament.ratings import Group, Ratings
from arena.tournament.standings import UNRATED, Row, Section, Standings
from arena.tournament.words import FIRST, SECOND

LEAST_KEY = 8
"""A shorter key could be guessed."""
HOUSE = "house-"
"""Names that begin so are the arena's own, and stay."""

Mask = Callable[[str], str]


def pseudonyms(
    names: Mapping[str, str], key: bytes, *, keep: Collection[str] = ()
) -> dict[str, str]:
    """What each bot is called: two words, different ones for different bots.

    `names`: the names of bots by their ids. `keep`: names that stay, as those of house bots do. The
    order of the bots is of no matter; a bot that comes or goes changes another's pseudonym only if
    the two would have had the same one. Raises BadInput for a short key, a name to keep that nobody
    has, and more bots than there are pseudonyms.
    """
    if len(key) < LEAST_KEY:
        raise BadInput("key", "…", f"at least {LEAST_KEY} characters")
    strangers = sorted(set(keep) - set(names.values()))
    if strangers:
        raise BadInput("name to keep", strangers[0], "the name of a bot in the standings")
    if len(names) > len(FIRST) * len(SECOND) // 2:
        raise BadInput("bots", len(names), f"at most {len(FIRST) * len(SECOND) // 2}")
    masked = _kept(names, keep)
    taken = {name.casefold() for name in names.values()}
    hidden = [bot for bot in names if bot not in masked]
    for bot in sorted(hidden, key=lambda bot: (_digest(key, names[bot], 0), bot)):
        tries = (_two_words(_digest(key, names[bot], attempt)) for attempt in count())
        masked[bot] = next(words for words in tries if words not in taken)
        taken.add(masked[bot])
    return {bot: masked[bot] for bot in names}


def in_turn(names: Iterable[tuple[str, str]], key: bytes) -> dict[str, str]:
    """What each bot is called, where bots come one after the other: (id, name), earliest first.

    As `pseudonyms`, but who comes later can change nobody's words. House bots are left out.
    """
    masked: dict[str, str] = {}
    taken: set[str] = set()
    for bot, name in names:
        if not name.startswith(HOUSE):
            tries = (_two_words(_digest(key, name, attempt)) for attempt in count())
            masked[bot] = next(words for words in tries if words not in taken)
            taken.add(masked[bot])
    return masked


def _kept(names: Mapping[str, str], keep: Collection[str]) -> dict[str, str]:
    """Bots that go by their names; of several of one name all but the first get a number."""
    kept: dict[str, str] = {}
    for bot in sorted(names):
        if names[bot] in keep or names[bot].startswith(HOUSE):
            same = sum(names[other] == names[bot] for other in kept)
            kept[bot] = f"{names[bot]} ({same + 1})" if same else names[bot]
    return kept


def _digest(key: bytes, name: str, attempt: int) -> bytes:
    return hmac.digest(key, f"{attempt}:{name}".encode(), "sha256")


def _two_words(digest: bytes) -> str:
    first, second = (int.from_bytes(digest[at : at + 8], "big") for at in (0, 8))
    return f"{FIRST[first % len(FIRST)]} {SECOND[second % len(SECOND)]}"


def names_in(standings: Standings) -> dict[str, str]:
    """The names of all bots in the standings, by their ids."""
    return {row.bot: row.name for section in standings.sections for row in section.rows}


def disguised(standings: Standings, pseudonym_of: Mapping[str, str]) -> Standings:
    """The standings without names, owners, ids and reasons: `pseudonym_of` has one for each bot.

    No number changes, nor the order of the rows, but that bots without a rating, which are ordered
    by name, are ordered by pseudonym.
    """

    def mask(bot: str) -> str:
        return pseudonym_of[bot]

    called = {name: pseudonym_of[bot] for bot, name in names_in(standings).items()}
    return replace(
        standings,
        sections=tuple(_section(section, mask) for section in standings.sections),
        warnings=tuple(_sentence(warning, called) for warning in standings.warnings),
        ratings=_ratings(standings.ratings, mask),
    )


def _section(section: Section, mask: Mask) -> Section:
    rows = [_row(row, mask) for row in section.rows]
    return section._replace(
        rows=tuple(sorted(rows, key=lambda row: row.name if row.status == UNRATED else "")),
        anchor=None if section.anchor is None else mask(section.anchor),
    )


def _row(row: Row, mask: Mask) -> Row:
    called = mask(row.bot)
    return row._replace(bot=called, name=called, owner="", reason="")


def _sentence(text: str, called: Mapping[str, str]) -> str:
    """A warning, with the name that it begins with replaced; of two that fit the longer one."""
    for name in sorted(called, key=len, reverse=True):
        if text.startswith(f"{name} "):
            return called[name] + text.removeprefix(name)
    return text


def _ratings(ratings: Ratings, mask: Mask) -> Ratings:
    return Ratings(
        tally=replace(ratings.tally, bots=tuple(map(mask, ratings.tally.bots))),
        groups=tuple(_group(group, mask) for group in ratings.groups),
        unrated=tuple(map(mask, ratings.unrated)),
    )


def _group(group: Group, mask: Mask) -> Group:
    anchor = None if group.anchor is None else mask(group.anchor)
    return replace(group, bots=tuple(map(mask, group.bots)), anchor=anchor)
