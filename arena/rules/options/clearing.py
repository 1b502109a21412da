"""Plays that clear the table, and plays that answer what the order would not let them answer."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Final

from arena.rules.cards import (
    FIRST_JOKER,
    JACK,
    JOKERS,
    KING,
    NINE,
    PACK,
    RANK_MASKS,
    RANKS,
    SIX,
    THREE,
    TWO,
    canonical,
    ids,
    ranks_of_names,
)
from arena.rules.catalogue import SWITCH, Choice, Need, Option, Options, Subset, rule
from arena.rules.melds import ABOVE_TWO, BELOW_THREE, SEQUENCE, SET, Meld, meld
from arena.rules.needs import (
    ANY_REVOLUTION,
    GOES_ON,
    RUNS_OF_THREE,
    SEQUENCES,
    SPADES,
    jokers,
    one_on,
    sets_of,
)
from arena.rules.options.answering import eight_clears, eight_waits
from arena.rules.shapes import SINGLES, Forms
from arena.rules.state import State
from arena.rules.wiring import ANY_LOCK, Clear, OnPlay, Stage, Trigger, Trump, Wiring

LONE_JOKER: Final = 1 << FIRST_JOKER
SPADE_THREE: Final = 1
SPADE_TWO: Final = 1 << 4 * TWO
NOT_EQUAL: Final = Need(("equal_plays",), lambda o: not o["equal_plays"], "equal_plays off")


def _clears(by: str) -> OnPlay:
    """The effect of clearing, by a rule's name."""
    return lambda s, seat, meld: (Clear(by),)


def _is_lone_joker(pile: Meld | None) -> bool:
    return pile is not None and pile.cards == LONE_JOKER


def _is_single(pile: Meld) -> bool:
    return pile.size == 1


@rule(
    Option(
        "hachi_giri",
        False,
        SWITCH,
        "An 8, or a combination with an 8, clears the table at once and its player leads.",
        ("PG-91", "PG-92", "RU-44", "AM-18", "AM-20", "AM-21"),
        "八切り",
        "hachi-giri",
        also=(
            "8切り",
            "8-cut",
            "eight cut",
            "eight ends the trick",
        ),
        by_rank=True,
    ),
    Option(
        "hachi_giri_sequences",
        True,
        SWITCH,
        "An 8 inside a sequence clears too.",
        ("PG-91", "XV-hachi_giri_sequences"),
        also=("8切り(階段を除く)",),
        needs=(one_on("hachi_giri"), SEQUENCES),
    ),
)
def hachi_giri(wire: Wiring, o: Options) -> None:
    """Eights clear."""
    if o["hachi_giri"]:
        clears, waits = eight_clears(o), eight_waits(o)
        wire.on(Stage.CLEAR, lambda m: clears(m) and not waits(m), _clears("hachi_giri"))


def _pair_of(rank: int, *, roles: bool) -> Trigger:
    return lambda meld: (
        meld.kind is SET and meld.size == 2 and meld.low == rank and (roles or not meld.jokers)
    )


@rule(
    Option(
        "kyukyusha",
        False,
        SWITCH,
        "A pair of 9s clears the table.",
        ("XV-kyukyusha",),
        "救急車",
        "kyūkyūsha",
        also=(
            "ambulance",
            "99車",
        ),
        needs=(sets_of(2),),
        by_rank=True,
    ),
    Option(
        "rokurokubi",
        False,
        SWITCH,
        "A pair of 6s clears the table.",
        ("XV-rokurokubi",),
        "ろくろ首",
        "rokurokubi",
        needs=(sets_of(2),),
        by_rank=True,
    ),
    Option(
        "two_clears",
        False,
        SWITCH,
        "Any play with a 2 clears the table.",
        ("XV-two_clears", "OR-17"),
        "2切り",
        "ni-giri",
        also=("2-cut",),
        by_rank=True,
    ),
)
def rank_clears(wire: Wiring, o: Options) -> None:
    """Clears by rank."""
    roles = o["joker_effects"]
    if o["kyukyusha"]:
        wire.on(Stage.CLEAR, _pair_of(NINE, roles=roles), _clears("kyukyusha"))
    if o["rokurokubi"]:
        wire.on(Stage.CLEAR, _pair_of(SIX, roles=roles), _clears("rokurokubi"))
    if o["two_clears"]:
        wire.on(Stage.CLEAR, lambda m: m.count(TWO, roles=roles) > 0, _clears("two_clears"))


@rule(
    Option(
        "kakumei_cuts",
        (),
        Subset(tuple(RANKS.replace("8", ""))),
        "Under a revolution a play with a card of these ranks clears the table, as an 8 does "
        "(5-, 6-, 7-cut).",
        ("XV-five_six_seven_cut",),
        "5切り",
        "go-giri",
        later=True,
        needs=(ANY_REVOLUTION,),
        by_rank=True,
    ),
    Option(
        "igen",
        False,
        SWITCH,
        "The sequence J-Q-K clears the table.",
        ("XV-igen",),
        "威厳",
        "igen",
        later=True,
        needs=(SEQUENCES, RUNS_OF_THREE),
    ),
)
def cuts(wire: Wiring, o: Options) -> None:
    """Clears under conditions."""
    roles, ranks = o["joker_effects"], ranks_of_names(o["kakumei_cuts"])

    def cut(s: State, seat: int, meld: Meld) -> Iterable[Clear]:
        if s.revolution:
            yield Clear("kakumei_cuts")

    def dignity(meld: Meld) -> bool:
        return (meld.low, meld.high) == (JACK, KING)

    if ranks:
        wire.on(Stage.CLEAR, lambda m: any(m.count(r, roles=roles) for r in ranks), cut)
    if o["igen"]:
        wire.on(Stage.CLEAR, dignity, _clears("igen"))


@rule(
    Option(
        "ansatsu",
        False,
        SWITCH,
        "A 3 may be laid on a single 2, and in a reversed order a 2 on a single 3; that clears the "
        "table.",
        ("XV-ansatsu",),
        "暗殺",
        "ansatsu",
        later=True,
    ),
)
def ansatsu(wire: Wiring, o: Options) -> None:
    """The lowest rank murders the highest, in the order in force."""

    def ranks(s: State) -> tuple[int, int]:
        return (TWO, THREE) if s.order_reversed else (THREE, TWO)

    def murders(s: State, meld: Meld) -> bool:
        pile = s.pile
        return pile is not None and meld.size == 1 and (meld.low, pile.low) == ranks(s)

    def permits(s: State, seat: int, meld: Meld) -> int:
        return int(murders(s, meld))

    def find(s: State, held: int) -> Iterable[Meld]:
        lowest = canonical(held & RANK_MASKS[ranks(s)[0]])
        return (SINGLES[card] for card in ids(lowest & PACK))

    def clears(s: State, seat: int, meld: Meld) -> Iterable[Clear]:
        if murders(s, meld):
            yield Clear("ansatsu")

    if o["ansatsu"]:
        wire.trump(Trump(permits, find, _is_single))
        wire.on(Stage.CLEAR, lambda m: m.low in (THREE, TWO), clears)


@rule(
    Option(
        "six_card_clears",
        False,
        SWITCH,
        "A set of exactly six clears the table and reverses.",
        ("XV-six_card_clears", "AM-35", "OR-15", "OR-18", "C-7"),
        "シックスカード",
        "shikkusu kādo",
        also=("six of a kind",),
        needs=(sets_of(6),),
    ),
    Option(
        "top_sequence_clears",
        False,
        SWITCH,
        "A sequence that no other could beat in the order in force clears the table.",
        ("XV-top_sequence_clears", "OR-19", "C-7"),
        "最強階段",
        "saikyō kaidan",
        needs=(SEQUENCES,),
    ),
)
def unbeatable(wire: Wiring, o: Options) -> None:
    """Clears by plays that nothing can beat."""
    if o["six_card_clears"]:

        def six(meld: Meld) -> bool:
            return meld.kind is SET and meld.size == 6

        wire.on(Stage.CLEAR, six, _clears("six_card_clears"))
        wire.reverses("six_card_clears", six)
    if o["top_sequence_clears"]:

        def top(s: State, seat: int, meld: Meld) -> Iterable[Clear]:
            if _unbeatable(wire.forms, meld, order_reversed=s.order_reversed):
                yield Clear("top_sequence_clears")

        wire.on(Stage.CLEAR, lambda m: m.kind is SEQUENCE, top)


def _unbeatable(forms: Forms, run: Meld, *, order_reversed: bool) -> bool:
    """Does no sequence of this length stand higher in an order?"""
    top = ABOVE_TWO if forms.past_two else TWO if forms.twos else TWO - 1
    tunnel = forms.tunnel and run.size == 3
    bottom = BELOW_THREE if forms.below_three or tunnel else 0
    if order_reversed:
        if forms.disjoint:  # the highest run is A-2-3, whose highest card is the 3 (OR-63)
            return run.low <= 0 if tunnel else run.low - run.size < bottom
        return run.low <= bottom
    return run.high + run.size > top if forms.disjoint else run.high >= top


@rule(
    Option(
        "spade_three",
        "off",
        Choice(("off", "beatable", "clears", "wild_top")),
        "The spade 3 answers a single joker, and is beatable or clears; wild_top: any single card.",
        (
            "PG-88",
            "PG-89",
            "PG-90",
            "RU-43",
            "AM-16",
            "AM-22",
            "OR-21",
            "OR-22",
            "XV-spade_three_clears",
        ),
        "スペ3返し",
        "supe-san gaeshi",
        also=(
            "spade 3 return",
            "スペードの3返し",
        ),
        needs=(
            SPADES,
            Need(
                ("jokers",), lambda o: o["jokers"] > 0 or o["spade_three"] == "wild_top", "a joker"
            ),
        ),
    ),
)
def spade_three(wire: Wiring, o: Options) -> None:
    """The spade 3."""
    value = o["spade_three"]
    if value == "off":
        return

    def permits(s: State, seat: int, meld: Meld) -> int:
        if meld.cards != SPADE_THREE:
            return 0
        return ANY_LOCK if _is_lone_joker(s.pile) else 1

    def find(s: State, held: int) -> Iterable[Meld]:
        return (SINGLES[0],) if canonical(held) & SPADE_THREE else ()

    def clears(s: State, seat: int, meld: Meld) -> Iterable[Clear]:
        if _is_lone_joker(s.pile):
            yield Clear("spade_three")

    def answers(pile: Meld) -> bool:
        return _is_single(pile) if value == "wild_top" else _is_lone_joker(pile)

    wire.trump(Trump(permits, find, answers))
    if value == "clears":
        wire.on(Stage.CLEAR, lambda meld: meld.cards == SPADE_THREE, clears)


@rule(
    Option(
        "spade_two",
        "off",
        Choice(("off", "beatable", "clears")),
        "Under a revolution the spade 2 answers a single joker, and is beatable or clears.",
        ("XV-spade_two",),
        "スペ2返し",
        "supe-ni gaeshi",
        later=True,
        needs=(jokers(1), SPADES, ANY_REVOLUTION),
    ),
)
def spade_two(wire: Wiring, o: Options) -> None:
    """The spade 2, the lowest card under a revolution."""

    def answers(s: State, meld: Meld) -> bool:
        return s.revolution and meld.cards == SPADE_TWO and _is_lone_joker(s.pile)

    def permits(s: State, seat: int, meld: Meld) -> int:
        return ANY_LOCK if answers(s, meld) else 0

    def find(s: State, held: int) -> Iterable[Meld]:
        return (SINGLES[4 * TWO],) if canonical(held) & SPADE_TWO else ()

    def clears(s: State, seat: int, meld: Meld) -> Iterable[Clear]:
        if answers(s, meld):
            yield Clear("spade_two")

    if o["spade_two"] != "off":
        wire.trump(Trump(permits, find, _is_lone_joker))
    if o["spade_two"] == "clears":
        wire.on(Stage.CLEAR, lambda meld: meld.cards == SPADE_TWO, clears)


@rule(
    Option(
        "joker_return",
        False,
        SWITCH,
        "A second joker beats a single joker.",
        ("XV-joker_return", "AM-37"),
        "ジョーカー返し",
        "jōkā gaeshi",
        needs=(jokers(2), NOT_EQUAL),
    ),
)
def joker_return(wire: Wiring, o: Options) -> None:
    """Joker on joker."""

    def permits(s: State, seat: int, meld: Meld) -> int:
        return int(meld.cards == LONE_JOKER)

    def find(s: State, held: int) -> Iterable[Meld]:
        return (SINGLES[FIRST_JOKER],) if held & JOKERS else ()

    if o["joker_return"]:
        wire.trump(Trump(permits, find, _is_lone_joker))


@rule(
    Option(
        "sunaarashi",
        "off",
        Choice(("off", "beats", "clears")),
        "Three real 3s beat any play of any kind and size, locks notwithstanding; and may clear.",
        ("XV-sunaarashi", "OR-16"),
        "砂嵐",
        "sunaarashi",
        also=(
            "sandstorm",
            "33返し",
        ),
        needs=(sets_of(3),),
    ),
)
def sunaarashi(wire: Wiring, o: Options) -> None:
    """The sandstorm."""
    if o["sunaarashi"] == "off":
        return

    def storm(meld: Meld) -> bool:
        same = meld.kind is SET and meld.low == THREE
        return same and meld.size == 3 and not meld.jokers

    def permits(s: State, seat: int, meld: Meld) -> int:
        return ANY_LOCK if storm(meld) else 0

    def find(s: State, held: int) -> Iterable[Meld]:
        threes = [1 << c for c in ids(held & RANK_MASKS[THREE])]
        chosen = {canonical(sum(three)) for three in combinations(threes, 3)}
        return [meld(SET, cards, (), THREE) for cards in chosen]

    wire.trump(Trump(permits, find))
    if o["sunaarashi"] == "clears":
        wire.on(Stage.CLEAR, storm, _clears("sunaarashi"))


@rule(
    Option(
        "down_number",
        False,
        SWITCH,
        "On a single card the one of the same suit one rank lower may follow.",
        ("XV-down_number", "OR-36"),
        "ダウンナンバー",
        "daun nanbā",
    ),
)
def down_number(wire: Wiring, o: Options) -> None:
    """Down number."""

    def lower(s: State) -> int:
        return s.trick[-1].meld.low + (1 if s.order_reversed else -1)

    def permits(s: State, seat: int, meld: Meld) -> int:
        pile = s.trick[-1].meld
        return int(meld.size == 1 and meld.low == lower(s) and meld.suits == pile.suits)

    def find(s: State, held: int) -> Iterable[Meld]:
        cards = held & RANK_MASKS[lower(s)] if 0 <= lower(s) <= TWO else 0
        return (SINGLES[card] for card in ids(canonical(cards) & PACK))

    if o["down_number"]:
        wire.trump(Trump(permits, find, _is_single))


@rule(
    Option(
        "agari_nagashi",
        False,
        SWITCH,
        "Going out clears the table; the next to the left leads.",
        ("XV-agari_nagashi", "OR-34", "PG-42", "OR-68"),
        "あがり流し",
        "agari-nagashi",
        needs=(GOES_ON,),
        same_as=lambda o: o["agari_nagashi"] and o["players"] > 2,
    ),
)
def agari_nagashi(wire: Wiring, o: Options) -> None:
    """Going out clears."""
    if o["agari_nagashi"]:
        wire.playing(going_out_clears="agari_nagashi")
