"""`arena match` and `arena schedule`: verdicts, exit codes, refusals."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli.main import group
from arena.cli.matching.command import EXIT_CODES
from arena.tournament.pairing.descriptions import describe
from arena.tournament.pairing.schedules import round_robin
from tests.cli.shell import ARENA, arena, check_shape, environment
from tests.test_processes import children

pytestmark = pytest.mark.server

LOWEST = "tests.match.players:Lowest"
QUICK = ("--local", "--hands-per-table", "1", "--workers", "1", "--others", LOWEST)


def called(*arguments):
    """A command in this process: what it printed."""
    done = CliRunner().invoke(group, list(arguments))
    assert done.exit_code == 0, done.output
    return done.output


def test_a_better_bot_is_found_and_the_exit_code_says_so():
    bots = (LOWEST, f"{LOWEST} --shy", "--others", LOWEST)
    done = arena("match", *bots, *QUICK, "--sprt", "0", "100")
    assert done.returncode == EXIT_CODES["better"] == 0, done.stderr
    assert done.stdout.endswith("A is better.\n")
    assert "LLR +" in done.stdout
    assert done.stderr == ""


def test_the_other_way_round_it_is_the_other_code():
    done = arena("match", f"{LOWEST} --shy", LOWEST, "--others", LOWEST, *QUICK, "--hands", "120")
    assert done.returncode == EXIT_CODES["worse"] == 3, done.stderr
    assert done.stdout.endswith("B is better.\n")
    assert "LLR" not in done.stdout


def test_what_is_not_shown_has_its_own_code_and_can_be_read_by_a_program():
    bots = (LOWEST, LOWEST, "--others", LOWEST)
    done = arena("match", *bots, *QUICK, "--hands", "40", "--sprt", "0", "10", "--json")
    assert done.returncode == EXIT_CODES["not shown"] == 1, done.stderr
    told = json.loads(done.stdout)
    check_shape(told, "match")
    assert (told["verdict"], told["hands"], told["blocks"]) == ("not_shown", 40, 10)
    assert told["sprt"]["decided"] is False
    assert told["sprt"]["lower"] < told["sprt"]["llr"] < told["sprt"]["upper"]


def test_over_http_a_match_is_a_session_that_ends_with_the_verdict(tmp_path):
    lowest, random = "python -m sample_bots.lowest", "python -m sample_bots.random_bot --seed 1"
    options = ("--seats", "3", "--hands-per-table", "1", "--workers", "8", "--sprt", "0", "200")
    record = tmp_path / "match.jsonl"
    files = ("--folder", str(tmp_path), "--record", str(record))
    done = arena("match", lowest, random, "--others", lowest, *options, *files, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    check_shape(told, "match")
    assert told["verdict"] == "better"
    assert 16 <= told["blocks"] < 2000
    assert (tmp_path / "arena.db").exists()
    assert told["others"] == [lowest]
    assert told["slowest_ms"].keys() == {"A", "B"}
    assert all(answers > told["hands"] for answers in told["answers"].values())
    assert "no findings" in called("verify", str(record))


def test_over_http_a_refused_bot_is_named_too():
    lowest, wrong = "python -m sample_bots.lowest", "python -m sample_bots.misbehave --how illegal"
    options = ("--seats", "3", "--hands-per-table", "1", "--hands", "4")
    told = json.loads(arena("match", wrong, lowest, *options, "--json").stdout)
    check_shape(told, "match")
    assert 0 < told["refused"]["A"] <= told["answers"]["A"]
    assert "422" in told["first_refusals"]["A"]


def test_an_interval_without_an_end_is_null_for_programs():
    bots = (LOWEST, f"{LOWEST} --shy", "--others", LOWEST)
    done = arena("match", *bots, *QUICK, "--hands", "8", "--json")
    told = json.loads(done.stdout, parse_constant=pytest.fail)
    check_shape(told, "match")
    assert told["elo_error"] is None


def test_a_bot_that_ends_at_once_is_told_with_its_last_words():
    done = arena("match", "python no_such_bot.py", "python -m sample_bots.lowest")
    assert done.returncode == 2, done
    (line,) = done.stderr.splitlines()
    assert line.startswith("arena: A has ended with code 2: ")
    assert "no_such_bot.py" in line


@pytest.mark.parametrize(
    ("bot", "said"),
    [
        ("Unborn", "one that can be made and begun (FileNotFoundError: weights.bin)"),
        ("Leaver", "A (tests.match.players:Leaver) has left (SystemExit 4)"),
        ("Killer", "a process that played has ended"),
    ],
)
def test_a_local_bot_that_cannot_go_on_is_one_line(bot, said):
    done = arena("match", f"tests.match.players:{bot}", LOWEST, "--others", LOWEST, *QUICK)
    assert done.returncode == 2, done
    (line,) = done.stderr.splitlines()
    assert said in line


def test_mistakes_in_the_code_of_a_local_bot_are_shown_once_and_counted():
    bots = ("tests.match.players:Broken", LOWEST, "--others", LOWEST)
    done = arena("match", *bots, *QUICK, "--hands", "8")
    assert done.stderr.count("Traceback") == 1
    assert "in the bot's own code of A (tests.match.players:Broken); " in done.stderr
    assert "Note: A (tests.match.players:Broken) made " in done.stderr


def test_a_bot_whose_answers_are_refused_is_named_with_the_first_refusal_in_full():
    bots = ("tests.match.players:Cheat", LOWEST, "--others", LOWEST)
    done = arena("match", *bots, *QUICK, "--hands", "8", "--json")
    told = json.loads(done.stdout)
    check_shape(told, "match")
    assert 0 < told["refused"]["A"] == told["answers"]["A"]
    first = told["first_refusals"]["A"]
    assert "{'cards': ['S3', 'H3', 'D3', 'C3']} for turn block 000001-0-h001." in first
    assert "| cards: " in first
    assert "legal would be, for example" in first
    done = arena("match", *bots, *QUICK, "--hands", "8")
    refused = told["refused"]["A"]
    assert (
        f"Note: A (tests.match.players:Cheat): {refused} of {refused} answers refused\n"
        in done.stderr
    )
    assert f"Note:    the first: {first}\n" in done.stderr


def test_who_sat_at_the_other_seats_and_how_long_the_two_thought_is_said():
    bots = ("tests.match.players:Dreamer", LOWEST, "--others", LOWEST)
    done = arena("match", *bots, *QUICK, "--hands", "4")
    assert f"The other seats: {LOWEST} (2x)\n" in done.stdout
    (slowest,) = re.findall(r"Slowest turn: A (\d+) ms, .* of 5,000 ms that a move", done.stdout)
    assert int(slowest) >= 20
    told = json.loads(arena("match", *bots, *QUICK, "--hands", "4", "--json").stdout)
    assert told["others"] == [LOWEST, LOWEST]
    assert told["slowest_ms"]["A"] >= 20


def test_after_a_single_block_nothing_is_claimed_and_more_hands_are_asked_for():
    """It was “-763 ±inf Elo. No difference is shown”, after 0 of 40 hands."""
    bots = (f"{LOWEST} --shy", LOWEST, "--others", LOWEST)
    done = arena("match", *bots, "--local", "--hands", "40", "--workers", "1")
    assert done.returncode == 1
    assert "inf" not in done.stdout
    assert "of 40 hands, 1 block: too few blocks to say" in done.stdout
    assert done.stdout.endswith("Too few hands for a verdict: try --hands 400.\n")


def test_with_no_workers_bots_play_in_this_process():
    """So that a debugger and a profiler reach them."""
    bots = ("tests.match.players:Spotter", LOWEST, "--others", LOWEST, "--local")
    done = arena("match", *bots, "--workers", "0", "--hands", "40", "--hands-per-table", "1")
    assert "played in MainProcess\n" in done.stderr
    assert "of 40 hands" in done.stdout


def test_leaving_the_debugger_ends_the_match():
    bots = ("tests.match.players:Debugged", LOWEST, "--others", LOWEST, "--local")
    done = arena("match", *bots, "--workers", "0", "--hands", "40")
    assert done.returncode == 130
    assert "Traceback" not in done.stderr


def test_the_record_of_a_local_match_can_be_verified_and_rated(tmp_path):
    file = str(tmp_path / "match.jsonl")
    bots = (LOWEST, f"{LOWEST} --shy", "--others", LOWEST)
    arena("match", *bots, *QUICK, "--hands", "40", "--record", file)
    assert len(Path(file).read_text().splitlines()) == 40
    assert "40 hands" in called("verify", file)
    rated = called("rate", file)
    assert "40 hands in 10 blocks" in rated
    assert re.search(r"^[1-3] .* A ", rated, re.MULTILINE)


def on_terminal(*arguments):
    """A match whose errors go to a terminal: exit code, output, what the terminal was sent."""
    ours, theirs = os.openpty()
    child = subprocess.Popen(
        [*ARENA, "match", *arguments],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    )
    os.close(theirs)
    said, _ = child.communicate(timeout=60)
    sent = os.read(ours, 100_000).decode()
    os.close(ours)
    return child.returncode, said, sent


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal of its own")
def test_on_a_terminal_the_test_is_followed_on_one_line():
    bots = (LOWEST, f"{LOWEST} --shy", "--others", LOWEST)
    code, said, sent = on_terminal(*bots, *QUICK, "--sprt", "0", "100")
    assert code == 0
    assert sent.count("\r\x1b[KLLR") >= 16
    assert sent.count("\n") == 1
    assert "\x1b" not in said


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see processes")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_a_stopped_match_leaves_no_process_behind(number):
    match = subprocess.Popen(
        [*ARENA, "match", LOWEST, LOWEST, *QUICK, "--hands", "100000", "--workers", "2"],
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 120
    while len(started := children(match.pid)) < 3 and time.monotonic() < until:
        time.sleep(0.1)
    match.send_signal(number)
    _, said = match.communicate(timeout=120)
    assert match.returncode in (130, 143)
    assert "Traceback" not in said
    until = time.monotonic() + 120  # Python's own tracker of resources ends a moment later
    while any(alive := [Path(f"/proc/{pid}").exists() for pid in started]):
        assert time.monotonic() < until, alive
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--local", LOWEST, LOWEST, "--workers", "-1"), "workers is -1; expected 0 to 60"),
        (("x", "y", "--workers", "0"), "workers is 0; expected 1 to 60"),
        (("no-such-program", "y"), "one that can be started"),
        (("--local", "nowhere:A", "nowhere:B"), "module:Class"),
        (("--local", LOWEST, LOWEST, "--sprt", "20", "0"), "elo0 below elo1"),
        (("--local", LOWEST, LOWEST, "--hands", "0"), "hands is 0"),
        (("x", "y", "--deals", "rotate"), "over HTTP a bot would know a deal again"),
        (("--local", LOWEST, LOWEST, "--seats", "2", "--others", LOWEST), "at most 0"),
        (("--local", LOWEST, LOWEST, "--ruleset", "hearts"), "hearts"),
        (("x", "y", "--seats", "9"), "players"),
        (("'", "y"), "a command line"),
        (("x", "y", "--executor", "a:b"), "--executor is 'a:b'; expected nothing without --local"),
        (("x", "y", "--resume", "f"), "--resume is 'f'; expected nothing without --local"),
        (("--local", LOWEST, LOWEST, "--executor", "no:where"), "executor is 'no:where'; expected"),
        (
            ("--local", LOWEST, LOWEST, "--executor", "tests.match.factories:raising"),
            "an executor (ConnectionRefusedError: no cluster is there)",
        ),
        (
            ("--local", LOWEST, LOWEST, "--executor", "a:b", "--workers", "0"),
            "workers is 0; expected 1 to 10000",
        ),
    ],
)
def test_matches_that_cannot_be_played_are_refused_in_one_line(arguments, said):
    done = arena("match", *arguments)
    assert done.returncode == 2, done
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_record_that_cannot_be_written_is_refused_before_anything_is_played():
    done = arena("match", "--local", LOWEST, LOWEST, "--record", "no/such/folder")
    assert done.returncode == 2
    assert "'--record': 'no/such/folder': No such file or directory" in done.stderr


def test_a_schedule_is_described_before_it_is_played():
    text = called("schedule", "--bots", "30", "--seats", "4", "--rounds", "10")
    made = round_robin([f"owner {i}" for i in range(30)], 4, rounds=10, seed=b"\0")
    described = describe(made, hands=10)
    assert text.startswith(described)
    assert text.removeprefix(described).startswith("\nwill take ")


@pytest.mark.parametrize(
    "more",
    [
        ("--kind", "gauntlet"),
        ("--kind", "swiss", "--rounds", "6"),
        ("--kind", "ladder"),
        ("--kind", "final"),
        ("--mixed",),
        ("--house",),
        ("--bots-per-owner", "2"),
    ],
)
def test_every_kind_of_schedule_can_be_shown(more):
    arguments = ("schedule", "--bots", "13", "--rounds", "4", *more)
    document = json.loads(called(*arguments, "--json"))
    assert document["bots"] == 13
    assert document["tables"] == sum(map(len, document["rounds"])) > 0
    assert called(*arguments, "--tables").count("\nround ") == len(document["rounds"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--bots", "3"), "at least the 4 bots of one table"),
        (("--bots", "8", "--bots-per-owner", "3"), "at least 4, one for each seat"),
        (("--bots", "12", "--kind", "swiss", "--mixed"), "a swiss schedule is 'mixed_sizes'"),
        (("--bots", "12", "--seed", "xyz"), "hex digits"),
        (("--bots", "12", "--rounds", "0"), "1 to 10000"),
        (("--bots", "12", "--hands", "0"), "0 is not in the range x>=1"),
        (("--bots", "1"), "at least the 4 bots of one table"),
        (("--bots", "-1"), "a number up to"),
        ((), "a number up to"),
        (("--bots", "12", "--seats", "1"), "2 to 8"),
        (("--bots", "4", "--apart", "0,3"), "schedule.apart is '0 and 3'; expected at most 1 that"),
        (("--bots", "12", "--apart", "0,77"), "schedule.apart[0][1] is '77'"),
        (("--bots", "12", "--apart", "3"), "schedule.apart[0] is ['3']"),
        (("--bots", "12", "--regulars", "1"), "a round_robin schedule is 'regulars'"),
        (("--bots", "12", "--kind", "gauntlet", "--regulars", "12"), "'12'; expected bots that"),
        (("--bots", "12", "--kind", "gauntlet", "--regulars", "1", "--regulars", "1"), "once"),
    ],
)
def test_rosters_that_cannot_be_seated_are_refused_with_the_reason(arguments, said):
    done = arena("schedule", *arguments)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_match_plays_the_hands_that_were_asked_for_whatever_the_ruleset_stops_at():
    bots = (LOWEST, LOWEST, "--others", LOWEST, "--local", "--workers", "0", "--json")
    tycoon = ("--ruleset", "tycoon_p5r", "--hands", "40")
    done = arena("match", *bots, *tycoon, "--hands-per-table", "10")
    assert (json.loads(done.stdout)["hands"], done.stderr) == (40, "")
    done = arena("match", *bots, *tycoon)
    assert json.loads(done.stdout)["hands"] == 36
    assert "36 hands are played, not 40: whole blocks of 4 x 3 hands" in done.stderr


def test_a_ruleset_that_stops_at_a_time_needs_a_number_of_hands():
    done = arena("match", LOWEST, LOWEST, "--local", "--ruleset", "denexa+timed")
    assert done.returncode == 2
    assert "hands-per-table is not given; expected a number" in done.stderr
