"""Rounds: which rounds of a recorded session are complete.

The same as on the arena that wrote the file, as far as the file goes: a round is complete if each
of its tables has hands that count, was cut short, or is void. A file without hands that are not
public, or whose results were frozen, has fewer complete rounds. Pure; it rates nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from arena.records.imports import EndedHand, Heading
from arena.session.counting import complete_rounds
from arena.session.deal_groups import planned_tables
from arena.session.names import table_id


def rounds_complete(session: Heading, hands: Iterable[EndedHand]) -> int:
    """How many rounds of a session are complete, from its header and all of its hands."""
    listed = list(hands)
    rounds = {**_planned(session), **{hand.table: hand.round for hand in listed}}
    for void in sorted(session.voids, key=lambda table: (len(table), table)):
        replay = session.voids[void]  # later in this order; it may be void itself
        if replay is not None and void in rounds:
            rounds.setdefault(replay, rounds[void])
    played = {hand.table for hand in listed} | session.aborted | session.voids.keys()
    settled = played - session.playing
    return complete_rounds((round_, table in settled) for table, round_ in rounds.items())


def _planned(session: Heading) -> dict[str, int]:
    """The tables of the schedule, with their rounds."""
    rounds = [] if session.schedule is None else session.schedule["rounds"]
    deals = session.document["deals"]
    return {
        table_id(session.session, round_, planned.number): round_
        for round_, line_ups in enumerate(rounds, start=1)
        for planned in planned_tables(deals, session.session, round_, line_ups=line_ups)
    }
