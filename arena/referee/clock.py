"""Time: the arena's own clock, and a session's clock that can be frozen.

Three kinds of time, each a whole number of milliseconds that never goes back:

- *wall time*, since 1970, for people: `at_ms` of a step, `server_time`, `deadline`;
- *arena time*: wall time without the outages. A process that starts goes on where the last one was
  alive, so an outage is credited to every open clock and nobody has to keep a list of credits. A
  process that stood still was out, too (`ArenaClock.watch`), and so is one that cannot write, since
  its database is away or locked by another program (`ArenaClock.outage`);
- *session time*: arena time without the pauses of that session. Deadlines are in session time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from arena.clock import Clock

LATE_MS = 100
"""A beat that comes later than this means that the process stood still. Less cannot be told from a
busy moment, and the grace of a turn (150 ms unless a session says otherwise) covers it."""
NEVER_MS = 1 << 62


class ArenaClock:
    """Arena time; stands still until `go`, and again after `halt`.

    Who looks at a clock that is watched after its beat has been due for longer than LATE_MS, be it
    the beat itself, finds the process just awoken. All the time since the beat was due is credited
    then, before anything is stamped with it. Where somebody has looked in between, the clock stands
    still until it has caught up with the credit, so it never goes back.

    wall_ms: wall time, which never stands still.
    """

    def __init__(self, clock: Clock) -> None:
        self.wall_ms = clock.now_ms
        self._lag_ms = 0
        self._halted_ms: int | None = 0
        self._out_ms: int | None = None
        self._due_ms = NEVER_MS
        self._shown_ms = 0

    def go(self, alive_ms: int | None) -> None:
        """Go on from the arena time at which a process was last known to be alive."""
        wall_ms = self.wall_ms()
        self.go_on(0 if alive_ms is None else wall_ms - alive_ms)

    def resume(self, since_ms: int) -> None:
        """Go on as if it had stood still since then. What it has shown meanwhile it shows until it
        has caught up with that, and no less long than it had to already."""
        if self._halted_ms is not None:
            self._shown_ms = max(self._shown_ms, self._halted_ms)
        self._set_going(max(self._lag_ms, self.wall_ms() - since_ms))

    def go_on(self, lag_ms: int) -> None:
        """Go on this far behind wall time: by the outages so far."""
        self._shown_ms = 0
        self._set_going(lag_ms)

    def _set_going(self, lag_ms: int) -> None:
        """It stands still until the end of this: other threads look, to whom no time may go
        back."""
        if self._due_ms != NEVER_MS:  # while it was halted, nothing was charged
            self._due_ms = self.wall_ms()
        self._lag_ms = lag_ms
        self._halted_ms = None

    def watch(self, beat_ms: int) -> None:
        """The process runs now; it stands still unless this is called again in about beat_ms."""
        self.now_ms()
        self._due_ms = self.wall_ms() + beat_ms

    def unwatch(self) -> None:
        """No more beats come; that means nothing from now on."""
        self.now_ms()
        self._due_ms = NEVER_MS

    @property
    def halted_ms(self) -> int | None:
        """The arena time at which it stands still, None while it goes."""
        return self._halted_ms

    def halt(self) -> int:
        """Stand still from now on; the arena time that it shows."""
        self._halted_ms = self.now_ms()
        return self._halted_ms

    @contextmanager
    def outage(self) -> Iterator[None]:
        """Stand still while this lasts, and halt if it is left with an error. One at a time."""
        self.now_ms()
        halted_ms = self._halted_ms
        out_ms = self.wall_ms() - self._lag_ms if halted_ms is None else halted_ms
        self._out_ms = out_ms
        try:
            yield
        except BaseException:
            self.halt()
            raise
        finally:
            wall_ms = self.wall_ms()
            self._lag_ms = max(self._lag_ms, wall_ms - out_ms)
            self._due_ms = NEVER_MS if self._due_ms == NEVER_MS else wall_ms
            self._out_ms = None

    def now_ms(self) -> int:
        """Arena time, with a standstill up to now credited."""
        halted_ms, out_ms = self._halted_ms, self._out_ms
        if halted_ms is not None:
            return halted_ms
        if out_ms is not None:
            return max(out_ms, self._shown_ms)
        wall_ms = self.wall_ms()
        if wall_ms - self._due_ms > LATE_MS:
            self._lag_ms += wall_ms - self._due_ms
            self._due_ms = wall_ms
        now_ms = wall_ms - self._lag_ms
        if now_ms < self._shown_ms:
            return self._shown_ms
        self._shown_ms = now_ms
        return now_ms


class SessionClock:
    """Session time: arena time behind by `lag_ms`, or frozen at `frozen_ms`. It is never less than
    that at which it was frozen, or from which it went on."""

    def __init__(self, arena: ArenaClock, *, lag_ms: int = 0, frozen_ms: int | None = None) -> None:
        self._arena = arena
        self.lag_ms = lag_ms
        self.frozen_ms = frozen_ms
        self._least_ms = -NEVER_MS

    def now_ms(self) -> int:
        """Session time."""
        return self.at_ms(self._arena.now_ms())

    def at_ms(self, arena_ms: int) -> int:
        """The session time of an arena time."""
        if self.frozen_ms is not None:
            return self.frozen_ms
        return max(arena_ms - self.lag_ms, self._least_ms)

    def freeze(self) -> int:
        """Stand still; the session time that it shows."""
        self.frozen_ms = self._least_ms = self.now_ms()
        return self.frozen_ms

    def lag_to_resume_ms(self) -> int:
        """The lag with which a frozen clock would go on from where it stands."""
        return self._arena.now_ms() - self.now_ms()

    def go_on(self, from_ms: int, *, still_ms: int) -> None:
        """Go on from a session time, after standing still there for so much longer."""
        self.thaw(self._arena.now_ms() - from_ms + still_ms)
        self._least_ms = from_ms

    def thaw(self, lag_ms: int) -> None:
        """Go on with this lag."""
        self.lag_ms = lag_ms
        self.frozen_ms = None
