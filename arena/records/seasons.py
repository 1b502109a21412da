"""Seasons: sessions of several databases, in which a bot has another id each time.

Ids are drawn anew in every database, so the same bot, run again on another day, is somebody else by
id. In a season bots of one name and one owner are one bot. That is for the organiser to say: a
record cannot prove that two databases mean the same person. Pure; nothing is rated here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arena.errors import BadInput
from arena.records.imports import EndedHand, Heading
from arena.session.counting import Participant
from arena.session.owners import owner_key
from arena.tournament.grading import HOUSE

Ids = Mapping[str, str]
"""The id of each bot that has several -> the one that stands for all of them."""


def same_bots(headings: Iterable[Heading], names: Mapping[str, str]) -> dict[str, str]:
    """The ids that are one bot: those of one name and owner, and of the arena's own bots of a name.

    names: of all bots, by id. Bots whose owner no header tells stay apart. Raises BadInput for a
    session in which two of them would be one.
    """
    listed = list(headings)
    known: dict[tuple[str, str], set[str]] = {}
    for heading in listed:
        for person in heading.people:
            if person.owner:
                known.setdefault((person.name, owner_key(person.owner)), set()).add(person.bot)
    entered = {person.bot for heading in listed for person in heading.people}
    for bot, name in names.items():
        if bot not in entered and name.startswith(HOUSE):
            known.setdefault((name, ""), set()).add(bot)
    ids = {bot: min(same) for same in known.values() if len(same) > 1 for bot in same}
    for heading in listed:
        _check_apart(heading, ids)
    return ids


def _check_apart(heading: Heading, ids: Ids) -> None:
    first: dict[str, str] = {}
    for person in heading.people:
        one = ids.get(person.bot, person.bot)
        if first.setdefault(one, person.bot) != person.bot:
            wanted = f"one bot of this name and owner in session {heading.session}"
            raise BadInput("season", person.name, wanted)


def renamed(said: Heading | EndedHand, ids: Ids) -> Heading | EndedHand:
    """A line with the ids that stand for its bots."""
    if isinstance(said, Heading):
        return said._replace(people=_people(said, ids), schedule=_schedule(said, ids))
    played, result = said.played, said.played.result
    settled = result._replace(
        bots=_each(result.bots, ids),
        faults=_each(result.faults, ids),
        forfeits=_each(result.forfeits, ids),
    )
    hand = played._replace(
        result=settled, bots=_each(played.bots, ids), seats=_each(played.seats, ids)
    )
    return said._replace(
        played=hand,
        names={ids.get(bot, bot): name for bot, name in said.names.items()},
        moves=None if said.moves is None else said.moves.renamed(ids),
    )


def _each(bots: Sequence[str], ids: Ids) -> tuple[str, ...]:
    return tuple(ids.get(bot, bot) for bot in bots)


def _people(heading: Heading, ids: Ids) -> tuple[Participant, ...]:
    return tuple(each._replace(bot=ids.get(each.bot, each.bot)) for each in heading.people)


def _schedule(heading: Heading, ids: Ids) -> dict[str, Any] | None:
    if heading.schedule is None:
        return None
    return {**heading.schedule, "roster": list(_each(heading.schedule["roster"], ids))}
