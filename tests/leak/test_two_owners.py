"""No leak of owners: on a pseudonymous board nothing tells which pseudonyms share an owner.

Two arenas that differ in one thing only, who shares an owner with whom, if anybody does. Own bots
never meet at a table, so the line-ups themselves may differ, and hint; here they are the same,
drawn so that they suit both worlds. Everything else that the public can ask for has to be the same,
byte for byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
import pytest

from arena.identity import pseudonyms
from arena.organising import sessions
from arena.records.verify import verify
from arena.session import names
from arena.settings import Settings
from arena.tournament.pairing.lineups import Schedule, schedule_of
from tests.leak.test_two_worlds import reads
from tests.leak.worlds import Chance
from tests.real import Real

API = "/api/v1"
COUNTERS = ("/metrics", "/healthz", "/readyz")
SAME = {"X-Request-Id": "the-same"}
PAIRS = {f"bot-{n}": owner for n, owner in enumerate(("ann", "ann", "bob", "bob", "cid", "cid"), 1)}
ONE_PAIR = {"bot-3": "ann", "bot-4": "ann"}
ROUNDS = (("135", "246"), ("136", "245"), ("145", "236"), ("146", "235"))
"""All meet twice, but for bots 1 and 2, 3 and 4, 5 and 6, who never do."""
SHARED: dict[str, dict[str, Any]] = {
    "fresh": {},
    "common": {"deals": "common", "deals_may_repeat": True},
    "rotate": {"deals": "rotate", "deals_may_repeat": True},
}


class Coins(Chance):
    """As in the other worlds, and the arena's own key."""

    def token_hex(self, size: int) -> str:
        return self.token_bytes(size).hex()


def drawn(pairing: object, seats: int, *, names: Sequence[str], **_: object) -> Schedule:
    """The rounds above, in whatever order the roster comes."""
    at = {name.removeprefix("bot-"): index for index, name in enumerate(names)}
    rounds = [tuple(tuple(at[bot] for bot in table) for table in tables) for tables in ROUNDS]
    return schedule_of("near_balanced", rounds, n=len(names), k=seats)


def world(monkeypatch: pytest.MonkeyPatch, owners: dict[str, str], **members: Any) -> Real:
    """A class of six with pseudonyms; owners: of those bots that are not their own."""
    coins = Coins()
    for module in (names, pseudonyms):
        monkeypatch.setattr(module, "secrets", coins)
    real = Real(settings=Settings(requests_per_s=0, anonymous_per_s=0, registration="closed"))
    document = {
        "name": "Class",
        "slug": "cup",
        "seats": 3,
        "hands_per_table": 1,
        "schedule": {"rounds": 4},
        "seed": "07",
        "board": "pseudonymous",
        **members,
    }
    made = real.organiser.post(f"{API}/sessions", json=document)
    assert made.status_code == 201, made.text
    for number in range(1, 7):
        bot = f"bot-{number}"
        body = {"name": bot, "owner": owners.get(bot, bot)}
        told = real.organiser.post(f"{API}/bots", json=body).json
        assert told is not None
        real.bots.append(real.client(told["token"]))
        real.ids.append(told["bot"]["id"])
        assert real.organiser.put(f"{API}/sessions/cup/entries/{bot}").status_code == 200
    return real


def public(real: Real) -> dict[str, tuple[int, bytes]]:
    """Everything that anybody can read, but for a bot that is asked for by its own name: that
    tells whose it is, and nothing of what it is called here."""
    told = {}
    named = {"session": "cup", "code": "illegal", "file": "turn.schema.json"}
    for table in ("cup-r01-t01", "cup-r02-t02"):
        for route in reads():
            for name, value in {**named, "table": table, "hand": f"{table}-h001"}.items():
                route = route.replace(f"{{{name}}}", value)
            if not route.startswith(COUNTERS) and "{bot}" not in route:
                got = real.anybody.get(route, headers=SAME)
                told[route] = got.status_code, got.data
    return told


def answer_all(real: Real) -> bool:
    """Every bot that is asked answers once."""
    waiting = real.waiting()
    for number, turn in waiting:
        plays = [entry for entry in turn["legal"] if "pass" not in entry]
        answer = (plays or turn["legal"])[0]
        got = real.bots[number].post(f"{API}/turns/{turn['turn']}", json=answer)
        assert got.status_code == 200, got.text
    return bool(waiting)


@pytest.mark.slow
def test_who_is_kept_apart_changes_no_byte_of_what_the_public_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sessions, "first_rounds", drawn)
    pairs = {"rounds": 4, "apart": [["bot-1", "bot-4"], [{"owner": "bot-2"}, "bot-3"]]}
    here, there = (world(monkeypatch, {}, schedule=each) for each in (pairs, {"rounds": 4}))
    assert public(here) == public(there)
    for real in (here, there):
        assert real.organiser.post(f"{API}/sessions/cup/start").status_code == 200
    assert public(here) == public(there)
    while [answer_all(real) for real in (here, there)] == [True, True]:
        pass
    assert here.referee.queries.session("cup")["status"] == "finished"
    assert public(here) == public(there)
    full = orjson.loads(next(here.referee.queries.records("cup", full=True)))
    assert full["document"]["schedule"]["apart"] == pairs["apart"], "the organiser's record tells"


@pytest.mark.slow
@pytest.mark.parametrize("other", [ONE_PAIR, {}], ids=["one pair", "nobody"])
@pytest.mark.parametrize("deals", SHARED)
def test_who_shares_an_owner_changes_no_byte_of_what_the_public_is_told(
    deals: str, other: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "first_rounds", drawn)
    here, there = (world(monkeypatch, each, **SHARED[deals]) for each in (PAIRS, other))
    assert public(here) == public(there)
    for real in (here, there):
        started = real.organiser.post(f"{API}/sessions/cup/start")
        assert started.status_code == 200, started.text
    rounds = 0
    while True:
        if rounds % 40 == 0:
            assert public(here) == public(there)
        more = [answer_all(real) for real in (here, there)]
        assert more[0] == more[1]
        rounds += 1
        if not more[0]:
            break
    assert here.referee.queries.session("cup")["status"] == "finished"
    told = public(here)
    assert told == public(there)
    assert sum(status == 200 for status, _ in told.values()) > 20
    for real, owners in ((here, PAIRS), (there, other)):
        full = orjson.loads(next(real.referee.queries.records("cup", full=True)))
        told_owners = {bot["name"]: bot["owner"] for bot in full["bots"]}
        assert owners.items() <= told_owners.items(), "the organiser's record tells"
        assert len(set(full["schedule"]["owners"])) == len(set(told_owners.values()))


@pytest.mark.slow
def test_the_public_record_says_what_cannot_be_checked_and_the_organisers_is_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = world(monkeypatch, ONE_PAIR)
    real.organiser.post(f"{API}/sessions/cup/start")
    while answer_all(real):
        pass
    records = list(real.referee.queries.records("cup"))
    assert orjson.loads(records[0])["schedule"]["owners"] is None
    report = verify(records)
    assert report.findings == ()
    assert len(report.notes) == 1
    assert "does not tell which bots share an owner" in report.notes[0]
    whole = verify(real.referee.queries.records("cup", full=True))
    assert (whole.findings, whole.notes) == ((), ())


@pytest.mark.slow
def test_where_nobody_shares_the_public_record_is_checked_to_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = world(monkeypatch, {})
    real.organiser.post(f"{API}/sessions/cup/start")
    while answer_all(real):
        pass
    report = verify(real.referee.queries.records("cup"))
    assert (report.findings, report.notes) == ((), ())


def test_a_record_with_names_cannot_withhold_its_owners(monkeypatch: pytest.MonkeyPatch) -> None:
    real = world(monkeypatch, ONE_PAIR, board="named")
    real.organiser.post(f"{API}/sessions/cup/start")
    header = orjson.loads(next(real.referee.queries.records("cup")))
    header["schedule"]["owners"] = None
    [finding] = verify([orjson.dumps(header)]).findings
    assert "schedule.owners" in finding.what
