"""The match: two bots at many tables with the same others, block by block through any executor.

    with ProcessPoolExecutor() as pool:
        test = play_match(Match("mybot:New", "mybot:Old"), pool, bounds=Bounds(0, 20))

Blocks are counted in their own order whatever the order in which they end, and each once however
often it was lost, so the executor does not change the verdict.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import closing
from itertools import chain, islice
from pathlib import Path

from arena.errors import Unavailable
from arena.match.attempts import Failed, attempt, first_errors, this_process
from arena.match.local import Block, Match, make_bot
from arena.match.repeating import MOST_TRIES, Lost, in_order
from arena.tournament.sprt import OPEN, Bounds, Sprt, sprt

Losses = Callable[[int, BaseException], None]
"""Is called with the number of a block that was lost, and why."""


def nobody_minds(number: int, loss: BaseException) -> None:
    """A loss that nobody hears of."""


def blocks(
    match: Match,
    executor: Executor,
    *,
    count: int,
    window: int = 8,
    first: int = 1,
    lost: Losses = nobody_minds,
) -> Generator[Block, None, None]:
    """The blocks from `first` to `count` in order; `window` of them are under way at a time.

    A block that is lost is submitted again, a few times. Raises Unavailable for one that is lost
    every time, and what the play of a block raises.
    """
    home = this_process()
    with tempfile.TemporaryDirectory(prefix="arena-match-") as folder:
        trace = Path(folder) / "asked"
        trace.touch()

        def begin(number: int, tried: int) -> Future[Block | Failed]:
            asked = str(trace) if tried == MOST_TRIES else ""
            try:
                return executor.submit(attempt, match, number, tried=tried, home=home, trace=asked)
            except (BrokenExecutor, RuntimeError) as error:  # a loss like any other
                broken: Future[Block | Failed] = Future()
                broken.set_exception(error)
                return broken

        numbers = range(first, count + 1)
        try:
            with closing(in_order(begin, numbers, window=window, lost=lost)) as played:
                for block in played:
                    if isinstance(block, Failed):
                        raise block.error
                    yield block
        except Lost as error:
            raise Unavailable(_blamed(match, error, trace.read_text("utf-8"))) from error.loss


def _blamed(match: Match, lost: Lost, asked: str) -> str:
    """What is said of a block that is lost every time. asked: whom it asked last, if known."""
    loss = lost.loss
    times = f"block {lost.number}, {MOST_TRIES} times"
    if not isinstance(loss, BrokenExecutor):
        kind = type(loss).__qualname__
        return f"the executor does not play {times}: {kind}: {str(loss) or 'no reason given'}"
    bots = ", ".join(f"{name} ({source})" for name, source in match.line_up(match.seats))
    who = f"it was in {asked}" if asked else f"one of {bots}"
    reason = "a process that played has ended: a bot must have ended or crashed it"
    return f"{reason}; {times}: {who}; {loss}"


def play_match(
    match: Match,
    executor: Executor,
    *,
    hands: int,
    bounds: Bounds | None = None,
    window: int = 8,
    watch: Callable[[Sprt, Block], None] = lambda test, block: None,
    before: Iterable[Block] = (),
    lost: Losses = nobody_minds,
) -> Sprt:
    """Play until the test has a verdict, or `hands` hands; without bounds, all of them.

    `watch` is called after every block. before: blocks that were played before, from the first on;
    they are counted like the others. Without bounds the verdict is `sprt.fixed_verdict`'s to
    give. Raises BadInput before the first block for bots or rules that do not work, Unavailable if
    a bot ends the process that it plays in, every time.
    """
    for _, source in match.line_up(match.seats):
        make_bot(source)
    test = sprt(bounds)
    count = max(1, hands // match.hands_per_block)
    counted = 0

    def still_to_play() -> Generator[Block, None, None]:
        yield from blocks(match, executor, count=count, window=window, first=counted + 1, lost=lost)

    with first_errors(match), closing(still_to_play()) as more:
        for block in chain(islice(before, count), more):
            counted += 1
            test = test.after(block.score)
            watch(test, block)
            if bounds is not None and test.verdict != OPEN:
                break
    return test
