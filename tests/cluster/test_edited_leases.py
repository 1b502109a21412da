"""The table of leases is edited by hand while a session is played, behind the back of all referees:
nothing is lost or doubled, and the session ends as that of one process does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from arena.cluster.leases import LAST
from arena.store.cluster_rows import DropLease, LeaseRow, MoveLease
from tests.cluster.memory import Several
from tests.cluster.test_law import MEMBERS, log, log_of_one_process

pytestmark = pytest.mark.slow
Edit = Callable[[LeaseRow], MoveLease | DropLease]
EDITS: dict[str, Edit] = {
    "to another": lambda row: to(row, "b" if row.home == "a" else "a"),
    "to nobody": lambda row: to(row, "nobody that there is"),
    "to nonsense": lambda row: to(row, "é\r\nSet-Cookie: a=b"),
    "lower": lambda row: to(row, row.home, -5),
    "higher": lambda row: to(row, row.home, row.epoch + 7),
    "the last": lambda row: to(row, row.home, LAST),
    "the last, to nobody": lambda row: to(row, "nobody", LAST),
    "away": lambda row: DropLease(*row),
}


def to(row: LeaseRow, home: str, epoch: int | None = None) -> MoveLease:
    """Another home, and the same epoch unless it is said."""
    return MoveLease(row.session, home, row.epoch if epoch is None else epoch, row.home, row.epoch)


@pytest.mark.parametrize("edit", EDITS)
def test_a_session_is_played_on_whatever_is_done_to_its_lease(edit: str) -> None:
    several = Several(3)
    several.members[0].session(**MEMBERS)
    several.step()
    accepted, edits = 0, 0
    while leases := several.store.leases():
        if accepted % 20 == 3 and edits < accepted // 20 + 1:
            several.store.write(EDITS[edit](leases[0]))
            edits += 1
            several.pass_ms(4_000)
        accepted += several.home().play(at_most=1)
    assert edits > 3
    assert log(several.store) == log_of_one_process()


def test_leases_of_what_is_not_in_play_are_taken_away() -> None:
    several = Several(2)
    several.members[0].session(**MEMBERS)
    several.step()
    several.store.write(
        LeaseRow("no-such", "a", 5), LeaseRow("nor-such", "b", LAST), LeaseRow("none", "gone", 5)
    )
    several.pass_ms(4_000)
    assert [row.session for row in several.store.leases()] == ["cup"]
