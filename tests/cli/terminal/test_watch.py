"""`arena watch`: what is played on an arena, followed and put into words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

import click
import pytest

from arena.cli.terminal.console import Console
from arena.cli.terminal.following import (
    HandBegins,
    HandFollower,
    Hidden,
    Waiting,
    WatchTarget,
    read_target,
)
from arena.cli.terminal.keys import names_of
from arena.cli.terminal.narrator import LiveNarrator, WatchedMoment
from arena.cli.terminal.phrases import WATCHING
from arena.cli.terminal.playback import Playback
from arena.cli.terminal.screen import Screen
from arena.cli.terminal.watch import _patiently, _print
from arena.client import Client
from arena.client.problems import ArenaProblem, KitError
from arena.documents import Document
from arena.errors import NotFound
from arena.narration.language import Detail, Speaker
from arena.narration.sentences import LANGUAGES, PUBLIC, narrate
from arena.session.recorded_hand import read_recorded_hand
from arena.settings import Settings
from arena.statuses import RegistrationMode
from arena.tournament.reporting.markup import width_of
from tests.cli.terminal.arena import Watcher, answer_one
from tests.real import Real

ENGLISH = LANGUAGES["en"]
HERE = "http://127.0.0.1:8000"


@pytest.mark.parametrize(
    ("text", "target"),
    [
        (None, WatchTarget(HERE)),
        ("spring-cup", WatchTarget(HERE, "session", "spring-cup")),
        ("cup-r01-t02", WatchTarget(HERE, "table", "cup-r01-t02")),
        ("cup-r01-t02-h003", WatchTarget(HERE, "hand", "cup-r01-t02-h003")),
        ("https://arena.example.org", WatchTarget("https://arena.example.org")),
        ("arena.example.org", WatchTarget("https://arena.example.org")),
        ("localhost:9000/", WatchTarget("http://localhost:9000")),
        ("localhost:9000/sessions", WatchTarget("http://localhost:9000")),
        (
            "http://localhost:9000/hands/x-r1-t1-h1?at=3",
            WatchTarget("http://localhost:9000", "hand", "x-r1-t1-h1"),
        ),
        (
            "https://a.org/play/tables/cup-r01-t02",
            WatchTarget("https://a.org/play", "table", "cup-r01-t02"),
        ),
        ("https://a.org/api/v1/sessions/cup", WatchTarget("https://a.org", "session", "cup")),
    ],
)
def test_what_is_meant_by_an_id_or_an_address(text: str | None, target: WatchTarget) -> None:
    assert read_target(text, HERE) == target


@pytest.mark.parametrize("text", ["ftp://a.org", "http://", "a b.org/hands/x", "http://u:p@a.org"])
def test_an_address_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(KitError, match="the arena's address"):
        read_target(text, HERE)


def sentences_of(real: Real, hand: str) -> list[str]:
    """What the record of a hand that is over says to everybody."""
    record = real.anybody.get(f"/api/v1/hands/{hand}/record").json
    assert record is not None
    recorded = read_recorded_hand(record)
    speaker = Speaker(recorded.names, recorded.rules.table.titles)
    return [each.text for each in narrate(ENGLISH, speaker, recorded.events, reader=PUBLIC)]


def by_hand(news: Iterator[Any]) -> dict[str, list[str]]:
    """The sentences of each hand that is followed."""
    narrator, said = LiveNarrator(ENGLISH, Detail.NORMAL), dict[str, list[str]]()
    for each in news:
        for moment in narrator.moments(each):
            said.setdefault(moment.hand.hand, [])
            if moment.sentence is not None:
                said[moment.hand.hand].append(moment.sentence.text)
    return said


@pytest.mark.parametrize("what", [WatchTarget(""), WatchTarget("", "session", "cup")])
def test_a_session_is_followed_hand_by_hand_without_a_gap(what: WatchTarget) -> None:
    real = Real()
    real.session(hands_per_table=2)
    said = by_hand(HandFollower(Watcher(real, moves=3), sleep=lambda s: None).follow(what))
    assert list(said) == ["cup-r01-t01-h001", "cup-r01-t01-h002"]
    for hand, lines in said.items():
        assert lines == sentences_of(real, hand)
        assert lines[-1].startswith("The hand ends: ")


def test_of_a_table_the_hand_in_play_is_followed_and_of_one_that_is_over_all() -> None:
    real, random = Real(), Random(2)
    real.session(hands_per_table=2)
    while len(real.anybody.get("/api/v1/tables/cup-r01-t01").json["hands"]) < 2:
        answer_one(real, random)
    follower = HandFollower(Watcher(real, moves=1), sleep=lambda s: None)
    in_play = by_hand(follower.follow(WatchTarget("", "table", "cup-r01-t01")))
    assert list(in_play) == ["cup-r01-t01-h002"]
    over = by_hand(follower.follow(WatchTarget("", "table", "cup-r01-t01")))
    assert list(over) == ["cup-r01-t01-h001", "cup-r01-t01-h002"]
    assert len(over["cup-r01-t01-h002"]) == len(in_play["cup-r01-t01-h002"])


def test_cards_of_a_hand_that_is_over_are_shown_and_of_one_in_play_are_not() -> None:
    real, random = Real(), Random(3)
    real.session(hands_per_table=1)
    narrator = LiveNarrator(ENGLISH, Detail.NORMAL)
    follower = HandFollower(Watcher(real), sleep=lambda s: None)
    hand = WatchTarget("", "hand", "cup-r01-t01-h001")
    begins, events = (next(news) for news in [follower.follow(hand)] for _ in range(2))
    live = [moment for news in (begins, events) for moment in narrator.moments(news)]
    assert not any(moment.reader.hands(moment.state)[0] for moment in live if moment.state.players)
    while answer_one(real, random):
        pass
    news = list(follower.follow(hand))
    first = [moment for each in news[:2] for moment in narrator.moments(each)][1]
    assert news[0].over
    assert all(first.reader.hands(first.state))


def test_nothing_that_is_played_and_nothing_that_there_is_are_told_apart() -> None:
    real = Real()
    follower = HandFollower(Watcher(real), sleep=lambda s: None)
    with pytest.raises(NotFound, match="nothing is being played at http://arena"):
        next(follower.follow(WatchTarget("")))
    with pytest.raises(ArenaProblem, match="404"):
        next(follower.follow(WatchTarget("", "hand", "cup-r01-t01-h001")))
    real.session(hands_per_table=1)
    while answer_one(real, Random(1)):
        pass
    with pytest.raises(NotFound, match="nothing is being played in cup: it is finished"):
        next(follower.follow(WatchTarget("", "session", "cup")))


def test_a_session_that_has_not_begun_is_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    real, rests = Real(), list[float]()
    document = {"name": "Cup", "slug": "cup", "seats": 4, "schedule": {"rounds": 1}}
    assert real.organiser.post("/api/v1/sessions", json=document).status_code == 201

    def sleep(seconds: float) -> None:
        rests.append(seconds)
        if len(rests) == 3:
            real.organiser.post("/api/v1/sessions/cup/cancel")

    news = HandFollower(Watcher(real), sleep=sleep).follow(WatchTarget("", "session", "cup"))
    with pytest.raises(NotFound, match="it is cancelled"):
        _print(news, LiveNarrator(ENGLISH, Detail.NORMAL), WATCHING["en"], as_json=False)
    assert len(rests) == 3
    assert capsys.readouterr() == ("", "Waiting for a hand.\n"), "once, and beside the sentences"


def test_an_arena_may_be_away_for_long_once_it_has_answered() -> None:
    with Client(HERE, patience_s=10) as client:
        news = _patiently(client, iter([Waiting(), Waiting()]))
        assert client.patience_s == 10
        assert next(news) == Waiting()
        assert client.patience_s == 600


def test_what_is_withheld_is_not_waited_for_in_silence() -> None:
    """Tables that replay the same cards hide what happens until all of them have ended."""
    real = Real(settings=Settings(requests_per_s=0, registration=RegistrationMode.CLOSED))
    real.session(
        bots=4, hands_per_table=1, deals="rotate", deals_may_repeat=True, schedule={"rounds": 1}
    )
    news = HandFollower(Watcher(real), sleep=lambda s: None).follow(WatchTarget(""))
    assert isinstance(next(news), HandBegins)
    assert isinstance(next(news), Hidden)


def moments(*, hands: int) -> list[WatchedMoment]:
    """The moments of a table of some hands, followed while it was played."""
    real = Real()
    real.session(hands_per_table=hands)
    watcher = Watcher(real, moves=50)
    narrator = LiveNarrator(ENGLISH, Detail.NORMAL)
    found: list[WatchedMoment] = []
    for news in HandFollower(watcher, sleep=lambda s: None).follow(WatchTarget("")):
        found += narrator.moments(news)
    return found


def played(whole: list[WatchedMoment]) -> Playback:
    playback = Playback()
    for moment in whole:
        playback.add(moment)
    return playback


def test_live_is_a_replay_whose_end_moves() -> None:
    whole = moments(hands=2)
    playback = played(whole[:40])
    assert (playback.live, playback.behind) == (True, 0)
    playback.press("left")
    stayed = playback.at
    for moment in whole[40:60]:
        playback.add(moment)
    assert (playback.live, playback.at) == (False, stayed)
    assert playback.behind > 5
    assert not playback.advance(), "who has stepped back stays"
    playback.press("space")
    assert playback.advance()
    assert playback.at == stayed + 1
    playback.press("end")
    assert (playback.live, playback.behind) == (True, 0)
    playback.press("space")
    assert not playback.live
    playback.press("space")
    assert playback.live


def test_keys_go_to_hands_to_what_is_notable_and_to_either_end() -> None:
    playback = played(moments(hands=2))
    playback.press("home")
    assert playback.at == 0
    playback.press("left")
    assert playback.at == 0
    playback.press("n")
    first = playback.moment
    assert first is not None
    assert first.sentence is not None
    assert first.sentence.notable
    playback.press("pagedown")
    second = playback.moment
    assert second is not None
    assert second.hand.number == 2
    playback.press("pageup")
    assert playback.at == 0
    playback.press(">")
    assert playback.speed == 2.0
    for _ in range(9):
        playback.press("<")
    assert playback.speed == 0.25
    before = playback.at
    playback.press("x")
    assert playback.at == before


def test_a_hand_that_was_over_is_played_from_its_beginning() -> None:
    real, random = Real(), Random(3)
    real.session(hands_per_table=1)
    while answer_one(real, random):
        pass
    narrator, playback = LiveNarrator(ENGLISH, Detail.NORMAL), Playback()
    hand = WatchTarget("", "hand", "cup-r01-t01-h001")
    for news in HandFollower(Watcher(real), sleep=lambda s: None).follow(hand):
        for moment in narrator.moments(news):
            playback.add(moment)
    assert (playback.at, playback.playing, playback.live) == (0, True, False)
    assert playback.advance()


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (40, 12), (132, 50)])
def test_the_screen_fits_the_terminal_at_every_moment(code: str, columns: int, rows: int) -> None:
    playback = played(moments(hands=1))
    narrator = LiveNarrator(LANGUAGES[code], Detail.NORMAL)
    screen = Screen(Console(plain=False, signs=True), narrator, WATCHING[code])
    for at in range(len(playback.moments)):
        playback.at = at
        lines = screen.lines(playback, columns=columns, rows=rows)
        assert len(lines) <= rows
        assert max(width_of(click.unstyle(line)) for line in lines) <= columns
    screen.note = "no answer"
    assert screen.lines(playback, columns=columns, rows=rows)[-1] == "no answer"
    waiting = screen.lines(Playback(), columns=columns, rows=rows)
    assert waiting == [WATCHING[code].waiting, "no answer"]


def test_keys_are_read_from_what_a_terminal_sends() -> None:
    assert names_of(b" \x1b[C\x1bODn\x1b[5~\x1b[6~\x1b[H\x1b[4~<q") == [
        *("space", "right", "left", "n", "pageup", "pagedown", "home", "end", "<", "q"),
    ]
    assert names_of("é\x1b".encode()) == []


class Nasty(Watcher):
    """An arena whose bots have names that would draw on a terminal."""

    def request(self, method: str, path: str, **more: Any) -> Document:
        """The same answer with other names."""
        document = super().request(method, path, **more)
        for each, name in zip(document.get("players", ()), NASTY_NAMES, strict=False):
            each["name"] = name
        return document


NASTY_NAMES = ("\x1b[2J\x1b[31mred", "\x07bell", "مرحبا\u202e", "大富豪")


@pytest.mark.parametrize("code", LANGUAGES)
def test_lines_for_pipes_have_no_character_that_a_terminal_obeys(
    code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    real = Real()
    real.session(hands_per_table=1)
    follower = HandFollower(Nasty(real, moves=50), sleep=lambda s: None)
    narrator = LiveNarrator(LANGUAGES[code], Detail.BRIEF)
    _print(follower.follow(WatchTarget("")), narrator, WATCHING[code], as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Spring cup, cup-r01-t01, ")
    assert not re.search(r"[\x00-\x1f\u202e]", "".join(lines))
    assert "大富豪" in lines[1]
    assert "\ufffd[31mred" in lines[1]
