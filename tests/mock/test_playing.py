"""Scripted hands: the bot is dealt what the script says, and so are the others' answers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from arena.cli.workshop.mock import command
from arena.client import Bot, Client, Runner
from arena.errors import ArenaError, Unavailable
from arena.mock import read_script
from arena.mock.hosting import open_mock
from arena.mock.playing import UnplayableScript
from tests.cli.shell import arena, environment
from tests.ports import free_port

SCRIPT = {
    "ruleset": {"preset": "pagat", "options": {"suits": ["S", "H"], "jokers": 0}},
    "seats": 3,
    "hands": [{"deal": {"0": "S3 H3 SK", "1": "S4 H4"}, "leader": 0}],
}


class Lowest(Bot):
    """The lowest card; remembers what it saw."""

    def __init__(self):
        self.held, self.piles, self.logs = [], [], []

    def play(self, turn):
        self.held.append(turn.held)
        self.piles.append(turn.pile_cards)
        return turn.lowest() or turn.pass_()

    def on_hand_end(self, hand, events):
        self.logs.append([event["type"] for event in events])


class Passing(Bot):
    """Passes whenever it may."""

    def play(self, turn):
        return turn.pass_() if turn.can_pass else turn.lowest()


def played(bot, tmp_path, **members):
    """The reports of a script that this bot has played, in a thread."""
    script = read_script({**SCRIPT, **members})
    with open_mock(script, folder=tmp_path, start_s=30) as mock:
        known = mock.environ
        with Client(known["ARENA_URL"], known["ARENA_TOKEN"]) as client:
            runner = Runner(client, bot, sessions=[known["ARENA_SESSION"]], wait_s=2)
            playing = threading.Thread(target=runner.run)
            playing.start()
            try:
                return list(mock.table.play())
            finally:
                mock.referee.finish()
                playing.join()


def hand(**members):
    return {"hands": [{**SCRIPT["hands"][0], **members}]}


def test_the_bot_is_dealt_what_the_script_says(tmp_path):
    bot = Lowest()
    [report] = played(bot, tmp_path)
    assert {"S3", "H3", "SK"} <= set(bot.held[0])
    assert report.good
    assert len(report.turns) == len(bot.held)
    assert sorted(report.places) == ["bot", "other-1", "other-2"]


def test_the_others_answer_as_the_script_says_and_then_as_they_do(tmp_path):
    bot = Lowest()
    played(bot, tmp_path, **hand(answers=["S4 H4", "pass"], expect=["S3 H3"]))
    assert bot.piles[:2] == [[], ["S4", "H4"]]


def test_a_bot_that_answers_as_expected_is_good(tmp_path):
    [report] = played(Lowest(), tmp_path, **hand(expect=["S3 H3"]))
    assert report.good
    assert report.turns[0].given == report.turns[0].expected == "S3 H3"


def test_another_answer_than_the_expected_one_is_told(tmp_path):
    [report] = played(Lowest(), tmp_path, **hand(expect=["S3"]))
    assert not report.good
    assert (report.turns[0].given, report.turns[0].expected) == ("S3 H3", "S3")
    assert not report.turns[0].as_expected


def test_answers_that_were_never_asked_for_are_told(tmp_path):
    usual = played(Passing(), tmp_path)[0]
    turns = [turn.given for turn in usual.turns]
    [report] = played(Passing(), tmp_path, **hand(expect=[*turns, "pass", "S3"]))
    assert report.missing == ("pass", "S3")
    assert not report.good


def test_refused_answers_are_counted(tmp_path):
    class Hasty(Lowest):
        def play(self, turn):
            return ["H2"] if len(self.held) == 0 and not self.held.append([]) else turn.lowest()

    [report] = played(Hasty(), tmp_path, **hand(deal={"1": "H2"}))
    assert report.turns[0].refused == 1
    assert not report.good


def test_a_bot_may_read_the_whole_hand_when_it_is_over(tmp_path):
    bot = Lowest()
    played(bot, tmp_path, hands=[{}, {}])
    assert len(bot.logs) == 2
    assert all(log[0] == "dealt" and log[-1] == "ended" for log in bot.logs)


def test_titles_carry_over_to_the_next_hand(tmp_path):
    bot = Lowest()
    first, second = played(bot, tmp_path, hands=[{}, {}])
    assert (first.number, second.number) == (1, 2)
    assert "titled" in str(bot.logs) or bot.logs[0] != bot.logs[1]


@pytest.mark.parametrize("member", ["answers", "expect"])
def test_an_answer_that_the_rules_forbid_is_refused_with_its_place(tmp_path, member):
    place = rf"hand 1: {member}, number 1 is 'D2'; expected what seat \d may answer"
    with pytest.raises(UnplayableScript, match=place):
        played(Lowest(), tmp_path, **hand(**{member: ["D2"]}))


def test_a_bot_that_never_comes_is_told(tmp_path):
    script = read_script(SCRIPT)
    with (
        pytest.raises(Unavailable, match=r"no bot has asked for a turn within 0\.1 s"),
        open_mock(script, folder=tmp_path, start_s=0.1) as mock,
    ):
        list(mock.table.play())


def test_a_port_that_is_taken_is_told(tmp_path):
    script = read_script(SCRIPT)
    with open_mock(script, folder=tmp_path, start_s=1) as mock:
        port = int(mock.environ["ARENA_URL"].rpartition(":")[2])
        with (
            pytest.raises(Unavailable, match=f"port {port} of 127.0.0.1 cannot be used"),
            open_mock(script, folder=tmp_path, port=port, start_s=1),
        ):
            pass


# The command

DEAL = """
seats = 3
[ruleset]
preset = "pagat"
options = { suits = ["S", "H"], jokers = 0 }
[[hands]]
deal = { 0 = "S3 H3" }
leader = 0
expect = ["S3 H3"]
"""


@pytest.mark.server
def test_a_bot_is_started_and_its_answers_decide_about_the_exit_code(tmp_path, capsys):
    (tmp_path / "deal.toml").write_text(DEAL)
    (tmp_path / "wrong.toml").write_text(DEAL.replace('["S3 H3"]', '["S3"]'))
    bot = "python -m sample_bots.lowest"
    good = arena("mock", "--script", "deal.toml", "--json", bot, cwd=tmp_path)
    assert (good.returncode, good.stderr) == (0, "")
    [played] = json.loads(good.stdout)["hands"]
    assert played["good"]
    assert played["turns"][0]["given"] == "S3 H3"
    words = ["--script", str(tmp_path / "wrong.toml"), bot]
    assert command.main(words, standalone_mode=False) == 1
    assert "EXPECTED S3" in capsys.readouterr().out


@pytest.mark.server
def test_a_bot_that_ends_is_one_line(tmp_path):
    done = arena("mock", "python -c pass", cwd=tmp_path)
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert "the bot has ended with code 0" in line


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--script", "none.toml"], "none.toml"),
        pytest.param(["no-such-program"], "no-such-program", marks=pytest.mark.server),
        (["--within", "0.1"], "no bot has asked for a turn within 0.1 s"),
    ],
)
def test_what_does_not_work_is_said(flags, said):
    with pytest.raises(ArenaError, match=said) as refused:
        command.main(flags, standalone_mode=False)
    assert "\n" not in str(refused.value)


@pytest.mark.server
def test_a_bot_that_is_started_elsewhere_finds_all_in_a_file_and_ctrl_c_ends_it(tmp_path):
    file, port = tmp_path / "mock.env", free_port()
    words = ["mock", "--environment", str(file), "--port", str(port)]
    mock = subprocess.Popen(
        [sys.executable, "-m", "arena.cli", *words],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        until_s = time.monotonic() + 60
        while not file.exists() and time.monotonic() < until_s:
            assert mock.poll() is None
            time.sleep(0.02)
        known = dict(line.split("=", 1) for line in file.read_text().splitlines())
        assert known["ARENA_URL"] == f"http://127.0.0.1:{port}"
        with Client(known["ARENA_URL"], known["ARENA_TOKEN"]) as client:
            assert client.whoami()["name"] == "bot"
        os.kill(mock.pid, signal.SIGINT)
        assert mock.wait(30) == 130
    finally:
        mock.kill()
        mock.communicate()
