"""A bot that comes back in the middle of a hand knows what happened in it, for one request."""

from __future__ import annotations

import doctest
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from arena.client import Bot, Client, KitError, Runner, Turn, history
from arena.client.history import Histories, unseen
from arena.match.kit import KitPlayer
from arena.match.tables import play_table
from arena.rules import compile_ruleset
from arena.rules.cards import CODES
from tests.client.fake_arena import FakeArena, serving, turn
from tests.match.players import Lucky, setting

LOG = [{"type": "played", "seat": seat % 4, "cards": [f"S{3 + seat}"]} for seat in range(6)]


class Recorder:
    """Histories that remember what they have asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.histories = Histories(self.fetch, lambda session: {"options": {"jokers": 2}})

    def fetch(self, hand: str) -> list[dict[str, Any]]:
        self.asked.append(hand)
        return LOG

    def at(self, start: int, end: int, **members: Any) -> Turn:
        document = turn(end, events_from=start, events=LOG[start:end], **members)
        self.histories.note(document)
        return Turn(document, self.histories)


def test_the_examples_in_the_module_are_true() -> None:
    assert doctest.testmod(history).failed == 0


def test_a_bot_that_was_there_from_the_deal_on_asks_for_nothing() -> None:
    recorder = Recorder()
    assert recorder.at(0, 2).history == LOG[:2]
    assert recorder.at(2, 4).history == LOG[:4]
    assert recorder.at(2, 4).history == LOG[:4]
    assert recorder.at(4, 6).history == LOG
    assert recorder.asked == []


def test_after_a_restart_one_request_brings_what_is_missing_and_only_if_it_is_wanted() -> None:
    recorder = Recorder()
    recorder.at(2, 3)
    assert recorder.asked == []
    assert recorder.at(3, 5).history == LOG[:5]
    assert recorder.at(5, 6).history == LOG
    assert recorder.asked == ["cup-r01-t01-h001"]


def test_after_a_turn_that_was_never_fetched_the_gap_is_filled() -> None:
    recorder = Recorder()
    recorder.at(0, 1)
    assert recorder.at(4, 6).history == LOG
    assert len(recorder.asked) == 1


def test_of_a_session_that_is_over_nothing_is_kept() -> None:
    recorder = Recorder()
    mine = recorder.at(0, 3)
    recorder.histories.forget("another")
    assert (recorder.histories.events(mine), recorder.asked) == (LOG[:3], [])
    recorder.histories.forget("cup")
    assert (recorder.histories.events(mine), recorder.asked) == (LOG[:3], [mine.hand.id])


def test_a_turn_that_is_looked_at_later_still_ends_where_it_ended() -> None:
    recorder = Recorder()
    before = recorder.at(0, 3)
    recorder.at(3, 6)
    assert before.history == LOG[:3]
    recorder.at(0, 1, hand="cup-r01-t01-h002")
    assert recorder.at(0, 3).history == LOG[:3]


def test_cards_that_others_may_hold_are_neither_mine_nor_gone() -> None:
    events = [
        {"type": "played", "seat": 1, "cards": ["S3", "H3"]},
        {"type": "discarded", "seat": 2, "cards": [], "size": 1},
        {"type": "gave", "seat": 0, "to": 1, "cards": ["S5"]},
        {"type": "took", "seat": 3, "cards": ["H3"]},
    ]
    pack = ["S3", "H3", "S4", "S5", "JK", "JK"]
    assert unseen(pack, ["S4", "JK"], events) == ["H3", "S5", "JK"]


def test_a_turn_written_by_hand_says_what_it_cannot_know() -> None:
    assert Turn(turn(events=LOG)).history == LOG
    with pytest.raises(KitError, match="before this turn"):
        _ = Turn(turn(events_from=3)).history
    with pytest.raises(KitError, match="only in a session"):
        _ = Turn(turn()).unseen


class Counting(Bot):
    """Compares what it may know with what is so."""

    def __init__(self) -> None:
        self.looked = 0

    def play(self, turn: Turn) -> Any:
        assert turn.history[0]["type"] == "dealt"
        others = sum(p["held"] for p in turn.players if p["seat"] != turn.seat)
        hidden = sum(e["size"] for e in turn.history if e["type"] == "discarded" and not e["cards"])
        assert len(turn.unseen) == others + hidden + 2
        self.looked += 1
        return turn.lowest() or turn.pass_()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"jokers": 2, "decks": 2},
        {"ten_discard": "on_play"},
        {"ten_discard": "on_clear", "discard_view": "face_down"},
        {"nana_watashi": "must"},
        {"q_bomber": "one_each"},
        {"ace_take": True},
        {"suits": ["S", "H", "D"]},
    ],
)
def test_at_every_turn_they_are_the_cards_of_the_others_and_the_blind_ones(
    options: Mapping[str, Any],
) -> None:
    rules = compile_ruleset({"preset": "pagat", "options": {"blind_cards": 2, **options}})
    table = setting(rules, hands=4)
    bot = Counting()
    player = KitPlayer(bot, table, strict=True)
    play_table(table, [player, Lucky(1), Lucky(2), Lucky(3)])
    assert bot.looked > 10
    assert Counter(history.pack(rules.document)) == Counter(CODES[card] for card in rules.deck)


def test_a_runner_fills_the_history_of_a_bot_that_came_back() -> None:
    class Returned(Bot):
        def play(self, turn: Turn) -> Any:
            self.history, self.cards = turn.history, turn.unseen
            return turn.lowest() or turn.pass_()

    arena = FakeArena([turn(9, events_from=1, events=[{"type": "played", "cards": ["S5"]}])])
    bot = Returned()
    with serving(arena) as url, Client(url) as client:
        client.register("alice")
        client.enter("cup")
        Runner(client, bot, sessions=["cup"], wait_s=1, strict=True).run()
    assert [event.get("type") for event in bot.history] == ["dealt", "played"]
    assert len(bot.cards) == 53 - 3 - 1
    assert [path for path in arena.paths("GET") if "/hands/" in path] == [
        "/api/v1/hands/cup-r01-t01-h001/events"
    ]
