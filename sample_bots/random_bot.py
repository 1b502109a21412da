"""Random: any legal answer, each as likely as the others.

    python -m sample_bots.random_bot --url http://127.0.0.1:8000 --session spring-cup --seed 7

Bad play, but a useful yardstick: your bot should be far ahead of this one. What to change first:

- It passes as often as it makes any one play. Let it pass only when it has nothing else.
- Give strong cards a smaller chance: `random.choices` takes weights.
"""

import argparse
import random

from arena.client import Bot, Turn, run


class RandomBot(Bot):
    """Plays anything that is legal."""

    def add_flags(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--seed", type=int, help="the same choices again for the same turns")

    def begin(self, flags: argparse.Namespace) -> None:
        if flags.seed is not None:
            self.random = random.Random(flags.seed)

    def play(self, turn: Turn) -> object:
        return self.random.choice(turn.legal)

    # The other questions are answered in the same way.
    give = discard = ask = name = throw = other = play


if __name__ == "__main__":
    run(RandomBot())
