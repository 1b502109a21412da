"""A kit bot at a table in this process gets what it would get over HTTP."""

from __future__ import annotations

import logging
from itertools import pairwise

from arena.client import Bot
from arena.match.kit import KitPlayer
from arena.match.tables import play_table
from arena.web.api.validation import load_schemas
from tests.match.players import BOTS, UECDA, Broken, Cheat, Low, setting


class Watcher(Bot):
    """Plays low and keeps everything it is told."""

    def __init__(self):
        self.turns, self.sessions, self.ends = [], [], []

    def on_session(self, session):
        self.sessions.append(session)

    def play(self, turn):
        self.turns.append(dict(turn))
        return turn.lowest() or turn.pass_()

    def on_hand_end(self, hand, events):
        self.ends.append((hand, events))


def watched(rules=UECDA, hands=3):
    bot = Watcher()
    table = setting(rules, hands=hands)
    play_table(table, [KitPlayer(bot, table, strict=True), Low(), Low(), Low()])
    return bot


def test_turn_documents_have_the_members_of_the_protocol():
    schemas = load_schemas()
    for turn in watched().turns:
        assert not schemas.faults("turn", turn)
        assert turn["hand_number"] <= turn["hands"] == 3


def test_a_bot_sees_its_own_cards_and_nobody_elses():
    for turn in watched().turns:
        for event in turn["events"]:
            if event["type"] == "dealt":
                others = [h for seat, h in enumerate(event["hands"]) if seat != turn["seat"]]
                assert not any(others)
                assert event["hands"][turn["seat"]]


def test_events_are_told_once_and_without_gaps():
    by_hand = {}
    for turn in watched().turns:
        by_hand.setdefault(turn["hand"], []).append(turn)
    for turns in by_hand.values():
        assert turns[0]["events_from"] == 0 or turns[0]["hand_number"] > 1
        for before, after in pairwise(turns):
            told = before["events_from"] + len(before["events"])
            assert after["events_from"] == told


def test_a_bot_is_told_of_the_session_and_of_every_end_of_a_hand():
    bot = watched()
    assert [session["seats"] for session in bot.sessions] == [4]
    assert bot.sessions[0]["options"]["kakumei"] is True
    assert [hand[-4:] for hand, _ in bot.ends] == ["h001", "h002", "h003"]
    assert all(events[-1]["type"] for _, events in bot.ends)


def test_names_of_the_others_are_in_every_turn():
    turn = watched().turns[0]
    assert {player["name"] for player in turn["players"]} == set(BOTS)


def test_a_mistake_in_the_code_costs_a_move_and_no_fault(caplog):
    table = setting(hands=2)
    player = KitPlayer(Broken(), table)
    with caplog.at_level(logging.ERROR, "arena.client"):
        played = play_table(table, [player, Low(), Low(), Low()])
    assert player.conduct.errors > 0
    assert not any(hand.result.faults for hand in played)
    assert "ZeroDivisionError" in caplog.text


def test_a_bot_that_insists_on_the_impossible_is_answered_for_and_last(caplog):
    table = setting(hands=1)
    with caplog.at_level(logging.CRITICAL, "arena.client"):
        played = play_table(table, [KitPlayer(Cheat(), table), Low(), Low(), Low()])
    assert played[0].result.faults == ("a",)
    assert played[0].result.bots[-1] == "a"
