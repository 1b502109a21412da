"""The pulse of several processes on one database: one arena time for all, and who is there.

Each process beats: it writes the arena time into the store. While any of them beats, time goes on
for all. If the last beat is older than OUTAGE_BEATS, nobody was alive (or the database was not),
and whoever beats first puts the clock back to where it stood and writes the new lag down; the
others read it with their next beat. Not used where one process has the store for itself.
"""

from __future__ import annotations

import contextlib
import logging
import secrets

from arena.errors import Unavailable
from arena.referee import desk
from arena.referee.hall import Hall
from arena.store.port import AddOne, LifeRow

ALIVE = "alive"
LAG = "lag"
STARTS = "starts"
OUTAGE_BEATS = 2
"""An outage shorter than this many heartbeats is not credited: it cannot be told from none."""
LOG = logging.getLogger("arena.referee")


def share_desk(hall: Hall) -> None:
    """Give the turns that this process offers numbers that it shares with the others.

    The mark of a process: half of it counted, so that processes differ, half of it drawn by lot, so
    that those do that started together.
    """
    hall.store.write(AddOne(STARTS))
    started = hall.store.life(STARTS) or 0
    half = desk.TAG_BITS // 2
    tag = (started % (1 << half)) << half | secrets.randbelow(1 << half)
    hall.desk.share(tag, hall.clock.wall_ms)


def join(hall: Hall, *, last_ms: int | None) -> None:
    """Set the arena's clock going when a process starts.

    last_ms: arena time of the last step of a running hand: nobody was down then.
    """
    beat(hall, last_ms=last_ms)


def beat(hall: Hall, *, last_ms: int | None = None) -> int:
    """Write that we are alive, and go on with the arena time that all share; that time.

    Raises Unavailable; the clock should be halted then, until a beat succeeds.
    """
    wall_ms = hall.clock.wall_ms()
    alive_ms, lag_ms = hall.store.life(ALIVE), hall.store.life(LAG)
    now_ms = wall_ms - (lag_ms or 0)
    patience_ms = OUTAGE_BEATS * hall.settings.heartbeat_ms
    if alive_ms is not None and now_ms - alive_ms > patience_ms:
        now_ms = max(alive_ms, last_ms or 0, hall.clock.halted_ms or 0)
        LOG.info("an outage of %d ms is credited to all clocks", wall_ms - (lag_ms or 0) - now_ms)
    if lag_ms != wall_ms - now_ms:
        hall.store.write(LifeRow(LAG, wall_ms - now_ms), LifeRow(ALIVE, now_ms))
    else:
        hall.store.write(LifeRow(ALIVE, now_ms))
    hall.clock.go_on(wall_ms - now_ms)
    return now_ms


def came_key(bot: str) -> str:
    """Under which key it is noted that an absent bot has come back."""
    return f"came/{bot}"


def note_return(hall: Hall, bot: str) -> None:
    """Tell the other processes that an absent bot polls again."""
    with contextlib.suppress(Unavailable):
        hall.store.write(LifeRow(came_key(bot), hall.clock.now_ms()))
