"""The bell: wakes those who wait for something to happen. A hint, never the truth.

Topics are plain strings (a bot, a hand). A waiter listens first and looks at the state afterwards,
so nothing that happens in between is lost; a ring is never consumed. Each waiter has an event of
its own, so a ring costs what its listeners cost and a waiter costs nothing while nothing happens.
Knows nothing of bots, hands or turns.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Hashable


class Waiter:
    """One waiting request. `released` says that a newer one took its place, or that all is over.

    who: for whom it waits, None for nobody in particular. thread: the one that sleeps meanwhile;
    None: it does so somewhere else.
    """

    __slots__ = ("_event", "_rung_s", "key", "released", "stopped", "thread", "topic", "who")

    def __init__(self, topic: str, key: Hashable, *, who: str | None = None) -> None:
        self.topic = topic
        self.key = key
        self.who = who
        self.thread: int | None = threading.get_ident()
        self.released = False
        self.stopped = False
        self._event = threading.Event()
        self._rung_s: float | None = None

    def wait(self, timeout_ms: int) -> float | None:
        """Sleep until the topic rings or the time is over. Rings before the call count too.

        Answers how many seconds ago it first rang, None if it did not.
        """
        self._event.wait(timeout_ms / 1000)
        self._event.clear()
        rung_s, self._rung_s = self._rung_s, None
        return None if rung_s is None else time.perf_counter() - rung_s

    def wake(self) -> None:
        if self._rung_s is None:
            self._rung_s = time.perf_counter()
        self._event.set()


class Bell:
    """All waiters of one process, by topic. stopped: nobody waits any more."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._topics: dict[str, set[Waiter]] = {}
        self._keyed: dict[tuple[str, Hashable], Waiter] = {}
        self._threads: dict[int, Waiter] = {}
        self._barred: set[str] = set()
        self._barred_threads: set[int] = set()
        self.stopped = False

    def listen(self, topic: str, key: Hashable = None, *, who: str | None = None) -> Waiter:
        """Begin to wait. With a key, an older waiter of the same topic and key is released.

        who: for whom; if they are barred, the new waiter is released already.
        """
        waiter = Waiter(topic, key, who=who)
        self.join(waiter)
        return waiter

    def join(self, waiter: Waiter) -> None:
        """Let a waiter begin to wait; see `listen`."""
        topic, key, who = waiter.topic, waiter.key, waiter.who
        with self._lock:
            waiter.stopped = self.stopped
            waiter.released = who in self._barred or waiter.thread in self._barred_threads
            if waiter.thread is not None:
                self._threads[waiter.thread] = waiter
            self._topics.setdefault(topic, set()).add(waiter)
            older = self._keyed.get((topic, key)) if key is not None else None
            if key is not None:
                self._keyed[topic, key] = waiter
        if older is not None:
            older.released = True
            older.wake()

    def leave(self, waiter: Waiter) -> None:
        """End waiting; harmless if done twice."""
        with self._lock:
            listeners = self._topics.get(waiter.topic)
            if listeners is not None:
                listeners.discard(waiter)
                if not listeners:
                    del self._topics[waiter.topic]
            if waiter.thread is not None and self._threads.get(waiter.thread) is waiter:
                del self._threads[waiter.thread]
            if self._keyed.get((waiter.topic, waiter.key)) is waiter:
                del self._keyed[waiter.topic, waiter.key]

    def ring(self, topic: str) -> None:
        """Wake everybody who listens to the topic."""
        listeners = self._topics.get(topic)
        if not listeners:
            return
        with self._lock:
            waiters = tuple(self._topics.get(topic, ()))
        for waiter in waiters:
            waiter.wake()

    def release(self, topic: str) -> None:
        """Send everybody home who listens to the topic now: there is nothing to wait for."""
        with self._lock:
            waiters = tuple(self._topics.get(topic, ()))
        for waiter in waiters:
            waiter.released = True
            waiter.wake()

    def dismiss(self, who: str) -> None:
        """Send all waiters home that wait for somebody now, whatever for."""
        with self._lock:
            listeners = itertools.chain.from_iterable(self._topics.values())
            waiters = [waiter for waiter in listeners if waiter.who == who]
        for waiter in waiters:
            waiter.released = True
            waiter.wake()

    def bar(self, who: str) -> None:
        """As `dismiss`, and nobody can wait for them any more, until they are admitted again."""
        with self._lock:
            self._barred.add(who)
        self.dismiss(who)

    def admit(self, who: str) -> None:
        """Let requests wait for somebody who was barred; harmless if they were not."""
        with self._lock:
            self._barred.discard(who)

    def bar_thread(self, thread: int) -> None:
        """Send the waiter of one thread home: nobody reads any more what it waits for. It can wait
        no more until it is admitted again."""
        with self._lock:
            self._barred_threads.add(thread)
            waiter = self._threads.get(thread)
        if waiter is not None:
            waiter.released = True
            waiter.wake()

    def admit_thread(self, thread: int) -> None:
        """Let a thread wait that was barred; harmless if it was not."""
        with self._lock:
            self._barred_threads.discard(thread)

    def barred(self) -> tuple[str, ...]:
        """Who is barred now."""
        with self._lock:
            return tuple(self._barred)

    def stop(self) -> None:
        """Release everybody, now and in future."""
        with self._lock:
            self.stopped = True
            waiters = [waiter for listeners in self._topics.values() for waiter in listeners]
        for waiter in waiters:
            waiter.stopped = True
            waiter.wake()

    def has_listener(self, topic: str) -> bool:
        """Does anybody wait for this topic now? Costs the same however many wait."""
        return topic in self._topics

    def waiting(self) -> int:
        """How many are waiting."""
        with self._lock:
            return sum(map(len, self._topics.values()))
