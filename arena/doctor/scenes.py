"""The scenes: which sessions the bot plays, and what it meets in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from arena.doctor.evidence import WireObserver
from arena.doctor.opponents import Style, lively, passive
from arena.doctor.troubles import (
    LATENCY_S,
    AnsweredOtherwise,
    Busy,
    ChangedDocuments,
    LostAnswer,
    RefusedOnce,
    TooLate,
    Trouble,
    Way,
    add_unknown,
    cut_legal,
)
from arena.loopback.messages import Delivery
from arena.web.api.problems import Code

CALM, RESTART, PAUSE = "calm", "restart", "pause"
KINDS = ("play", "give", "ask", "discard", "name", "throw", "accept")
"""The kinds of turns, as `arena.wire.turns.KINDS`."""
GO_ON = 4
"""Turns that a bot has to answer behind a trouble."""
MANY_HANDS = 200
Enough = Callable[[WireObserver, int, int], bool]
"""Has there been enough since an exchange, where so many turns are wanted?"""


def answered(observer: WireObserver, since: int, turns: int) -> bool:
    """Have as many turns been answered?"""
    return observer.accepted(since) >= turns


def of_kinds(*kinds: str) -> Enough:
    """Has a turn of each of these kinds been answered?"""

    def enough(observer: WireObserver, since: int, turns: int) -> bool:
        answers = tuple(observer.answers)
        offers = observer.offers
        done = {offers[a.turn].turn["kind"] for a in answers if a.accepted and a.turn in offers}
        return done.issuperset(kinds)

    return enough


def at_tables(observer: WireObserver, since: int, turns: int) -> bool:
    """Has each of several tables seen as many answers?"""
    offers, tables = observer.offers, dict[str, set[str]]()
    for answer in tuple(observer.answers):
        if answer.accepted and answer.turn in offers:
            tables.setdefault(offers[answer.turn].turn["table"], set()).add(answer.turn)
    return len(tables) >= TABLES and all(len(known) >= turns for known in tables.values())


def with_two_jokers(observer: WireObserver, since: int, turns: int) -> bool:
    """Have as many turns been answered, one of them with two jokers in the hand?"""
    offers = observer.offers
    done = [offers[a.turn].turn for a in tuple(observer.answers) if a.accepted and a.turn in offers]
    return len(done) >= turns and any(turn["held"].count("JK") > 1 for turn in done)


def with_two_packs(observer: WireObserver, since: int, turns: int) -> bool:
    """Have as many turns been answered, one of them with the same card twice in the hand?"""
    offers = observer.offers
    done = [offers[a.turn].turn for a in tuple(observer.answers) if a.accepted and a.turn in offers]
    return len(done) >= turns and any(_has_a_card_twice(turn["held"]) for turn in done)


def _has_a_card_twice(held: Sequence[str]) -> bool:
    cards = [card for card in held if card != "JK"]
    return len(set(cards)) < len(cards)


@dataclass(frozen=True)
class ScenePhase:
    """A part of a scene. name: the check's that it is for; make: its trouble; turns: how many the
    bot has to answer from then on; most: after how many turns it is over in any case; act: what is
    done at its beginning, `restart` or `pause`."""

    name: str
    make: Callable[[], Trouble] = Trouble
    turns: int = GO_ON
    most: int = 60
    act: str = ""
    enough: Enough = answered


@dataclass(frozen=True)
class Scene:
    """A session and its phases. members: of the session's document; registers: the bot is given a
    code instead of a token."""

    name: str
    phases: tuple[ScenePhase, ...]
    seats: int = 4
    members: Mapping[str, Any] = field(default_factory=dict)
    style: Style = passive
    tables: int = 1
    registers: bool = False

    @property
    def opponents(self) -> int:
        """How many others there are."""
        return self.tables * (self.seats - 1)


TABLES = 3
SPLIT = (Delivery(pieces=6, pause_s=0.004), Delivery(pieces=6, pause_s=0.004, chunked=True))
MAIN = Scene(
    "table",
    (
        ScenePhase(CALM, turns=12),
        ScenePhase("lost-answer", LostAnswer),
        ScenePhase("status-409", AnsweredOtherwise),
        ScenePhase("status-410", TooLate),
        ScenePhase("status-422", RefusedOnce),
        ScenePhase("status-429", lambda: Busy(Code.TOO_MANY_REQUESTS, "Too often: wait a moment.")),
        ScenePhase("status-503", lambda: Busy(Code.UNAVAILABLE, "Not now: send it again.")),
        ScenePhase(PAUSE, act=PAUSE),
        ScenePhase("latency", lambda: Way(Delivery(delay_s=LATENCY_S))),
        ScenePhase("closed-connection", lambda: Way(Delivery(close=True)), turns=6),
        ScenePhase("split-body", lambda: Way(*SPLIT), turns=6),
        ScenePhase("slow-body", lambda: Way(Delivery(pieces=4, pause_s=0.05))),
        ScenePhase("unknown-members", lambda: ChangedDocuments(add_unknown), turns=6),
        ScenePhase("legal-more", lambda: ChangedDocuments(cut_legal)),
        ScenePhase(RESTART, act=RESTART),
    ),
    members={"ruleset": {"preset": "school"}},
    style=lively,
)
ALL_KINDS = {
    "first_lead": "janken",
    "janken_mode": "interactive",
    "exchange_pick": "asked",
    "jack_back": "trick",
    "jack_back_optional": True,
}
SCENES = (
    MAIN,
    Scene("register", (ScenePhase("registers"),), registers=True),
    Scene(
        "kinds",
        (ScenePhase("kinds", turns=1, most=300, enough=of_kinds(*KINDS)),),
        members={"ruleset": {"preset": "house", "options": ALL_KINDS}},
    ),
    Scene(
        "tables",
        (ScenePhase("many-tables", turns=3, most=1_000, enough=at_tables),),
        seats=3,
        tables=TABLES,
    ),
    Scene("unlisted", (ScenePhase("no-legal", turns=8),), members={"legal": False}),
    Scene(
        "jokers",
        (ScenePhase("two-jokers", turns=24, most=600, enough=with_two_jokers),),
        seats=3,
        members={"ruleset": {"preset": "pagat", "options": {"jokers": 4}}},
        style=lively,
    ),
    Scene(
        "packs",
        (ScenePhase("two-packs", turns=12, most=600, enough=with_two_packs),),
        seats=5,
        members={"ruleset": {"preset": "pagat", "patches": ["pagat.double_deck"]}},
        style=lively,
    ),
    Scene("three", (ScenePhase("seats-3", turns=6),), seats=3, style=lively),
    Scene(
        "eight",
        (ScenePhase("seats-8", turns=6),),
        seats=8,
        members={"ruleset": {"preset": "pagat", "patches": ["pagat.eight_players"]}},
        style=lively,
    ),
)


def narrowed(scene: Scene, phases: set[str]) -> Scene:
    """A scene with only those phases, and the calm beginning that all others need."""
    kept = tuple(p for p in scene.phases if p.name in phases or p.name == CALM)
    short = [replace(p, turns=2) if p.name == CALM and CALM not in phases else p for p in kept]
    return replace(scene, phases=tuple(short))
