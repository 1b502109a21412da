"""Heuristic: thinks in plans. A good opponent to test against, and a good place to start from.

    python -m sample_bots.heuristic --url http://127.0.0.1:8000 --session spring-cup

The idea. To go out one has to get rid of a number of melds (a single card, a set, a sequence). Each
meld costs a turn at the lead, unless it wins its trick: then it pays for another one. So

    burden of the hand = sum over the melds of (1 - what winning is worth - what following is worth)
    value of a play    = burden before - burden after + the lead, if the play wins the trick

and the bot makes the play of the highest value, or passes if no play is worth enough. From this
alone it keeps sets and sequences together, saves 2s, jokers and eights, and starts a revolution if
its hand is the better for it. What to change first:

- The numbers below are guesses. Play many hands against the old version, change one, look again.
- `chance` guesses from my own cards who can beat a play. Count what was played, in `on_events`.
- The end of a hand can be searched instead of guessed when all hold few cards.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from arena.client import Bot, Turn, run
from arena.client import cards as c

Cards = tuple[str, ...]

WIN = 1.8  # how much of a turn a meld saves that wins its trick
FOLLOW = 0.2  # how much of a turn a high single or pair saves: it can be played as an answer
LEAD = 1.2  # worth of leading the next trick
BULK = 0.04  # for each card gone: a small reason to lead long melds
SAVE = 0.6  # a play worth less than this is saved, while everybody holds many cards
HURRY_AT = 6  # opponents with fewer cards than this make the bot less saving
LET_OUT = 0.6  # harm of leading what lets an opponent go out
SURE = 0.75  # a play that wins at least this often counts as won


class Rules(NamedTuple):
    """What of the session's rules the bot reckons with."""

    eights: bool = False  # an 8 clears the table
    eights_in_runs: bool = True
    revolution: bool = False  # four of a kind turns the order round
    revolution_run: int = 0  # a sequence of that many cards does so too
    spade_three: bool = False  # beats a single joker
    locks: bool = False  # the same suits twice bind those who follow
    barred: frozenset[str] = frozenset()  # last plays that are forbidden

    @classmethod
    def read(cls, options: Mapping[str, Any]) -> "Rules":
        return cls(
            eights=bool(options.get("hachi_giri")),
            eights_in_runs=bool(options.get("hachi_giri_sequences", True)),
            revolution=bool(options.get("kakumei")),
            revolution_run=int(options.get("kakumei_sequence") or 0),
            spade_three=options.get("spade_three", "off") != "off",
            locks=options.get("shibari", "off") != "off",
            barred=frozenset(options.get("forbidden_finish") or ()),
        )


class Heuristic(Bot):
    """Plans its hand as melds, saves what wins tricks, hurries when others are about to go out."""

    def __init__(self) -> None:
        self.rules: dict[str, Rules] = {}

    def on_session(self, session: Mapping[str, Any]) -> None:
        self.rules[str(session.get("id"))] = Rules.read(options_of(session))

    def play(self, turn: Turn) -> object:
        view = Situation(turn, self.rules.get(turn.session, Rules()))
        value, best = max(
            ((view.value(play), play) for play in turn.plays()),
            key=lambda pair: pair[0],
            default=(0.0, turn.pass_()),
        )
        return turn.pass_() if turn.can_pass and value < view.enough() else best

    def give(self, turn: Turn) -> object:
        """Part with what the hand is lightest without."""
        view = Situation(turn, self.rules.get(turn.session, Rules()))
        return min(turn.legal, key=lambda entry: view.burden_without(entry["cards"]))

    discard = give

    def ask(self, turn: Turn) -> object:
        """Wish for the strongest cards."""
        return max(turn.legal, key=lambda entry: sum(map(c.strength, entry.get("ask", ()))))

    def name(self, turn: Turn) -> object:
        """Name the rank that the hand is best without."""
        view = Situation(turn, self.rules.get(turn.session, Rules()))

        def burden(entry: Mapping[str, Any]) -> float:
            return view.burden_without([x for x in turn.held if c.rank(x) in entry["name"]])

        return min(turn.legal, key=burden)


class Situation:
    """One turn, thought about."""

    def __init__(self, turn: Turn, rules: Rules) -> None:
        self.turn, self.rules = turn, rules
        self.held = tuple(c.sort_cards(turn.held))
        self.before = burden(self.held, turn.next_order, rules)

    def value(self, play: Mapping[str, Any]) -> float:
        """How good it is to make this play; a pass is worth `enough()`."""
        rest = tuple(c.without(self.held, play["cards"]))
        if not rest:
            return -10.0 if barred(play, self.turn.order, self.rules) else 100.0
        order = self.turn.next_order
        if turns_round(play, self.rules):
            order = c.flip(order)
        wins = self.wins(play)
        value = self.before - burden(rest, order, self.rules)
        value += LEAD * wins + BULK * len(play["cards"])
        value -= LET_OUT * (1 - wins) * self.somebody_holds(len(play["cards"]))
        return value + self.end_game(rest, order, wins)

    def wins(self, play: Mapping[str, Any]) -> float:
        """The chance that nobody beats this play, now."""
        lock = (self.turn.lock or {}).get("suits", "")
        wins = chance(c.reading(play), self.held, self.turn.order, self.rules, lock)
        if self.turn.pile_cards == [c.JOKER] and play["cards"] == ["S3"]:
            return 1.0
        if self.rules.locks and self.would_lock(play):
            wins += 0.3 * (1 - wins)
        return wins

    def would_lock(self, play: Mapping[str, Any]) -> bool:
        below = sorted(map(c.suit, self.turn.pile_cards))
        return not self.turn.lock and below == sorted(map(c.suit, play["cards"]))

    def somebody_holds(self, number: int) -> bool:
        return any(player["held"] == number for player in self.turn.others)

    def end_game(self, rest: Cards, order: str, wins: float) -> float:
        """If this play wins and all but one of the other melds win too, the hand is won."""
        losers = [
            m for m in plan(rest, order, self.rules) if chance(m, rest, order, self.rules) < SURE
        ]
        return 3.0 if wins >= SURE and len(losers) <= 1 else 0.0

    def enough(self) -> float:
        """What a play must be worth."""
        least = min((player["held"] for player in self.turn.others), default=HURRY_AT)
        return SAVE * min(1.0, least / HURRY_AT)

    def burden_without(self, cards: list[str]) -> float:
        rest = tuple(c.without(self.held, cards))
        return burden(rest, self.turn.next_order, self.rules) if rest else -10.0


# Melds and plans


@lru_cache(maxsize=50_000)
def plan(cards: Cards, order: str, rules: Rules) -> tuple[Cards, ...]:
    """The hand as melds: the way to cut it that burdens least. `cards` must be sorted."""
    sets = [tuple(group) for group in c.by_rank(cards).values()]
    best = (*sets, *((card,) for card in cards if c.is_joker(card)))
    for sequence in c.runs(cards):
        rest = tuple(c.without(cards, sequence))
        other = (tuple(sequence), *plan(rest, order, rules))
        if weight(other, order, rules) < weight(best, order, rules):
            best = other
    return best


def burden(cards: Cards, order: str, rules: Rules) -> float:
    """About how many turns at the lead the hand still needs."""
    return weight(plan(cards, order, rules), order, rules)


def weight(melds: tuple[Cards, ...], order: str, rules: Rules) -> float:
    total = sum(meld_weight(meld, order, rules) for meld in melds)
    if melds and all(barred({"cards": meld}, order, rules) for meld in melds):
        total += 2.0  # no lawful last play is left
    return total


@lru_cache(maxsize=10_000)
def meld_weight(meld: Cards, order: str, rules: Rules) -> float:
    wins = chance(meld, meld, order, rules)
    follows = FOLLOW * c.strength(meld[0], order) / 13 if len(meld) <= 2 else 0.0
    return 1 - WIN * wins - follows


def chance(meld: list[str] | Cards, held: Cards, order: str, rules: Rules, lock: str = "") -> float:
    """A guess how likely nobody beats this meld, knowing only one's own cards."""
    if rules.eights and "8" in map(c.rank, meld) and (is_set(meld) or rules.eights_in_runs):
        return 1.0
    top = max(c.strength(card, order) for card in meld)
    if top == 13:
        return 0.9 if rules.spade_three and "S3" not in held else 1.0
    if not is_set(meld):
        return 0.9 ** (12 - top)
    size = len(meld)
    suits = lock if lock and size == 1 else c.SUITS
    above = [rank for rank in c.RANKS if c.strength(rank, order) > top]
    beaten_by = sum(out_there(rank, suits, held) >= size for rank in above)
    beaten_by += size == 1 and c.JOKER not in held
    return {1: 0.8, 2: 0.82, 3: 0.88}.get(size, 0.95) ** beaten_by


def out_there(rank: str, suits: str, held: Cards) -> int:
    """How many cards of this rank the others may hold."""
    return sum(suit + rank not in held for suit in suits)


def is_set(meld: list[str] | Cards) -> bool:
    return len({c.rank(card) for card in meld if not c.is_joker(card)}) <= 1


def turns_round(play: Mapping[str, Any], rules: Rules) -> bool:
    """Does this play start (or end) a revolution?"""
    if not rules.revolution:
        return False
    size = len(play["cards"])
    if c.shape(play) == "sequence":
        return 0 < rules.revolution_run <= size
    return size >= 4


def barred(play: Mapping[str, Any], order: str, rules: Rules) -> bool:
    """Is this forbidden as the last play of a hand?"""
    ranks = {c.rank(card) for card in c.reading(play)}
    top = "2" if order == "normal" else "3"
    jokers = list(play["cards"]).count(c.JOKER)
    run = not is_set(c.reading(play))
    tests = {
        "high_set": not run and (top in ranks or (jokers == len(play["cards"]) > 1)),
        "high_sequence": run and top in ranks,
        "single_joker": list(play["cards"]) == [c.JOKER],
        "any_joker": jokers > 0,
        "eight": "8" in ranks and rules.eights and (not run or rules.eights_in_runs),
        "jack": "J" in ranks,
        "spade_three": list(play["cards"]) == ["S3"],
    }
    return any(tests.get(name, False) for name in rules.barred)


def options_of(session: Mapping[str, Any]) -> Mapping[str, Any]:
    """The resolved options of a session document."""
    ruleset = session.get("ruleset") or {}
    return session.get("options") or ruleset.get("resolved") or ruleset.get("options") or {}


if __name__ == "__main__":
    run(Heuristic())
