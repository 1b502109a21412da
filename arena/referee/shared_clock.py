"""The pulse of several processes on one database: one arena time for all, and who is there.

Each process beats twice in a `heartbeat_ms`: it writes the arena time into the store. While any of
them beats, time goes on for all. If the last beat is older than OUTAGE_BEATS, nobody was alive (or
the database was not); if one's own beat failed and nobody's came since, the database was away.
Whoever beats first after that puts the clock back to where it stood and writes the new lag down;
the others read it with their next beat. Not used where one process has the store for itself.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
from collections.abc import Iterable

from arena.errors import Unavailable
from arena.referee import open_turns
from arena.referee.context import Context, Ports
from arena.store.port import AddOne, Change, CounterRow, DropCounter, Store

ALIVE = "alive"
LAG = "lag"
STARTS = "starts"
OUTAGE_BEATS = 2
"""An outage of processes that is shorter than this many beats cannot be told from none."""
NOTE_MS = 1_000
"""How often the other processes are told that a bot on probation waits here, at the most."""
NOTED_MS = 2_500
"""For how long they go by it: until it is told again, and a moment longer."""
LOG = logging.getLogger("arena.referee")


def number_turns_for_all(context: Context) -> None:
    """Give the turns that this process offers numbers that it shares with the others.

    The mark of a process: half of it counted, so that processes differ, half of it random, so
    that those do that started together.
    """
    context.store.write(AddOne(STARTS))
    started = context.store.counter(STARTS) or 0
    half = open_turns.TAG_BITS // 2
    tag = (started % (1 << half)) << half | secrets.randbelow(1 << half)
    context.signals.open_turns.share(tag, context.clock.wall_ms)


def join(ports: Ports, *, last_ms: int | None) -> None:
    """Set the arena's clock going when a process starts.

    last_ms: arena time of the last step of a running hand: nobody was down then.
    """
    beat(ports, last_ms=last_ms)


def beat(ports: Ports, *, last_ms: int | None = None) -> int:
    """Write that we are alive, and go on with the arena time that all share; that time.

    Raises Unavailable; the clock should be halted then, until a beat succeeds.
    """
    wall_ms = ports.clock.wall_ms()
    alive_ms, lag_ms = ports.store.counter(ALIVE), ports.store.counter(LAG)
    now_ms = wall_ms - (lag_ms or 0)
    if alive_ms is not None and _was_out(ports, now_ms, alive_ms):
        late_ms = now_ms - max(alive_ms, last_ms or 0, ports.clock.halted_ms or 0)
        if late_ms > 0:
            LOG.info("an outage of %d ms is credited to all clocks", late_ms)
            now_ms -= late_ms
    if lag_ms != wall_ms - now_ms:
        ports.store.write(CounterRow(LAG, wall_ms - now_ms), CounterRow(ALIVE, now_ms))
    else:
        ports.store.write(CounterRow(ALIVE, now_ms))
    ports.clock.go_on(wall_ms - now_ms)
    return now_ms


def beat_ms(ports: Ports) -> int:
    """How often this process beats."""
    return max(1, ports.settings.heartbeat_ms // (2 if ports.store.shared else 1))


def _was_out(ports: Ports, now_ms: int, alive_ms: int) -> bool:
    """Was nobody alive, or the database out of reach for everybody, until now?"""
    halted_ms = ports.clock.halted_ms  # since when our own beats failed
    unreachable = halted_ms is not None and alive_ms <= halted_ms
    return unreachable or now_ms - alive_ms > OUTAGE_BEATS * beat_ms(ports)


def refused_key(hand: str, seat: int) -> str:
    """Under which key all processes count the refused answers of a seat in a hand."""
    return f"refused/{hand}.{seat}"


def session_keys(session: str) -> tuple[str, ...]:
    """Under which keys it is kept where a session's clock stands, and since when it is ending."""
    return f"lag/{session}", f"frozen/{session}", f"ending/{session}"


def forgotten(store: Store, keys: Iterable[str]) -> list[Change]:
    """What takes those of the keys away that are there."""
    return [DropCounter(key) for key in keys if store.counter(key) is not None]


def came_key(bot: str) -> str:
    """Under which key it is noted until when (arena time) a bot on probation counts as waiting."""
    return f"came/{bot}"


def note_waiting(context: Context, bot: str) -> None:
    """Tell the other processes that a bot waits here, if it has a seat on probation: none of them
    is to answer for it at once."""
    if not context.store.shared or not context.signals.presence.is_on_probation(bot):
        return
    now_ms = context.clock.now_ms()
    if context.signals.presence.take_note(bot, now_ms, every_ms=NOTE_MS):
        with contextlib.suppress(Unavailable):
            context.store.write(CounterRow(came_key(bot), now_ms + NOTED_MS))


def waits_elsewhere(ports: Ports, bot: str) -> bool:
    """Does a request of a bot wait at another process, or did one end a moment ago?"""
    until_ms = ports.store.counter(came_key(bot)) if ports.store.shared else None
    return until_ms is not None and ports.clock.now_ms() <= until_ms
