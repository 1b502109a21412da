"""``python -m arena.bench.cluster.wrong_clock SECONDS [flags of arena.web]``: a referee whose clock
is wrong by so much.

What Python reads as the time of day is another from before anything of the arena is imported;
clocks that only measure how long something takes go on as they are. The database's clock, and what
the system itself notes, are right.
"""

from __future__ import annotations

import sys
import time

NS_PER_S = 1_000_000_000


def set_wrong(offset_s: int) -> None:
    """Let this process read a time of day that is later by so much."""
    seconds, nanoseconds = time.time, time.time_ns
    time.time = lambda: seconds() + offset_s
    time.time_ns = lambda: nanoseconds() + offset_s * NS_PER_S


def main(arguments: list[str]) -> None:
    """Serve like `arena.web`. The first argument is the offset in seconds."""
    set_wrong(int(arguments[0]))
    from arena.web import __main__ as referee

    referee.main(arguments[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
