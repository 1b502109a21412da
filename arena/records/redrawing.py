"""Redrawing: is a record's schedule what follows from its document, its roster and its keys?

The first rounds are drawn again from the key of the first. Rounds that follow from results are
drawn again from the rungs that are kept beside them, and the rungs are compared with the results of
the rounds before, if the record has them all. Offline and pure; what is wrong is returned, nothing
is trusted.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from arena.documents import Document
from arena.errors import ArenaError, BadInput
from arena.proofs.chance import RoundKeys
from arena.session.apart import Field, pairs_apart
from arena.session.config import SessionConfig
from arena.session.counting import counted_results
from arena.session.deal_groups import PlannedTable, planned_table, planned_tables
from arena.session.names import table_id
from arena.session.owners import owner_key
from arena.session.schedule_config import FINAL, GAUNTLET, LADDER, ROUND_ROBIN
from arena.session.stored_schedule import (
    StoredSchedule,
    first_rounds,
    numbered,
    read_schedule,
    seed_of,
)
from arena.statuses import BoardNames, EntryStatus
from arena.tournament.pairing.draws import next_round, only, rungs_of
from arena.tournament.pairing.ladder import Rung
from arena.tournament.pairing.lineups import Schedule
from arena.tournament.results import HandResult

WITHHELD = (
    "whether the rounds follow from the secret was not checked: this record does not tell which "
    "bots share an owner or are kept apart; the organiser's does"
)
BY_SPELLING = (
    "owners that can be taken for each other count as two where they are spelled differently, as in"
    " older programs: two bots of one person may have met"
)
MOST_BOTS = 1_100
"""More than a session can have, house bots and all that came and went on a ladder apart."""


class HeaderBot(NamedTuple):
    """A bot of the header."""

    name: str
    owner: str
    entered: bool


class RecordedSchedule(NamedTuple):
    """What the header of a record says of its schedule. people: by bot id.

    tells_owners: False for one that withholds which bots share an owner.
    """

    session: str
    plan: SessionConfig
    programme: StoredSchedule
    people: Mapping[str, HeaderBot]
    tells_owners: bool = True

    def place(self, round_: int, number: int) -> PlannedTable | None:
        """A table of the schedule; None if it has no such table."""
        rounds, deals = self.programme.made.rounds, self.plan.deals
        return planned_table(deals, self.session, round_, number=number, rounds=rounds)

    def tables(self, round_: int) -> list[str]:
        """The ids of the tables of a round."""
        line_ups = self.programme.made.rounds[round_ - 1]
        placed = planned_tables(self.plan.deals, self.session, round_, line_ups=line_ups)
        return [table_id(self.session, round_, place.number) for place in placed]

    def fits(self, place: PlannedTable, bots: Sequence[str], names: Sequence[str]) -> bool:
        """Is this the line-up of a place, with house bots for those that have left?"""
        wanted = [self.programme.roster[index] for index in place.line_up]
        return len(bots) == len(wanted) and all(
            bot == due or (name.startswith("house-") and self._has_left(due))
            for due, bot, name in zip(wanted, bots, names, strict=True)
        )

    def _has_left(self, bot: str) -> bool:
        return bot in self.people and not self.people[bot].entered


def read_drawn(document: Document, plan: SessionConfig) -> RecordedSchedule | None:
    """What a header says; None if its session had no schedule yet. Raises BadInput and worse."""
    if document["schedule"] is None:
        return None
    people = {
        each["bot"]: HeaderBot(
            str(each["name"]), str(each["owner"]), each["status"] == EntryStatus.ENTERED
        )
        for each in document["bots"]
    }
    programme = read_schedule(document["schedule"])
    _check_size(programme, plan)
    tells_owners = document["schedule"]["owners"] is not None
    if not tells_owners and plan.board != BoardNames.PSEUDONYMOUS:
        raise BadInput("schedule.owners", None, "a number for each bot, where names are told")
    return RecordedSchedule(str(document["session"]), plan, programme, people, tells_owners)


def _check_size(programme: StoredSchedule, plan: SessionConfig) -> None:
    """Can it be drawn again in good time, without an index that leads nowhere?"""
    made, roster = programme.made, programme.roster
    if made.k != plan.seats or made.n != len(programme.owners):
        raise BadInput("schedule", (made.n, made.k), f"{plan.seats} seats and the bots it lists")
    if made.participants != len(roster) or len(roster) > MOST_BOTS * 10:
        raise BadInput("schedule.roster", len(roster), "as many bots as the schedule has")
    for index in (index for table in made.tables for index in table):
        if type(index) is not int or not 0 <= index < len(roster):
            raise BadInput("schedule.rounds", index, f"participants 0 to {len(roster) - 1}")


def check_schedule(recorded: RecordedSchedule, keys: RoundKeys) -> Iterator[str]:
    """What is wrong with the rounds of a schedule, each drawn again."""
    programme, plan = recorded.programme, recorded.plan
    seed = seed_of(keys.of_round(1), recorded.session)
    named = plan.board == BoardNames.NAMED
    if named and _owners_of(recorded) is None:
        yield "the owners in the schedule are not those of the bots"
    if recorded.tells_owners and not _keeps_apart(recorded):
        yield "the bots that the schedule keeps apart are not those of the document"
    rounds = programme.made.rounds
    first = _first(recorded, seed) if named or not plan.schedule.regulars else None
    if first is not None:
        if _drawn_formerly(first, recorded):
            first = _first(recorded, seed, former=True)
        known = len(first.rounds)
        if first.rounds != rounds[:known] or first.house != programme.made.house:
            yield "the schedule is not the one that follows from the secret and the roster"
    following = sorted(programme.draws)
    if first is not None and following != list(range(len(first.rounds) + 1, len(rounds) + 1)):
        yield "the schedule has rounds of which it is not told what they were drawn from"
        return
    for number in following:
        seed = seed_of(keys.of_round(number), recorded.session)
        if _again(recorded, number, seed) != rounds[number - 1]:
            yield f"round {number} is not the one that follows from what it was drawn from"


def check_drawn(recorded: RecordedSchedule, keys: RoundKeys) -> tuple[list[str], list[str]]:
    """What is wrong with the rounds of a schedule, and what could not be checked of them.

    Where it is withheld who shares an owner, rounds may be other than if nobody did; that they
    follow from the secret can then only be checked in the organiser's record.
    """
    if recorded.tells_owners:
        apart = recorded.plan.board == BoardNames.NAMED and _owners_of(recorded) == "by spelling"
        return list(check_schedule(recorded, keys)), [BY_SPELLING] if apart else []
    try:
        as_if_alone = list(check_schedule(recorded, keys))
    except ArenaError:
        as_if_alone = [WITHHELD]
    return [], [WITHHELD] if as_if_alone else []


def _owners_of(recorded: RecordedSchedule) -> str | None:
    """How the owners of the bots were numbered: `by key`, `by spelling`, or None if they were not.

    A ladder that was begun by an older program has some of both: what is spelled alike has one
    number, what has one number can be taken for each other.
    """
    numbers, people = recorded.programme.owners, recorded.people
    entered = recorded.programme.roster[: recorded.programme.made.n]
    if not all(bot in people for bot in entered):
        return None
    owners = [people[bot].owner for bot in entered]
    if numbers == numbered(owners):
        return "by key"
    in_order = list(dict.fromkeys(numbers)) == list(range(len(set(numbers))))
    spelled = _agree(owners, numbers) and _agree(numbers, map(owner_key, owners))
    return "by spelling" if in_order and spelled else None


def _keeps_apart(recorded: RecordedSchedule) -> bool:
    """Are the pairs of the schedule those that follow from the document?"""
    programme, people = recorded.programme, recorded.people
    bots = [bot for bot in programme.roster[: programme.made.n] if bot in people]
    if len(bots) < programme.made.n:
        return not programme.apart
    names, owners = ([getattr(people[bot], which) for bot in bots] for which in ("name", "owner"))
    wanted = pairs_apart(recorded.plan.schedule.apart, Field(bots, names, owners))
    return programme.apart == wanted


def _agree(keys: Iterable[Hashable], values: Iterable[Hashable]) -> bool:
    """Has each key one value, wherever it comes?"""
    known: dict[Hashable, Hashable] = {}
    pairs = zip(keys, values, strict=True)
    return all(known.setdefault(key, value) == value for key, value in pairs)


def _drawn_formerly(first: Schedule, recorded: RecordedSchedule) -> bool:
    """Are the rounds others than today's, but of a number and kind that older programs drew?"""
    made = recorded.programme.made
    if recorded.plan.schedule.kind not in (ROUND_ROBIN, FINAL) or first.rounds == made.rounds:
        return False
    shapes = {len(first.rounds), made.participants, made.participants - 1}
    return made.kind in ("near_balanced", "mendelsohn", FINAL) and len(made.rounds) in shapes


def _first(recorded: RecordedSchedule, seed: bytes, *, former: bool = False) -> Schedule:
    """The first rounds, drawn again, or as older programs drew them.

    Raises BadInput for a schedule that would take endless time, with far fewer tables than the
    document asks for.
    """
    programme, pairing = recorded.programme, recorded.plan.schedule
    made, rounds = programme.made, pairing.rounds or 1
    if made.n > MOST_BOTS and pairing.kind != LADDER:
        raise BadInput("schedule.n", made.n, f"at most {MOST_BOTS} bots")
    each = 1 if pairing.kind == GAUNTLET else made.n // made.k
    if pairing.kind != LADDER and rounds * each > 2 * len(made.tables):
        raise BadInput("schedule.rounds", len(made.rounds), f"the {rounds} that were asked for")
    entered = programme.roster[: programme.made.n]
    names = [recorded.people[bot].name if bot in recorded.people else bot for bot in entered]
    owners = [str(owner) for owner in programme.owners]
    return first_rounds(
        *(pairing, recorded.plan.seats),
        names=names,
        owners=owners,
        apart=programme.apart,
        seed=seed,
        former=former,
    )


def _again(recorded: RecordedSchedule, number: int, seed: bytes) -> object:
    made, tables = recorded.programme.made, recorded.plan.schedule.tables
    before = replace(made, rounds=made.rounds[: number - 1], byes=made.byes[: number - 1])
    owners = recorded.programme.owners
    rungs = [
        Rung(bot, str(owners[bot]) if bot < len(owners) else f"house {bot}", elo, blocks)
        for bot, elo, blocks in recorded.programme.draws[number]
    ]
    apart = recorded.programme.apart
    return next_round(before, rungs, seed=seed, tables=tables, apart=apart).rounds[-1]


def check_draws(
    recorded: RecordedSchedule, hands: Mapping[str, Sequence[HandResult]]
) -> Iterator[str]:
    """What is wrong with what rounds were drawn from. hands: results by table, of none too few."""
    roster = recorded.programme.roster
    owners = [str(number) for number in range(len(roster))]
    results: list[HandResult] = []
    for number in range(1, len(recorded.programme.made.rounds) + 1):
        drawn = recorded.programme.draws.get(number)
        if drawn is not None:
            barred = {roster[bot] for bot in recorded.programme.barred.get(number, ())}
            rungs = rungs_of(counted_results(results, barred), roster, owners)
            kept = only(rungs, {bot for bot, _, _ in drawn})
            if tuple((rung.bot, rung.elo, rung.blocks) for rung in kept) != drawn:
                yield f"what round {number} was drawn from does not follow from the results before"
        tables = recorded.tables(number)
        if not all(table in hands for table in tables):
            return
        results.extend(result for table in tables for result in hands[table])
