"""Tables that share their deals: over HTTP too, nothing of one is told at another while both play.

The cards of all these tables are the same, so whatever follows from what is played at one of them
would tell somebody at another what it cannot know. One table plays a whole hand; everything that
the others and the public can ask for stays the same, byte for byte. Meters of the process as a
whole (`/metrics`, `/readyz`) count what happens anywhere and are for the operator.
"""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from arena.settings import Settings
from tests.leak.test_two_worlds import reads
from tests.real import Real

pytestmark = pytest.mark.slow

API = "/api/v1"
THERE = "cup-r01-t01"
COUNTERS = ("/metrics", "/healthz", "/readyz")
SAME = {"X-Request-Id": "the-same"}
SHARED: dict[str, dict[str, Any]] = {
    "rotate": {"deals": "rotate", "deals_may_repeat": True},
    "common": {"deals": "common", "roster": {"bots_per_owner": 1}},
}


def paths(bot: str) -> list[str]:
    """Everything that can be read of the table where it happens, and of all as a whole."""
    named = {
        "session": "cup",
        "table": THERE,
        "hand": f"{THERE}-h001",
        "bot": bot,
        "other": "bot-1",
        "code": "illegal",
        "file": "turn.schema.json",
    }
    found = []
    for route in reads():
        for name, value in named.items():
            route = route.replace(f"{{{name}}}", value)
        if not route.startswith(COUNTERS):
            found.append(route)
    return [*found, f"{API}/hands/{THERE}-h002", f"{API}/hands/{THERE}-h001/events?after=1"]


def told(client: FlaskClient, bot: str) -> list[tuple[str, int, bytes]]:
    """All answers to one who asks."""
    answers = []
    for path in paths(bot):
        got = client.get(path, headers=SAME)
        answers.append((path, got.status_code, got.data))
    return answers


def there(real: Real) -> list[tuple[int, dict[str, Any]]]:
    """The open turns of the table where it happens."""
    return [(number, turn) for number, turn in real.waiting() if turn["table"] == THERE]


@pytest.mark.parametrize("deals", SHARED)
def test_a_hand_played_at_one_table_changes_no_byte_at_another(deals: str) -> None:
    limits = {"requests_per_s": 0, "anonymous_per_s": 100_000, "anonymous_burst": 100_000}
    real = Real(settings=Settings(registration="closed", **limits))
    real.session(6, seats=3, hands_per_table=2, **SHARED[deals])
    seated = {player["bot"] for player in real.referee.queries.table(THERE)["players"]}
    watcher = next(n for n, bot in enumerate(real.ids) if bot not in seated)
    asking = [(real.bots[watcher], real.ids[watcher]), (real.anybody, real.ids[watcher])]
    real.waiting()  # every turn has been seen once
    before = [told(client, bot) for client, bot in asking]
    answered = 0
    while turns := there(real):
        number, turn = turns[0]
        plays = [entry for entry in turn["legal"] if "pass" not in entry]
        answer = (plays or turn["legal"])[0]
        got = real.bots[number].post(f"{API}/turns/{turn['turn']}", json=answer)
        assert got.status_code == 200, got.text
        answered += 1
        if answered % 10 == 0 or not there(real):
            assert [told(client, bot) for client, bot in asking] == before
    assert answered > 20
    row = real.store.hand(f"{THERE}-h001")
    assert row is not None
    assert row.status == "finished"
