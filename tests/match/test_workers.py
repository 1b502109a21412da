"""Worker processes end with their executor, whenever it is interrupted."""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time

import pytest

from arena.match import workers
from arena.match.workers import Workers

pytestmark = pytest.mark.server


def feeders():
    """The threads that wait for work to hand to a process."""
    return [thread for thread in threading.enumerate() if isinstance(thread, InterruptedThread)]


class InterruptedThread(threading.Thread):
    """A thread at whose start a Ctrl-C comes, if it is the one it was agreed on."""

    started_before = 0
    interrupted = 2

    def start(self):
        super().start()
        InterruptedThread.started_before += 1
        if InterruptedThread.started_before == self.interrupted:
            signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("interrupted", [1, 2, 3])
def test_ctrl_c_while_a_process_is_being_started_leaves_neither_it_nor_its_feeder(
    interrupted, monkeypatch
):
    """Once a feeder that nobody had listed took the word of the end that was meant for another,
    for which the executor then waited for ever."""
    monkeypatch.setattr(workers, "Thread", InterruptedThread)
    monkeypatch.setattr(InterruptedThread, "started_before", 0)
    monkeypatch.setattr(InterruptedThread, "interrupted", interrupted)
    before = multiprocessing.active_children()
    with pytest.raises(KeyboardInterrupt), Workers(3) as pool:
        [pool.submit(time.sleep, 60) for _ in range(3)]
    assert InterruptedThread.started_before == interrupted
    assert set(multiprocessing.active_children()) <= set(before)
    assert feeders() == []


def test_a_feeder_that_is_not_listed_takes_no_other_feeders_end():
    pool = Workers(1)
    busy = pool.submit(time.sleep, 60)
    while not busy.running():
        time.sleep(0.01)
    stray, feeder = pool._started()
    ending = threading.Thread(target=pool.shutdown, daemon=True)
    ending.start()
    ending.join(30)
    assert not ending.is_alive()
    feeder.join(30)
    assert not feeder.is_alive()
    stray.terminate()
    stray.join()


def test_after_its_end_an_executor_takes_nothing_more():
    with Workers(1) as pool:
        pass
    with pytest.raises(RuntimeError, match="after the end"):
        pool.submit(time.sleep, 0)
