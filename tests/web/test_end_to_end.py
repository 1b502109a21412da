"""The real referee behind real sockets: a session from registration to records, all over HTTP."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import orjson
import pytest
import requests
from werkzeug.serving import make_server

from arena.application import Referee
from arena.client import Bot, Client, Runner, Turn
from arena.documents import Document
from arena.settings import Settings
from arena.store import open_store
from arena.web.app import create_app
from sample_bots.lowest import Lowest
from tests.web.watchdog import Watchdog

pytestmark = pytest.mark.server

FINISHED = ("finished", "cancelled")


class Http:
    """One connection with one token."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self._root = f"{url}/api/v1"
        self.http = requests.Session()
        self.http.trust_env = False
        if token:
            self.http.headers["Authorization"] = f"Bearer {token}"

    def ask(self, method: str, path: str, body: Any = None) -> requests.Response:
        return self.http.request(method, self._root + path, json=body, timeout=40)

    def get(self, path: str) -> Document:
        response = self.ask("GET", path)
        assert response.status_code == 200, response.text
        document: Document = response.json()
        return document

    def post(self, path: str, body: Any = None, expected: int = 200) -> Document:
        response = self.ask("POST", path, body)
        assert response.status_code == expected, response.text
        document: Document = response.json()
        return document


class Arena:
    """A running arena and its organiser."""

    def __init__(self, url: str, referee: Referee, watchdog: Watchdog) -> None:
        self.url = url
        self.referee = referee
        self.admin = Http(url, referee.registry.create_admin())
        self.watchdog = watchdog

    def bots(self, count: int) -> list[Http]:
        anybody = Http(self.url)
        tokens = [
            anybody.post("/bots", {"name": f"bot-{n}"}, 201)["token"] for n in range(1, count + 1)
        ]
        return [Http(self.url, token) for token in tokens]

    def cup(self, bots: list[Http], *, start: bool = True, **document: Any) -> None:
        self.admin.post("/sessions", {"name": "Cup", "slug": "cup", **document}, 201)
        self.admin.post("/sessions/cup/open")
        for bot in bots:
            assert bot.ask("PUT", "/sessions/cup/entry").status_code == 200
        if start:
            self.admin.post("/sessions/cup/start")

    def is_over(self) -> bool:
        return self.admin.get("/sessions/cup")["status"] in FINISHED


@pytest.fixture
def arena(watchdog: Watchdog) -> Iterator[Arena]:
    settings = Settings(requests_per_s=0)
    store = open_store("memory:")
    referee = Referee(store, settings=settings)
    referee.start()
    app = create_app(referee, settings)
    watchdog.watch(app)
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield Arena(f"http://127.0.0.1:{server.server_port}", referee, watchdog)
    referee.stop()
    server.shutdown()
    thread.join(10)
    server.server_close()
    store.close()


def _play_one_by_one(bot: Http, arena: Arena) -> None:
    """Poll, then answer each turn in a request of its own."""
    while not arena.is_over():
        for turn in bot.get("/turns?wait=0.3")["turns"]:
            answer = turn["legal"][-1]
            bot.post(f"/turns/{turn['turn']}", answer)


def _play_in_batches(bot: Http, arena: Arena) -> None:
    """Answer and wait in the same request, by choice."""
    turns: list[Document] = []
    while not arena.is_over():
        answers = [{"turn": turn["turn"], "choice": 0} for turn in turns]
        response = bot.post("/turns?wait=0.3", {"answers": answers})
        assert [one["status"] for one in response["results"]] == [200] * len(answers)
        turns = response["next"]


def test_a_session_is_played_from_registration_to_records(arena: Arena) -> None:
    bots = arena.bots(4)
    arena.cup(
        bots,
        hands_per_table=2,
        schedule={"rounds": 2, "rounds_at_once": 2},
        ruleset={"patches": ["pagat.kakumei", "pagat.hachi_giri"]},
    )
    players = (_play_one_by_one, _play_in_batches) * 2
    with ThreadPoolExecutor(4) as pool:
        for future in [pool.submit(p, b, arena) for p, b in zip(players, bots, strict=True)]:
            future.result(60)
    _look_at_everything(arena)


def _look_at_everything(arena: Arena) -> None:
    anybody = Http(arena.url)
    session = anybody.get("/sessions/cup")
    assert session["status"] == "finished"
    assert session["progress"]["hands_finished"] == 4
    assert session["secret"]
    assert anybody.get("/sessions?state=finished")["sessions"][0]["session"] == "cup"
    tables = anybody.get("/sessions/cup/tables")["tables"]
    hands = [hand for t in tables for hand in anybody.get(f"/tables/{t['table']}")["hands"]]
    assert len(hands) == 4
    for hand in hands:
        name = hand["hand"]
        assert anybody.get(f"/hands/{name}")["result"] == hand["result"]
        log = anybody.get(f"/hands/{name}/events")
        assert log["over"]
        assert log["events"][-1]["type"] == "ended"
        record = anybody.get(f"/hands/{name}/record")
        assert record["commitment"] == hand["commitment"]
    lines = arena.admin.ask("GET", "/sessions/cup/records").text.splitlines()
    assert [orjson.loads(line)["format"] for line in lines] == [
        "daifugo-arena/session/2",
        *["daifugo-arena/hand/2"] * 4,
    ]
    for line in lines[1:]:
        assert arena.watchdog.document_faults("hand_record", orjson.loads(line)) == []
    standings = anybody.get("/sessions/cup/standings")
    assert sum(len(group["rows"]) for group in standings["groups"]) == 4
    for form in ("text", "github", "html", "csv", "latex"):
        text = anybody.ask("GET", f"/sessions/cup/standings?format={form}&layout=concise")
        assert text.status_code == 200
        assert "bot-1" in text.text
    assert [entry["action"] for entry in arena.admin.get("/audit?limit=500")["entries"]][-1]


def test_answers_that_cannot_be_taken_have_different_problems(arena: Arena) -> None:
    bots = arena.bots(4)
    arena.cup(bots, hands_per_table=1, schedule={"rounds": 1}, clock={"move_ms": 60_000})
    turn, mover = _first_turn(bots)
    name = turn["turn"]
    path = f"/turns/{name}"
    other = next(bot for bot in bots if bot is not mover)
    stolen = other.post(path, turn["legal"][0], 403)
    assert stolen["code"] == "forbidden"
    not_held = next(c for c in ("S3", "H3", "D3", "C3", "S4") if c not in turn["held"])
    refused = mover.post(path, {"cards": [not_held]}, 422)
    assert refused["reason"] == "not_in_hand"
    assert refused["example"] in turn["legal"]
    twice = mover.post(path, {"cards": [turn["held"][0]] * 2}, 422)
    assert twice["code"] == "illegal"
    assert mover.post(path, {"choice": 5_000}, 400)["code"] == "bad_value"
    assert mover.post(path, {"throw": "rock"}, 422)["code"] == "illegal"
    answer = {"cards": [turn["held"][0]]}
    assert mover.post(path, answer)["replayed"] is False
    assert mover.post(path, answer)["replayed"] is True
    conflict = mover.post(path, {"cards": [turn["held"][1]]}, 409)
    assert conflict["code"] == "conflict"
    unknown = f"/turns/{turn['hand']}.9999.{turn['seat']}"
    assert mover.post(unknown, {"pass": True}, 404)["code"] == "not_found"
    assert mover.post("/turns/nothing", {"pass": True}, 404)["code"] == "not_found"


def test_an_answer_after_the_deadline_says_what_was_done(arena: Arena) -> None:
    bots = arena.bots(4)
    clock = {"move_ms": 300, "bank_ms": 0, "grace_ms": 0}
    arena.cup(bots, hands_per_table=1, schedule={"rounds": 1}, clock=clock)
    turn, mover = _first_turn(bots)
    hand = f"/hands/{turn['hand']}/events?wait=10&after="
    seen = 0
    while True:
        log = Http(arena.url).get(f"{hand}{seen}")
        seen = log["next"]
        if any(event["type"] == "expired" for event in log["events"]):
            break
    late = mover.post(f"/turns/{turn['turn']}", turn["legal"][0], 410)
    assert late["code"] == "too_late"


def test_two_different_answers_at_once_are_one_answer_and_one_conflict(arena: Arena) -> None:
    bots = arena.bots(4)
    arena.cup(bots, hands_per_table=1, schedule={"rounds": 1}, clock={"move_ms": 60_000})
    turn, mover = _first_turn(bots)
    token = str(mover.http.headers["Authorization"]).removeprefix("Bearer ")
    path = f"/turns/{turn['turn']}"

    def answer(card: str) -> int:
        return Http(arena.url, token).ask("POST", path, {"cards": [card]}).status_code

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(answer, turn["held"][:2])) == [200, 409]


class Companion(Lowest):
    """Plays, but holds its breath from when the bot at its table is on probation until it may."""

    def __init__(self, is_on_probation: Callable[[], bool], may_go_on: threading.Event) -> None:
        self._is_on_probation = is_on_probation
        self._may_go_on = may_go_on

    def play(self, turn: Turn) -> Any:
        if self._is_on_probation():
            self._may_go_on.wait(60)
        return super().play(turn)


def _sample_bot(arena: Arena, folder: Path, name: str, *flags: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", f"sample_bots.{name}", "--url", arena.url, "--session", "cup"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    return subprocess.Popen(
        [*command, "--token-file", str(folder / "token.json"), *flags],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(Path(__file__).parents[2])},
        stderr=subprocess.DEVNULL,
    )


def _accompany(arena: Arena, name: str, bot: Bot) -> None:
    with Client(arena.url) as client:
        client.register(name)
        client.enter("cup")
        while client.session("cup")["status"] == "open":
            time.sleep(0.02)
        Runner(client, bot, sessions=["cup"], wait_s=5).run()


def test_a_bot_that_was_killed_and_started_again_plays_on_and_fails_no_more(
    arena: Arena, tmp_path: Path
) -> None:
    """The kit as it is, in a process of its own. The session is paused until it is there again, so
    that nothing depends on how quickly a process starts here."""
    context = arena.referee._context
    clock = {"move_ms": 1_000, "bank_ms": 0, "probation_ms": 1_000}
    arena.cup([], start=False, hands_per_table=4, schedule={"rounds": 1}, clock=clock)
    may_go_on = threading.Event()
    names = [f"companion-{number}" for number in (1, 2, 3)]

    def on_probation() -> list[str]:
        presence, bots = context.signals.presence, tuple(context.in_play.session("cup").names)
        return [bot for bot in bots if presence.is_on_probation(bot)]

    with ThreadPoolExecutor(3) as pool:
        played = [
            pool.submit(_accompany, arena, name, Companion(lambda: bool(on_probation()), may_go_on))
            for name in names
        ]
        first = _sample_bot(arena, tmp_path, "misbehave", "--how", "vanish", "--after", "2")
        _until(lambda: len(arena.admin.get("/sessions/cup")["entries"]) == 4)
        arena.admin.post("/sessions/cup/start")
        assert first.wait(60) == 1
        _until(lambda: bool(on_probation()))
        arena.admin.post("/sessions/cup/pause")
        [bot] = on_probation()
        missed = len(arena.admin.get(f"/bots/{bot}/ledger?limit=500")["entries"])
        second = _sample_bot(arena, tmp_path, "lowest")
        _until(lambda: context.signals.bell.has_listener(f"bot:{bot}"))
        arena.admin.post("/sessions/cup/resume")
        may_go_on.set()
        for each in played:
            each.result(120)
        assert second.wait(60) == 0
    assert arena.is_over()
    since = arena.admin.get(f"/bots/{bot}/ledger?limit=500")["entries"][missed:]
    assert len(since) > 10
    assert {entry["cause"] for entry in since} == {None}


def _until(is_so: Callable[[], bool]) -> None:
    while not is_so():
        time.sleep(0.01)


def test_a_newer_poll_releases_the_older_at_once(arena: Arena) -> None:
    [bot] = arena.bots(1)
    token = str(bot.http.headers["Authorization"]).removeprefix("Bearer ")
    with ThreadPoolExecutor(1) as pool:
        older = pool.submit(bot.get, "/turns?wait=30")
        while not older.done():
            Http(arena.url, token).get("/turns?wait=0.05")
        assert older.result()["turns"] == []


def test_no_leak_of_cards_to_others_while_a_hand_runs(arena: Arena) -> None:
    bots = arena.bots(4)
    arena.cup(bots, hands_per_table=1, schedule={"rounds": 1}, clock={"move_ms": 60_000})
    turn, _ = _first_turn(bots)
    path = f"/hands/{turn['hand']}"
    anybody = Http(arena.url)
    [dealt] = [e for e in anybody.get(f"{path}/events")["events"] if e["type"] == "dealt"]
    assert dealt["hands"] == [[], [], [], []]
    for bot in bots:
        [dealt] = [e for e in bot.get(f"{path}/events")["events"] if e["type"] == "dealt"]
        assert sum(map(bool, dealt["hands"])) == 1
    assert anybody.ask("GET", f"{path}/record").status_code == 403
    assert anybody.get("/sessions/cup")["secret"] is None
    lines = bots[0].ask("GET", "/sessions/cup/records").text.splitlines()
    assert len(lines) == 1


def _first_turn(bots: list[Http]) -> tuple[Document, Http]:
    """The first turn that waits for anybody, and for whom."""
    while True:
        for bot in bots:
            turns = bot.get("/turns?wait=0.05")["turns"]
            if turns:
                return turns[0], bot


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGTERM to send")
def test_a_stop_tells_those_who_wait_and_leaves(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "arena.web", "--port", "0"]
    database = f"sqlite:///{tmp_path / 'arena.db'}"
    process = subprocess.Popen(
        [*command, "--database", database], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().decode().strip()
        token = Http(url).post("/bots", {"name": "alice"}, 201)["token"]
        with ThreadPoolExecutor(3) as pool:
            polls = [
                pool.submit(Http(url, token).ask, "GET", f"/turns?wait=30&after={n}")
                for n in range(3)
            ]
            _until_waiting(url, len(polls))
            process.send_signal(signal.SIGTERM)
            answers = [poll.result(120) for poll in polls]
        assert [answer.status_code for answer in answers] == [503] * 3
        assert all(int(answer.headers["Retry-After"]) >= 1 for answer in answers)
        assert all(answer.json()["code"] == "unavailable" for answer in answers)
        assert process.wait(120) == 0
    finally:
        process.kill()
        _, errors = process.communicate()
    assert b"Traceback" not in errors
    assert token.encode() not in errors


def test_an_address_that_cannot_be_had_is_one_line_and_no_traceback(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "arena.web", "--host", "192.0.2.1", "--port", "1"]
    database = f"sqlite:///{tmp_path / 'arena.db'}"
    done = subprocess.run(
        [*command, "--database", database], capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert b"address is '192.0.2.1:1'; expected an address that is free here" in done.stderr
    assert b"Traceback" not in done.stderr


def _until_waiting(url: str, count: int) -> None:
    while requests.get(f"{url}/readyz", timeout=120).json()["waiting"] < count:
        time.sleep(0.02)
