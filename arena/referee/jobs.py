"""Work that follows from a committed step: seats to answer for, next hands, next rounds.

A job is a kind and an id, and doing it twice is harmless: it looks at what is and does what is
missing. So jobs need no durability of their own; a restart asks for all of them again. Without
threads they run when `run_waiting` is called, in order.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping

from arena.errors import ArenaError, Unavailable

Job = tuple[str, str]
LOG = logging.getLogger("arena.referee")


class JobQueue:
    """Jobs that wait to be done; each waits once at most."""

    def __init__(self) -> None:
        self._waiting: deque[Job] = deque()
        self._queued: set[Job] = set()
        self._ready = threading.Condition()
        self._stopped = False
        self._failed: list[Job] = []

    def add(self, kind: str, what: str) -> None:
        """Ask for a job."""
        with self._ready:
            if (kind, what) not in self._queued:
                self._queued.add((kind, what))
                self._waiting.append((kind, what))
                self._ready.notify()

    def retry(self) -> None:
        """Ask again for the jobs that the store could not do."""
        with self._ready:
            failed, self._failed = self._failed, []
        for kind, what in failed:
            self.add(kind, what)

    def __len__(self) -> int:
        return len(self._waiting)

    def next(self, *, block: bool) -> Job | None:
        """The next job, taken off the queue; None if there is none. block: wait for one, as long
        as the queue is open."""
        with self._ready:
            while block and not self._waiting and not self._stopped:
                self._ready.wait()
            if self._stopped or not self._waiting:
                return None
            job = self._waiting.popleft()
            self._queued.discard(job)
            return job

    def put_off(self, job: Job) -> None:
        """A job could not be done: it is asked for again with `retry`."""
        with self._ready:
            self._failed.append(job)

    def close(self) -> None:
        """Give out no job any more."""
        with self._ready:
            self._stopped = True
            self._ready.notify_all()


class JobRunner:
    """Do the jobs of a queue. handlers: what to do, by the kind of job."""

    def __init__(self, jobs: JobQueue, handlers: Mapping[str, Callable[[str], None]]) -> None:
        self._jobs = jobs
        self._handlers = handlers
        self._threads: list[threading.Thread] = []

    def start(self, workers: int) -> None:
        """Run jobs in threads from now on."""
        for n in range(workers):
            thread = threading.Thread(target=self._work, name=f"referee-{n}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """Finish the jobs that run, leave those that wait."""
        self._jobs.close()
        for thread in self._threads:
            thread.join()

    def run_waiting(self) -> None:
        """Without threads: do what waits, and what follows from it. With threads: nothing."""
        while not self._threads:
            job = self._jobs.next(block=False)
            if job is None:
                return
            try:
                self._handlers[job[0]](job[1])
            except Unavailable:
                self._jobs.put_off(job)

    def _work(self) -> None:
        while (job := self._jobs.next(block=True)) is not None:
            self._do(job)

    def _do(self, job: Job) -> None:
        """One job, at a thread's top: whatever goes wrong is logged, and the thread goes on."""
        try:
            self._handlers[job[0]](job[1])
        except ArenaError as error:
            LOG.warning("%s %s: %s; it will be tried again", *job, error)
            self._jobs.put_off(job)
        except Exception:
            LOG.exception("%s %s failed", *job)
            self._jobs.put_off(job)
