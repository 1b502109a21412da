"""The cluster over HTTP: who plays what, a referee is emptied, a session is moved."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.real import Real
from tests.web.cluster import FakeCluster
from tests.web.watchdog import Watchdog

API = "/api/v1"
PATHS = (
    ("GET", "/cluster", None),
    ("POST", "/cluster/referees/referee-1/drain", None),
    ("POST", "/cluster/referees/referee-1/undrain", None),
    ("POST", "/sessions/cup/move", {"to": "referee-2"}),
)


@pytest.fixture
def real(watchdog: Watchdog) -> Real:
    created = Real()
    watchdog.watch(created.app)
    return created


@pytest.fixture
def cluster(real: Real) -> FakeCluster:
    created = FakeCluster({"referee-2": ["autumn", "cup"], "referee-1": ["winter"]})
    real.referee.cluster = created
    return created


def ask(client: FlaskClient, method: str, path: str, body: Any = None, *, status: int = 200) -> Any:
    response = client.open(API + path, method=method, json=body)
    assert response.status_code == status, response.text
    return response.json


def whoami(real: Real) -> str:
    return str(ask(real.organiser, "GET", "/whoami")["id"])


@pytest.mark.parametrize(("method", "path", "body"), PATHS)
def test_an_arena_of_one_process_says_that_it_has_no_cluster(
    real: Real, method: str, path: str, body: Any
) -> None:
    problem = ask(real.organiser, method, path, body, status=409)
    assert problem["code"] == "conflict"
    assert problem["detail"] == "this arena is one process: it has no cluster"


def test_all_referees_are_listed_with_the_sessions_that_they_play(
    real: Real, cluster: FakeCluster
) -> None:
    found = ask(real.organiser, "GET", "/cluster")
    assert [(each["name"], each["sessions"], each["this"]) for each in found["referees"]] == [
        ("referee-1", 1, False),
        ("referee-2", 2, True),
    ]
    assert [tuple(each.values()) for each in found["sessions"]] == [
        ("autumn", "referee-2", 1),
        ("cup", "referee-2", 1),
        ("winter", "referee-1", 1),
    ]
    assert found["next"] is None


def test_sessions_come_in_pages_and_the_referees_with_each(
    real: Real, cluster: FakeCluster
) -> None:
    first = ask(real.organiser, "GET", "/cluster?limit=2")
    assert first["next"] == "cup"
    last = ask(real.organiser, "GET", "/cluster?limit=2&after=cup")
    assert [each["session"] for each in last["sessions"]] == ["winter"]
    assert (len(last["referees"]), last["next"]) == (2, None)


def test_a_referee_is_drained_and_takes_sessions_again(real: Real, cluster: FakeCluster) -> None:
    drained = ask(real.organiser, "POST", "/cluster/referees/referee-2/drain")
    assert (drained["name"], drained["status"], drained["sessions"]) == ("referee-2", "draining", 0)
    again = ask(real.organiser, "POST", "/cluster/referees/referee-2/undrain")
    assert again["status"] == "serving"
    who = whoami(real)
    assert cluster.done == [("drain", who), ("undrain", who)]


@pytest.mark.parametrize("name", ["referee-1", "referee-9"])
@pytest.mark.parametrize("action", ["drain", "undrain"])
def test_a_referee_answers_for_itself_only(
    real: Real, cluster: FakeCluster, name: str, action: str
) -> None:
    """Where requests about another one are passed on, this is reached for unknown names only."""
    problem = ask(real.organiser, "POST", f"/cluster/referees/{name}/{action}", status=404)
    assert problem["code"] == "not_found"
    assert problem["detail"] == f"no referee '{name}' is there; there are referee-1, referee-2"
    assert cluster.done == []


def test_a_session_is_moved_to_another_referee(real: Real, cluster: FakeCluster) -> None:
    moved = ask(real.organiser, "POST", "/sessions/cup/move", {"to": "referee-1"})
    assert moved == {"session": "cup", "home": "referee-1", "epoch": 2}
    assert cluster.done == [("move", "cup", "referee-1", whoami(real))]


def test_what_is_wrong_with_a_move_is_a_problem(real: Real, cluster: FakeCluster) -> None:
    unknown = ask(real.organiser, "POST", "/sessions/cup/move", {"to": "referee-9"}, status=400)
    assert unknown["code"] == "bad_value"
    assert "referee-1" in unknown["detail"]
    ask(real.organiser, "POST", "/sessions/spring/move", {"to": "referee-1"}, status=404)
    ask(real.organiser, "POST", "/sessions/cup/move", {"to": "a b"}, status=400)
    ask(real.organiser, "POST", "/sessions/cup/move", {"to": "referee-1", "x": 1}, status=400)
    ask(real.organiser, "POST", "/sessions/cup/move", {}, status=400)
