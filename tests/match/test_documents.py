"""Turn documents of matches in this process: written as they are read, and never otherwise."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.match.documents import SAME, WRITERS, LocalTurn
from arena.match.tables import TableSetup, play_hands
from arena.rules import compile_ruleset, legal
from arena.rules.presets import PRESETS
from arena.web.api.validation import load_schemas


class Recorder:
    """Gives the first answer there is, and keeps what it was shown."""

    note = ""

    def __init__(self):
        self.looks = []

    def answer(self, look, refused):
        copied = look._replace(events=list(look.events))
        self.looks.append((copied, LocalTurn(look, since=len(look.events) // 2)))
        menu = legal(look.setting.rules, look.state, look.seat)
        return menu.answer(len(menu) - 1)

    def hand_over(self, look):
        pass


def looks(name, hands=2):
    """What is asked in some hands: the look with the events as they were, and the document."""
    rules = compile_ruleset({"preset": name})
    bots = tuple(f"bot-{number}" for number in range(rules.players))
    setting = TableSetup(rules, "block", "", bots, hands=hands, seed=7, shuffles="", seats="")
    recorder = Recorder()
    list(play_hands(setting, [recorder] * rules.players))
    return recorder.looks


@pytest.mark.parametrize("name", ["pagat", "uecda"])
def test_a_document_is_what_the_referee_would_send(name):
    schemas = load_schemas()
    for _, document in looks(name, hands=1)[:12]:
        assert schemas.faults("turn", json.loads(json.dumps(dict(document)))) == []


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(sorted(PRESETS)), st.randoms(use_true_random=False))
def test_whatever_is_read_first_a_member_says_what_was_true_when_it_was_asked(name, random):
    for look, late in looks(name)[::7]:
        fresh = LocalTurn(look, since=len(look.events) // 2)
        whole = dict(LocalTurn(look, since=len(look.events) // 2))
        members = sorted(whole)
        random.shuffle(members)
        assert {member: fresh[member] for member in members} == whole == dict(late)


def test_what_is_not_there_is_missing():
    _, document = looks("pagat", hands=1)[0]
    assert "cleared" not in document
    assert document.get("cleared") is None
    with pytest.raises(KeyError):
        document["nothing"]


def test_without_hints_nothing_is_listed():
    look, _ = looks("pagat", hands=1)[0]
    document = LocalTurn(look, hints=False)
    assert "legal" not in document
    assert "legal" not in dict(document)
    assert set(document) <= {*SAME, *WRITERS}
