"""How many bots are there is on a session's page before the start, and not in play."""

from __future__ import annotations

from tests.real import Real


def test_the_page_counts_the_bots_that_are_there_until_the_session_begins() -> None:
    real = Real()
    document = {"name": "Cup", "slug": "cup", "seats": 2, "schedule": {"rounds": 1}}
    assert real.organiser.post("/api/v1/sessions", json=document).status_code == 201
    real.organiser.post("/api/v1/sessions/cup/open")
    for name in ("alice", "bob"):
        made = real.organiser.post("/api/v1/bots", json={"name": name}).json
        assert made is not None
        real.bots.append(real.client(made["token"]))
        real.bots[-1].put("/api/v1/sessions/cup/entry")
    real.bots[0].get("/api/v1/turns")
    assert "; 1 connected now" in real.anybody.get("/sessions/cup").text
    real.organiser.post("/api/v1/sessions/cup/start")
    assert "connected now" not in real.anybody.get("/sessions/cup").text
