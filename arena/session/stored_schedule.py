"""Drawing: the schedule of a session, as a whole or round by round, and how it is stored.

The first rounds follow from the document, the roster and a seed that the key of round 1 gives
(label `schedule`); a round that follows from results, from these, the seed of its own key and the
rungs that are stored beside it. So a record can be drawn again (see `arena.records`). Pure: reads
no store and no clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import orjson

from arena.documents import Document
from arena.errors import BadInput
from arena.proofs.chance import RoundKeys
from arena.session.apart import Field, Pairs, in_words, pairs_apart, read_pairs
from arena.session.config import SessionConfig
from arena.session.deal_groups import replicas
from arena.session.deals import stream_key
from arena.session.owners import in_one_spelling, owner_key
from arena.session.schedule_config import FINAL, GAUNTLET, LADDER, SWISS, ScheduleConfig
from arena.statuses import BoardNames
from arena.tournament.pairing.conflicts import (
    Unseatable,
    check_comparable,
    check_places,
    conflicts_of,
    table_with,
)
from arena.tournament.pairing.descriptions import design_document
from arena.tournament.pairing.draws import next_round
from arena.tournament.pairing.finals import final
from arena.tournament.pairing.gauntlet import gauntlet
from arena.tournament.pairing.ladder import Rung
from arena.tournament.pairing.lineups import Schedule, schedule_of
from arena.tournament.pairing.mixed import mixed_rounds
from arena.tournament.pairing.schedules import round_robin
from arena.tournament.pairing.swiss import SWISS_ROUNDS, swiss_start

HOUSE_BOTS = 2
"""How many house bots a perfect design may ask for."""
Drawn = tuple[int, float | None, int]
"""A rung as it is stored: participant, Elo, blocks."""


class StoredSchedule(NamedTuple):
    """The schedule of a session as it is stored.

    roster: bot ids by participant, house bots last; owners: numbers instead of names, of all but
    the house bots. to_come: rounds that are still to be drawn, None: until the organiser closes the
    session. apart: pairs of participants that never meet, besides those of one owner. draws: for
    each round that follows from results what it was drawn from, by its number; barred: the
    participants whose results did not count then. mixed: for each round how many of the roster are
    mixed into its key; None in a session that an older program has started. public: the value of
    the public source of chance; None where the document announced none.
    """

    made: Schedule
    roster: tuple[str, ...]
    owners: tuple[int, ...]
    to_come: int | None = 0
    draws: Mapping[int, tuple[Drawn, ...]] = {}
    barred: Mapping[int, tuple[int, ...]] = {}
    apart: Pairs = ()
    mixed: tuple[int, ...] | None = None
    public: str | None = None

    def keys(self, secret: bytes, chances: Mapping[str, bytes | None]) -> RoundKeys:
        """The keys of its rounds. chances: what bots gave, by id."""
        return RoundKeys(secret, tuple(map(chances.get, self.roster)), self.mixed, self.public)

    def with_next_mixed(self) -> StoredSchedule:
        """With all that are on the roster by now mixed into the round that is drawn next."""
        mixed = None if self.mixed is None else (*self.mixed, self.made.n)
        return self._replace(mixed=mixed)


def seed_of(key: bytes, session: str) -> bytes:
    """The seed from which rounds of a session are drawn. key: of that round, or of round 1."""
    return stream_key(key, session, number=0, label="schedule")


def first_rounds(
    pairing: ScheduleConfig,
    seats: int,
    *,
    names: Sequence[str],
    owners: Sequence[str],
    seed: bytes,
    apart: Pairs = (),
    former: bool = False,
) -> Schedule:
    """The rounds that are known before a session starts; none of a ladder.

    names, owners: of the roster. apart: its pairs that never meet. former: as older programs drew
    (see `round_robin`). Raises BadInput for a roster that cannot be seated, with the reason.
    """
    draw = partial(_first_rounds, pairing, seats, names=names, owners=owners, seed=seed)
    try:
        return draw(apart=apart, former=former)
    except Unseatable as error:
        raise in_words(error, names) from error


def _first_rounds(
    pairing: ScheduleConfig,
    seats: int,
    *,
    names: Sequence[str],
    owners: Sequence[str],
    seed: bytes,
    apart: Pairs,
    former: bool,
) -> Schedule:
    rounds = pairing.rounds
    if pairing.kind == GAUNTLET:
        regulars = [_number(name, names) for name in pairing.regulars]
        return gauntlet(owners, seats, regulars=regulars, seed=seed, rounds=rounds, apart=apart)
    if pairing.kind == SWISS:
        wanted, fill = rounds or SWISS_ROUNDS, pairing.house_bots
        return swiss_start(owners, seats, rounds=wanted, seed=seed, fill=fill, apart=apart)
    if pairing.kind == LADDER:
        return _ladder(owners, seats, apart)
    draw: Callable[..., Schedule] = partial(
        round_robin, house=HOUSE_BOTS if pairing.house_bots else 0, former=former
    )
    if pairing.kind == FINAL:
        draw = partial(final, former=former)
    elif pairing.mixed_sizes:
        draw = mixed_rounds
    elif pairing.house_bots:
        draw = partial(draw, fill=True)
    return draw(owners, seats, seed=seed, rounds=rounds, apart=apart)


def _number(name: str, names: Sequence[str]) -> int:
    if name not in names:
        entered = ", ".join(names) or "none yet"
        raise BadInput("schedule.regulars", name, f"bots that have entered: {entered}")
    return list(names).index(name)


def _ladder(owners: Sequence[str], seats: int, apart: Pairs) -> Schedule:
    """A ladder before its first block; one that could not have any is refused, as is a bot that
    could never play in it."""
    if not may_play(dict(enumerate(owners)), seats, ()):
        raise BadInput("owners", len(set(owners)), f"at least {seats}, one for each seat")
    if apart:
        conflicts = conflicts_of(dict(enumerate(owners)), apart)
        check_comparable(conflicts)
        check_places(range(len(owners)), seats, conflicts)
    return schedule_of(LADDER, [], n=len(owners), k=seats)


def may_play(owners: Mapping[int, str], seats: int, apart: Pairs) -> bool:
    """Can a table be filled, one bot of each owner, none with whom it is kept apart from?"""
    if len(set(owners.values())) < seats or not apart:
        return len(set(owners.values())) >= seats
    field, conflicts = list(owners), conflicts_of(owners, apart)
    return any(table_with([bot], field, seats, conflicts) is not None for bot in field)


def rounds_to_come(pairing: ScheduleConfig, schedule: Schedule) -> int | None:
    """How many rounds are still to be drawn; None: until the session is closed."""
    if pairing.kind == SWISS:
        return (pairing.rounds or SWISS_ROUNDS) - len(schedule.rounds)
    return pairing.rounds if pairing.kind == LADDER else 0


def with_next_round(
    programme: StoredSchedule, field: Field, pairing: ScheduleConfig
) -> StoredSchedule:
    """The programme of a ladder with everybody on it that has entered since.

    field: everybody that ever entered. Owners keep their numbers, also those that an older program
    took for two by their spelling: the rounds so far were drawn from them.
    """
    fresh = [bot for bot in field.bots if bot not in programme.roster]
    if not fresh:
        return programme
    owner = dict(zip(field.bots, field.owners, strict=True))
    roster = (*programme.roster, *fresh)
    owners = _more_numbers(programme.owners, [owner[bot] for bot in roster])
    schedule = replace(programme.made, n=len(roster))
    name = dict(zip(field.bots, field.names, strict=True))
    listed = Field(roster, [name[bot] for bot in roster], [owner[bot] for bot in roster])
    apart = pairs_apart(pairing.apart, listed)
    return programme._replace(made=schedule, roster=roster, owners=owners, apart=apart)


def _more_numbers(numbers: Sequence[int], owners: Sequence[str]) -> tuple[int, ...]:
    """The numbers of the first owners, and with them those of the others: the same for the same
    spelling, else for one that can be taken for it."""
    known: dict[str, int] = {}
    for owner, number in zip(owners, numbers, strict=False):
        known.setdefault(owner_key(owner), number)
        known[owner] = number
    more = list(numbers)
    for owner in owners[len(numbers) :]:
        alike = known.setdefault(owner_key(owner), max(more, default=-1) + 1)
        more.append(known.get(owner, alike))
    return tuple(more)


def numbered(owners: Sequence[str]) -> tuple[int, ...]:
    """Owners as numbers, in the order in which they come."""
    known: dict[str, int] = {}
    return tuple(known.setdefault(owner, len(known)) for owner in in_one_spelling(owners))


def drawn_on(
    programme: StoredSchedule,
    rungs: Sequence[Rung],
    *,
    barred: Sequence[int] = (),
    seed: bytes,
    tables: int | None,
) -> StoredSchedule:
    """The programme with one more round. barred: participants whose results do not count; seed:
    from the key of that round, into which the programme has mixed all (`with_next_mixed`).

    Raises BadInput for a field that cannot be seated.
    """
    schedule = next_round(programme.made, rungs, seed=seed, tables=tables, apart=programme.apart)
    standing = tuple((rung.bot, rung.elo, rung.blocks) for rung in rungs)
    to_come = None if programme.to_come is None else programme.to_come - 1
    number = len(schedule.rounds)
    return programme._replace(
        made=schedule,
        to_come=to_come,
        draws={**programme.draws, number: standing},
        barred={**programme.barred, number: tuple(barred)} if barred else programme.barred,
    )


def write_schedule(programme: StoredSchedule, config: SessionConfig) -> str:
    """The text that is stored."""
    schedule = programme.made
    document = {
        "kind": schedule.kind,
        "n": schedule.n,
        "k": schedule.k,
        "house": schedule.house,
        "roster": programme.roster,
        "owners": programme.owners,
        "rounds": schedule.rounds,
        "byes": schedule.byes,
        "to_come": programme.to_come,
        "draws": {str(number): drawn for number, drawn in programme.draws.items()},
        "barred": {str(number): bots for number, bots in programme.barred.items()},
        "apart": programme.apart,
        **({} if programme.mixed is None else _mixed(programme)),
        "design": design_of(programme, config),
    }
    return orjson.dumps(document).decode()


def _mixed(programme: StoredSchedule) -> Document:
    """What is mixed into the keys, as older programs did not have it."""
    return {"mixed": programme.mixed, "public_chance": programme.public}


def design_of(programme: StoredSchedule, config: SessionConfig) -> Document:
    """How even the schedule is by now, for everybody to see.

    Pairs that never meet are left out of it; but not where nobody may know who shares an owner.
    """
    schedule = programme.made
    each = {len(table): replicas(config.deals, table) for table in schedule.tables}
    tables = sum(each[len(table)] for table in schedule.tables)
    hidden = config.board == BoardNames.PSEUDONYMOUS
    owners, apart = ((), ()) if hidden else (programme.owners, programme.apart)
    document = design_document(schedule, owners=list(map(str, owners)), apart=apart)
    return {**document, "tables": tables, "rounds_to_come": programme.to_come}


def read_schedule(document: Mapping[str, Any]) -> StoredSchedule:
    """A stored schedule, or that of a record; if it does not tell owners, everybody has one."""
    made = Schedule(
        document["kind"],
        document["n"],
        document["k"],
        rounds=tuple(tuple(map(tuple, tables)) for tables in document["rounds"]),
        byes=tuple(map(tuple, document["byes"])),
        house=document["house"],
    )
    draws = {
        int(number): tuple((bot, elo, blocks) for bot, elo, blocks in drawn)
        for number, drawn in document["draws"].items()
    }
    barred = {int(number): tuple(bots) for number, bots in document.get("barred", {}).items()}
    roster, owners = tuple(document["roster"]), document["owners"]
    owner_numbers = tuple(range(len(roster) - made.house)) if owners is None else tuple(owners)
    apart, mixed = read_pairs(document.get("apart")), document.get("mixed")
    return StoredSchedule(
        *(made, roster, owner_numbers, document["to_come"], draws, barred, apart),
        mixed=None if mixed is None else tuple(mixed),
        public=document.get("public_chance"),
    )
