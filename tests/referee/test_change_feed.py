"""When a process looks at everything that others may have written."""

from __future__ import annotations

import pytest

from arena.errors import Unavailable
from arena.referee import change_feed
from arena.referee.change_feed import LOOK_MS, ChangeFeed
from arena.referee.context import Context
from tests.referee.several import Several


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[Context]:
    """Whoever looks at everything is noted here, and does not."""
    noted: list[Context] = []
    monkeypatch.setattr(change_feed, "look", noted.append)
    return noted


def test_it_looks_at_first_and_when_something_was_missed_and_else_now_and_then(
    looks: list[Context],
) -> None:
    several = Several()
    feed = ChangeFeed(several.arenas[0].referee._context)
    feed.step()
    assert len(looks) == 1
    feed.step()
    feed.heard(["session spring-cup"])
    feed.step()
    assert len(looks) == 1
    feed.heard(None)
    feed.step()
    feed.step()
    assert len(looks) == 2
    several.clock.pass_ms(LOOK_MS - 1)
    feed.step()
    assert len(looks) == 2
    several.clock.pass_ms(1)
    feed.step()
    assert len(looks) == 3


def test_it_looks_again_after_a_step_that_failed(
    looks: list[Context], monkeypatch: pytest.MonkeyPatch
) -> None:
    feed = ChangeFeed(Several().arenas[0].referee._context)
    feed.step()

    def fail(*_: object) -> None:
        raise Unavailable("the database cannot be reached")

    with monkeypatch.context() as patched:
        patched.setattr(change_feed, "follow", fail)
        with pytest.raises(Unavailable):
            feed.step()
    feed.step()
    assert len(looks) == 2
