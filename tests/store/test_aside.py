"""Aside: a call that blocks stops nobody else, on threads and on greenlets."""

from __future__ import annotations

import threading

import pytest

from arena.store.aside import aside

from .processes import python


def test_on_threads_it_is_simply_done() -> None:
    assert aside(threading.get_ident) == threading.get_ident()


def test_what_it_raises_comes_back() -> None:
    with pytest.raises(ZeroDivisionError):
        aside(lambda: 1 // 0)


def test_on_greenlets_the_others_go_on_while_one_waits_for_the_disk() -> None:
    python("greenlets_beside_a_commit.py")
