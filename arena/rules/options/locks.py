"""Locks (縛り, shibari): plays in a row that bind the suits or the ranks of what follows."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Final

from arena.errors import Reason
from arena.rules.cards import FIRST_JOKER, JOKER_RANK, QUEEN
from arena.rules.catalogue import SWITCH, Choice, Need, Option, Options, rule
from arena.rules.events import Marked
from arena.rules.melds import (
    SEQUENCE,
    SET,
    Meld,
    suits_common,
    suits_missing,
    suits_union,
)
from arena.rules.memo import Memo
from arena.rules.needs import LOCKED_SUITS, SEQUENCES, is_on, jokers, one_on, sets_of, wild_jokers
from arena.rules.options.limits import COLOUR_LOCK
from arena.rules.state import State
from arena.rules.wiring import Bar, Stage, Trigger, Wiring

SUIT_LOCK: Final = "suit_lock"
NUMBER_LOCK: Final = "number_lock"
DETAIL: Final = "the suits are locked (縛り, shibari)"

LOCK_JOKERS: Final = Need(
    ("jokers", "joker_wild"),
    lambda o: o["jokers"] > 0 if o["joker_lock"] == "none" else wild_jokers(o) > 0,
    "a joker (for full, one that is wild)",
)
LOCKS: Final = Need(
    ("shibari", "suu_shibari", "geki_shibari", "iro_shibari", "restrict"),
    lambda o: (
        any(is_on(o[name]) for name in ("shibari", "suu_shibari", "geki_shibari", "iro_shibari"))
        or bool({"five_colour", "hot_milk"} & set(o["restrict"]))
    ),
    "a lock of suits, ranks or colours on",
)
MORE_THAN_BOTH: Final = Need(
    ("suu_shibari", "shibari"),
    lambda o: not (o["suu_shibari"] and is_on(o["shibari"]) and o["shibari_after"] == 2),
    "suu_shibari or shibari off, or shibari_after 3",
    "those two lock all that it would",
)


def locking_suits(meld: Meld, joker_lock: str, *, partial: bool) -> int:
    """The multiset of suits by which a meld can begin a lock; 0 if it cannot (AM-13 to AM-15)."""
    if meld.jokers and joker_lock == "none":
        return 0
    return meld.named if meld.roles or partial or not meld.jokers else 0


def breaks_lock(meld: Meld, lock: int, joker_lock: str) -> bool:
    """Does a meld violate a suit lock?"""
    free = 0 if joker_lock == "none" or meld.roles else meld.jokers
    return suits_missing(meld.named, lock) > free


@rule(
    Option(
        "shibari",
        "off",
        Choice(("off", "full", "kata")),
        "Two plays in a row of the same suits lock them until the clear; kata: those in common.",
        (
            "PG-74",
            "PG-75",
            "PG-77",
            "PG-78",
            "PG-79",
            "PG-80",
            "PG-81",
            "AM-12",
            "AM-71",
            "AM-72",
            "DX-06",
            "AM-41",
            "C-9",
            "OR-28",
            "XV-kata_shibari",
        ),
        "縛り",
        "shibari",
        also=(
            "suit lock",
            "片縛り",
            "kata-shibari",
        ),
    ),
    Option(
        "shibari_after",
        2,
        Choice((2, 3)),
        "How many plays in a row it takes to lock.",
        ("PG-82", "AM-71", "OR-28"),
        needs=(one_on("shibari"),),
    ),
    Option(
        "shibari_sequences",
        True,
        SWITCH,
        "Sequences of one suit lock too.",
        ("PG-76",),
        needs=(one_on("shibari"), SEQUENCES),
    ),
    Option(
        "joker_lock",
        "satisfy_only",
        Choice(("satisfy_only", "full", "none")),
        "A joker stands for a missing locked suit, also begins a lock by its suit, or neither.",
        ("AM-13", "AM-14", "AM-15", "AM-16", "AM-17", "OR-07", "OR-11"),
        needs=(LOCKED_SUITS, LOCK_JOKERS),
    ),
    Option(
        "joker_lifts_lock",
        False,
        SWITCH,
        "A joker played alone ends the suit lock (contest rules).",
        ("AM-16",),
        needs=(LOCKED_SUITS, jokers(1)),
    ),
)
def shibari(wire: Wiring, o: Options) -> None:
    """The suit lock."""
    kind, after, jokers = o["shibari"], o["shibari_after"], o["joker_lock"]
    geki = o["geki_shibari"]
    wire.shape(named_suits=jokers == "full")
    if kind == "off" and not geki:
        return
    partial = kind == "kata"
    can = _can_lock(sequences=o["shibari_sequences"])
    suits: Memo[Meld, int] = Memo(
        lambda m: locking_suits(m, jokers, partial=partial) if can(m) else 0
    )

    def full(s: State, seat: int, meld: Meld) -> Iterable[Marked]:
        trick = s.trick
        if len(trick) < after - 1:
            return ()
        suit = suits[meld]
        if not suit or suits[trick[-1].meld] != suit or s.trick_marks.get(SUIT_LOCK):
            return ()
        if any(suits[laid.meld] != suit for laid in trick[1 - after : -1]):
            return ()
        return (Marked(SUIT_LOCK, suit, "trick", "shibari"),)

    def kata(s: State, seat: int, meld: Meld) -> Iterable[Marked]:
        if len(s.trick) < after - 1:
            return ()
        lock = s.trick_marks.get(SUIT_LOCK, 0)
        before = (suits[laid.meld] for laid in s.trick[1 - after :])
        new = suits_union(lock, reduce(suits_common, before, suits[meld]))
        return () if new == lock else (Marked(SUIT_LOCK, new, "trick", "shibari"),)

    def breaks(s: State, seat: int, meld: Meld) -> bool:
        return breaks_lock(meld, s.trick_marks.get(SUIT_LOCK, 0), jokers)

    def lift(s: State, seat: int, meld: Meld) -> Iterable[Marked]:
        if s.trick_marks.get(SUIT_LOCK):
            yield Marked(SUIT_LOCK, 0, "trick", "joker_lifts_lock")

    by = "geki_shibari" if kind == "off" else "shibari"
    wire.bar(Bar(Reason.SUIT_LOCKED, by, DETAIL, breaks), only_marked=True)
    if kind != "off":
        wire.on(Stage.LOCK, can, kata if partial else full)
    if o["joker_lifts_lock"]:
        wire.on(Stage.LOCK, lambda meld: meld.cards == 1 << FIRST_JOKER, lift)


def _can_lock(*, sequences: bool) -> Trigger:
    """The melds that may begin a lock."""
    return lambda meld: meld.kind is SET or (sequences and meld.kind is SEQUENCE)


@rule(
    Option(
        "shibari_pair_link",
        False,
        SWITCH,
        "Every pair must share a suit with the pair just before it.",
        ("RU-38", "AM-73", "OR-49"),
        needs=(sets_of(2),),
    ),
)
def pair_link(wire: Wiring, o: Options) -> None:
    """The Russian form of the lock: pairs only, no trigger."""

    def breaks(s: State, seat: int, meld: Meld) -> bool:
        pile = s.trick[-1].meld
        return not (pile.jokers or meld.jokers or suits_common(pile.suits, meld.suits))

    if o["shibari_pair_link"]:
        detail = "a pair must share a suit with the pair before it"
        wire.bar(Bar(Reason.SUIT_LOCKED, "shibari_pair_link", detail, breaks, _is_pair))


def _is_pair(pile: Meld | None) -> bool:
    return pile is not None and pile.kind is SET and pile.size == 2


def in_rank_order(s: State, before: Meld, meld: Meld) -> bool:
    """Is a set or single one rank above the set or single before it, in the order in force?"""
    if before.kind is not SET:
        return False
    if JOKER_RANK in (before.low, meld.low):
        return False
    return meld.low - before.low == (-1 if s.order_reversed else 1)


@rule(
    Option(
        "suu_shibari",
        False,
        SWITCH,
        "Two sets or singles in rank order: the next must again be one rank up.",
        ("XV-suu_shibari", "OR-27", "OR-56"),
        "数縛り",
        "suu-shibari",
        also=(
            "number lock",
            "階段縛り",
        ),
    ),
    Option(
        "geki_shibari",
        False,
        SWITCH,
        "Two plays of the same suits and in rank order lock suits and ranks together.",
        ("XV-geki_shibari", "OR-35"),
        "激縛り",
        "geki-shibari",
        also=(
            "激シバ",
            "intense lock",
        ),
        needs=(MORE_THAN_BOTH,),
    ),
)
def number_lock(wire: Wiring, o: Options) -> None:
    """Number locks: sets and singles only; a single joker always fits."""
    jokers = o["joker_lock"]

    def engage(s: State, seat: int, meld: Meld) -> Iterable[Marked]:
        before = s.pile
        if before is None or not in_rank_order(s, before, meld):
            return
        suits = locking_suits(meld, jokers, partial=False)
        same = bool(suits) and suits == locking_suits(before, jokers, partial=False)
        by = "suu_shibari" if o["suu_shibari"] else "geki_shibari"
        if (o["suu_shibari"] or same) and not s.trick_marks.get(NUMBER_LOCK):
            yield Marked(NUMBER_LOCK, 1, "trick", by)
        if o["geki_shibari"] and same and not s.trick_marks.get(SUIT_LOCK):
            yield Marked(SUIT_LOCK, suits, "trick", "geki_shibari")

    def breaks(s: State, seat: int, meld: Meld) -> bool:
        if not s.trick_marks.get(NUMBER_LOCK) or meld.cards == 1 << FIRST_JOKER:
            return False
        return not in_rank_order(s, s.trick[-1].meld, meld)

    if o["suu_shibari"] or o["geki_shibari"]:
        wire.on(Stage.LOCK, lambda meld: meld.kind is SET, engage)
        detail = "the ranks are locked (数縛り, suu-shibari)"
        by = "suu_shibari" if o["suu_shibari"] else "geki_shibari"
        wire.bar(Bar(Reason.NUMBER_LOCKED, by, detail, breaks), only_marked=True)


@rule(
    Option(
        "q_toki",
        False,
        SWITCH,
        "A play with a queen, which has to obey the locks, lifts them.",
        ("XV-q_toki",),
        "Q解き",
        "kyū-toki",
        later=True,
        needs=(LOCKS,),
        by_rank=True,
    ),
)
def q_toki(wire: Wiring, o: Options) -> None:
    """Queens lift locks; declared after the locks, so that a lock that grows is lifted too."""
    roles = o["joker_effects"]

    def lift(s: State, seat: int, meld: Meld) -> Iterable[Marked]:
        for name in (SUIT_LOCK, NUMBER_LOCK, COLOUR_LOCK):
            if s.trick_marks.get(name):
                yield Marked(name, 0, "trick", "q_toki")

    if o["q_toki"]:
        wire.on(Stage.LOCK, lambda meld: meld.count(QUEEN, roles=roles) > 0, lift)
