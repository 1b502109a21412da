"""`arena uecda serve` as an organiser starts it: sessions, records, bad input, Ctrl-C."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from contextlib import contextmanager

import pytest

from tests.cli.shell import ARENA, PATIENCE_S, arena, environment, served
from tests.uecda.clients import Client, lucky
from tests.uecda.model import check
from tests.uecda.test_sockets import Thread

pytestmark = pytest.mark.server
LOWEST = "sample_bots.lowest:Lowest:0"


@contextmanager
def serving(*flags):
    """The command on a free port: the process and its address."""
    process = subprocess.Popen(
        [*ARENA, "uecda", "serve", "--port", "0", *flags],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        first = process.stderr if "--json" in flags else process.stdout
        found = re.search(r"at (127\.0\.0\.1):(\d+)", first.readline())
        assert found, process.communicate(timeout=PATIENCE_S)
        yield process, (found[1], int(found[2]))
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE_S)


def client_at(address):
    """A client that plays there."""
    thread = Thread(address, Client("probe", lucky(1)))
    thread.start()
    return thread


def test_a_session_with_house_bots_ends_with_the_table_of_points_and_a_good_record(tmp_path):
    record = tmp_path / "session.jsonl"
    flags = ("--hands", "3", "--seed", "1", "--fill", LOWEST, "--record", str(record), "--json")
    with serving(*flags) as (process, address):
        thread = client_at(address)
        out, said = process.communicate(timeout=PATIENCE_S)
        thread.join(PATIENCE_S)
    assert process.returncode == 0, said
    printed = json.loads(out)
    assert (printed["hands"], printed["of"], printed["seed"]) == (3, 3, 1)
    assert sum(player["points"] for player in printed["players"]) == 45
    (own,) = [player for player in printed["players"] if player["name"] == "probe"]
    assert (own["bot"], own["absent"], own["player"]) == (None, False, 0)
    assert thread.client.ended == 2
    assert "probe is player 0" in said
    assert "no findings" in arena("verify", str(record)).stdout


def test_when_the_only_client_has_gone_it_ends_with_code_1():
    with serving("--hands", "500", "--fill", LOWEST) as (process, address):
        thread = Thread(address, Client("probe", lucky(1)), most=2000)
        thread.start()
        out, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1
    assert "player 0 has gone: " in said
    assert "gone before the end" in out


def test_ctrl_c_ends_after_the_hand_and_before_the_first_one_at_once():
    with serving("--hands", "1000", "--fill", LOWEST) as (process, address):
        thread = client_at(address)
        until_said(process, "The first hand begins", 1)
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=PATIENCE_S)
        thread.join(PATIENCE_S)
    assert (process.returncode, thread.client.ended) == (130, 2)
    assert "ends after this hand" in said
    assert "of 1000 hands" in out
    with serving("--fill", "none") as (process, _):
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "No hand was played." in out


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--fill", "nonsense"), "--fill is 'nonsense'; expected BOT:AFTER_S"),
        (("--fill", "no.such:Bot:3"), "bot is 'no.such:Bot'"),
        (("--fill", "none", "--fill", LOWEST), "--fill is 'none'; expected nothing beside it"),
        (("--hands", "0"), "'--hands'"),
        (("--listen", "no.such.host.invalid"), "address is 'no.such.host.invalid:0'"),
    ],
)
def test_bad_input_is_one_line(flags, says):
    done = arena("uecda", "serve", "--port", "0", *flags)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


SESSION = {
    "ruleset": {"preset": "uecda"},
    "seats": 5,
    "hands_per_table": 2,
    "reseat_every": 3,
    "deals": "fresh",
    "schedule": {"kind": "round_robin", "rounds": 1},
}


@contextmanager
def through(contest, folder, *flags):
    """`arena uecda gateway` in a folder of its own: the process and its addresses."""
    process = subprocess.Popen(
        [*ARENA, "uecda", "gateway", *contest.flags, *flags],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    doors = sum(flag in ("--table", "--queue") for flag in flags)
    try:
        lines = [process.stderr.readline() for _ in range(doors)]
        found = [re.search(r"at (127\.0\.0\.1):(\d+)", line) for line in lines]
        yield process, [(match[1], int(match[2])) for match in found]
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE_S)


def until_said(process, text, times):
    """Read what a process says until it has said something so often."""
    while times:
        line = process.stderr.readline()
        assert line, f"it ended before it said {text!r}"
        times -= text in line


@pytest.fixture(scope="module")
def running():
    """An arena for all tests of the gateway."""
    with served("memory:") as one:
        yield one


class OpenContest:
    """A session of an arena that bots may enter, and how its organiser calls."""

    def __init__(self, running, folder, slug, **more):
        self.folder, self.slug = folder, slug
        self.env = {"ARENA_URL": running.url, "ARENA_ADMIN_TOKEN": running.token}
        self.flags = ("--url", running.url, "--session", slug)
        document = {"slug": slug, "name": slug, **SESSION, **more}
        (folder / "contest.json").write_text(json.dumps(document))
        self.organise("session", "create", "contest.json")
        self.organise("session", "open", slug)

    def organise(self, *words):
        """Call a command as the organiser."""
        done = arena(*words, cwd=self.folder, env=self.env)
        assert done.returncode == 0, done
        return done.stdout


def test_clients_play_in_a_running_arena_and_every_cell_is_as_described(running, tmp_path):
    contest = OpenContest(running, tmp_path, "five")
    with through(contest, tmp_path, "--table", "0", "--json") as (process, (address,)):
        threads = []
        for number in range(5):
            threads.append(Thread(address, Client(f"probe{number}", lucky(number))))
            threads[-1].start()
            until_said(process, "plays as", 1)
        contest.organise("session", "start", "five")
        out, said = process.communicate(timeout=PATIENCE_S)
        for thread in threads:
            thread.join(PATIENCE_S)
    assert process.returncode == 0, said
    clients = [thread.client for thread in threads]
    report = check([c.down for c in clients], [c.up for c in clients], hands=2)
    assert report.mismatches == []
    assert [c.ended for c in clients] == [2] * 5
    (party,) = json.loads(out)["parties"]
    assert party["session"] == "five"
    assert [(c["hands"], c["refused"], c["name"]) for c in party["players"]] == [
        (2, 0, f"probe{number}") for number in range(5)
    ]
    contest.organise("session", "records", "five", "-o", "five.jsonl")
    assert "no findings" in contest.organise("verify", "five.jsonl")


def test_a_queue_seats_five_to_a_table_and_a_tied_port_one_client(running, tmp_path):
    contest = OpenContest(running, tmp_path, "queue")
    flags = ("--queue", "0", "--table", "0:alice", "--json")
    with through(contest, tmp_path, *flags) as (process, (alone, queue)):
        threads = [client_at(alone)]
        until_said(process, "plays as alice in session queue", 1)
        for count in range(6):
            threads.append(client_at(queue))
            until_said(process, "plays as", 1)
            assert (threads[-1].client.number or 0) == count % 5
        with Thread(alone, Client("late", lucky(1))).peer as second:
            assert second.recv(10) == b""
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 130


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--session", "other"), "expected the preset uecda, unchanged"),
        (("--session", "none"), "there is no session"),
        (("--session", "other", "--table", "nowhere"), "--table is 'nowhere'; expected PORT or"),
        (("--session", "a", "--session", "b"), "--session is 'a, b'; expected one, or 1"),
        (("--session", "a", "--create"), "--create is 'without --token'; expected an organiser"),
        (("--session", "a", "--fill", "nonsense"), "--fill is 'nonsense'; expected BOT:AFTER_S"),
        (
            ("--session", "a", "--create", "--token", "x", "--table", "1:alice"),
            "--table is '1:alice'; expected no BOT",
        ),
    ],
)
def test_a_gateway_that_cannot_work_says_why_before_it_listens(running, tmp_path, flags, says):
    if "nowhere" not in flags and "other" in flags:
        OpenContest(running, tmp_path, "other", ruleset={"preset": "pagat"})
    done = arena("uecda", "gateway", "--url", running.url, *flags, cwd=tmp_path)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_records_of_several_groups_are_rated_together(tmp_path):
    for group in (1, 2):
        flags = ("--hands", "1", "--fill", LOWEST, "--seed", "3")
        with serving(*flags, "--record", str(tmp_path / f"group-{group}.jsonl")) as (process, at):
            thread = client_at(at)
            process.communicate(timeout=PATIENCE_S)
            thread.join(PATIENCE_S)
        assert process.returncode == 0
    files = sorted(path.name for path in tmp_path.glob("group-*.jsonl"))
    done = arena("rate", "--layout", "points", *files, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
