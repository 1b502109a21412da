"""Worker processes end with their executor, whenever it is interrupted."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import BrokenExecutor

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


def leave(code):
    """End the process."""
    os._exit(code)


def test_a_process_that_dies_takes_no_other_calls_with_it_and_is_replaced():
    with Workers(1) as pool:
        assert pool.submit(abs, -1).result(timeout=60) == 1
        with pytest.raises(BrokenExecutor, match="with exit code 5"):
            pool.submit(leave, 5).result(timeout=60)
        assert pool.submit(abs, -2).result(timeout=60) == 2


def leave_when(path):
    """End the process as soon as a file is there."""
    while not path.exists():
        time.sleep(0.01)
    os._exit(5)


def test_calls_that_wait_for_a_process_that_dies_get_another(tmp_path):
    with Workers(1) as pool:
        doomed = pool.submit(leave_when, tmp_path / "now")
        waiting = [pool.submit(abs, -2), pool.submit(leave, 6), pool.submit(abs, -3)]
        (tmp_path / "now").touch()
        with pytest.raises(BrokenExecutor, match="exit code 5"):
            doomed.result(timeout=60)
        assert waiting[0].result(timeout=60) == 2
        with pytest.raises(BrokenExecutor, match="exit code 6"):
            waiting[1].result(timeout=60)
        assert waiting[2].result(timeout=60) == 3


def test_what_nobody_has_begun_is_cancelled_at_the_end(tmp_path):
    with Workers(1) as pool:
        busy = pool.submit(leave_when, tmp_path / "never")
        while not busy.running():
            time.sleep(0.01)
        waiting = pool.submit(abs, -2)
    assert waiting.cancelled()
