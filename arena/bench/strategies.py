"""Strategies for measuring: players that cost little, from random to the sample heuristic.

They read the state itself, since a turn document costs more than all of the rules, but only what
their seat may know. Not for tournaments: those bots are in `sample_bots`.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from arena.errors import ArenaError
from arena.match.kit import KitPlayer
from arena.match.tables import Player, SeatView, TableSetup
from arena.resources import load_module
from arena.rules import Menu, default, legal
from arena.rules.commands import Answer, Pass, Play
from arena.rules.melds import Meld


class Blend:
    """Plays the lowest meld with probability `sense`, else anything that is legal.

    saving: with more cards than this in hand, it does not spend its strongest ranks on an answer.
    """

    note = ""

    def __init__(self, seed: int | str, *, sense: float, saving: int = 99) -> None:
        self._random = Random(seed)
        self._sense = sense
        self._saving = saving

    def answer(self, look: SeatView, refused: ArenaError | None) -> Answer | None:
        """The answer to the question that waits."""
        rules, state, seat = look.setting.rules, look.state, look.seat
        if state.questions and self._sense:
            return default(rules, state, seat)
        menu = legal(rules, state, seat)
        if self._sense < 1 and self._random.random() >= self._sense:
            return menu.answer(int(self._random.random() * len(menu)))
        return self._low(look, menu)

    def _low(self, look: SeatView, menu: Menu) -> Answer:
        turned = look.state.order_reversed
        if not menu.melds:
            return menu.answer(0)
        low = min(menu.melds, key=lambda m: (_strength(m, turned), -m.size, m.key))
        dear = _strength(low, turned) >= (DEAR_TURNED if turned else DEAR)
        if menu.may_pass and dear and look.state.held[look.seat].bit_count() > self._saving:
            return Pass(menu.seat)
        return Play(menu.seat, low.cards, low.roles or None)

    def hand_over(self, look: SeatView) -> None:
        """Nothing is remembered."""


DEAR, DEAR_TURNED = 11, -1
"""Strength of an ace in the normal order, of a 4 in the reversed one."""


def _strength(meld: Meld, turned: bool) -> int:
    return meld.strength_in(turned)


SENSES: Mapping[str, tuple[float, int]] = {
    "lowest": (1.0, 99),
    "saving-8": (1.0, 8),
    "saving-5": (1.0, 5),
    "sense-85": (0.85, 99),
    "sense-70": (0.7, 99),
    "sense-50": (0.5, 99),
    "sense-30": (0.3, 99),
    "saving-3": (0.9, 3),
    "random": (0.0, 99),
}
HEURISTIC = "heuristic"
FIELD = (HEURISTIC, *SENSES)
"""Names for `player`: a field that is as wide as one of beginners and half as wide again."""


TWIN = "'"
"""A name that ends so is that of a second bot with the same strategy."""


def player(name: str, setting: TableSetup, *, seed: int | str) -> Player:
    """A player of that name for a table. `heuristic` is the sample bot, through turn documents."""
    strategy = name.removesuffix(TWIN)
    if strategy == HEURISTIC:
        heuristic = load_module("sample_bots.heuristic").Heuristic
        return KitPlayer(heuristic(), setting, strict=True)
    sense, saving = SENSES[strategy]
    return Blend(f"{seed}/{setting.block}/{name}", sense=sense, saving=saving)
