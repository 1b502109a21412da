"""A class of the kit is asked without HTTP."""

from __future__ import annotations

import pytest

from arena.asking import ClassBot
from arena.errors import BadInput
from arena.rules.cards import parse
from arena.rules.commands import Play
from tests.asking.test_referee import BEAT, LEAD, RULES, given


def bot(name):
    return ClassBot(f"tests.asking.bots:{name}", {"ruleset": RULES})


def test_it_answers_the_turns_that_it_is_given_one_after_another():
    lowest = bot("Lowest")
    assert [lowest.ask(given(line)).answer for line in (LEAD, BEAT, LEAD)] == [
        Play(0, parse(["S3"])),
        Play(0, parse(["SA"])),
        Play(0, parse(["S3"])),
    ]


def test_an_error_of_its_code_is_its_reply():
    reply = bot("Broken").ask(given())
    assert reply.answer is None
    assert reply.trouble == "IndexError: list index out of range"


def test_what_is_refused_is_told_with_the_reason():
    reply = bot("Cheat").ask(given())
    assert reply.answer is None
    assert reply.refused[0].body == {"cards": ["S5"]}
    assert "not all in the hand" in reply.trouble


def test_no_answer_is_told():
    assert bot("Silent").ask(given()).trouble == "it left the turn to the clock"


def test_what_is_no_bot_is_refused():
    with pytest.raises(BadInput, match="module:Class"):
        bot("given")
