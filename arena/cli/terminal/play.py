"""`arena play`: a person at a table with bots, in this process and at once."""

from __future__ import annotations

import getpass
import os
import secrets
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count, cycle, islice
from pathlib import Path
from typing import IO, Any, NamedTuple

import click

from arena.cli.narrated import detail_option, language_option
from arena.cli.rulesets import ruleset_option
from arena.cli.terminal.console import Console, console
from arena.cli.terminal.person import Left, Person
from arena.cli.terminal.phrases import PHRASES, Phrases
from arena.cli.terminal.typed import is_quit
from arena.errors import BadInput
from arena.match.kit import KitPlayer
from arena.match.local import make_bot
from arena.match.recording import record_lines
from arena.match.tables import PlayedHand, Player, TableSetup, play_hands
from arena.narration.language import Detail
from arena.narration.sentences import language
from arena.rules import Ruleset, compile_ruleset
from arena.session.names import check_name

UNFINISHED = 1
PERSON = 0
"""The person's number in the line-up."""
SESSION = "play"
MOST_HANDS = 1000
OPPONENTS = {
    "heuristic": "sample_bots.heuristic:Heuristic",
    "lowest": "sample_bots.lowest:Lowest",
    "random": "sample_bots.random_bot:RandomBot",
}
NAMELESS = "guest"


@click.command(
    epilog="""Examples:

    arena play

    arena play --against heuristic,lowest,random --ruleset house --hands 3 --plain

    arena play --ruleset japan_league --language ja

A line is an answer: cards (S4 H4), its number in the list, or pass. ? lists what else may be typed.

Exit codes: 0 played, or left with quit; 1 the input ended in the middle of a hand; 2 the command
was called wrongly; 130 stopped by Ctrl-C.
"""
)
@click.option(
    "--against",
    default="heuristic",
    show_default=True,
    metavar="BOT,…",
    help="heuristic, lowest, random, or module:Class; in turn until the table is full.",
)
@ruleset_option("pagat+kakumei+hachi_giri+shibari")
@click.option("--hands", type=int, default=5, show_default=True, help="Hands in a row, at most.")
@click.option("--name", default=None, help="What you are called at the table.  [your login]")
@click.option("--seed", type=int, default=None, help="The same number gives the same deals.")
@language_option
@detail_option("How much is said; brief lists no answers, full lists all and counts cards.")
@click.option(
    "--plain",
    is_flag=True,
    help="One sentence a line, no colour, no pictures: for screen readers and programs. Always so"
    " where the output is no terminal.",
)
@click.option(
    "--pace",
    "pace_s",
    type=click.FloatRange(0, 10),
    default=None,
    metavar="SECONDS",
    help="The rest after what another player does.  [0.5, plain 0]",
)
@click.option(
    "--record",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    help="Where the hands are written.  [arena-data/play-N.jsonl]",
)
def command(
    against: str,
    ruleset: Mapping[str, Any],
    hands: int,
    name: str | None,
    seed: int | None,
    code: str,
    detail: str,
    plain: bool,
    pace_s: float | None,
    record: Path | None,
) -> int:
    """Play against bots, in a terminal: no arena, no account, nothing is rated.

    What happens is said in sentences, from your seat: you are never shown a card that you could
    not know. Every hand that ends is written to a record file, to be read and watched again.
    """
    if not 1 <= hands <= MOST_HANDS:
        raise BadInput("--hands", hands, f"1 to {MOST_HANDS}")
    rules = compile_ruleset(dict(ruleset))
    if (stop := rules.table.session_end).startswith("minutes"):
        raise BadInput("session_end", stop, "hands or points: no clock runs at this table")
    sys.path.insert(0, os.getcwd())
    bots = line_up(_name(name), against, rules.players)
    seed = secrets.randbelow(2**32) if seed is None else seed
    setting = _setting(rules, tuple(bots), hands=hands, seed=seed)
    shown = console(plain=plain, pace_s=pace_s)
    words = language(code)
    players = [
        Person(shown, words, Detail(detail)) if source is None else _player(source, setting, bot)
        for bot, source in bots.items()
    ]
    with _record_file(record or next_record(Path("arena-data"))) as file:
        return Game(shown, PHRASES[code], setting, file).play(players)


class Game(NamedTuple):
    """Hands in a row with a person among the players. file: where those that end are written."""

    console: Console
    phrases: Phrases
    setting: TableSetup
    file: IO[str]

    def play(self, players: Sequence[Player]) -> int:
        """Play until the last hand or until the person leaves; the exit code."""
        played: list[PlayedHand] = []
        code = 0
        try:
            for hand in play_hands(self.setting, players):
                played.append(hand)
                self._write(played)
                if len(played) < self.setting.hands:
                    self._wait()
        except Left as left:
            self.console.line(self.phrases.ended if left.ended else self.phrases.left)
            code = UNFINISHED if left.ended else 0
        except KeyboardInterrupt:
            self.console.line()  # the terminal has left its ^C on the line of the prompt
            raise
        finally:
            self._show_end(played)
        return code

    def _write(self, played: Sequence[PlayedHand]) -> None:
        """Add the last hand to the record, at once: the next one may never end."""
        *_, line = record_lines(self.setting, played, number=1, session=SESSION, rated=False)
        self.file.write(line)
        self.file.flush()

    def _wait(self) -> None:
        """Between two hands a person at a keyboard says when. Raises Left."""
        if not sys.stdin.isatty():
            return
        text = self.console.read(self.phrases.next_hand)
        if text is None or is_quit(text):
            raise Left(ended=False)

    def _show_end(self, played: Sequence[PlayedHand]) -> None:
        """Where the person came in each hand, and how to see it again."""
        if len(played) > 1:
            places = ", ".join(str(_place(hand, self.setting.bots[PERSON])) for hand in played)
            self.console.line(self.phrases.places.format(places=places), "yellow")
        if played:
            where = {"file": shlex.quote(self.file.name), "position": len(played)}
            for text in (self.phrases.show, self.phrases.replay):
                self.console.line(text.format(**where))
        self.console.line(self.phrases.seed.format(seed=self.setting.seed))


def _place(hand: PlayedHand, name: str) -> int:
    return hand.result.finish[hand.result.bots.index(name)]


def line_up(name: str, against: str, seats: int) -> dict[str, str | None]:
    """Who sits at the table, by name, with the source of each bot; None for the person, who comes
    first. Raises BadInput."""
    wanted = [each.strip() for each in against.split(",")]
    if not all(wanted) or len(wanted) > seats - 1:
        raise BadInput("--against", against, f"1 to {seats - 1} bots, for {seats} seats")
    sources = [OPPONENTS.get(each, each) for each in islice(cycle(wanted), seats - 1)]
    if unknown := [each for each in sources if ":" not in each]:
        raise BadInput("--against", unknown[0], f"{', '.join(OPPONENTS)}, or module:Class")
    return {name: None, **_named(sources, taken=name)}


def _named(sources: Sequence[str], *, taken: str) -> dict[str, str | None]:
    """Bots by names of their own: their kind, numbered where it comes again."""
    kinds = {source: kind for kind, source in OPPONENTS.items()}
    stems = [kinds.get(each, each.split()[0].rpartition(":")[2].lower()) for each in sources]
    several = Counter([*stems, taken])
    named: dict[str, str | None] = {}
    for stem, source in zip(stems, sources, strict=True):
        numbered = (f"{stem}-{number}" for number in count(1))
        free = (name for name in numbered if name not in (*named, taken))
        named[next(free) if several[stem] > 1 else stem] = source
    return named


def _name(name: str | None) -> str:
    """The person's name; the login where it is one that may be shown. Raises BadInput."""
    if name is not None:
        return check_name(name)
    try:
        return check_name(getpass.getuser())
    except (OSError, KeyError, BadInput):
        return NAMELESS


def _setting(rules: Ruleset, bots: tuple[str, ...], *, hands: int, seed: int) -> TableSetup:
    return TableSetup(
        rules,
        block=SESSION,
        pool=f"{rules.fingerprint}/{rules.players}",
        bots=bots,
        hands=hands,
        seed=seed,
        shuffles=SESSION,
        seats=SESSION,
        reseat_every=0,
    )


def _player(source: str, setting: TableSetup, name: str) -> KitPlayer:
    return KitPlayer(make_bot(source), setting, name=f"{name} ({source})")


@contextmanager
def _record_file(path: Path) -> Iterator[IO[str]]:
    """A new file for the hands, gone again if there were none. Raises BadInput."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("x", encoding="utf-8")
    except OSError as error:
        expected = f"a new file that can be written ({error.strerror})"
        raise BadInput("--record", str(path), expected) from error
    try:
        with file:
            yield file
    finally:
        if not path.stat().st_size:
            path.unlink()


def next_record(base: Path) -> Path:
    """The first of base/play-1.jsonl, base/play-2.jsonl ... that does not exist."""
    return next(path for number in count(1) if not (path := base / f"play-{number}.jsonl").exists())
