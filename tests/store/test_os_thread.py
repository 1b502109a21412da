"""A call that blocks stops nobody else, on threads and on greenlets."""

from __future__ import annotations

import threading

import pytest

from arena.store.os_thread import blocking_calls
from tests.store.processes import python


def test_on_threads_a_call_is_simply_made() -> None:
    where: list[int] = []
    blocking = blocking_calls()
    blocking.do(lambda: where.append(threading.get_ident()))
    blocking.close()
    assert where == [threading.get_ident()]


def test_what_a_call_raises_comes_back() -> None:
    with pytest.raises(ZeroDivisionError):
        blocking_calls().do(lambda: 1 // 0)


@pytest.mark.server
def test_on_greenlets_the_others_go_on_while_one_waits_for_the_disk() -> None:
    python("greenlets_beside_a_commit.py")
