"""`arena run FILE.toml`: an organiser's one file, played from beginning to end."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from arena.cli.demo import FAILED, next_folder, show_outcome, warn
from arena.cli.event import BotSpec, play
from arena.cli.finals import playing, read_session
from arena.cli.launching import confinement, sandbox_option
from arena.cli.remote import json_option, public_chance_option
from arena.confinement.limits import read_limits
from arena.errors import BadInput

STOPPED = 130
BOT_MEMBERS = ("name", "owner", "command", "count", "division")


@click.command(
    epilog="""Example:

    arena run spring-cup.toml

where spring-cup.toml says:

\b
    name = "Spring cup"
    seats = 4
    hands_per_table = 10
    [ruleset]
    preset = "pagat"
    patches = ["kakumei"]
    [[bots]]
    name = "alice"
    command = "python -m sample_bots.lowest"
    [[bots]]
    name = "bob"
    command = "python -m sample_bots.random_bot"
    count = 3
"""
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--layout", default="full", show_default=True, help="full, concise, wide or points.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    help="Where database, records and logs go; one that was stopped goes on.  [arena-data/FILE-N]",
)
@click.option(
    "--signing-key",
    metavar="FILE",
    envvar="ARENA_SIGNING_KEY",
    default="",
    help="The private key by which records are signed; one of its own in the folder if left out.",
)
@public_chance_option
@sandbox_option
@json_option
def command(
    file: Path,
    layout: str,
    folder: Path | None,
    signing_key: str,
    public_chance: str | None,
    sandbox: str,
    as_json: bool,
) -> None:
    """Run a session from one file: ruleset, bots, schedule, clock.

    FILE is a session document (the members of POST /sessions) with a list `bots` of name, owner,
    command, count and division. Bots are started in the folder of FILE with ARENA_URL, ARENA_TOKEN
    and ARENA_SESSION in their environment; `python -m sample_bots.NAME` is always a sample bot of
    this arena, your copy of one is `python NAME.py`. A final may have `schedule.records`, a list of
    record files, and `prizes`: those of the bots that can still win one play. A ladder needs a
    number of rounds. A session that announces a source of public chance needs its value with
    --public-chance.

    Each bot runs under limits, which a table `limits` of FILE can change (memory_mib, cpu_s,
    processes, open_files, output_mib), with an environment and a home folder of its own; where
    bubblewrap is installed also without network, and without a view of home folders, of the
    database and of the other bots.

    Exit code 1: the session was not played to its end, or the process of a bot failed. After Ctrl-C
    the same command with --folder goes on where it stopped.
    """
    document = read_session(file)
    chosen = confinement(read_limits(document.pop("limits", None)), sandbox)
    bots = playing(document, read_bots(document.pop("bots", None)))
    _check(document, bots, public_chance)
    folder = folder or next_folder(Path("arena-data"), file.stem)
    show = partial(click.echo, err=as_json)
    apart = " in a sandbox" if chosen.sandbox else ""
    show(f"{len(bots)} bots{apart}; all files in {folder}")
    cwd = file.resolve().parent
    try:
        outcome = play(
            document,
            bots,
            folder=folder,
            bots_cwd=cwd,
            layout=layout,
            chosen=chosen,
            signing_key=signing_key,
            public_chance=public_chance,
            report=show,
            warn=warn,
        )
    except KeyboardInterrupt:
        again = ["arena", "run", str(file), "--folder", str(folder)]
        again += [] if public_chance is None else ["--public-chance", public_chance]
        click.echo(f"\nStopped; nothing is lost. To go on: {shlex.join(again)}", err=True)
        sys.exit(STOPPED)
    show_outcome(outcome, folder, as_json=as_json)
    if not outcome.good:
        sys.exit(FAILED)


def _check(document: dict[str, Any], bots: Sequence[BotSpec], public_chance: str | None) -> None:
    """Raises `BadInput` for what the referee would refuse, before it is started, and for a session
    that nobody would be there to close."""
    from arena.session.apart import Field, check_known
    from arena.session.config import read_config
    from arena.session.divisions import check_division

    config = read_config(document)
    config.check_public(public_chance)
    names = [bot.name for bot in bots]
    config.check_entered(names)
    known = Field(names, names, [bot.owner for bot in bots]).numbers()
    check_known(config.schedule.apart, lambda member: member.key in known)
    for bot in bots:
        if bot.division is not None:
            thing = f"division of {bot.name}"
            check_division(bot.division, config.divisions, thing=thing)
    schedule = config.schedule
    if schedule.kind == "ladder" and schedule.rounds is None:
        raise BadInput("schedule.rounds", None, "a number: nobody closes this ladder")


def read_bots(value: Any) -> list[BotSpec]:
    """The bots of a file, `count` of each. Raises `BadInput` naming the bot."""
    if not isinstance(value, list) or not value:
        raise BadInput("bots", value, "a list of at least two bots with name and command")
    bots: list[BotSpec] = []
    for index, entry in enumerate(value):
        bots += _bots(f"bots[{index}]", entry)
    _check_names(bots)
    return bots


def _check_names(bots: Sequence[BotSpec]) -> None:
    """Raises `BadInput` for names that the referee would refuse, or two that look alike."""
    from arena.session.confusables import skeleton
    from arena.session.names import check_name, check_owner

    first_uses: dict[str, str] = {}
    for bot in bots:
        key = skeleton(check_name(bot.name))
        check_owner(bot.owner)
        if first_uses.get(key) == bot.name:
            raise BadInput("bot name", bot.name, "a name that no other bot of the file has")
        if key in first_uses:
            raise BadInput(
                "bot name", bot.name, f"a name that does not look like {first_uses[key]!r}"
            )
        first_uses[key] = bot.name


def _bots(place: str, entry: Any) -> list[BotSpec]:
    """The bots of one entry."""
    if not isinstance(entry, dict):
        raise BadInput(place, entry, "a table with name and command")
    for member in entry:
        if member not in BOT_MEMBERS:
            raise BadInput(f"{place} member", member, "one of " + ", ".join(BOT_MEMBERS))
    for member in ("name", "command"):
        if not isinstance(entry.get(member), str) or not entry[member]:
            raise BadInput(f"{place}.{member}", entry.get(member), "a text")
    name, count = entry["name"], entry.get("count", 1)
    owner = entry.get("owner", "")
    if not isinstance(owner, str):
        raise BadInput(f"{place}.owner", owner, "a text")
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= 100:
        raise BadInput(f"{place}.count", count, "a whole number from 1 to 100")
    division = entry.get("division")
    if not isinstance(division, str | None):
        raise BadInput(f"{place}.division", division, "the id of one of the session's divisions")
    numbered = [name] if count == 1 else [f"{name}-{i}" for i in range(1, count + 1)]
    return [BotSpec(own, owner or own, entry["command"], division) for own in numbered]
