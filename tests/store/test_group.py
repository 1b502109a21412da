"""Group commit, with a fake `commit` that is stopped and released by the test."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from arena.errors import Unavailable
from arena.store.group import MAX_GROUP, GroupWriter, Job


class SlowDisk:
    """Commits groups of words, each when the test allows it; refuses the word "bad"."""

    def __init__(self) -> None:
        self.groups: list[list[str]] = []
        self.begun = threading.Semaphore(0)
        self.allowed = threading.Semaphore(0)

    def commit(self, group: Sequence[Job[str]]) -> None:
        self.groups.append([job.work for job in group])
        self.begun.release()
        self.allowed.acquire()
        for job in group:
            if job.work == "bad":
                job.error = ValueError("bad word")
        if any(job.work == "disaster" for job in group):
            raise OSError("the disk is gone")


def waiting(writer: GroupWriter[str]) -> int:
    return writer._waiting.qsize()


def wait_until_queued(writer: GroupWriter[str], count: int) -> None:
    while waiting(writer) < count:
        threading.Event().wait(0.001)


def test_what_comes_after_a_commit_is_done_once_for_the_group() -> None:
    done: list[list[str]] = []
    writer = GroupWriter[str](lambda _: None, lambda group: done.append([j.work for j in group]))
    writer.submit("a")
    writer.submit("b")
    writer.close()
    assert done == [["a"], ["b"]]


def test_what_arrives_during_a_commit_is_the_next_group() -> None:
    disk = SlowDisk()
    writer = GroupWriter(disk.commit)
    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(writer.submit, "first")
        disk.begun.acquire()
        others = [pool.submit(writer.submit, f"{n}") for n in range(7)]
        wait_until_queued(writer, 7)
        assert not first.done()
        disk.allowed.release(2)
        for call in (first, *others):
            call.result(timeout=120)
    writer.close()
    assert disk.groups[0] == ["first"]
    assert sorted(disk.groups[1]) == [f"{n}" for n in range(7)]


def test_the_writer_lives_on_when_what_comes_after_a_commit_fails(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Else every caller from then on would wait for ever."""

    def after(group: Sequence[Job[str]]) -> None:
        raise ValueError("nobody can be told")

    writer: GroupWriter[str] = GroupWriter(lambda group: None, after)
    writer.submit("one")
    writer.submit("two")
    writer.close()
    assert [record.getMessage() for record in caplog.records] == [
        "what comes after a commit has failed"
    ] * 2


def test_after_a_group_with_company_others_are_given_a_moment_to_join(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    disk = SlowDisk()
    disk.allowed.release(100)
    late = ["third", "fourth"]
    moments: list[float] = []
    with ThreadPoolExecutor(4) as pool:

        def moment(seconds: float) -> None:
            moments.append(seconds)
            if late:
                pool.submit(writer.submit, late.pop(0))
                wait_until_queued(writer, 1)

        monkeypatch.setattr("arena.store.group.time", SimpleNamespace(sleep=moment))
        writer = GroupWriter(disk.commit)
        writer._company = True
        writer.submit("second")
        assert disk.groups == [["second", "third", "fourth"]]
        assert len(moments) == 3  # nobody came in the last of them
        writer.submit("alone")
        assert len(moments) == 4
        writer.submit("alone again")
    writer.close()
    assert disk.groups[1:] == [["alone"], ["alone again"]]
    assert len(moments) == 4, "nobody waits where nobody had company"


def test_an_error_goes_to_its_caller_alone() -> None:
    disk = SlowDisk()
    writer = GroupWriter(disk.commit)
    with ThreadPoolExecutor(4) as pool:
        calls = {word: pool.submit(writer.submit, word) for word in ("a", "bad", "c")}
        disk.allowed.release(3)
        assert calls["a"].result(timeout=120) is calls["c"].result(timeout=120) is None
        with pytest.raises(ValueError, match="bad word"):
            calls["bad"].result(timeout=120)
    writer.close()


def test_a_failed_commit_fails_the_group_and_not_the_next_one() -> None:
    disk = SlowDisk()
    disk.allowed.release(2)
    writer = GroupWriter(disk.commit)
    with pytest.raises(OSError, match="the disk is gone"):
        writer.submit("disaster")
    writer.submit("fine again")
    writer.close()


def test_closing_finishes_what_waits_and_refuses_what_comes_later() -> None:
    disk = SlowDisk()
    writer = GroupWriter(disk.commit)
    with ThreadPoolExecutor(5) as pool:
        calls = [pool.submit(writer.submit, "first")]
        disk.begun.acquire()
        calls += [pool.submit(writer.submit, f"{n}") for n in range(3)]
        wait_until_queued(writer, 3)
        closing = pool.submit(writer.close)
        wait_until_queued(writer, 4)
        with pytest.raises(Unavailable):
            writer.submit("too late")
        disk.allowed.release(2)
        for call in (*calls, closing):
            call.result(timeout=120)
    assert sorted(word for group in disk.groups for word in group) == ["0", "1", "2", "first"]


def test_a_group_has_an_upper_limit() -> None:
    disk = SlowDisk()
    writer = GroupWriter(disk.commit)
    jobs = [Job(f"{n}") for n in range(MAX_GROUP + 5)]
    for job in jobs:
        writer._waiting.put(job)
    disk.allowed.release(3)
    for job in jobs:
        assert job.finished.acquire(timeout=120)
    writer.close()
    assert max(len(group) for group in disk.groups) <= MAX_GROUP
