"""Do the hashes of stored logs fit? Looked at without a referee, from the rows alone.

What a session's deals follow from gives the salts of its logs; nothing here reads a store, and no
secret leaves it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import orjson

from arena.errors import BadInput, DamagedHand
from arena.proofs.chance import RoundKeys
from arena.referee.step_rows import log_hasher, next_hash
from arena.session.config import read_config
from arena.session.deal_groups import planned_table
from arena.session.stored_schedule import read_schedule
from arena.store.port import EntryRow, HandRow, SessionRow, StepRow, TableRow


class SaltSource(NamedTuple):
    """From what the deals of a session, and the salts of its logs, follow.

    mode: its `deals`; rounds: as it has them.
    """

    session: str
    keys: RoundKeys
    mode: str
    rounds: tuple[tuple[tuple[int, ...], ...], ...]

    def shuffles(self, table: TableRow) -> str:
        """What enters the deals of a table in its place."""
        place = planned_table(
            self.mode, self.session, table.round, number=table.number, rounds=self.rounds
        )
        return table.id if place is None else place.group.shuffles


def read_salts(row: SessionRow, entries: Iterable[EntryRow]) -> SaltSource | None:
    """From what the deals of a session follow; None for a damaged one."""
    chances = {entry.bot: entry.chance for entry in entries}
    try:
        mode = read_config(orjson.loads(row.document)).deals
        if row.schedule is None:
            return SaltSource(row.id, RoundKeys(row.secret), mode, ())
        drawn = read_schedule(orjson.loads(row.schedule))
    except (ValueError, TypeError, KeyError, BadInput):
        return None
    return SaltSource(row.id, drawn.keys(row.secret, chances), mode, drawn.made.rounds)


def first_damage(
    salts: SaltSource, table: TableRow, hand: HandRow, steps: Sequence[StepRow]
) -> DamagedHand | None:
    """The first step whose hash does not fit; None if all do, or none has one."""
    if all(step.hash is None for step in steps):
        return None
    try:
        hasher = log_hasher(salts.keys.of_round(table.round), salts.shuffles(table), hand)
        head, seq, old = hasher.start, 0, True
        for step in steps:
            old = old and step.hash is None
            head = next_hash(step, hasher, seq=seq, before=head, old=old)
            seq += step.event_count
    except DamagedHand as error:
        return error
    return None
