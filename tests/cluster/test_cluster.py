"""Several referees on one PostgreSQL: killed, restarted, the database too; nothing lost or doubled.

Requests go to a referee drawn by lot, or through nginx: there is no stickiness. Afterwards each
bot's diary of accepted answers agrees with the log, every record verifies, and the standings are
those of an undisturbed run in one process.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

import pytest

from arena.documents import Document
from arena.records.verify import verify
from tests.cluster.arena import (
    BOTS,
    SESSION,
    Caller,
    Diarist,
    Process,
    new_admin,
    referees,
    undisturbed,
    without_chance,
)
from tests.cluster.nginx import balancer
from tests.postgres import Server

pytestmark = pytest.mark.server


def test_kills_and_a_crash_of_the_database_lose_and_double_nothing(postgres: Server) -> None:
    """Every request goes to a referee drawn by lot."""
    database = postgres.create()
    token = new_admin(database)

    def disturb(processes: Sequence[Process]) -> None:
        processes[0].kill()
        time.sleep(0.7)
        processes[0].start()
        time.sleep(0.5)
        postgres.stop(crash=True)
        time.sleep(0.5)
        postgres.start()
        time.sleep(0.5)
        processes[1].kill()
        time.sleep(0.3)
        processes[1].start()

    with referees(database, 3) as processes:
        urls = [process.url for process in processes]
        play(urls, token, SESSION, disturb=lambda: disturb(processes))


def test_behind_nginx_referees_may_be_replaced_one_by_one(postgres: Server) -> None:
    """A rolling restart and a restart of the database, with polls and answers under way."""
    database = postgres.create()
    token = new_admin(database)

    def replace(processes: Sequence[Process]) -> None:
        for process in processes:
            process.end()
            process.start()
            time.sleep(0.5)
        postgres.stop()
        postgres.start()

    document = {**SESSION, "schedule": {"rounds": 3, "rounds_at_once": 3}}
    with referees(database, 2) as processes, balancer([each.url for each in processes]) as url:
        play([url], token, document, disturb=lambda: replace(processes))


def play(
    urls: Sequence[str], token: str, document: Document, *, disturb: Callable[[], None]
) -> None:
    """Play a session, disturb it, and look at what is left of it."""
    organiser = Caller(urls, token, Random(1))
    organiser.ask("POST", "/sessions", document)
    organiser.ask("POST", "/sessions/cluster/open")
    bots = [Diarist(urls, "cluster", number) for number in range(BOTS)]
    organiser.ask("POST", "/sessions/cluster/start")
    for bot in bots:
        bot.start()
    time.sleep(1.0)
    disturb()
    for bot in bots:
        bot.join(timeout=300)
        assert not bot.is_alive()
    records = organiser("GET", "/sessions/cluster/records").text
    standings = organiser.ask("GET", "/sessions/cluster/standings")
    organiser.close()
    check_log(records, bots, hands=document["schedule"]["rounds"] * 2 * 2)
    peace = undisturbed(document, BOTS)
    assert without_chance(standings) == without_chance(peace.queries.standings("cluster"))


def check_log(records: str, bots: Sequence[Diarist], *, hands: int) -> None:
    """The log is complete, verifies, and holds every accepted answer exactly once."""
    assert [trouble for bot in bots for trouble in bot.troubles] == []
    report = verify(records.splitlines())
    assert report.ok, report.findings[:3]
    log = [json.loads(line) for line in records.splitlines()[1:]]
    assert len(log) == hands
    assert [hand["result"]["faults"] for hand in log if hand["result"]["faults"]] == []
    turns = Counter(step["turn"] for hand in log for step in hand["steps"] if step["turn"])
    assert set(turns.values()) == {1}
    told = [turn for bot in bots for turn in bot.diary]
    assert sorted(told) == sorted(turns)


def test_swiss_rounds_are_drawn_once_whoever_draws_them(postgres: Server) -> None:
    """Every process may draw the next round; they are killed one after the other meanwhile."""
    database = postgres.create()
    token = new_admin(database)

    def disturb(processes: Sequence[Process]) -> None:
        for process in processes:
            process.kill()
            time.sleep(0.7)
            process.start()

    document = {**SESSION, "schedule": {"kind": "swiss", "rounds": 4}}
    with referees(database, 2) as processes:
        urls = [process.url for process in processes]
        play(urls, token, document, disturb=lambda: disturb(processes))
