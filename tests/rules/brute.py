"""Legal plays by brute force: every subset of a small hand, every reading of its jokers, every
rule.

Written from the statements of the rules alone, on names of cards and plain options, with nothing of
`arena.rules.shapes`, `admit` or `legal`: a second opinion on what may be played. Slow on purpose;
hands of up to nine cards.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, combinations_with_replacement, permutations
from typing import Any, NamedTuple

from arena.rules.state import State

RANKS = "3456789TJQKA2"
SUITS = "SHDC"
JOKER = "JK"
TOP = 13  # the place of jokers alone, and of a joker above the 2


class Reading(NamedTuple):
    """One way to see some cards. low, high: places in the normal order; suits: named by real cards;
    named: with the jokers; roles: what the jokers stand for, None where it does not matter."""

    kind: str
    cards: tuple[str, ...]
    roles: tuple[str, ...] | None
    low: int
    high: int
    suits: Counter[str]
    named: Counter[str]
    ranks: Counter[str]
    jokers: int

    @property
    def entry(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return self.cards, self.roles or ()


def card_key(card: str) -> tuple[int, int]:
    return (4, 0) if card == JOKER else (SUITS.index(card[0]), RANKS.index(card[1]))


def in_order(cards: Any) -> tuple[str, ...]:
    return tuple(sorted(cards, key=card_key))


def names_suits(o: dict[str, Any]) -> bool:
    return bool(o["joker_lock"] == "full" and (o["shibari"] != "off" or o["geki_shibari"]))


def readings(o: dict[str, Any], cards: tuple[str, ...]) -> list[Reading]:
    """Everything that these cards can be."""
    natural = [c for c in cards if c != JOKER]
    jokers = len(cards) - len(natural)
    if not natural:
        if jokers > max_set(o):
            return []
        none: Counter[str] = Counter()
        return [Reading("set", cards, None, TOP, TOP, none, none, none, jokers)]
    if jokers and not o["joker_wild"]:
        return []
    found = [*sets(o, cards, natural, jokers)]
    if o["sequences"]:
        found += runs(o, cards, natural, jokers)
    if o["emperor"] != "off":
        found += emperors(cards, natural, jokers)
    return found


def max_set(o: dict[str, Any]) -> int:
    return int(len(o["suits"]) * o["decks"] if o["max_set"] == "auto" else o["max_set"])


def sets(
    o: dict[str, Any], cards: tuple[str, ...], natural: list[str], jokers: int
) -> list[Reading]:
    if len({c[1] for c in natural}) != 1 or len(cards) > max_set(o):
        return []
    rank = natural[0][1]
    place = RANKS.index(rank)
    suits = Counter(c[0] for c in natural)
    ranks = Counter({rank: len(cards)})
    if not jokers or not names_suits(o):
        roles = None
        return [Reading("set", cards, roles, place, place, suits, suits, ranks, jokers)]
    ways = list(combinations_with_replacement(SUITS, jokers))

    def too_many(way: tuple[str, ...]) -> int:
        return sum(max(0, n - o["decks"]) for n in (suits + Counter(way)).values())

    freely = len(cards) > 4 * o["decks"]
    least = min(map(too_many, ways))
    return [
        Reading(
            "set",
            cards,
            in_order(s + rank for s in way),
            place,
            place,
            suits,
            suits + Counter(way),
            ranks,
            jokers,
        )
        for way in ways
        if freely or too_many(way) == least
    ]


def runs(
    o: dict[str, Any], cards: tuple[str, ...], natural: list[str], jokers: int
) -> list[Reading]:
    size = len(cards)
    ranks = [c[1] for c in natural]
    if len({c[0] for c in natural}) != 1 or len(set(ranks)) != len(ranks):
        return []
    suit = natural[0][0]
    found = []
    for window in windows(o, size):
        if not set(ranks) <= set(window):
            continue
        missing = [r for r in window if r not in ranks]
        roles = in_order(JOKER if r in "<>" else suit + r for r in missing)
        tunnel = window == ("A", "2", "3")
        low = -1 if tunnel or window[0] == "<" else RANKS.index(window[0])
        one = Counter({suit: 1})
        count = Counter(r for r in window if r not in "<>")
        high = low + size - 1
        if tunnel and o["sequence_compare"] == "disjoint":
            high = 0
        found.append(Reading("sequence", cards, roles, low, high, one, one, count, jokers))
    return found


def windows(o: dict[str, Any], size: int) -> list[tuple[str, ...]]:
    """The rows of ranks of one length; < and > are the joker below the 3 and above the 2."""
    if size < o["sequence_min"]:
        return []
    row = RANKS if o["sequence_twos"] else RANKS[:-1]
    row = ("<" if o["sequence_below_three"] else "") + row
    row += ">" if o["sequence_past_two"] else ""
    found = [tuple(row[i : i + size]) for i in range(len(row) - size + 1)]
    if o["sequence_wrap"] == "tunnel" and size == 3:
        found.append(("A", "2", "3"))
    return found


def emperors(cards: tuple[str, ...], natural: list[str], jokers: int) -> list[Reading]:
    if len(cards) != 4 or len(set(natural)) != len(natural):
        return []
    found = {}
    for low in range(10):
        for order in permutations(SUITS):
            row = [s + RANKS[low + i] for i, s in enumerate(order)]
            if set(natural) <= set(row):
                roles = in_order(c for c in row if c not in natural)
                suits = Counter(c[0] for c in natural)
                ranks = Counter(RANKS[low : low + 4])
                found[roles, low] = Reading(
                    "emperor", cards, roles, low, low + 3, suits, suits, ranks, jokers
                )
    return list(found.values())


class Table(NamedTuple):
    """What a play has to reckon with. pile: reading on the table, None on a lead."""

    o: dict[str, Any]
    pile: Reading | None
    order_reversed: bool
    revolution: bool
    suit_lock: Counter[str]
    number_lock: bool
    must_show: str
    left: int  # cards in the hand
    skipped: bool  # is the seat being skipped, with leave to answer?
    on_top: int = 0  # cards of one rank on top of the table, play by play
    colour_lock: str = ""  # the suits of the colour that is locked
    rank_limit: str = RANKS  # the ranks that may be laid


def table_of(o: dict[str, Any], s: State, seat: int) -> Table:
    """The table of a state, in names."""
    pile = None
    if s.pile is not None:
        pile = known_reading(o, s.pile.codes, s.pile.role_codes, s.pile.kind.value, s.pile.low)
    lock = s.trick_marks.get("suit_lock", 0)
    shown = s.hand_marks.get("must_show", 0)
    return Table(
        o,
        pile,
        order_reversed=s.order_reversed,
        revolution=s.revolution,
        suit_lock=+Counter({suit: lock >> 4 * i & 15 for i, suit in enumerate(SUITS)}),
        number_lock=bool(s.trick_marks.get("number_lock", 0)),
        must_show=card_name(shown - 1) if shown else "",
        left=s.held[seat].bit_count(),
        skipped=bool(s.trick_marks.get("skipped", 0) >> seat & 1),
        on_top=cards_on_top(s),
        colour_lock=("", "SC", "HD")[s.trick_marks.get("colour_lock", 0)],
        rank_limit=limit_of(s.trick_marks.get("rank_limit", 0)),
    )


def cards_on_top(s: State) -> int:
    """How many cards the sets of one rank have that lie on top of each other."""
    count, top = 0, s.pile
    for laid in reversed(s.trick):
        if top is None or (laid.meld.kind, laid.meld.low) != (top.kind, top.low):
            break
        count += len(laid.meld.codes)
    return count


def limit_of(bits: int) -> str:
    """The ranks that a trick is limited to; all of them where there is no limit."""
    return "".join(r for i, r in enumerate(RANKS) if bits >> i & 1) or RANKS


def card_name(number: int) -> str:
    """The name of a card by its number in the core."""
    return JOKER if number >= 52 else SUITS[number % 4] + RANKS[number // 4]


def known_reading(
    o: dict[str, Any], cards: tuple[str, ...], roles: tuple[str, ...], kind: str, low: int
) -> Reading:
    """The reading that lies on the table."""
    for reading in readings(o, in_order(cards)):
        if (reading.kind, reading.low) == (kind, low) and (not roles or reading.roles == roles):
            return reading if roles or reading.kind != "set" else reading._replace(roles=None)
    raise AssertionError(f"{cards} as {roles} is nothing that the brute force knows")


def plays(o: dict[str, Any], hand: tuple[str, ...], table: Table) -> set[Any]:
    """Every legal play of a hand: (cards, roles) in card order."""
    found = set()
    for size in range(1, len(hand) + 1):
        for cards in set(combinations(in_order(hand), size)):
            for reading in readings(o, cards):
                if allowed(table, reading):
                    found.add(reading.entry)
    return found


def allowed(t: Table, r: Reading) -> bool:
    """May this be played?"""
    if t.must_show and t.pile is None and t.must_show not in r.cards:
        return False
    if t.o["forbidden_effect"] == "refuse" and len(r.cards) == t.left and foul(t, r):
        return False
    if t.pile is None:
        return True
    if t.skipped and not (r.kind == "set" and [c[1] for c in r.cards] == ["3", "3"]):
        return False
    if t.skipped:
        return not waits_for_answers(t.o, t.pile)
    if waits_for_answers(t.o, t.pile):
        return is_answer(t.o, t.pile, r)
    if whatever_is_locked(t, t.pile, r):
        return True
    if not (in_the_order(t, t.pile, r) or besides_the_order(t, t.pile, r)):
        return False
    return not breaks_lock(t, t.pile, r)


def waits_for_answers(o: dict[str, Any], pile: Reading) -> bool:
    """May only answers be laid on this?"""
    if o["six_nine"] and len(pile.cards) == 1 and pile.low in (3, 6):
        return True
    eights = pile.ranks if o["joker_effects"] else Counter(c[1] for c in pile.cards if c != JOKER)
    in_run = pile.kind == "sequence" and not o["hachi_giri_sequences"]
    if not o["hachi_giri"] or not eights["8"] or in_run:
        return False
    single, eights_alone = len(pile.cards) == 1, pile.kind == "set"
    stopped = o["four_stop"] == "any" or (o["four_stop"] == "single" and single)
    answered = "eight" in o["eight_answers"] and eights_alone
    return stopped or answered or (bool(o["eight_answers"]) and single)


def is_answer(o: dict[str, Any], pile: Reading, r: Reading) -> bool:
    """Is this one of the answers to a play that waits for them?"""
    single = len(pile.cards) == 1
    if r.kind != "set" or r.jokers:
        return False
    if o["six_nine"] and single and pile.low in (3, 6):
        return len(r.cards) == 1 and r.low == 9 - pile.low
    stop = o["four_stop"]
    if [c[1] for c in r.cards] == ["4", "4"] and (stop == "any" or (stop == "single" and single)):
        return True
    if r.low == 5:
        fits = pile.kind == "set" and len(r.cards) == len(pile.cards)
        return fits and "eight" in o["eight_answers"]
    seven = r.cards == ("S7",) and "spade_seven" in o["eight_answers"]
    ten = r.cards == (pile.cards[0][0] + "T",) and "ten" in o["eight_answers"]
    return single and (seven or ten)


def in_the_order(t: Table, pile: Reading, r: Reading) -> bool:
    if r.kind != pile.kind or len(r.cards) != len(pile.cards):
        return False
    same = (r.low, r.high) == (pile.low, pile.high)
    if same and t.o["equal_plays"]:
        return True
    if r.kind == "set" and TOP in (r.low, pile.low):
        return r.low == TOP and pile.low != TOP
    if r.kind == "sequence" and t.o["sequence_compare"] == "disjoint":
        return r.high < pile.low if t.order_reversed else r.low > pile.high
    return r.low < pile.low if t.order_reversed else r.high > pile.high


def whatever_is_locked(t: Table, pile: Reading, r: Reading) -> bool:
    """The spade 3 and, under a revolution, the spade 2 on a joker; and the sandstorm."""
    if r.cards == ("S3",) and pile.cards == (JOKER,) and t.o["spade_three"] != "off":
        return True
    if r.cards == ("S2",) and pile.cards == (JOKER,) and t.o["spade_two"] != "off":
        return t.revolution
    four = r.kind == pile.kind == "set" and not r.jokers and r.low == pile.low
    if t.o["complete_four"] and four and len(r.cards) + t.on_top == 4:
        return True
    storm = r.kind == "set" and len(r.cards) == 3 and not r.jokers and r.low == 0
    return bool(storm and t.o["sunaarashi"] != "off")


def besides_the_order(t: Table, pile: Reading, r: Reading) -> bool:
    """What other rules permit while locks hold."""
    if len(pile.cards) != 1 or len(r.cards) != 1:
        return False
    if r.cards == ("S3",) and t.o["spade_three"] == "wild_top":
        return True
    if r.cards == pile.cards == (JOKER,):
        return bool(t.o["joker_return"])
    ends = RANKS.index("3"), RANKS.index("2")
    if t.o["ansatsu"] and (r.low, pile.low) == (ends[::-1] if t.order_reversed else ends):
        return True
    if not t.o["down_number"] or r.jokers or pile.jokers:
        return False
    lower = pile.low + 1 if t.order_reversed else pile.low - 1
    return r.low == lower and r.cards[0][0] == pile.cards[0][0]


def breaks_lock(t: Table, pile: Reading, r: Reading) -> bool:
    if t.suit_lock and breaks_suit_lock(t, r):
        return True
    if t.colour_lock and r.kind != "emperor" and set(r.suits) - set(t.colour_lock):
        return True
    if r.kind == "set" and r.low != TOP and RANKS[r.low] not in t.rank_limit:
        return True
    if t.number_lock and r.kind == "set" and r.cards != (JOKER,):
        step = -1 if t.order_reversed else 1
        if pile.kind != "set" or TOP in (pile.low, r.low) or r.low != pile.low + step:
            return True
    pairs = pile.kind == r.kind == "set" and len(r.cards) == len(pile.cards) == 2
    if t.o["shibari_pair_link"] and pairs and not pile.jokers and not r.jokers:
        return not pile.suits & r.suits
    return False


def breaks_suit_lock(t: Table, r: Reading) -> bool:
    lock, mode, partial = t.suit_lock, t.o["joker_lock"], t.o["shibari"] == "kata"
    if r.kind == "emperor":
        return False
    if r.kind == "sequence":
        return r.suits != lock
    if r.low == TOP:
        return bool(mode == "none")
    if mode == "full":
        suits = r.named
    elif mode == "none":
        suits = r.suits
    elif partial:
        return (lock - r.suits).total() > r.jokers
    else:
        return not r.suits <= lock
    return not lock <= suits if partial else suits != lock


def suit_lock(o: dict[str, Any], trick: list[Reading]) -> Counter[str]:
    """The suits that the plays of a trick have locked by `shibari`."""
    lock: Counter[str] = Counter()
    after = o["shibari_after"]
    for last in range(after, len(trick) + 1):
        suits = [locking_suits(o, reading) for reading in trick[last - after : last]]
        common = suits[0]
        for other in suits[1:]:
            common = common & other if o["shibari"] == "kata" else common
            if o["shibari"] == "full" and other != common:
                common = Counter()
        lock = lock | common if o["shibari"] == "kata" else lock or common
    return lock


def locking_suits(o: dict[str, Any], r: Reading) -> Counter[str]:
    """The suits by which a play takes part in a lock."""
    if r.kind == "emperor" or (r.kind == "sequence" and not o["shibari_sequences"]):
        return Counter()
    if not r.jokers or (r.kind == "sequence" and o["joker_lock"] != "none"):
        return r.suits
    if o["joker_lock"] == "full" and r.low != TOP:
        named = r.named if r.roles else r.suits
        return named if r.roles or o["shibari"] == "kata" else Counter()
    kata = o["joker_lock"] == "satisfy_only" and o["shibari"] == "kata"
    return r.suits if kata else Counter()


def foul(t: Table, r: Reading) -> bool:
    """Is this a forbidden last play?"""
    o = t.o
    order_reversed = t.order_reversed if o["forbidden_follow_jack"] else t.revolution
    effects = r.ranks
    if not o["joker_effects"]:
        effects = Counter(c[1] for c in r.cards if c != JOKER)
    top = 12 if o["sequence_twos"] else 11
    lone_joker = r.cards == (JOKER,)
    in_run = r.kind == "sequence"
    tests = {
        "high_set": r.kind == "set"
        and not lone_joker
        and r.low in (TOP, 0 if order_reversed else 12),
        "high_sequence": in_run and (r.low <= 0 if order_reversed else r.high >= top),
        "single_joker": lone_joker,
        "any_joker": r.jokers > 0,
        "eight": o["hachi_giri"] and effects["8"] > 0 and (o["hachi_giri_sequences"] or not in_run),
        "jack": effects["J"] > 0,
        "spade_three": r.cards == ("S3",),
    }
    return any(tests[name] for name in o["forbidden_finish"])


def highest_gifts(hand: tuple[str, ...], count: int, *, may_keep: bool) -> set[tuple[str, ...]]:
    """What a loser may give: the highest cards, the jokers kept or not."""

    def place(card: str) -> int:
        return TOP if card == JOKER else RANKS.index(card[1])

    jokers = hand.count(JOKER)
    found = set()
    for kept in range(jokers + 1 if may_keep else 1):
        rest = [c for c in hand if c != JOKER] + [JOKER] * (jokers - kept)
        if len(rest) < min(count, len(hand)):
            continue
        wanted = sorted(map(place, rest), reverse=True)[:count]
        for cards in combinations(in_order(rest), len(wanted)):
            if sorted(map(place, cards), reverse=True) == wanted:
                found.add(cards)
    return found
