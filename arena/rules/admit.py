"""May this meld be played here? The checks of a play, in the order of the refusal reasons.

Both `decide` (one meld, with the reason when it is refused) and `legal` (all melds of a hand) rest
on this module; nothing here changes anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from arena.errors import Reason, Refused
from arena.rules.cards import FIRST_JOKER, JOKERS, NATURAL, claim, codes, rank_of
from arena.rules.commands import Play
from arena.rules.melds import SET, Meld
from arena.rules.ruleset import Ruleset
from arena.rules.shapes import named_suits_fit
from arena.rules.state import State
from arena.rules.wiring import ANY_LOCK

LOCKS: Final = (Reason.SUIT_LOCKED, Reason.NUMBER_LOCKED)


def admit(rules: Ruleset, s: State, command: Play) -> Meld:
    """The meld that a `Play` means, or `Refused`.

    Undeclared jokers mean the strongest legal reading in the order in force; on a lead a set, if
    the cards can be one (AM-31, AM-36).
    """
    seat, cards = command.seat, command.cards
    if s.to_move != seat:
        check_turn(s, seat)
    held = s.held[seat]
    if not cards or (cards & held != cards and not claim(held, cards)):
        raise _refused(Reason.NOT_IN_HAND, "the cards are not all in the hand", cards)
    if s.barred >> seat & 1:
        raise _refused(Reason.PASSED_OUT, "the seat has passed and is out of the trick", cards)
    readings = rules.shapes.readings(cards)
    if command.roles or len(readings) > 1:
        readings = tuple(intended(rules, s.pile, cards, command.roles))
    if not readings:
        raise _refused(Reason.BAD_SHAPE, "the cards are no meld that this ruleset knows", cards)
    if len(readings) == 1:
        refusal = refuses(rules, s, seat, readings[0])
        if refusal is None:
            return readings[0]
        raise _refused(refusal[0], refusal[2], cards, rule=refusal[1])
    return _strongest_legal(rules, s, seat, readings)


def check_turn(s: State, seat: int) -> None:
    """Refuse what comes when the hand is over, a question waits, or it is another seat's move."""
    if s.places:
        raise Refused(Reason.HAND_OVER, "the hand is over")
    if s.questions:
        raise Refused(Reason.CHOICE_PENDING, "a question has to be answered first")
    if s.to_move != seat:
        raise Refused(Reason.NOT_YOUR_TURN, f"it is the move of seat {s.to_move}, not of {seat}")


def refuses(rules: Ruleset, s: State, seat: int, meld: Meld) -> tuple[Reason, str, str] | None:
    """Why a meld of cards that the seat holds may not be played now: (reason, rule, sentence)."""
    level = 0
    pile = s.trick[-1].meld if s.trick else None
    try:
        awake = rules.pile_rules[pile]
    except KeyError:
        awake = rules.awake_on(pile)
    if pile is not None:
        for trump in awake.trumps:
            level = max(level, trump.permits(s, seat, meld))
        if not level:
            if meld.kind is not pile.kind or meld.size != pile.size:
                return (Reason.WRONG_KIND, "", f"the table asks for {_form(pile)}")
            if not rules.shapes.beats(meld, pile, s.revolution is not s.jack):
                return (Reason.TOO_LOW, "", f"it does not beat {' '.join(pile.codes)}")
    for bar in awake.all_bars if s.trick_marks else awake.bars:
        if (level < ANY_LOCK or bar.reason not in LOCKS) and bar.forbids(s, seat, meld):
            return (bar.reason, bar.rule, bar.detail)
    return None


def foul_of(rules: Ruleset, s: State, seat: int, meld: Meld) -> str:
    """The name of the forbidden finish that a last play would be, "" for none."""
    for foul in rules.fouls:
        if foul.forbids(s, seat, meld):
            return foul.name
    return ""


def intended(
    rules: Ruleset, pile: Meld | None, cards: int, roles: tuple[int, ...] | None
) -> Sequence[Meld]:
    """The readings that a player may mean."""
    readings = rules.shapes.readings(cards)
    if roles:
        return _declared(rules, readings, cards, roles) if cards & JOKERS else []
    if len(readings) < 2:
        return readings
    if readings[0].kind is SET and (pile is None or pile.kind is SET):
        return [readings[0]]
    same = [m for m in readings if pile is not None and m.kind is pile.kind]
    return same or [m for m in readings if m.kind is not SET] or [readings[0]]


def _declared(
    rules: Ruleset, readings: Iterable[Meld], cards: int, roles: tuple[int, ...]
) -> list[Meld]:
    """The readings whose jokers stand for `roles`."""
    if not cards & NATURAL:
        same = all(role == FIRST_JOKER for role in roles)
        return [m for m in readings if same and len(roles) == m.jokers]
    exact = [m for m in readings if m.roles == roles]
    if exact:
        return exact
    return [
        m
        for m in readings
        if m.kind is SET
        and len(roles) == m.jokers
        and all(role != FIRST_JOKER and rank_of(role) == m.low for role in roles)
        and named_suits_fit(cards & NATURAL, roles, rules.shapes.forms.decks)
        and not rules.shapes.forms.named_suits
    ]


def _strongest_legal(rules: Ruleset, s: State, seat: int, readings: Sequence[Meld]) -> Meld:
    """The strongest legal reading; if there is none, the refusal of the strongest."""
    ordered = sorted(readings, key=lambda m: m.strength_in(s.order_reversed), reverse=True)
    refusals = []
    for meld in ordered:
        refusal = refuses(rules, s, seat, meld)
        if refusal is None:
            return meld
        refusals.append(refusal)
    furthest = max(refusals, key=lambda r: list(Reason).index(r[0]))
    raise _refused(furthest[0], furthest[2], readings[0].cards, rule=furthest[1])


def _form(meld: Meld) -> str:
    """The kind and size of a meld in words."""
    if meld.size == 1:
        return "a single card"
    return f"a {meld.kind.value} of {meld.size} cards"


def _refused(reason: Reason, detail: str, cards: int, *, rule: str = "") -> Refused:
    """A refusal that names the cards."""
    return Refused(reason, detail, rule=rule, cards=codes(cards))
