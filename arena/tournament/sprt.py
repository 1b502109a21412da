"""The sequential test: is one bot better than another? Valid after every block.

Wald's sequential probability ratio test on the blocks of two bots, in its generalised form: a block
counts the hands both played and those in which the first finished ahead, and the variance is that
of whole blocks, so hands that hang together are not taken for independent. It reads results and
rates nothing; a likelihood of superiority decides nothing here.

Sources: A. Wald, Annals of Mathematical Statistics 16 (1945); M. Sobel and A. Wald, ibid. 20 (1949)
(two tests at once for three decisions); M. Van den Bergh, "A practical introduction to the GSPRT".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from arena.errors import BadInput
from arena.tournament.distributions import t_quantile
from arena.tournament.ratings import CONFIDENCE, ELO_PER_LOGIT
from arena.tournament.results import HandResult

BETTER, WORSE, NOT_SHOWN, OPEN = "better", "worse", "not shown", "open"
LEAST_BLOCKS = 16
"""Nothing is decided on fewer blocks: their variance is a guess."""
PRIOR_BLOCKS = 4
"""Blocks of independent hands that the variance is mixed with, against a lucky calm."""
CAUTION_BLOCKS = 4
"""The variance is widened by this over the number of blocks, since Wald takes it as known."""
FAIR = 0.25
"""Variance of one hand between equals."""
LONGEST_ELO = 1_000


class Bounds(NamedTuple):
    """What is tested: at most `elo0` against at least `elo1`, with these chances of error.

    alpha: of finding a difference where there is none. beta: of missing one of elo1.
    With elo0 >= 0 the same is tested for both bots at once, with half of alpha each, so that it
    can end with either of them better. With elo0 < 0 it is one test: to accept elo0 is to find the
    first bot worse.
    """

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which elo0 is accepted."""
        return math.log(self.beta / (1 - self._alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which elo1 is accepted."""
        return math.log((1 - self.beta) / self._alpha)

    @property
    def _alpha(self) -> float:
        return self.alpha if self.elo0 < 0 else self.alpha / 2


class BlockScore(NamedTuple):
    """What a block says of two bots. meetings: hands of both; ahead: those in which the first
    finished ahead, a tie as one half."""

    meetings: int
    ahead: float


class Sprt(NamedTuple):
    """A test as it stands; `after` gives the next one. Make it with `sprt`.

    The sums are over blocks: of meetings, of points ahead, and of their products. given_up: whether
    the first bot, and the second, can no longer be decided to be better.
    """

    bounds: Bounds
    blocks: int = 0
    meetings: int = 0
    ahead: float = 0.0
    meetings_squared: float = 0.0
    ahead_squared: float = 0.0
    product: float = 0.0
    given_up: tuple[bool, bool] = (False, False)
    verdict: str = OPEN

    def after(self, block: BlockScore) -> Sprt:
        """The test with one more block. A verdict that has been reached stays."""
        if not block.meetings:
            return self
        longer = self._replace(
            blocks=self.blocks + 1,
            meetings=self.meetings + block.meetings,
            ahead=self.ahead + block.ahead,
            meetings_squared=self.meetings_squared + block.meetings**2,
            ahead_squared=self.ahead_squared + block.ahead**2,
            product=self.product + block.meetings * block.ahead,
        )
        if self.verdict != OPEN or longer.blocks < LEAST_BLOCKS:
            return longer
        return _judged(longer)

    @property
    def share(self) -> float:
        """The share of hands in which the first bot finished ahead; one half without hands."""
        return self.ahead / self.meetings if self.meetings else 0.5

    @property
    def variance(self) -> float:
        """The variance of one hand, as far as it moves whole blocks; design effect included."""
        if not self.meetings:
            return FAIR
        share, size = self.share, self.meetings / self.blocks
        spread = self.ahead_squared - 2 * share * self.product + share**2 * self.meetings_squared
        known = max(0.0, spread) * self.blocks / max(1, self.blocks - 1)
        mixed = (known + PRIOR_BLOCKS * size * FAIR) / (self.meetings + PRIOR_BLOCKS * size)
        return mixed * (1 + CAUTION_BLOCKS / self.blocks)

    @property
    def llr(self) -> float:
        """The log-likelihood ratio of "the first bot is better by elo1" to "by elo0"."""
        return self._ratio(self.ahead)

    @property
    def llr_behind(self) -> float:
        """The same for the second bot."""
        return self._ratio(self.meetings - self.ahead)

    def _ratio(self, ahead: float) -> float:
        low, high = expected_share(self.bounds.elo0), expected_share(self.bounds.elo1)
        return (high - low) * (ahead - self.meetings * (low + high) / 2) / self.variance

    @property
    def elo(self) -> float:
        """The difference by which the first bot is better. Exaggerated after an early stop."""
        return _elo(self._shrunk)

    @property
    def _shrunk(self) -> float:
        """The share, drawn to the middle by half a hand on each side."""
        return (self.ahead + 0.5) / (self.meetings + 1)

    @property
    def elo_error(self) -> float:
        """How far the 95 % interval reaches from `elo` to the side of 0, for a number of blocks
        fixed beforehand."""
        if self.blocks < 2:
            return math.inf
        quantile = float(t_quantile(0.5 + CONFIDENCE / 2, self.blocks - 1)[0])
        reach = quantile * math.sqrt(self.variance / self.meetings)
        share = max(self._shrunk, 1 - self._shrunk)
        return _elo(share) - _elo(share - reach) if reach < share else math.inf


def sprt(bounds: Bounds | None = None) -> Sprt:
    """A test before its first block. Raises BadInput for bounds that cannot be tested."""
    asked = bounds or Bounds()
    if not -LONGEST_ELO <= asked.elo0 < asked.elo1 <= LONGEST_ELO:
        wanted = f"elo0 below elo1, both within {LONGEST_ELO}"
        raise BadInput("bounds", (asked.elo0, asked.elo1), wanted)
    for name, chance in (("alpha", asked.alpha), ("beta", asked.beta)):
        if not 0 < chance < 0.5:
            raise BadInput(name, chance, "between 0 and 0.5")
    return Sprt(asked)


def _judged(test: Sprt) -> Sprt:
    """The test with the verdict that its ratios allow now."""
    return _one_sided(test) if test.bounds.elo0 < 0 else _two_sided(test)


def _one_sided(test: Sprt) -> Sprt:
    if test.llr >= test.bounds.upper:
        return test._replace(verdict=BETTER)
    return test._replace(verdict=WORSE if test.llr <= test.bounds.lower else OPEN)


def _two_sided(test: Sprt) -> Sprt:
    ratios = (test.llr, test.llr_behind)
    gone = list(test.given_up)
    for side, (ratio, verdict) in enumerate(zip(ratios, (BETTER, WORSE), strict=True)):
        if not gone[side] and ratio >= test.bounds.upper:
            return test._replace(verdict=verdict)
        gone[side] = gone[side] or ratio <= test.bounds.lower
    return test._replace(given_up=(gone[0], gone[1]), verdict=NOT_SHOWN if all(gone) else OPEN)


def fixed_verdict(test: Sprt) -> str:
    """The verdict of a number of blocks that was fixed beforehand: does the interval exclude 0?"""
    if abs(test.elo) <= test.elo_error:
        return NOT_SHOWN
    return BETTER if test.elo > 0 else WORSE


def _elo(share: float) -> float:
    return ELO_PER_LOGIT * math.log(share / (1 - share))


def expected_share(elo: float) -> float:
    """The share of hands in which a bot that is better by this finishes ahead."""
    return 1 / (1 + math.exp(-elo / ELO_PER_LOGIT))


def block_score(hands: Iterable[HandResult], first: str, second: str) -> BlockScore:
    """What the hands of one block say of two bots; hands without a pair of them count nothing."""
    meetings, ahead = 0, 0.0
    for hand in hands:
        if first not in hand.bots or second not in hand.bots:
            continue
        if hand.forfeits and first not in hand.forfeits and second not in hand.forfeits:
            continue
        mine, other = (hand.finish[hand.bots.index(bot)] for bot in (first, second))
        meetings += 1
        ahead += 1.0 if mine < other else 0.5 if mine == other else 0.0
    return BlockScore(meetings, ahead)


def block_scores(hands: Iterable[HandResult], first: str, second: str) -> list[BlockScore]:
    """The score of every block in which both bots played, blocks in the order of their names."""
    blocks: dict[str, list[HandResult]] = {}
    for hand in hands:
        blocks.setdefault(hand.block, []).append(hand)
    scores = [block_score(blocks[name], first, second) for name in sorted(blocks)]
    return [score for score in scores if score.meetings]


def run(scores: Sequence[BlockScore], bounds: Bounds | None = None) -> Sprt:
    """The test over blocks in this order, until its verdict or to the end."""
    test = sprt(bounds)
    for score in scores:
        test = test.after(score)
        if test.verdict != OPEN:
            break
    return test


def line(test: Sprt, first: str, second: str) -> str:
    """How the test stands, in one line."""
    bounds = test.bounds
    llr = f"LLR {test.llr:+.2f}"
    if bounds.elo0 >= 0:
        llr += f" / {test.llr_behind:+.2f}"
    return (
        f"{llr} in ({bounds.lower:.2f}, {bounds.upper:.2f}) for [{bounds.elo0:g}, {bounds.elo1:g}]"
        f"  {summary(test, first, second)}"
    )


def summary(test: Sprt, first: str, second: str) -> str:
    """Score and difference of the two bots, in one line."""
    blocks = "1 block" if test.blocks == 1 else f"{test.blocks} blocks"
    score = f"{first} ahead of {second} in {100 * test.share:.1f} % of {test.meetings} hands"
    if math.isinf(test.elo_error):
        return f"{score}, {blocks}: too few blocks to say how much that may be by chance"
    error = f"\N{PLUS-MINUS SIGN}{test.elo_error:.0f}"
    return f"{score}, {blocks}: {test.elo:+.0f} {error} Elo"
