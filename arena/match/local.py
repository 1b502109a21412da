"""A block of a match: two bots at tables with the same others, played in this very process.

A block is a table, or with `rotate` the same shuffles once for each seat. It follows from the match
and its number alone, so that it may be played anywhere, and again. Bots are created anew for every
table: what they keep in themselves does not outlive it. This module may not know what plays it.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import cycle, islice
from random import Random
from typing import Any, NamedTuple

from arena import resources
from arena.client.bot import Bot, check_bot
from arena.client.watch import Watch
from arena.errors import BadInput
from arena.match.conduct import Conduct, at_table, together
from arena.match.kit import KitPlayer
from arena.match.recording import record_lines
from arena.match.tables import TableSetup, play_table
from arena.rules import Ruleset, compile_ruleset
from arena.session.config import FRESH, ROTATE
from arena.tournament.results import HandResult
from arena.tournament.sprt import BlockScore, block_score

FIRST, SECOND = "A", "B"
HEURISTIC = "sample_bots.heuristic:Heuristic"
DEALS = (ROTATE, FRESH)


@dataclass(frozen=True, kw_only=True)
class MatchTerms:
    """How a match is played. ruleset: a document of preset, patches, options."""

    ruleset: Mapping[str, Any]
    hands_per_table: int = 10
    deals: str = ROTATE
    reseat_every: int = 1
    seed: int = 1

    def __post_init__(self) -> None:
        if self.deals not in DEALS:
            raise BadInput("deals", self.deals, f"one of {', '.join(DEALS)}")
        if self.hands_per_table < 1:
            raise BadInput("hands_per_table", self.hands_per_table, "1 or more")


@dataclass(frozen=True)
class Match:
    """Who plays: Python bots as `module:Class`, with flags behind it if they take any.

    others: who fills the table, in turn until it is full; the sample heuristic if nobody is named.
    record: do its blocks bring the records of their hands along?
    """

    first: str
    second: str
    others: tuple[str, ...]
    terms: MatchTerms
    record: bool = False

    def line_up(self, seats: int) -> tuple[tuple[str, str], ...]:
        """Name and source of every bot at the table. Raises BadInput if they do not fit."""
        others = fill(self.others, seats, usual=HEURISTIC)
        named = [(f"other-{number}", source) for number, source in enumerate(others, start=1)]
        return ((FIRST, self.first), (SECOND, self.second), *named)

    @property
    def others_at_table(self) -> tuple[str, ...]:
        """The sources of the bots at the other seats."""
        return tuple(source for _, source in self.line_up(self.seats)[2:])

    @property
    def seats(self) -> int:
        """Bots at a table."""
        return _rules(self).players

    @property
    def pool(self) -> str:
        """The pool of its results: ruleset and seats."""
        return f"{_rules(self).fingerprint}/{self.seats}"

    @property
    def hands_per_block(self) -> int:
        """Hands of a block, if the ruleset does not end a table earlier."""
        turns = self.seats if self.terms.deals == ROTATE else 1
        return turns * self.terms.hands_per_table


def fill(others: tuple[str, ...], seats: int, *, usual: str) -> tuple[str, ...]:
    """Who takes the seats besides the two: `others` in turn, or `usual` if nobody is named.

    Raises BadInput if they are too many.
    """
    free = seats - 2
    if len(others) > free:
        raise BadInput("others", len(others), f"at most {free}, for {seats} seats")
    return tuple(islice(cycle(others or (usual,)), free))


def block_name(number: int) -> str:
    """What a block is called in results and records."""
    return f"block {number:06}"


class Block(NamedTuple):
    """A block that was played. conduct: by bot's name; records: lines of a record file."""

    score: BlockScore
    hands: tuple[HandResult, ...]
    conduct: Mapping[str, Conduct]
    records: tuple[str, ...] = ()


def play_block(match: Match, number: int, *, watched: Callable[[], Watch] = Watch) -> Block:
    """Play one block, in whatever process this is: a pure function but for the bots' own chance.

    watched: what reports calls that do not return, at each table.
    """
    rules = _rules(match)
    line_up = match.line_up(rules.players)
    names = [name for name, _ in line_up]
    turns = rules.players if match.terms.deals == ROTATE else 1
    hands: list[HandResult] = []
    records: list[str] = []
    conduct: dict[str, Conduct] = {}
    for turned in range(turns):
        setting = _setting(match, rules, number, turned)
        with watched() as watch:
            players = [
                KitPlayer(
                    make_bot(source, seed=f"{match.terms.seed}/{number}/{turned}/{player}"),
                    setting,
                    watch=watch,
                    name=f"{name} ({source})",
                )
                for player, (name, source) in enumerate(line_up)
            ]
            played = play_table(setting, players)
        hands += [hand.result for hand in played]
        own = {name: player.conduct for name, player in zip(names, players, strict=True)}
        conduct = together(conduct, together(at_table(played, names), own))
        if match.record:
            records += record_lines(setting, played, number=number)
    score = block_score(hands, FIRST, SECOND)
    return Block(score, tuple(hands), conduct, tuple(records))


def _setting(match: Match, rules: Ruleset, number: int, turned: int) -> TableSetup:
    terms, name = match.terms, block_name(number)
    return TableSetup(
        rules,
        block=name,
        pool=match.pool,
        bots=tuple(bot for bot, _ in match.line_up(rules.players)),
        hands=terms.hands_per_table,
        seed=terms.seed,
        shuffles=name,
        seats=name,
        turned=turned,
        reseat_every=terms.reseat_every,
    )


def _rules(match: Match) -> Ruleset:
    return compile_ruleset(dict(match.terms.ruleset))


def make_bot(source: str, *, seed: str | None = None) -> Bot:
    """A new bot from `module:Class`, flags of its own behind it. Raises BadInput.

    seed: what its `random` follows from; None: from nothing.
    """
    wanted = "module:Class of a bot that Python can import"
    try:
        place, *flags = shlex.split(source)
        module, _, name = place.partition(":")
        loaded = getattr(_begun(source, resources.load_module, module), name)
    except (ValueError, ImportError, AttributeError) as error:
        raise BadInput("bot", source, f"{wanted} ({error})") from error
    if not (isinstance(loaded, type) and issubclass(loaded, Bot)):
        raise BadInput("bot", source, wanted)
    bot: Bot = _begun(source, loaded)
    _begun(source, check_bot, bot)
    if seed is not None:
        bot.random = Random(seed)
    parser = argparse.ArgumentParser(prog=place, exit_on_error=False, add_help=False)
    _begun(source, bot.add_flags, parser)
    try:
        asked = parser.parse_args(flags)
    except (argparse.ArgumentError, SystemExit) as error:
        raise BadInput("flags of the bot", shlex.join(flags), f"flags of {place}") from error
    _begun(source, bot.begin, asked)
    return bot


def _begun(source: str, step: Callable[..., Any], *more: Any) -> Any:
    """A step towards a bot that plays; the code is a stranger's, it may raise whatever it likes."""
    try:
        return step(*more)
    except ImportError:
        raise
    except (Exception, SystemExit) as error:
        cause = f"{type(error).__name__}: {error}"
        raise BadInput("bot", source, f"one that can be made and begun ({cause})") from error
