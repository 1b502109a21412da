"""Lowest: always the weakest play that is legal, and a pass if there is none.

    python -m sample_bots.lowest --url http://127.0.0.1:8000 --session spring-cup

The shortest bot that plays properly, and a good first copy. What to change first:

- `turn.plays()` are all legal plays: choose another one than the lowest.
- Pass on purpose: a 2 is worth more later. `turn.strength("H2")` tells how strong a card is.
- Look at `turn.others`: who is about to go out?
"""

from arena.client import Bot, Turn, run


class Lowest(Bot):
    """Plays the lowest card it may play."""

    def play(self, turn: Turn) -> object:
        return turn.lowest() or turn.pass_()


if __name__ == "__main__":
    run(Lowest())
