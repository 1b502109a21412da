"""Going out: forbidden last plays, the fall of the rich, the end of a hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from arena.errors import Reason
from arena.rules.cards import (
    FIRST_JOKER,
    JACK,
    JOKER_RANK,
    JOKERS,
    NINE,
    RANK_MASKS,
    SEVEN,
    THREE,
    TWO,
    canonical,
    claim,
)
from arena.rules.catalogue import SWITCH, Choice, Need, Option, Options, Subset, rule
from arena.rules.events import Discarded, Event, Fell
from arena.rules.melds import SEQUENCE, SET, Meld
from arena.rules.needs import FOULS, LATER_HANDS, REVERSED_TRICK, SEQUENCES, jokers, one_on, sets_of
from arena.rules.options.answering import eight_clears
from arena.rules.state import State
from arena.rules.wiring import Bar, Foul, Stage, Test, Wiring

FOUL_ENDINGS: Final = (
    "high_set",
    "high_sequence",
    "single_joker",
    "any_joker",
    "eight",
    "jack",
    "spade_three",
)


def _tests(o: Options) -> dict[str, Test]:
    """The forbidden last plays by name; the order before the play decides (AM-45)."""
    top = TWO if o["sequence_twos"] else TWO - 1
    clears_by_eight = eight_clears(o)

    def reverse(s: State) -> bool:
        return s.order_reversed if o["forbidden_follow_jack"] else s.revolution

    def high_set(s: State, seat: int, meld: Meld) -> bool:
        if meld.kind is not SET:
            return False
        jokers = meld.low == JOKER_RANK and meld.size > 1
        return jokers or meld.low == (THREE if reverse(s) else TWO)

    def high_sequence(s: State, seat: int, meld: Meld) -> bool:
        high = meld.low <= 0 if reverse(s) else meld.high >= top
        return meld.kind is SEQUENCE and high

    return {
        "high_set": high_set,
        "high_sequence": high_sequence,
        "single_joker": lambda s, seat, meld: meld.cards == 1 << FIRST_JOKER,
        "any_joker": lambda s, seat, meld: meld.jokers > 0,
        "eight": lambda s, seat, meld: clears_by_eight(meld),
        "jack": lambda s, seat, meld: meld.count(JACK, roles=o["joker_effects"]) > 0,
        "spade_three": lambda s, seat, meld: meld.cards == 1,
    }


def _needs(need: Need, *fouls: str) -> Need:
    """What some of the forbidden last plays need."""

    def holds(o: Options) -> bool:
        return not set(fouls) & set(o["forbidden_finish"]) or need.holds(o)

    says = f"{need.says} for {' and '.join(fouls)}"
    return Need(need.others, holds, says)


def _plain_fouls(o: Options) -> tuple[str, ...]:
    """The forbidden last plays without one that another contains."""
    fouls = o["forbidden_finish"]
    return tuple(f for f in fouls if f != "single_joker" or "any_joker" not in fouls)


def _same_fall(o: Options, name: str) -> Any:
    """Of two players the loser is last anyhow; where the first out ends the hand nobody plays on
    after a fall, nor would without it."""
    if o["players"] == 2 or o[name] == "off":
        return "off"
    return "play_on" if o["hand_end"] == "first_out" else o[name]


FROM_NINE: Final = sum(RANK_MASKS[rank] for rank in range(NINE, TWO + 1)) | JOKERS
AFTER_THE_FIRST: Final = Need(
    ("hand_end",), lambda o: o["hand_end"] == "one_left", "hand_end one_left"
)
PLAYS_ON: Final = Need(
    ("miyako_ochi",), lambda o: o["miyako_ochi"] == "play_on", "miyako_ochi play_on"
)
FOUL_NEEDS: Final = (
    _needs(one_on("hachi_giri"), "eight"),
    _needs(SEQUENCES, "high_sequence"),
    _needs(jokers(1), "single_joker", "any_joker"),
)
ACCEPTED: Final = Need(
    ("forbidden_effect",),
    lambda o: o["forbidden_effect"] == "daihinmin",
    "forbidden_effect daihinmin",
)
NOT_ANYHOW: Final = Need(
    ("agari_nagashi",),
    lambda o: not o["agari_nagashi"],
    "agari_nagashi off",
    "every finish clears",
)
HIGH_FOULS: Final = Need(
    ("forbidden_finish",),
    lambda o: bool({"high_set", "high_sequence"} & set(o["forbidden_finish"])),
    "forbidden_finish high_set or high_sequence",
)


@rule(
    Option(
        "forbidden_finish",
        (),
        Subset(FOUL_ENDINGS),
        "Last plays that are forbidden.",
        (
            "PG-83",
            "PG-84",
            "PG-85",
            "PG-87",
            "PG-93",
            "RU-39",
            "AM-42",
            "AM-43",
            "AM-45",
            "AM-46",
            "AM-80",
            "OR-29",
            "OR-30",
            "XV-hansoku",
        ),
        "反則上がり",
        "hansoku agari",
        also=(
            "禁止上がり",
            "foul finish",
        ),
        needs=FOUL_NEEDS,
        same_as=_plain_fouls,
    ),
    Option(
        "forbidden_follow_jack",
        False,
        SWITCH,
        "A jack reversal also changes which rank and sequence are forbidden.",
        ("AM-44",),
        needs=(REVERSED_TRICK, HIGH_FOULS),
    ),
    Option(
        "forbidden_effect",
        "daihinmin",
        Choice(("daihinmin", "refuse")),
        "Who goes out by a forbidden play becomes last, or may not make it at all.",
        ("PG-86", "RU-39", "AM-23", "AM-24"),
        needs=(FOULS,),
    ),
    Option(
        "foul_clears",
        False,
        SWITCH,
        "A forbidden last play clears the table; the next to the left leads.",
        ("OR-76",),
        later=True,
        needs=(FOULS, ACCEPTED, NOT_ANYHOW),
    ),
)
def forbidden_finish(wire: Wiring, o: Options) -> None:
    """Forbidden last plays."""
    tests = _tests(o)
    fouls = tuple(Foul(name, tests[name]) for name in o["forbidden_finish"])
    for foul in fouls:
        wire.foul(foul)
    if o["foul_clears"]:
        wire.playing(foul_clears="foul_clears")
    if o["forbidden_effect"] == "refuse":

        def forbids(s: State, seat: int, meld: Meld) -> bool:
            last = s.held[seat].bit_count() == meld.size
            return last and any(foul.forbids(s, seat, meld) for foul in fouls)

        detail = "this may not be the last play"
        wire.bar(Bar(Reason.FORBIDDEN_FINISH, "forbidden_finish", detail, forbids))


@rule(
    Option(
        "miyako_ochi",
        "off",
        Choice(("off", "drop", "play_on")),
        "The last hand's winner who does not win again becomes last: at once, or playing on.",
        ("PG-73", "RU-37", "AM-47", "AM-48", "AM-56", "OR-31", "OR-55", "OR-65"),
        "都落ち",
        "miyako-ochi",
        also=("fall from the capital",),
        needs=(LATER_HANDS,),
        same_as=lambda o: _same_fall(o, "miyako_ochi"),
    ),
    Option(
        "gekokujo",
        False,
        SWITCH,
        "The last of the hand before goes out first: the hand ends, all titles turn upside down.",
        ("XV-gekokujo", "OR-50", "OR-55"),
        "下克上",
        "gekokujō",
        also=("下剋上",),
        needs=(LATER_HANDS,),
        same_as=lambda o: o["gekokujo"] and o["players"] > 2,
    ),
    Option(
        "kyo_ochi",
        "off",
        Choice(("off", "drop", "play_on")),
        "If the last hand's winner wins again, its second becomes last: at once, or playing on.",
        ("XV-kyo_ochi",),
        "京落ち",
        "kyō-ochi",
        later=True,
        needs=(LATER_HANDS,),
        same_as=lambda o: _same_fall(o, "kyo_ochi"),
    ),
    Option(
        "fu_ochi",
        False,
        SWITCH,
        "Where the last hand's winner falls by miyako_ochi and its second does not come in second "
        "(or first) either, he becomes second last, in the same way.",
        ("XV-fu_ochi",),
        "府落ち",
        "fu-ochi",
        also=("名古屋落ち",),
        later=True,
        needs=(one_on("miyako_ochi"), AFTER_THE_FIRST),
        same_as=lambda o: o["fu_ochi"] and o["players"] > 4,
    ),
    Option(
        "mura_hachibu",
        False,
        SWITCH,
        "Who has fallen by miyako_ochi and plays on throws away his cards from 9 upwards.",
        ("XV-after_fall",),
        "村八分",
        "mura hachibu",
        also=("after the fall",),
        later=True,
        needs=(PLAYS_ON, AFTER_THE_FIRST),
        same_as=lambda o: o["mura_hachibu"] and o["players"] > 2,
    ),
)
def falls(wire: Wiring, o: Options) -> None:
    """The fall from the capital, its opposite, and what may follow from it."""
    wire.playing(overturn=o["gekokujo"])
    fu_ochi = o["fu_ochi"]

    def fall(s: State, seat: int) -> Iterable[Event]:
        before = s.setup.before
        if not before or (o["gekokujo"] and s.out == (before[-1],)):
            return
        if len(s.out) == 1:
            yield from falls_to(s, seat)
        elif fu_ochi and s.fallen == before[:1] and seat not in s.fallen:
            yield from falls_after(s)

    def falls_to(s: State, first: int) -> Iterable[Fell | Discarded]:
        before = s.setup.before
        by, poorer = ("kyo_ochi", before[1]) if first == before[0] else ("miyako_ochi", before[0])
        if o[by] == "off" or s.fallen or not s.active >> poorer & 1:
            return
        stripped = o["mura_hachibu"] and by == "miyako_ochi"
        lost = canonical(s.held[poorer] & FROM_NINE) if stripped else 0
        size = lost.bit_count()
        stays = o[by] == "play_on" and size < s.held[poorer].bit_count()
        yield Fell(poorer, stays, by)
        if size and stays:
            yield Discarded(poorer, lost, size, False, "mura_hachibu")

    def falls_after(s: State) -> Iterable[Fell]:
        second = s.setup.before[1]
        if s.active >> second & 1:
            yield Fell(second, o["miyako_ochi"] == "play_on", "fu_ochi")

    def fall_by_passes(s: State, places: tuple[int, ...]) -> Iterable[Event]:  # OR-65
        before = s.setup.before
        if not before:
            return
        first = tuple(e for e in falls_to(s, places[0]) if isinstance(e, Fell))
        yield from (replace(fell, stays=True) for fell in first)
        down = s.fallen or tuple(fell.seat for fell in first)
        others = [seat for seat in places if seat not in down]
        if fu_ochi and down == before[:1] and before[1] not in others[:2]:
            yield from (replace(fell, stays=True) for fell in falls_after(s))

    if (o["miyako_ochi"], o["kyo_ochi"]) != ("off", "off"):
        wire.going_out(fall)
        wire.ending_by_passes(fall_by_passes)


@rule(
    Option(
        "lucky_seven",
        False,
        SWITCH,
        "Who lays three 7s that nobody beats is out: the rest of the hand is thrown away.",
        ("XV-lucky_seven",),
        "ラッキーセブン",
        "rakkī sebun",
        later=True,
        needs=(sets_of(3),),
    ),
    Option(
        "dai_kakumei",
        False,
        SWITCH,
        "Four 2s reverse the order, and their player is out: the rest of the hand is thrown away.",
        ("XV-dai_kakumei",),
        "大革命",
        "dai kakumei",
        later=True,
        needs=(sets_of(4),),
    ),
)
def out_at_once(wire: Wiring, o: Options) -> None:
    """Plays that throw the rest of a hand away; that is a lawful finish."""
    joker = o["kakumei_joker"]

    def rest(s: State, seat: int, played: int, by: str) -> Iterable[Discarded]:
        cards = canonical(s.held[seat] & ~played)
        if cards:
            yield Discarded(seat, cards, cards.bit_count(), False, by)

    def sevens(s: State) -> Iterable[Event]:
        laid = s.trick[-1]
        if laid.meld.kind is SET and laid.meld.size == 3 and laid.meld.low == SEVEN:
            yield from rest(s, laid.seat, 0, "lucky_seven")

    def twos(meld: Meld) -> bool:
        real = meld.size if joker else meld.size - meld.jokers
        return meld.low == TWO and real >= 4

    if o["lucky_seven"]:
        wire.cleared(sevens)
    if o["dai_kakumei"]:
        wire.playing(moves_cards=True)
        wire.reverses("dai_kakumei", twos)
        wire.on(
            Stage.DISCARD,
            twos,
            lambda s, seat, m: rest(s, seat, claim(s.held[seat], m.cards), "dai_kakumei"),
        )


@rule(
    Option(
        "hand_end",
        "one_left",
        Choice(("one_left", "first_out")),
        "A hand ends when only one player holds cards, or with the first lawful finish.",
        (
            "PG-41",
            "RU-22",
            "AM-49",
            "OR-32",
            "OR-45",
            "OR-53",
            "PG-01",
            "DX-02",
            "RU-05",
            "FO-27",
            "OR-62",
            "OR-70",
        ),
    ),
    Option(
        "loser",
        "last_holding",
        Choice(("last_holding", "most_cards")),
        "What texts call the loser: the last with cards, or who has most; places do not change.",
        ("RU-23", "AM-53", "OR-67"),
        same_as=lambda o: "most_cards" if o["hand_end"] == "first_out" else "last_holding",
        text=True,
    ),
)
def hand_end(wire: Wiring, o: Options) -> None:
    """When a hand ends; whoever still holds cards ranks by their number (AM-53)."""
    wire.playing(first_out=o["hand_end"] == "first_out")


def most_cards(left: dict[str, int], winner: str, clockwise: list[str]) -> str:
    """The loser by most cards; of equals the one furthest clockwise from the winner (AM-53)."""
    start = clockwise.index(winner)
    order = clockwise[start:] + clockwise[:start]
    return max(left, key=lambda player: (left[player], order.index(player)))
