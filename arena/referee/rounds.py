"""Rounds: all tables of a round begin in one atomic write, with their first hands.

A round that follows from results is drawn when all rounds before it have ended, and written
together with the schedule that it makes longer, so that nobody ever sees one without the other.
Two may draw at the same time, as a home and the one before it: they draw the same, and the schedule
that was read has to be the one that is there, so that exactly one of them writes it.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from functools import partial

import orjson

from arena.errors import BadInput
from arena.identity.registry import Registry
from arena.notices.recording import notice
from arena.referee.context import Context, Sources
from arena.referee.hand_start import begin_hand, prepare_hand
from arena.referee.live import Session, Table
from arena.referee.projection import announce
from arena.session.apart import Field
from arena.session.counting import counted_results, counted_tables, is_barred
from arena.session.deal_groups import PlannedTable, planned_tables
from arena.session.names import table_id
from arena.session.notices import NEXT_TABLE
from arena.session.results import pool_of, rated_result
from arena.session.schedule_config import LADDER
from arena.session.stored_schedule import (
    StoredSchedule,
    drawn_on,
    may_play,
    read_schedule,
    seed_of,
    with_next_round,
    write_schedule,
)
from arena.statuses import HAND_ENDED, EntryStatus, TableStatus
from arena.store.port import Change, EntryRow, SetSchedule, Store, TableRow
from arena.store.reading import all_entries, all_hands, all_tables
from arena.tournament.pairing.draws import only, rungs_of
from arena.tournament.pairing.ladder import Rung
from arena.tournament.results import HandResult


def begin_round(context: Context, session: Session, round_: int) -> None:
    """Begin a round that the schedule has."""
    line_ups = session.rounds[round_ - 1]
    planned = planned_tables(session.config.deals, session.id, round_, line_ups=line_ups)
    key = session.keys.of_round(round_)
    _begin(context, session, round_, planned=planned, roster=session.roster, key=key)


def draw_round(context: Context, session: Session) -> bool:
    """Draw the next round from the results, and begin it; False if no table can be filled now."""
    if session.schedule is None:
        return False
    listed = list(all_entries(context.store, session.id))
    programme = read_schedule(orjson.loads(session.schedule))
    if session.config.schedule.kind == LADDER:
        field = _field(context.registry, listed)
        programme = with_next_round(programme, field, session.config.schedule)
    programme, round_ = programme.with_next_mixed(), len(programme.made.rounds) + 1
    chances = {entry.bot: entry.chance for entry in listed}
    key = programme.keys(session.secret, chances).of_round(round_)
    drawn = _drawn(context, session, programme, listed=listed, key=key)
    if drawn is None:
        return False
    text = context.long_work.drawing(partial(write_schedule, drawn, session.config))
    longer = SetSchedule(session.id, text, was=session.schedule)
    line_ups = drawn.made.rounds[-1]
    planned = planned_tables(session.config.deals, session.id, round_, line_ups=line_ups)
    _begin(context, session, round_, longer, planned=planned, roster=drawn.roster, key=key)
    return True


def _drawn(
    sources: Sources,
    session: Session,
    programme: StoredSchedule,
    *,
    listed: Sequence[EntryRow],
    key: bytes,
) -> StoredSchedule | None:
    """The programme with its next round, None if that cannot be drawn. key: of that round."""
    playing = _playing(programme, listed)
    owners = _owners(programme)
    ladder = session.config.schedule.kind == LADDER
    rivals = {bot: owners[bot] for bot in sorted(playing)}
    if ladder and not may_play(rivals, session.config.seats, programme.apart):
        return None
    barred = _barred(programme, listed)
    results = results_of(sources, session, frozenset(programme.roster[n] for n in barred))
    seed, tables = seed_of(key, session.id), session.config.schedule.tables

    def draw() -> StoredSchedule | None:
        rungs = rungs_of(results, programme.roster, owners)
        try:
            field = only(rungs, playing)
            return drawn_on(programme, field, barred=barred, seed=seed, tables=tables)
        except BadInput:
            return None if ladder else _with_all(programme, rungs, barred, seed)

    return sources.long_work.drawing(draw)


def _with_all(
    programme: StoredSchedule, rungs: Sequence[Rung], barred: Sequence[int], seed: bytes
) -> StoredSchedule:
    """Those that have left stay in the draw where the rest cannot be seated without them; house
    bots take their seats."""
    return drawn_on(programme, rungs, barred=barred, seed=seed, tables=None)


def _playing(programme: StoredSchedule, listed: Sequence[EntryRow]) -> frozenset[int]:
    """Participants that have not left, house bots among them."""
    left = {entry.bot for entry in listed if entry.status != EntryStatus.ENTERED}
    return frozenset(n for n, bot in enumerate(programme.roster) if bot not in left)


def _barred(programme: StoredSchedule, listed: Sequence[EntryRow]) -> tuple[int, ...]:
    """Participants whose hands do not count."""
    barred = {entry.bot for entry in listed if is_barred(entry.status)}
    return tuple(n for n, bot in enumerate(programme.roster) if bot in barred)


def _owners(programme: StoredSchedule) -> list[str]:
    """The owner of each participant; house bots have one each."""
    house = range(len(programme.owners), len(programme.roster))
    return [*map(str, programme.owners), *(f"house {number}" for number in house)]


def _field(registry: Registry, listed: Sequence[EntryRow]) -> Field:
    rows = [registry.row(entry.bot) for entry in listed]
    return Field(
        tuple(row.id for row in rows),
        tuple(row.name for row in rows),
        tuple(row.owner for row in rows),
    )


def results_of(
    sources: Sources, session: Session, barred: Collection[str]
) -> tuple[HandResult, ...]:
    """The results that count, without the barred bots; each table is read once."""
    known, fresh = session.results, dict[str, tuple[str, tuple[HandResult, ...]]]()
    pieces = sources.long_work.pieces()
    rows = list(all_tables(sources.store, session.id, limit=1_000))
    counted = counted_tables(sources.in_play.table_state(session, row) for row in rows)
    for row in rows:
        if row.id in counted:
            status, found = known.get(row.id, ("", ()))
            if status != row.status:
                found = _table_results(sources, session, row)
            fresh[row.id] = (row.status, found)
            pieces.pause()
    session.results = fresh
    results = (result for _, found in fresh.values() for result in found)
    return counted_results(results, barred)


def _table_results(sources: Sources, session: Session, row: TableRow) -> tuple[HandResult, ...]:
    players = orjson.loads(row.players)
    pool = pool_of(session.config.rules_at(len(players)).fingerprint, len(players))
    block = sources.in_play.deal_group(session, row).block
    return tuple(
        rated_result(orjson.loads(hand.result), players=players, block=block, pool=pool)
        for hand in all_hands(sources.store, row.id)
        if hand.status in HAND_ENDED and hand.result is not None
    )


def recall_answers(store: Store, session: Session) -> None:
    """Note which bots at the open tables of a session have answered at one that has ended: they may
    draw on the whole of their bank. For who takes it up from its log, and reads the open tables."""
    asked = {bot for table in session.tables.values() for bot in table.players}
    asked -= session.answered_ms.keys() | session.house
    if not asked or min(table.round for table in session.tables.values()) == 1:
        return
    ended = [row for row in all_tables(store, session.id) if row.status != TableStatus.PLAYING]
    for row in reversed(ended):
        players = orjson.loads(row.players)
        if asked.isdisjoint(players):
            continue
        for player in _who_answered(store, row):
            session.answered_ms.setdefault(players[player], 0)
        asked -= session.answered_ms.keys()
        if not asked:
            return


def _who_answered(store: Store, row: TableRow) -> Iterator[int]:
    """The players of an ended table that have answered there."""
    for hand in all_hands(store, row.id):
        moves = [] if hand.result is None else orjson.loads(hand.result).get("moves", [])
        yield from (player for player, count in enumerate(moves) if count)


def _begin(
    context: Context,
    session: Session,
    round_: int,
    longer: SetSchedule | None = None,
    *,
    planned: Sequence[PlannedTable],
    roster: Sequence[str],
    key: bytes,
) -> None:
    """Write a round's tables and their first hands at once, so that all start together.

    longer: the schedule with this round, if it was drawn just now. key: of the round.
    """
    pieces, tables, openings = context.long_work.pieces(), [], []
    for place in planned:
        tables.append(_table(context, session, round_, place=place, roster=roster, key=key))
        openings.append(prepare_hand(context.clock, tables[-1], 1))
        pieces.pause()
    changes: list[Change] = [] if longer is None else [longer]
    for place, table, opening in zip(planned, tables, openings, strict=True):
        players = orjson.dumps(table.players).decode()
        changes.append(
            TableRow(
                table.id, session.id, round_, place.number, players, status=TableStatus.PLAYING
            )
        )
        changes.extend(opening.changes)
    changes += table_notices(tables, context.clock.wall_ms())
    context.store.write(*changes)
    if longer is not None:
        context.in_play.read_schedule(session, longer.schedule)
    session.rounds_made = round_
    begun = [begin_hand(context, table, each) for table, each in zip(tables, openings, strict=True)]
    for table in tables:
        session.tables[table.id] = context.in_play.tables[table.id] = table
    for moved in begun:
        with moved.hand.lock:
            announce(context, [moved])


def _table(
    sources: Sources,
    session: Session,
    round_: int,
    *,
    place: PlannedTable,
    roster: Sequence[str],
    key: bytes,
) -> Table:
    players = with_substitutes(
        sources.registry, session, [roster[index] for index in place.line_up]
    )
    for player in players:
        sources.in_play.note_player(session, player)
    name = table_id(session.id, round_, place.number)
    return Table(name, session, round_=round_, players=players, group=place.group, key=key)


def table_notices(tables: Sequence[Table], now_ms: int) -> list[Change]:
    """What the bots are told of tables that begin; in the order of their ids, so that the rows of
    bots are locked in one order by whoever writes."""
    seated = [
        (bot, table) for table in tables for bot in table.players if bot not in table.session.house
    ]
    return [
        change
        for bot, table in sorted(seated, key=lambda each: each[0])
        for change in notice(bot, table.session.id, NEXT_TABLE, data=_seating(table), now_ms=now_ms)
    ]


def _seating(table: Table) -> dict[str, object]:
    """A table as its players are told of it."""
    players = [table.session.shown(bot)[1] for bot in table.players]
    return {"table": table.id, "round": table.round, "players": players}


def with_substitutes(registry: Registry, session: Session, bots: Sequence[str]) -> list[str]:
    """The line-up with house bots in place of those that have left."""
    numbers = itertools.count(1)
    players = list(bots)
    for seat, bot in enumerate(bots):
        if bot in session.out:
            houses = (registry.house(number).id for number in numbers)
            players[seat] = next(house for house in houses if house not in players)
    return players
