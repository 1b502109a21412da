"""All actions of a ruleset: a fixed list in canonical order, and what each of them is.

A meld is one action. An answer of several parts (cards to give, ranks to name ...) is as many
actions, one for each part (`arena.envs.parts`): so the list stays short whatever the ruleset asks.
Pure: it knows no environment.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.envs.planes import CELLS, double_plane, mask_of_roles
from arena.errors import BadInput
from arena.rules import Menu, Ruleset
from arena.rules.cards import CODES, FIRST_JOKER, JOKER, ORDER, RANKS, mask_of
from arena.rules.commands import Accept, Answer, Ask, Discard, Give, Name, Pass, Play, Throw
from arena.rules.legal import PASSES, PLAYS
from arena.rules.melds import Meld

PASS = 0
FIRST_MELD = 1
KINDS = 53
"""Cards that differ: 52 and the joker. They are actions in card order: S3 to S2, H, D, C, JK."""
CARDS_IN_ORDER = tuple(sorted(range(FIRST_JOKER + 1), key=ORDER.__getitem__))
SHAPES = ("rock", "paper", "scissors")
MOST_ACTIONS = 1 << 17
"""A longer list is refused: two packs and four jokers whose suits matter come near it."""
FORMS = ("pass", "set", "sequence", "emperor", "card", "rank", "throw", "accept", "done")
"""What an action is, as its features have it."""


class ActionRange(NamedTuple):
    """Actions of one sort. first: of them; number: how many."""

    name: str
    first: int
    number: int


class Actions:
    """The actions of one ruleset.

    size: how many; melds: those that `1 .. len(melds)` lay; cards, ranks, throws, accepts: the
    first action of each of these sorts; done: ends an answer that could have more parts.
    """

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        found = rules.shapes.leads(mask_of(rules.deck))
        plays = {(meld.cards, meld.roles): meld for meld in reversed(found)}
        self.melds: tuple[Meld, ...] = tuple(m for m in found if plays[m.cards, m.roles] is m)
        self.cards = FIRST_MELD + len(self.melds)
        self.ranks = self.cards + KINDS
        self.throws = self.ranks + len(RANKS)
        self.accepts = self.throws + len(SHAPES)
        self.done = self.accepts + 2
        self.size = self.done + 1
        if self.size > MOST_ACTIONS:
            wanted = f"one with at most {MOST_ACTIONS:,} actions: fewer jokers, or one pack"
            raise BadInput("ruleset", f"{self.size:,} actions", wanted)
        self._of_play = {(m.cards, m.roles): at for at, m in enumerate(self.melds, FIRST_MELD)}
        self.of_meld = {meld: self._of_play[meld.cards, meld.roles] for meld in found}

    def __len__(self) -> int:
        return self.size

    @property
    def ranges(self) -> tuple[ActionRange, ...]:
        """The sorts of actions, in their order."""
        starts = {
            "pass": PASS,
            "melds": FIRST_MELD,
            "cards": self.cards,
            "ranks": self.ranks,
            "throws": self.throws,
            "decline, accept": self.accepts,
            "done": self.done,
        }
        ends = [*list(starts.values())[1:], self.size]
        return tuple(
            ActionRange(name, first, end - first)
            for (name, first), end in zip(starts.items(), ends, strict=True)
        )

    def of_menu(self, menu: Menu) -> list[int]:
        """The actions of the legal plays of a seat that is to move, rising.

        One is there twice where a joker may stand at either end of a suit that is there whole: two
        melds, but one answer.
        """
        of_meld = self.of_meld
        plays = [of_meld[meld] for meld in menu.melds]
        return [PASS, *plays] if menu.may_pass else plays

    def play(self, action: int, seat: int) -> Answer:
        """The pass or the play that an action is, for a seat that is to move."""
        return PLAYS[seat][self.melds[action - FIRST_MELD]] if action else PASSES[seat]

    def of_answer(self, answer: Answer) -> list[int]:
        """The actions that together give an answer, without a `done` at their end.

        A play of which the jokers are not declared is taken for the first meld of its cards.
        Raises BadInput for what no action is.
        """
        match answer:
            case Pass():
                return [PASS]
            case Play(cards=cards, roles=roles):
                return [self._of_cards(cards, roles)]
            case Give(cards=cards) | Discard(cards=cards):
                return [self.cards + kind for kind in card_kinds(cards)]
            case Name(ranks=ranks):
                return [self.ranks + rank for rank in sorted(ranks)]
            case Ask(wishes=wishes):
                return sorted(self.of_wish(*wish) for wish in wishes)
            case Throw(shape=shape):
                return [self.throws + shape]
            case Accept(yes=yes):
                return [self.accepts + yes]

    def of_wish(self, rank: int, suit: int | None) -> int:
        """The action that asks for any card of a rank, or for one card; rank 13: for a joker."""
        if rank < len(RANKS):
            return self.ranks + rank if suit is None else self.cards + ORDER[rank * 4 + suit]
        return self.cards + ORDER[FIRST_JOKER]

    def wish_of(self, action: int) -> tuple[int, int | None]:
        """What an action asks for, the other way round."""
        if action >= self.ranks:
            return action - self.ranks, None
        card = CARDS_IN_ORDER[action - self.cards]
        return (len(RANKS), None) if card == FIRST_JOKER else (card // 4, card % 4)

    def _of_cards(self, cards: int, roles: tuple[int, ...] | None) -> int:
        found = self._of_play.get((cards, roles or ()))
        if found is None and not roles:
            melds = self.rules.shapes.readings(cards)
            found = next((self.of_meld[m] for m in melds if m in self.of_meld), None)
        if found is None:
            raise BadInput("play", sorted(CODES[c] for c in _ids(cards)), "a meld of the ruleset")
        return found

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What each action is, in text: `pass`, `play S4 S5 JK=S6`, `card S3`, `rank 3` ..."""
        return (
            "pass",
            *map(_meld_name, self.melds),
            *(f"card {CODES[card]}" for card in CARDS_IN_ORDER),
            *(f"rank {rank}" for rank in RANKS),
            *SHAPES,
            "decline",
            "accept",
            "done",
        )

    @cached_property
    def features(self) -> NDArray[np.int8]:
        """What each action is, in numbers: an array (actions, len(FEATURE_NAMES)) for those who
        score actions one by one. Not to be written to."""
        table = np.zeros((self.size, len(FEATURE_NAMES)), np.int8)
        form = {name: 2 * CELLS + at for at, name in enumerate(FORMS)}
        scalars = 2 * CELLS + len(FORMS)
        table[PASS, form["pass"]] = 1
        for number, meld in enumerate(self.melds, FIRST_MELD):
            row = table[number]
            row[:CELLS] = np.frombuffer(double_plane(meld.cards), np.int8)
            roles = mask_of_roles(meld.roles, packs=2)
            row[CELLS : 2 * CELLS] = np.frombuffer(double_plane(roles), np.int8)
            row[form[meld.kind.value]] = 1
            row[scalars:] = (meld.size, meld.jokers, meld.low + 1, meld.high + 1)
        for number, card in enumerate(CARDS_IN_ORDER, self.cards):
            table[number, card] = table[number, form["card"]] = table[number, scalars] = 1
        for rank in range(len(RANKS)):
            table[self.ranks + rank, 4 * rank : 4 * rank + 4] = 1
        for first, count, name in (
            (self.ranks, len(RANKS), "rank"),
            (self.throws, len(SHAPES), "throw"),
            (self.accepts, 2, "accept"),
            (self.done, 1, "done"),
        ):
            table[first : first + count, form[name]] = 1
        for shape in range(len(SHAPES)):
            table[self.throws + shape, scalars] = shape
        table[self.accepts + 1, scalars] = 1
        table.setflags(write=False)
        return table


@lru_cache(maxsize=8)
def actions_of(rules: Ruleset) -> Actions:
    """The actions of a ruleset; the same object for the same one."""
    return Actions(rules)


def card_kinds(cards: int) -> list[int]:
    """The places in card order (0 to 52) of the cards of a mask, rising; copies as often as they
    are there."""
    return sorted(ORDER[card] for card in _ids(cards))


def cell_names() -> tuple[str, ...]:
    """The cells of a plane: `S3 H3 D3 C3 S4 ...`, then `JK1` to `JK4`, of which the first n are 1
    where there are n jokers."""
    return (*CODES[:FIRST_JOKER], *(f"{JOKER}{n}" for n in range(1, 5)))


FEATURE_NAMES = (
    *(f"cards.{name}" for name in cell_names()),
    *(f"roles.{name}" for name in cell_names()),
    *(f"is.{name}" for name in FORMS),
    *("size", "jokers", "low", "high"),
)
"""The columns of `Actions.features`. cards: laid, given ...; roles: what its jokers stand for;
size: cards of a meld or 1 for one card, the shape 0 to 2 of a throw, 1 for accept; low, high:
places of the weakest and the strongest card in the normal order, from 1 for a 3 to 14 for a joker;
0 for the ace of A-2-3."""


def _meld_name(meld: Meld) -> str:
    roles = list(meld.role_codes)
    words = [f"{c}={roles.pop(0)}" if c == JOKER and roles else c for c in meld.codes]
    return f"play {' '.join(words)}"


def _ids(mask: int) -> list[int]:
    return [at for at in range(mask.bit_length()) if mask >> at & 1]
