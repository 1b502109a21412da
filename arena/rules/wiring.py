"""What a rule may hang itself on while a ruleset is compiled (`arena.rules.ruleset`).

A rule gets a `Wiring` once, when a ruleset is compiled, and uses its verbs. The verbs index what
they are given, so that a rule that is off, or on but asleep, costs nothing in play. Effects see the
state before the play; none of them can reach into the turn order. This module knows no option by
name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, Final, NamedTuple

from arena.errors import Reason
from arena.rules.events import (
    Discarded,
    Event,
    Gave,
    Marked,
    Pending,
    Scope,
    Skipped,
    Took,
    Way,
)
from arena.rules.melds import Meld
from arena.rules.shapes import Finder, Forms
from arena.rules.state import State


class Stage(IntEnum):
    """The order of the effects of one play (`RULES.md`, “The order of effects”)."""

    LOCK = 2
    REVOLUTION = 3
    JACK = 4
    GIVE = 5
    DISCARD = 6
    NAME = 7
    CLEAR = 8
    DIRECTION = 9
    SKIP = 10


class Clear(NamedTuple):
    """An effect: the table is cleared and whoever played leads."""

    by: str


class Skip(NamedTuple):
    """An effect: the next `number` players who may still act lose their turn."""

    number: int
    by: str


class Again(NamedTuple):
    """An effect: whoever played has the next turn too, on his own play."""

    by: str


class DirectionReversal(NamedTuple):
    """An effect: the direction of play is reversed; unless_clear: not where the play clears."""

    by: str
    unless_clear: bool


class OrderReversal(NamedTuple):
    """An effect: the order is reversed, for the hand, from the next clear (pending) or for the
    trick, the last unless the play clears."""

    scope: Scope
    by: str


Effect = (
    Marked
    | Discarded
    | Took
    | Gave
    | Clear
    | Skip
    | Again
    | DirectionReversal
    | OrderReversal
    | Pending
)
Trigger = Callable[[Meld], bool]
Outcome = Callable[[State, int], "Iterable[Effect]"]
OnPlay = Callable[[State, int, Meld], Iterable[Effect]]
Test = Callable[[State, int, Meld], bool]
Titles = tuple[str | None, ...]
Step = tuple[str, str, int, str]
NO_MORE_REVOLUTIONS: Final = "revolution_stays"
"""The mark of a hand in which a revolution can no longer be undone."""
UNLESS_CLEAR: Final = "unless_clear"
"""`Pending.pick` of a question about the trick, which is not asked where the play clears."""
ANY_LOCK: Final = 2
"""What `Trump.permits` answers where a meld may be laid whatever is locked."""
JANKEN: Final = -1
"""What a `first_lead` function answers where janken decides."""


def _any_pile(pile: Meld | None) -> bool:
    """For what may matter on every pile and on the empty table."""
    return True


@dataclass(frozen=True, slots=True)
class Bar:
    """A rule that forbids melds: the reason, the option, the sentence, the test.

    on: the piles (None: the empty table) on which it can forbid anything; elsewhere it sleeps.
    """

    reason: Reason
    rule: str
    detail: str
    forbids: Test
    on: Callable[[Meld | None], bool] = _any_pile


@dataclass(frozen=True, slots=True)
class Trump:
    """A rule that permits melds which the order refuses.

    permits: 0 no, 1 yes but locks hold, 2 yes whatever is locked; find: the candidates in a hand;
    on: the piles on which it can permit anything; elsewhere it sleeps, as on the empty table.
    """

    permits: Callable[[State, int, Meld], int]
    find: Callable[[State, int], Iterable[Meld]]
    on: Callable[[Meld], bool] = _any_pile


class Window(NamedTuple):
    """A reaction window: on some piles only certain melds may follow, whatever the order says.

    Each who may still act in the trick has his turn, to lay such an answer or to pass; if all pass,
    the table is cleared as after any trick. Several windows on one pile let all their answers in.
    rule: the option; on: the piles; answers: may this meld follow such a pile; find: the candidates
    in a hand.
    """

    rule: str
    on: Callable[[Meld], bool]
    answers: Callable[[Meld, Meld], bool]
    find: Callable[[State, int], Iterable[Meld]]

    def permits(self, s: State, seat: int, meld: Meld) -> int:
        """As `Trump.permits`."""
        pile = s.pile
        return ANY_LOCK if pile is not None and self.on(pile) and self.answers(pile, meld) else 0


@dataclass(frozen=True, slots=True)
class PileRules:
    """The rules that are awake on a pile, or on the empty table.

    finder: finds the melds of a hand that may follow by kind, size and strength; bars and trumps:
    those that are awake; all_bars: with those that need a mark of the trick.
    """

    finder: Finder
    bars: tuple[Bar, ...]
    all_bars: tuple[Bar, ...]
    trumps: tuple[Trump, ...]


@dataclass(frozen=True, slots=True)
class Foul:
    """A forbidden last play: its name and the test, which sees the state before the play."""

    name: str
    forbids: Test


@dataclass(frozen=True, slots=True)
class PlayRules:
    """How a hand is played."""

    lockout: bool = False
    one_lap: bool = False
    own_turn: bool = False
    sole_survivor: bool = False
    lead_pass: bool = False
    max_idle: int = 0
    idle_by_lot: bool = False
    auto_clear: bool = False
    first_out: bool = False
    direction: int = 1
    turn_back: bool = False
    going_out_clears: str = ""
    foul_clears: str = ""
    overturn: bool = False
    revolution_at_once: bool = False
    moves_cards: bool = False
    skipping: Callable[[tuple[int, ...], str], Event] = Skipped


class DealRules(NamedTuple):
    """How a hand begins. The functions get the state after the deal."""

    players: int = 4
    decks: int = 1
    jokers: int = 1
    suits: str = "SHDC"
    blind: int = 0
    start: Callable[[Any, int, int], int] = lambda deal, players, direction: (
        (deal.dealer + direction) % players
    )
    first_lead: Callable[[State, int], int] = lambda s, direction: -1
    next_lead: Callable[[State, int], int] = lambda s, direction: s.setup.before[-1]
    must_show: int = -1
    interactive_janken: bool = False
    reversal: Callable[[State], bool] = lambda s: False
    upheaval: Callable[[State], Iterable[tuple[int, int]]] = lambda s: ()
    program: tuple[Step, ...] = ()
    order: str = "loser_first"
    highest: Callable[[State, int, int], tuple[Way, ...]] = lambda s, seat, count: ()
    asked: bool = False


class TableRules(NamedTuple):
    """What happens between the hands of a sitting. Places are seats or players, best to last.

    equal: does this hand, which is over, leave nobody a title?
    """

    titles: Titles = ()
    points: tuple[int, ...] = ()
    next_dealer: str = "loser"
    first_dealer: str = "random"
    seats: str = "fixed"
    reset_every: int = 0
    equal: Callable[[State], bool] = lambda s: False
    session_end: str = "open"
    overall_winner: str = "none"
    forfeits: bool = False
    open_discards: bool = False


class Wiring:
    """The verbs of a rule. Each may be used any number of times while a ruleset is compiled."""

    def __init__(self) -> None:
        self.forms = Forms()
        self.play = PlayRules()
        self.deal = DealRules()
        self.table = TableRules()
        self.effects: list[tuple[Stage, Trigger, OnPlay]] = []
        self.revolutions: list[tuple[str, Trigger]] = []
        self.on_revolution: list[OnPlay] = []
        self.revolution_choice = ""
        self.bars: list[Bar] = []
        self.lock_bars: list[Bar] = []
        self.trumps: list[Trump] = []
        self.fouls: list[Foul] = []
        self.on_out: list[Callable[[State, int], Iterable[Event]]] = []
        self.on_passes: list[Callable[[State, tuple[int, ...]], Iterable[Event]]] = []
        self.on_clear: list[Callable[[State], Iterable[Pending]]] = []
        self.after_clear: list[Callable[[State], Iterable[Event]]] = []
        self.on_exchanged: list[Callable[[State], Iterable[Event]]] = []
        self.on_lead: list[Callable[[State], Iterable[Pending]]] = []
        self.outcomes: dict[str, Outcome] = {}
        self.windows: list[Window] = []

    def shape(self, **forms: Any) -> None:
        """Change which melds exist and how they compare (`arena.rules.shapes.Forms`)."""
        self.forms = self.forms._replace(**forms)

    def playing(self, **settings: Any) -> None:
        """Change how a hand is played (`PlayRules`)."""
        self.play = replace(self.play, **settings)

    def dealing(self, **settings: Any) -> None:
        """Change how a hand begins (`DealRules`)."""
        self.deal = self.deal._replace(**settings)

    def between(self, **settings: Any) -> None:
        """Change what happens between hands (`TableRules`)."""
        self.table = self.table._replace(**settings)

    def on(self, stage: Stage, trigger: Trigger, effect: OnPlay) -> None:
        """An effect of the melds for which `trigger` holds; it sees the state before the play."""
        self.effects.append((stage, trigger, effect))

    def reverses(self, rule: str, trigger: Trigger) -> None:
        """These melds make a revolution; a play makes at most one (AM-06)."""
        self.revolutions.append((rule, trigger))

    def revolving(self, effect: OnPlay) -> None:
        """A further effect of every revolution."""
        self.on_revolution.append(effect)

    def may_revolve(self, rule: str) -> None:
        """The player is asked whether his play makes a revolution."""
        self.revolution_choice = rule
        self.choice(rule, lambda s, seat: self._revolve(s, seat, s.trick[-1].meld))

    def stays(self, rule: str, trigger: Trigger) -> None:
        """After a revolution by one of these melds there is no further one in the hand."""
        mark = Marked(NO_MORE_REVOLUTIONS, 1, "hand", rule)
        self.revolving(lambda s, seat, meld: (mark,) if trigger(meld) else ())

    def finish(self) -> None:
        """Join what rules have declared together; called once, after the last rule."""
        if self.windows:
            rules = ", ".join(dict.fromkeys(window.rule for window in self.windows))
            detail = f"only an answer may follow ({rules})"
            rule = self.windows[0].rule
            self.bar(Bar(Reason.ANSWERS_ONLY, rule, detail, self._no_answer, self._is_window))
        if self.revolutions:
            self.on(
                Stage.REVOLUTION,
                lambda meld: any(trigger(meld) for _, trigger in self.revolutions),
                self._revolution,
            )

    def _is_window(self, pile: Meld | None) -> bool:
        """May only answers follow this pile?"""
        return pile is not None and any(window.on(pile) for window in self.windows)

    def _no_answer(self, s: State, seat: int, meld: Meld) -> bool:
        """Is this meld no answer to the pile?"""
        return not any(window.permits(s, seat, meld) for window in self.windows)

    def _revolution(self, s: State, seat: int, meld: Meld) -> Iterable[Effect]:
        """The effects of a revolution; none where an earlier one stays."""
        if s.hand_marks.get(NO_MORE_REVOLUTIONS):
            return ()
        if self.revolution_choice:
            return (Pending(seat, "accept", self.revolution_choice, 1),)
        return self._revolve(s, seat, meld)

    def _revolve(self, s: State, seat: int, meld: Meld) -> Iterable[Effect]:
        """The same, now that it takes place."""
        rule = next(rule for rule, trigger in self.revolutions if trigger(meld))
        yield OrderReversal("hand" if self.play.revolution_at_once else "pending", rule)
        for effect in self.on_revolution:
            yield from effect(s, seat, meld)

    def bar(self, bar: Bar, *, only_marked: bool = False) -> None:
        """Forbid melds; only_marked: the test need not be asked while no trick mark is set."""
        (self.lock_bars if only_marked else self.bars).append(bar)

    def trump(self, trump: Trump) -> None:
        """Permit melds that the order refuses."""
        self.trumps.append(trump)

    def foul(self, foul: Foul) -> None:
        """Let last plays be fouls, for those that no bar refuses."""
        self.fouls.append(foul)

    def going_out(self, events: Callable[[State, int], Iterable[Event]]) -> None:
        """Events after a seat has finished lawfully; sees the state in which it is out."""
        self.on_out.append(events)

    def ending_by_passes(self, events: Callable[[State, tuple[int, ...]], Iterable[Event]]) -> None:
        """Events where passes end the hand; gets the state before its end and the places by it."""
        self.on_passes.append(events)

    def clearing(self, asks: Callable[[State], Iterable[Pending]]) -> None:
        """Questions when the table is cleared; sees the state before the clear."""
        self.on_clear.append(asks)

    def cleared(self, events: Callable[[State], Iterable[Event]]) -> None:
        """Events just after a clear; sees the state before it."""
        self.after_clear.append(events)

    def exchanged(self, events: Callable[[State], Iterable[Event]]) -> None:
        """Events when the exchange is done, or left out; sees the state after it."""
        self.on_exchanged.append(events)

    def before_lead(self, asks: Callable[[State], Iterable[Pending]]) -> None:
        """Questions before the first lead of a hand, when all hold what they play with."""
        self.on_lead.append(asks)

    def choice(self, rule: str, outcome: Outcome) -> None:
        """The effects of a play that take place if its player accepts them: what a question of
        kind accept with this rule asks."""
        self.outcomes[rule] = outcome

    def window(self, window: Window) -> None:
        """Let some plays be followed by their answers only."""
        self.windows.append(window)
        self.trump(Trump(window.permits, window.find, window.on))
