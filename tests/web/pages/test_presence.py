"""Who is there is on a session's page before the start, and not in play."""

from __future__ import annotations

from tests.real import Real
from tests.web.pages.test_views import Outline, page


def two_bots(real: Real, board: str) -> None:
    """An open session with alice, who has asked for her turns, and bob, who never came."""
    document = {"name": "Cup", "slug": "cup", "seats": 2, "schedule": {"rounds": 1}, "board": board}
    assert real.organiser.post("/api/v1/sessions", json=document).status_code == 201
    real.organiser.post("/api/v1/sessions/cup/open")
    for name in ("alice", "bob"):
        made = real.organiser.post("/api/v1/bots", json={"name": name}).json
        assert made is not None
        real.bots.append(real.client(made["token"]))
        real.bots[-1].put("/api/v1/sessions/cup/entry")
    real.bots[0].get("/api/v1/turns", headers={"User-Agent": "my-bot/<7>"})


def test_the_page_counts_the_bots_that_are_there_until_the_session_begins() -> None:
    real = Real()
    two_bots(real, "named")
    assert "1 of 2 connected now" in real.anybody.get("/sessions/cup").text
    real.organiser.post("/api/v1/sessions/cup/start")
    assert "connected now" not in real.anybody.get("/sessions/cup").text


def test_each_bot_is_listed_with_when_it_was_seen_and_its_client() -> None:
    real = Real()
    two_bots(real, "named")
    outline = Outline(page(real.anybody))
    (when,) = [time["datetime"] for time in outline.of("time")]
    assert when
    words = [word.strip() for word in outline.words if word.strip()]
    here = words[words.index("Who is there") : words.index("Tables and hands")]
    assert here[6:9] == ["alice", "connected", f"{when[:16].replace('T', ' ')} UTC"]
    assert here[9:13] == ["my-bot/<7>", "bob", "not connected", "never seen"]


def test_where_names_are_not_shown_nobody_is_listed() -> None:
    real = Real()
    two_bots(real, "pseudonymous")
    assert "Who is there" not in page(real.anybody)
