"""Slow: plays the lowest card, after a while.

    python -m sample_bots.slow --url http://127.0.0.1:8000 --session spring-cup --delay-ms 3000

For trying out the clock: what a move takes beyond `move_ms` is drawn from the bank. Watch
`turn.bank_ms` go down. It never sleeps longer than half of what is left: who has failed three
times in a row is given 300 ms until it answers. What to change first:

- Think longer while the bank is full: `turn.remaining_ms` is the time left before it is touched.
- Put a real search where the sleep is, and stop it in time.
"""

import argparse
import time

from arena.client import Bot, Turn, run


class Slow(Bot):
    """Sleeps before each answer, though not until it is too late."""

    def add_flags(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--delay-ms", type=int, default=1000, help="sleep per move [1000]")

    def begin(self, flags: argparse.Namespace) -> None:
        self.delay_ms = flags.delay_ms

    def play(self, turn: Turn) -> object:
        time.sleep(min(self.delay_ms, turn.left_ms / 2) / 1000)
        return turn.lowest() or turn.pass_()


if __name__ == "__main__":
    run(Slow())
