"""Bots as processes, asked over HTTP as if they played."""

from __future__ import annotations

import shlex
import sys

import pytest

from arena.asking import BotGone, start_bot
from arena.errors import BadInput
from arena.rules.cards import parse
from arena.rules.commands import Play
from tests.asking.test_referee import BEAT, LEAD, RULES, given
from tests.cli.shell import ROOT

pytestmark = pytest.mark.server
DOCUMENT = {"ruleset": RULES}
PYTHON = shlex.quote(sys.executable)


def asked(command, folder, *lines, document=DOCUMENT, **more):
    """The replies to positions, one after another."""
    with start_bot(command, document, folder=folder, **more) as bot:
        return [bot.ask(given(line)) for line in lines]


@pytest.mark.parametrize(
    "command",
    [
        "python -m sample_bots.lowest",
        f"sh {ROOT / 'sample_bots' / 'curl_bot.sh'}",
        f"python {ROOT / 'sample_bots' / 'plain_requests.py'}",
    ],
    ids=["kit", "curl", "requests"],
)
def test_a_bot_in_any_language_answers_turn_by_turn_and_ends_by_itself(command, tmp_path):
    first, second = asked(command, tmp_path, LEAD, BEAT)
    assert first.answer == Play(0, parse(["S3"]))
    assert second.answer == Play(0, parse(["SA"]))
    assert first.ms > 0
    assert not first.trouble
    log = (tmp_path / "bot-asked.log").read_text()
    assert "Traceback" not in log
    assert not (tmp_path / "referee.log").exists()


def test_a_kit_bot_sees_a_session_from_its_beginning_to_its_end(tmp_path):
    asked("python -m sample_bots.lowest", tmp_path, LEAD)
    log = (tmp_path / "bot-asked.log").read_text()
    assert "entered session" in log
    assert "is cancelled" in log
    assert "1 turns answered, 0 errors in the bot's code, 0 answers refused, 0 too late" in log


@pytest.mark.parametrize("how", ["illegal", "garbage"])
def test_what_is_refused_is_told_with_every_try(how, tmp_path):
    [reply] = asked(f"python -m sample_bots.misbehave --how {how}", tmp_path, LEAD)
    assert reply.answer is None
    assert len(reply.refused) == 5
    assert reply.trouble == "the budget of 5 refused answers is spent"


def test_a_bot_that_never_answers_has_lost_the_turn_and_is_asked_the_next(tmp_path):
    document = {**DOCUMENT, "clock": {"move_ms": 200, "bank_ms": 0, "grace_ms": 0}}
    command = "python -m sample_bots.misbehave --how silent"
    replies = asked(command, tmp_path, LEAD, BEAT, document=document)
    assert [reply.trouble for reply in replies] == ["no answer within 0.2 s"] * 2


def test_a_bot_that_ends_is_told_with_its_last_words(tmp_path):
    script = "import sys; sys.exit('no opening book')"
    with pytest.raises(BotGone, match="ended with code 1: no opening book"):
        asked(f"{PYTHON} -c {shlex.quote(script)}", tmp_path, LEAD)


def test_a_bot_that_asks_for_no_turn_is_told(tmp_path):
    with pytest.raises(BotGone, match=r"no turn within 1 s: thinking"):
        asked("sh -c 'echo thinking; exec sleep 600'", tmp_path, LEAD, start_s=1)


@pytest.mark.parametrize("command", ["no-such-program --fast", "'unbalanced", ""])
def test_a_command_that_does_not_work_is_refused(command, tmp_path):
    with pytest.raises(BadInput, match="command"):
        asked(command, tmp_path, LEAD)
