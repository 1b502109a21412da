"""What has to hold of the seats, the trick and the memory of rules in a position that was written.

Each law names the field that is refused and what was expected of it. They hold in every hand that
is played, under every ruleset; cards, piles and questions are the business of `arena.game.checks`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from arena.rules import Ruleset, State
from arena.rules.needs import is_on

ASKED_BY: Mapping[str, tuple[str, ...]] = {
    "give": ("exchange", "nana_watashi", "nine_modoshi", "yagiri", "rob"),
    "discard": ("ten_discard", "discard_ranks", "q_bomber"),
    "name": ("q_bomber",),
    "ask": ("exchange",),
    "throw": ("janken",),
    "accept": ("instant_wins", "jack_back_optional", "kakumei_optional"),
}
"""The rules that ask for each kind of answer."""
BEFORE_PLAY = ("exchange", "janken")
"""The rules after whose questions the hand begins as its setup says."""
MARKS: Mapping[str, Mapping[str, int]] = {
    "trick_marks": {
        "suit_lock": 0xFFFF,
        "number_lock": 1,
        "colour_lock": 2,
        "rank_limit": (1 << 13) - 1,
        "skipped": (1 << 8) - 1,
    },
    "hand_marks": {
        "must_show": 53,
        "janken_rounds": 99,
        "revolution_stays": 1,
        "revolutions": 99,
    },
}
"""What rules remember, by field, and the largest value of each."""


class Law(NamedTuple):
    """field: what is refused; expected: of it, in words; holds: of a state, with numbers of cards
    by seat."""

    field: str
    expected: str
    holds: Callable[[State, tuple[int, ...]], bool]


def broken_law(state: State, counts: tuple[int, ...]) -> Law | None:
    """The first law that a state breaks; None if all of them hold. counts: cards by seat."""
    return next((law for law in LAWS if not law.holds(state, counts)), None)


def may_ask(rules: Ruleset, kind: str, rule: str) -> bool:
    """Does a rule ask for answers of a kind, and is it on if it is an option?"""
    return rule in ASKED_BY[kind] and is_on(rules.options.get(rule))


def _dropped(s: State) -> set[int]:
    """The seats that are out of the hand by a fall."""
    away = {seat for seat in range(s.players) if not s.active >> seat & 1}
    return away - {*s.out, *s.fouled}


def _empty(seats: Iterable[int], counts: tuple[int, ...]) -> bool:
    """Do these seats hold nothing?"""
    return not any(counts[seat] for seat in seats)


def _asks(s: State, *names: str) -> bool:
    """Is it one of these rules that asks now?"""
    return any(question.rule in names for question in s.questions)


def _moves(s: State, mask: int) -> bool:
    """Is the seat that is to move one of a mask?"""
    return s.to_move >= 0 and bool(mask >> s.to_move & 1)


def _all_hold(s: State, counts: tuple[int, ...]) -> bool:
    """Does everybody hold cards who is in the hand?

    In an exchange a small hand may be given away to its last card, and stays in the hand.
    """
    if s.to_move < 0 or s.setup.before:
        return True
    return all(counts[seat] for seat in range(s.players) if s.active >> seat & 1)


def _has_due(s: State) -> bool:
    """Is there what follows the questions, where something other than the first lead does?"""
    if not s.questions or _asks(s, *BEFORE_PLAY):
        return s.due is None
    return s.due is not None or _asks(s, "instant_wins")


def _follows_trick(s: State) -> bool:
    """Is a play on the table after which it goes on, and none where somebody leads next?"""
    return s.due is None or s.due.lead != _on_table(s)


def _asked_together(s: State) -> bool:
    """Are several asked at once only where a rule before the first lead asks them all?"""
    seats = {question.seat for question in s.questions}
    rules = {question.rule for question in s.questions}
    if len(s.questions) < 2:
        return True
    return len(seats) == len(s.questions) and len(rules) == 1 and rules <= {*BEFORE_PLAY}


def _has_thrown(s: State) -> bool:
    """Is there a shape, known or not, of each contender in janken who is not asked any more, and
    nobody else's?"""
    if not _asks(s, "janken"):
        return all(shape < 0 for shape in s.setup.thrown)
    asked = {question.seat for question in s.questions}
    among = {*(s.setup.contenders or range(s.players))}
    thrown = {seat for seat, shape in enumerate(s.setup.thrown) if shape >= 0}
    return asked <= among and thrown <= among - asked and (asked == among or bool(s.setup.thrown))


def _on_table(s: State) -> bool:
    return bool(s.trick)


EMPTY_TABLE = "since the table is empty"
LAWS: tuple[Law, ...] = (
    Law("out", "seats without cards", lambda s, counts: _empty(s.out, counts)),
    Law("fouled", "seats without cards", lambda s, counts: _empty(s.fouled, counts)),
    Law("fouled", "no seat that is out lawfully", lambda s, _: not {*s.out} & {*s.fouled}),
    Law("dropped", "seats without cards", lambda s, counts: _empty(_dropped(s), counts)),
    Law("dropped", "some of those that have fallen", lambda s, _: _dropped(s) <= {*s.fallen}),
    Law("held", "cards in every hand that goes on", _all_hold),
    Law("passed", "seats that are in the hand", lambda s, _: not s.passed & ~s.active),
    Law(
        "passed",
        "no seat that is to follow",
        lambda s, _: not (_on_table(s) and _moves(s, s.passed)),
    ),
    Law("barred", "no seat that is to move", lambda s, _: not _moves(s, s.barred)),
    Law("acted", f"nobody, {EMPTY_TABLE}", lambda s, _: _on_table(s) or not s.acted),
    Law(
        "trick_marks",
        f"nothing, {EMPTY_TABLE}",
        lambda s, _: _on_table(s) or not any(s.trick_marks.values()),
    ),
    Law(
        "order",
        "nothing that waits for the end of a trick, since the table is empty",
        lambda s, _: _on_table(s) or not s.pending,
    ),
    Law(
        "lead_passes",
        "nobody, since cards lie on the table",
        lambda s, _: not (_on_table(s) and s.lead_passes),
    ),
    Law(
        "wishes",
        "nothing, since no exchange is asked",
        lambda s, _: not s.setup.wishes or _asks(s, "exchange"),
    ),
    Law(
        "promised",
        "nothing, since no exchange is asked",
        lambda s, _: not s.setup.promised or _asks(s, "exchange"),
    ),
    Law("thrown", "shapes of contenders in janken who are not asked", lambda s, _: _has_thrown(s)),
    Law(
        "trick",
        "no play before the first lead",
        lambda s, _: not (_on_table(s) and _asks(s, *BEFORE_PLAY)),
    ),
    Law("queue", "nothing, since nobody is asked", lambda s, _: bool(s.questions) or not s.queue),
    Law("due", "nothing, since nobody is asked", lambda s, _: bool(s.questions) or s.due is None),
    Law("due", "what follows where a rule asks during play", lambda s, _: _has_due(s)),
    Law("due", "lead:1 where the table is empty, and only there", lambda s, _: _follows_trick(s)),
    Law(
        "asked",
        "one question, or in exchange and janken one for each of several seats",
        lambda s, _: _asked_together(s),
    ),
)
