"""Completeness: are all tables of a session's schedule in a record, in their order, with all hands?

Knows the tables in the order in which they come and keeps the last one only, and those that the
header names. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator

from arena.records.headings import KnownSession, table_number
from arena.records.tables import TableProgress
from arena.session.names import table_id
from arena.statuses import OVER, SessionStatus


class Completeness:
    """The tables of one session. known: what its header says, None without one.

    unknown: tables of which cannot be said whether they have all their hands.
    """

    def __init__(self, known: KnownSession | None) -> None:
        self._known = known
        self._last: tuple[int, bool, int] = (0, False, 0)
        self._state: TableProgress | None = None
        self._named = set(self._listed())
        self._again: set[str] = set()
        self._skipped: dict[str, None] = {}
        self._next = (1, 0)
        self.tables = 0
        self.unknown = 0
        self.in_order = True

    def _listed(self) -> Iterator[str]:
        """The tables that the header names."""
        if self._known is not None:
            yield from self._known.aborted
            yield from self._known.voids
            yield from (each for each in self._known.voids.values() if each is not None)

    @property
    def claims(self) -> bool:
        """Has the file to have all that the schedule has?"""
        known = self._known
        return known is not None and known.version > 1 and known.status in OVER

    def table(self, table: str) -> Iterator[str]:
        """A table begins."""
        yield from self._table_ended()
        self.tables += 1
        self._named.discard(table)
        self._skipped.pop(table, None)
        round_, number, again = table_number(table)
        place = (round_, bool(again), 0 if again else number)
        twice = table in self._again or (place == self._last and not again)
        if again:
            self._again.add(table)
        if self.in_order and (place < self._last or twice):
            self.in_order = False
            said = "comes a second time" if twice else "stands after later ones"
            yield f"the lines are not in the order of play: table {table} {said}"
        self._last = max(place, self._last)
        if self.claims and not again:
            self._skip_to(round_, number)

    def state(self, state: TableProgress) -> None:
        """How far the table has come."""
        self._state = state

    def _table_ended(self) -> Iterator[str]:
        state, known, self._state = self._state, self._known, None
        if state is None or known is None or not self.claims or state.table in known.voids:
            return
        aborted = state.table in known.aborted
        if aborted and state.complete and known.status == SessionStatus.FINISHED:
            yield f"table {state.table} has all its hands, the header lists it as cut short"
        elif not aborted and state.complete is False:
            wanted = known.plan.hands_per_table
            yield f"table {state.table} has {state.hands} of {wanted} hands: hands are missing"
        elif not aborted and state.complete is None:
            self.unknown += 1

    def _skip_to(self, round_: int, number: int) -> None:
        """Note the tables of the schedule that should have come before this one."""
        if self._known is None or self._known.schedule is None:
            return
        while self._next < (round_, number):
            self._skip()
        if self._next == (round_, number):
            self._next = (round_, number + 1)

    def _skip(self) -> None:
        """Go on to the next table of the schedule; if there is one here, it has not come yet."""
        known, (round_, number) = self._known, self._next
        assert known is not None
        assert known.schedule is not None
        if number == 0:
            self._next = (round_, number + 1)
        elif known.schedule.place(round_, number) is None:
            self._next = (round_ + 1, 0)
        else:
            self._next = (round_, number + 1)
            self._skipped[table_id(known.session, round_, number)] = None

    def end(self) -> Iterator[str]:
        """The session ends here."""
        yield from self._table_ended()
        known = self._known
        if known is None or known.begun is None:
            return
        if self._last[0] > known.begun:
            yield f"there are hands of round {self._last[0]}, rounds_begun is {known.begun}"
        if not self.claims:
            return
        rounds = 0 if known.schedule is None else len(known.schedule.programme.made.rounds)
        while self._next[0] <= min(known.begun, rounds):
            self._skip()
        yield from (f"table {table} is missing" for table in self._skipped)
        self._named -= self._skipped.keys()
        for table in sorted(self._named):
            yield f"table {table} is named in the header, and is missing"
        yield from self._ended_early(known)

    def _ended_early(self, known: KnownSession) -> Iterator[str]:
        """Do rounds lack of a session that was not ended early, as far as the header tells?"""
        schedule = known.schedule
        if known.begun == 0 and known.status == SessionStatus.FINISHED and schedule is not None:
            yield "the session is finished, and no round was begun"
