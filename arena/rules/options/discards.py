"""Cards that leave a hand without being played: tens, sevens, nines, queens."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from arena.rules.cards import ACE, EIGHT, FOUR, NINE, QUEEN, RANKS, SEVEN, TEN, ranks_of_names
from arena.rules.catalogue import SWITCH, Choice, Need, Option, Options, Subset, rule
from arena.rules.events import Pending, Took
from arena.rules.melds import SET, Meld
from arena.rules.needs import WILD, is_on, one_on
from arena.rules.options.answering import eight_clears
from arena.rules.state import State
from arena.rules.wiring import Stage, Wiring


def _ranks_act(o: Options) -> bool:
    """Is there a rule that goes by the rank of a card?"""
    from arena.rules.options import OPTIONS  # which are being gathered when this file is read

    by_rank = (name for name, option in OPTIONS.items() if option.by_rank)
    return "jack" in o["forbidden_finish"] or any(is_on(o[name]) for name in by_rank)


@rule(
    Option(
        "joker_effects",
        True,
        SWITCH,
        "A joker in the role of an 8, a jack, a ten and so on triggers that rank's rule.",
        ("AM-19",),
        needs=(
            WILD,
            Need(("hachi_giri", "jack_back"), _ranks_act, "a rule that goes by the rank of a card"),
        ),
    ),
    Option(
        "ten_discard",
        "off",
        Choice(("off", "on_play", "on_clear")),
        "For each ten played a further card may be thrown away face down, at once or at the clear.",
        ("PG-96", "PG-97", "RU-46", "AM-29", "OR-33", "XV-ten_discard"),
        "10捨て",
        "jū-sute",
        also=(
            "10-discard",
            "ten discard",
        ),
        by_rank=True,
    ),
    Option(
        "ten_discard_must",
        False,
        SWITCH,
        "The discard for tens is obligatory: exactly one card for each ten, cut to the cards left.",
        ("AM-29", "OR-46"),
        needs=(one_on("ten_discard", "discard_ranks"),),
    ),
    Option(
        "discard_ranks",
        (),
        Subset(tuple(RANKS.replace("T", ""))),
        "For each card of these ranks a further card may be thrown away face down at once, as for "
        "a ten (7: 7-tsuke).",
        ("XV-seven_tsuke",),
        "7付け",
        "nana-tsuke",
        later=True,
        by_rank=True,
    ),
)
def ten_discard(wire: Wiring, o: Options) -> None:
    """Tens throw cards away."""
    roles = o["joker_effects"]
    pick = "any" if o["ten_discard_must"] else "up_to"

    def tens(meld: Meld) -> int:
        return meld.count(TEN, roles=roles)

    def on_play(s: State, seat: int, meld: Meld) -> tuple[Pending]:
        return (Pending(seat, "discard", "ten_discard", tens(meld), pick=pick),)

    def on_clear(s: State) -> Iterable[Pending]:
        for laid in s.trick:
            if tens(laid.meld) and s.active >> laid.seat & 1:
                yield Pending(laid.seat, "discard", "ten_discard", tens(laid.meld), pick=pick)

    others = ranks_of_names(o["discard_ranks"])

    def cards(meld: Meld) -> int:
        return sum(meld.count(rank, roles=roles) for rank in others)

    def further(s: State, seat: int, meld: Meld) -> tuple[Pending]:
        return (Pending(seat, "discard", "discard_ranks", cards(meld), pick=pick),)

    if others:
        wire.on(Stage.DISCARD, lambda meld: cards(meld) > 0, further)
    if o["ten_discard"] == "on_play":
        wire.on(Stage.DISCARD, lambda meld: tens(meld) > 0, on_play)
    elif o["ten_discard"] == "on_clear":
        wire.clearing(on_clear)


@rule(
    Option(
        "nana_watashi",
        "off",
        Choice(("off", "may", "must")),
        "For each 7 played one card may (must) be given to the next player with cards.",
        ("XV-nana_watashi", "OR-46", "OR-47"),
        "7渡し",
        "nana-watashi",
        also=(
            "7-pass",
            "seven pass",
        ),
        by_rank=True,
    ),
    Option(
        "nine_modoshi",
        "off",
        Choice(("off", "may", "must")),
        "For each 9 played one card may (must) be given to the player before, who holds cards.",
        ("XV-nine_modoshi", "OR-46", "OR-47"),
        "9戻し",
        "kyū-modoshi",
        later=True,
        by_rank=True,
    ),
    Option(
        "yagiri",
        False,
        SWITCH,
        "For each 8 that clears one card may be given to the next player with cards.",
        ("XV-yagiri", "OR-47"),
        "矢切の渡し",
        "yagiri no watashi",
        later=True,
        needs=(one_on("hachi_giri"),),
        by_rank=True,
    ),
)
def nana_watashi(wire: Wiring, o: Options) -> None:
    """Sevens, nines and eights give cards away, in the direction before the play."""
    roles = o["joker_effects"]

    def gives(rule: str, rank: int, pick: str, *, step: int = 1) -> None:
        def give(s: State, seat: int, meld: Meld) -> tuple[Pending]:
            to = _next_holder(s, seat, step * s.direction)
            return (Pending(seat, "give", rule, meld.count(rank, roles=roles), to, pick),)

        clears = eight_clears(o) if rank == EIGHT else _any_meld
        wire.on(Stage.GIVE, lambda m: m.count(rank, roles=roles) > 0 and clears(m), give)

    picks = {"may": "up_to", "must": "any"}
    if o["nana_watashi"] != "off":
        gives("nana_watashi", SEVEN, picks[o["nana_watashi"]])
    if o["yagiri"]:
        gives("yagiri", EIGHT, "up_to")
    if o["nine_modoshi"] != "off":
        gives("nine_modoshi", NINE, picks[o["nine_modoshi"]], step=-1)


def _any_meld(meld: Meld) -> bool:
    return True


def _next_holder(s: State, seat: int, step: int) -> int:
    """The next seat that is still in the hand, clockwise (1) or the other way (-1)."""
    others = ((seat + distance * step) % s.players for distance in range(1, s.players))
    return next(other for other in others if s.active >> other & 1)


NO_ACES: Final = Need(
    ("ace_take",), lambda o: not o["ace_take"], "ace_take off", "the same cards come back for ever"
)


@rule(
    Option(
        "ace_take",
        False,
        SWITCH,
        "Aces, not in a sequence, take the cards that they beat, unless those are aces or the "
        "player holds no more cards.",
        ("XV-a_hiroi",),
        "A拾い",
        "ē-hiroi",
        later=True,
    ),
    Option(
        "four_take",
        False,
        SWITCH,
        "4s, not in a sequence, take the cards that they beat, as aces do by ace_take.",
        ("XV-salvage",),
        "死者蘇生",
        "shisha sosei",
        later=True,
        needs=(NO_ACES,),
    ),
)
def ace_take(wire: Wiring, o: Options) -> None:
    """Aces, or 4s, pick up."""

    def takes(rank: int, by: str) -> None:
        def take(s: State, seat: int, meld: Meld) -> Iterable[Took]:
            pile, left = s.pile, s.held[seat].bit_count() - meld.size
            if pile is not None and left and pile.low != rank:
                yield Took(seat, pile.cards, pile.size, by)

        wire.on(Stage.DISCARD, lambda meld: meld.kind is SET and meld.low == rank, take)

    if o["ace_take"]:
        takes(ACE, "ace_take")
    if o["four_take"]:
        takes(FOUR, "four_take")


@rule(
    Option(
        "q_bomber",
        "off",
        Choice(("off", "rank", "own_rank", "one_each")),
        "For each queen a rank is named, and everybody throws away all cards of it, face up; "
        "own_rank: ranks that the player holds; one_each: all throw one card for each queen.",
        ("XV-q_bomber", "OR-37", "OR-74"),
        "12ボンバー",
        "jūni bonbā",
        also=(
            "Qボンバー",
            "Q-bomber",
            "queen bomber",
        ),
        by_rank=True,
    ),
)
def q_bomber(wire: Wiring, o: Options) -> None:
    """Queens throw ranks away."""
    roles = o["joker_effects"]

    def queens(meld: Meld) -> int:
        return meld.count(QUEEN, roles=roles)

    def bomb(s: State, seat: int, meld: Meld) -> tuple[Pending]:
        pick = "any" if o["q_bomber"] == "rank" else "held"
        return (Pending(seat, "name", "q_bomber", queens(meld), pick=pick),)

    def one_each(s: State, seat: int, meld: Meld) -> Iterable[Pending]:
        for distance in range(s.players):
            other = (seat + distance * s.direction) % s.players
            if s.active >> other & 1:
                yield Pending(other, "discard", "q_bomber", queens(meld))

    if o["q_bomber"] != "off":
        effect = one_each if o["q_bomber"] == "one_each" else bomb
        wire.on(Stage.NAME, lambda meld: queens(meld) > 0, effect)
