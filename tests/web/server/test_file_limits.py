"""The limit of open files, on systems that each have their own idea of it."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from arena.web.server.file_limits import raise_file_limit

ENDLESS = 2**63 - 1


def raised(monkeypatch: pytest.MonkeyPatch, now: int, most: int, *, allowed: int) -> int:
    """What the limit is afterwards, on a system that takes no more than `allowed`."""
    limits = [now, most]

    def setrlimit(_: int, wanted: tuple[int, int]) -> None:
        if wanted[0] > allowed:
            raise ValueError("current limit exceeds maximum limit")
        limits[:] = wanted

    fake = SimpleNamespace(
        RLIMIT_NOFILE=7,
        RLIM_INFINITY=ENDLESS,
        getrlimit=lambda _: tuple(limits),
        setrlimit=setrlimit,
    )
    monkeypatch.setitem(sys.modules, "resource", fake)
    raise_file_limit()
    assert limits[1] == most
    return limits[0]


@pytest.mark.parametrize(
    ("now", "most", "allowed", "then"),
    [
        (1_024, 20_000, 20_000, 20_000),
        (20_000, 20_000, 20_000, 20_000),
        (256, ENDLESS, 10_240, 10_240),
        (1_024, ENDLESS, ENDLESS, 1 << 20),
        (ENDLESS, ENDLESS, ENDLESS, ENDLESS),
        (256, 40_000, 10_240, 10_240),
        (256, 512, 256, 256),
    ],
)
def test_the_limit_is_raised_as_far_as_the_system_lets_it(
    monkeypatch: pytest.MonkeyPatch, now: int, most: int, allowed: int, then: int
) -> None:
    assert raised(monkeypatch, now, most, allowed=allowed) == then


def test_a_system_without_such_a_limit_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    raise_file_limit()
