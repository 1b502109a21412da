"""What options need beside them to do anything: the conditions that more than one option shares.

An option whose need is missing would do nothing, and a ruleset that says so is refused when it is
resolved, with the names of both options (OR-72). Conditions of a single option stand beside it.
"""

from __future__ import annotations

from arena.rules.catalogue import Need, Options

OFF: tuple[object, ...] = (False, "off", "none", ())


def is_on(value: object) -> bool:
    """Is this a value by which a rule takes part in play?"""
    return value not in OFF


def one_on(*names: str) -> Need:
    """At least one of these options is on."""
    says = " or ".join(names) + " on"
    return Need(names, lambda o: any(is_on(o[name]) for name in names), says)


def wild_jokers(o: Options) -> int:
    """How many jokers there are that may stand for other cards."""
    return int(o["jokers"]) if o["joker_wild"] else 0


def of_a_rank(o: Options) -> int:
    """How many cards of each rank there are."""
    return int(len(o["suits"]) * o["decks"])


def largest_set(o: Options) -> int:
    """The most cards that a set can have."""
    natural = of_a_rank(o)
    limit = natural if o["max_set"] == "auto" else o["max_set"]
    return int(min(limit, natural + wild_jokers(o)))


def sets_of(size: int) -> Need:
    """Sets of so many cards exist."""
    about = ("max_set", "suits", "decks", "jokers", "joker_wild")
    return Need(about, lambda o: largest_set(o) >= size, f"sets of {size} cards")


def jokers(least: int) -> Need:
    """There are at least so many jokers."""
    return Need(("jokers",), lambda o: o["jokers"] >= least, f"jokers {least} or more")


SEQUENCES = one_on("sequences")
TWOS = one_on("sequence_twos")
WILD = Need(("jokers", "joker_wild"), lambda o: wild_jokers(o) > 0, "a joker that is wild")
REVOLUTIONS_BY_CARDS = ("kakumei", "kakumei_sequence", "kakumei_triples", "emperor", "dai_kakumei")


def _revolutions(*names: str) -> Need:
    """Some play makes a revolution, by one of these options."""

    def holds(o: Options) -> bool:
        on = [name for name in names if o[name] not in (*OFF, 0, "form")]
        return bool(on)

    return Need(names, holds, "a play that makes a revolution")


BY_CARDS = _revolutions(*REVOLUTIONS_BY_CARDS)
REVOLUTIONS = _revolutions(*REVOLUTIONS_BY_CARDS, "joker_kakumei")
ANY_REVOLUTION = _revolutions(*REVOLUTIONS_BY_CARDS, "joker_kakumei", "six_card_clears")
REVERSED_TRICK = Need(
    ("jack_back", "back_ranks"),
    lambda o: o["jack_back"] == "trick" or is_on(o["back_ranks"]),
    "jack_back trick or back_ranks on",
)
RUNS_OF_THREE = Need(("sequence_min",), lambda o: o["sequence_min"] <= 3, "sequence_min 3 or less")
SPADES = Need(("suits",), lambda o: "S" in o["suits"], "spades among the suits")
LOCKED_SUITS = one_on("shibari", "geki_shibari")
FOULS = one_on("forbidden_finish")
LATER_HANDS = Need(
    ("reset_every",),
    lambda o: o["reset_every"] != 1,
    "reset_every other than 1, so that hands follow one another",
)
GOES_ON = Need(
    ("hand_end",),
    lambda o: (
        o["hand_end"] == "one_left"
        or (is_on(o["forbidden_finish"]) and o["forbidden_effect"] == "daihinmin")
    ),
    "hand_end one_left",
)
