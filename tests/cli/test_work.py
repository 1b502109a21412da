"""`arena work`: machines that play blocks of a match which another one counts."""

from __future__ import annotations

import json
import re
import subprocess

import pytest

from tests.cli.shell import ARENA, PATIENCE_S, arena, environment

pytestmark = pytest.mark.server

BOT = """from sample_bots.lowest import Lowest


class Own(Lowest):
    def begin(self, flags):
        self.shy = {shy}

    def play(self, turn):
        return turn.pass_() if self.shy and turn.can_pass else super().play(turn)
"""
TERMS = ("--others", "sample_bots.lowest:Lowest", "--hands-per-table", "1", "--hands", "40")
MATCH = ("match", "--local", "ownbot:Own", "sample_bots.lowest:Lowest", *TERMS)


@pytest.fixture
def folders(tmp_path):
    """Two folders with the same bot by its name; in the second it plays otherwise."""
    for name, shy in (("here", True), ("there", False)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "ownbot.py").write_text(BOT.format(shy=shy))
    return tmp_path / "here", tmp_path / "there"


def test_workers_play_a_match_and_other_bots_are_refused(folders):
    here, there = folders
    host = subprocess.Popen(
        [*ARENA, *MATCH, "--serve-work", "0", "--record", "host.jsonl"],
        cwd=here,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        url, token = re.fullmatch(
            r"Workers:  arena work (http://127\.0\.0\.1:\d+) --token (\S+)\n",
            host.stderr.readline(),
        ).groups()

        wrong = arena("work", url, "--token", "not-this-one", cwd=here)
        assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
        assert "401 bad_token: This is not the token" in wrong.stderr

        other = arena("work", url, "--token", token, cwd=there)
        assert (other.returncode, other.stderr.count("\n")) == (2, 1)
        assert "arena: code.ownbot:Own of this worker is '" in other.stderr

        with_token = {"ARENA_WORK_TOKEN": token}
        once = arena("work", url, "--workers", "1", "--once", "--json", cwd=here, env=with_token)
        assert (once.returncode, json.loads(once.stdout)) == (0, {"blocks": 1})
        assert re.fullmatch(r"block 1: played in [\d.]+ s\n", once.stderr)

        done = arena("work", url, "--workers", "2", cwd=here, env=with_token)
        assert (done.returncode, done.stderr) == (0, "")
        assert re.fullmatch(
            r"(block \d+: played in [\d.]+ s\n){9}Over: 9 blocks were played\.\n", done.stdout
        )
        said, _ = host.communicate(timeout=PATIENCE_S)
    finally:
        host.kill()
    alone = arena(*MATCH, "--workers", "0", "--record", "alone.jsonl", cwd=here)
    assert (host.returncode, said.splitlines()[:4]) == (
        alone.returncode,
        alone.stdout.splitlines()[:4],
    )
    assert (here / "host.jsonl").read_bytes() == (here / "alone.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("work",), "Missing argument 'URL'"),
        (("work", "http://127.0.0.1:1"), "Missing option '--token'"),
        (("work", "ftp://x", "--token", "t"), "ftp://x"),
        (("work", "http://127.0.0.1:1", "--token", "t", "--patience", "0"), "no answer from"),
        ((*MATCH, "--serve-work", "here"), "--serve-work is 'here'; expected PORT or HOST:PORT"),
        ((*MATCH, "--serve-work", "x:99999"), "expected PORT or HOST:PORT, port 0 to 65535"),
        ((*MATCH, "--serve-work", "203.0.113.1:0"), "expected an address of this machine"),
        ((*MATCH, "--serve-work", "0", "--executor", "a:b"), "nothing beside --serve-work"),
        ((*MATCH, "--serve-work", "0", "--work-token", "short"), "work token is '…'; expected 8"),
        (("match", "x", "y", "--serve-work", "0"), "--serve-work is '0'; expected nothing without"),
    ],
)
def test_what_cannot_work_is_refused_in_one_line(arguments, said, folders):
    done = arena(*arguments, cwd=folders[0])
    assert done.returncode == 2, done
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
