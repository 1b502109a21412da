"""The engine for bot makers: positions as text, the worlds behind them, legal answers, play-outs.

    position = Position.parse(text)             a hand at one moment, as one seat may know it
    worlds = position.worlds(20, Random(1))     whole states that agree with all that it knows
    menu = worlds[0].legal()                    what may be answered
    after = worlds[0].play(menu[0])             another state; the first one stays as it is
    after.result()                              seats from best to last when the hand is over
    position.solve().places                     the places that each answer is sure of

Pure: no clock, no I/O, and chance comes in as an argument. It may import the rules only.
"""

from __future__ import annotations

from arena.game.hand_state import GameState
from arena.game.places import BLIND, HIDDEN, FaceDown, Whereabouts
from arena.game.position import Position
from arena.game.solution import Solution
from arena.game.worlds import Chance

__all__ = [
    "BLIND",
    "HIDDEN",
    "Chance",
    "FaceDown",
    "GameState",
    "Position",
    "Solution",
    "Whereabouts",
]
