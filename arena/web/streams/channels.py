"""Channels: one thing that is followed, looked at by one thread for all its followers.

The bell wakes the channel and nobody else, so whoever rings pays for one waiter, however many
read. A moment later the channel looks, adds to its journal, and wakes its followers at a pace: bots
come first. This module may not know what is followed, nor what a request is.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Protocol

from arena.errors import ArenaError, Forbidden
from arena.pacing import MOMENT_S, Pacer, let_others_run
from arena.referee.bell import Bell, Waiter
from arena.web.streams.journal import Journal, frame

LOG = logging.getLogger("arena.web.streams")
GAP_S = 0.05
"""How long after a ring a channel looks: what happens meanwhile is sent together, and those who
play have been served."""
HEARTBEAT_S = 15.0
"""How long a stream may be silent: less than proxies wait, and soon enough to see who has gone."""
LOOK_S = 2.0
"""How often it looks at the least: not all that changes rings."""
SEND_S = 35e-6
"""What it takes to wake a follower and to send it a short piece, about; it is paid by the channel,
at whose pace that happens."""
GROUP = 2
"""Followers that are woken before everybody else has a turn."""


class Feed(Protocol):
    """What is followed. topic: what rings when there may be something new."""

    topic: str

    def look(self, journal: Journal, pause: Callable[[], None]) -> None:
        """Add what is new, and close the journal if nothing will follow. Raises Forbidden while
        nobody may see it, NotFound. pause: is called between two pieces of the work."""
        ...

    def place(self, known: int) -> int:
        """Behind which number of the journal somebody goes on who knows a number of an id."""
        ...


class Follower:
    """One who follows. It waits by itself, and is woken by its channel."""

    __slots__ = ("_event",)

    def __init__(self) -> None:
        self._event = threading.Event()

    def wait(self) -> None:
        """Sleep until it is woken; being woken before the call counts too."""
        self._event.wait()
        self._event.clear()

    def wake(self) -> None:
        """There is something new, or has been nothing for long."""
        self._event.set()


class Channel:
    """A feed with its journal and followers. ended: nobody is woken any more; heartbeats: how often
    they were woken after a long silence. on_end: called once, when its thread has ended.

    Its thread runs while there are followers, and not beyond the end of the journal. rest: sleeps
    so many seconds.
    """

    def __init__(
        self,
        feed: Feed,
        bell: Bell,
        *,
        pacer: Pacer,
        on_end: Callable[[Channel], None],
        rest: Callable[[float], None] = let_others_run,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.feed = feed
        self.journal = Journal()
        self._bell = bell
        self._looks, self._work = pacer.work(), pacer.work()
        self._on_end = on_end
        self._rest = rest
        self._followers: set[Follower] = set()
        self._looking = threading.Lock()
        self._looked = 0
        self._joining = threading.Lock()
        self._waiter: Waiter | None = None
        self.ended = False
        self.heartbeats = 0
        self._woken_to = 0
        self._monotonic = monotonic
        self._woken_s = monotonic()

    def look(self) -> None:
        """Look now; raises what the feed raises. A journal that is closed stays as it is.

        Who waits for others that look needs no look of its own where one of theirs has begun since:
        however many come at once, two looks are enough.
        """
        others = 1 if self._looking.locked() else 0  # first: one that ends now began before
        enough = self._looked + others + 1
        with self._looking:
            if self._looked < enough and not self.journal.finished:
                self._looks.go_on()
                self.feed.look(self.journal, self._looks.pause)
                self._looks.pause()
                self._looked += 1

    def join(self, follower: Follower) -> bool:
        """Be woken from now on; False if the channel has ended and wakes nobody any more."""
        with self._joining:
            if self.ended:
                return False
            self._followers.add(follower)
            if self._waiter is None:
                self._waiter = self._bell.listen(self.feed.topic)
                threading.Thread(target=self._run, args=(self._waiter,), daemon=True).start()
            return True

    def leave(self, follower: Follower) -> None:
        """Be woken no more; harmless if done twice."""
        self._followers.discard(follower)
        if not self._followers and self._waiter is not None:
            self._waiter.wake()

    def _run(self, waiter: Waiter) -> None:
        """Follow until nobody reads, nothing will follow or the arena stops. A thread's top: what
        goes wrong is logged, and ends the streams, whose followers come back."""
        try:
            while self._follow(waiter):
                continue
        except ArenaError as error:
            LOG.info("a stream ends: %s", error)
        except Exception:
            LOG.exception("a stream failed")
        finally:
            with self._joining:
                self.ended = True
            if self._followers:  # who has only looked by now, and not joined, goes on elsewhere
                self.journal.close()
            self._bell.leave(waiter)
            self._on_end(self)
            for follower in tuple(self._followers):
                follower.wake()

    def _follow(self, waiter: Waiter) -> bool:
        """Look, wake the followers for news, and wait for more; False if that was the end."""
        self._look_for_followers()
        self._work.go_on()
        self._wake_followers()
        self._work.stop()
        if self._is_over(waiter):
            return False
        waiter.wait(round(1000 * LOOK_S))
        if not waiter.stopped:
            self._rest(GAP_S)
        return True

    def _look_for_followers(self) -> None:
        """Look; what is withheld by now is taken from those who have not read it yet."""
        try:
            self.look()
        except Forbidden as error:
            self.journal.close(frame("withheld", {"detail": error.detail}))

    def _wake_followers(self) -> None:
        """Wake all followers for what is new, or after a long silence, a few at a time: while they
        are sent it, those who play are served too."""
        now_s = self._monotonic()
        if self.journal.end <= self._woken_to:
            if now_s < self._woken_s + HEARTBEAT_S:
                return
            self.heartbeats += 1
        self._woken_to, self._woken_s = self.journal.end, now_s
        followers = tuple(self._followers)
        for first in range(0, len(followers), GROUP):
            group = followers[first : first + GROUP]
            for follower in group:
                follower.wake()
            self._work.stop(len(group) * SEND_S)
            self._rest(MOMENT_S)
            self._work.go_on()
            self._work.pause()

    def _is_over(self, waiter: Waiter) -> bool:
        """Has it ended, for good? Who joins from then on is sent to another channel."""
        with self._joining:
            if self.journal.finished or waiter.stopped or not self._followers:
                self.ended = True
            return self.ended
