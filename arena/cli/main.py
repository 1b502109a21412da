"""The group of commands, loaded lazily, and the one place where errors become exit codes."""

from __future__ import annotations

import inspect
import io
import os
import sys
from importlib import import_module
from typing import NoReturn

import click

from arena import CORE, __version__
from arena.cli.colours import ERROR, coloured
from arena.errors import ArenaError, BadInput

# The module of each command, and its line in the list.
COMMANDS = {
    "admin": ("organise.admin", "Make, list and revoke tokens and enrolment codes."),
    "autograder": (
        "autograding.command",
        "Make and run autograders for Gradescope and GitHub Classroom.",
    ),
    "backup": ("host.backup", "Copy a database while the referee runs."),
    "bench": ("benchmarks.command", "Measure the engine, the environments and the referee."),
    "bot": ("organise.bot", "Rename a bot of yours, or retire it."),
    "check": ("host.check", "Look whether a database is whole."),
    "cluster": (
        "organise.cluster",
        "Show and steer the referees that share a database.",
    ),
    "debug": ("workshop.debug", "Ask a bot again at its turns of a recorded hand."),
    "demo": ("demo", "Play a whole tournament of sample bots and print the standings."),
    "doctor": ("workshop.doctor", "Try a bot in any language, and say what to change."),
    "grade": ("grade", "Grade students' bots against benchmark bots."),
    "house": ("host.house", "Play the house bots of an arena; `arena serve` starts it."),
    "key": ("key", "Make, show and rotate the key by which an arena signs."),
    "kit": ("workshop.kit", "Write the kit for bots in Python, for those who install no arena."),
    "ledger": ("organise.ledger", "Show what each turn of a bot has cost it."),
    "manual": ("manual", "Read the manual."),
    "match": (
        "matching.command",
        "Is bot A better than bot B? A fixed number of hands, or a sequential test.",
    ),
    "mcp": ("workshop.mcp", "Let a language model play a bot, through MCP."),
    "mock": ("workshop.mock", "Play scripted hands with one bot: an arena for its own tests."),
    "new": ("workshop.new", "Write a bot to start from, in one of several languages."),
    "notices": ("organise.notices", "Show what happened to a bot."),
    "play": ("terminal.play", "Play against bots, in the terminal."),
    "position": ("workshop.position", "Show a position, list what may be answered, answer."),
    "positions": ("workshop.positions", "Ask a bot in the positions of a file."),
    "proof": ("proof", "Check a digest, or that a hand is in one, offline."),
    "prune": ("host.prune", "Move old sessions out of a database, into record files."),
    "rate": ("rate", "Rate bots from record files."),
    "replay": ("terminal.replay", "Watch recorded hands in the viewer, or as one HTML file."),
    "restore": ("host.restore", "Put a backup in the place of a database."),
    "roster": ("organise.roster", "Import and export the bots of a session as CSV."),
    "rules": ("rules", "List, find, show and compare rulesets and options."),
    "run": ("run", "Run a session from one file: ruleset, bots, schedule, clock."),
    "schedule": ("schedule", "Show who would meet whom in a session, and how evenly."),
    "serve": ("host.serve", "Run the referee."),
    "session": ("organise.session", "Create sessions on a running arena and steer them."),
    "show": ("show", "Show a recorded hand in sentences."),
    "standings": ("standings", "Print the standings of a session."),
    "uecda": ("uecda.command", "Let UECda clients play here, and bots of the arena there."),
    "watch": ("terminal.watch", "Watch what is being played, in the terminal."),
    "verify": ("verify", "Check record files, offline."),
    "work": ("workshop.work", "Play blocks of a match for another machine, which counts them."),
}

# The pages of the manual that their help names; "commands" for those that are not here.
MORE = "More in the manual:"
TOPICS = {
    "admin": "access",
    "autograder": "grading",
    "backup": "operations",
    "bench": "operations",
    "check": "operations",
    "cluster": "referees",
    "debug": "improve",
    "demo": "first-tournament",
    "doctor": "doctor",
    "grade": "grading",
    "key": "stamping",
    "kit": "kit",
    "ledger": "clocks",
    "match": "improve",
    "mcp": "language-models",
    "mock": "mock",
    "new": "any-language",
    "notices": "notices",
    "play": "playing",
    "position": "positions",
    "positions": "positions",
    "proof": "stamping",
    "prune": "operations",
    "rate": "ratings",
    "restore": "operations",
    "roster": "grading",
    "rules": "readings",
    "run": "session-file",
    "schedule": "events",
    "serve": "settings",
    "session": "events",
    "show": "records",
    "standings": "ratings",
    "uecda": "uecda",
    "verify": "verifying",
    "watch": "playing",
    "work": "clusters",
}


class Commands(click.Group):
    """Commands whose modules are imported only when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, imported now."""
        if cmd_name not in COMMANDS:
            return None
        module, _ = COMMANDS[cmd_name]
        command = import_module(f"arena.cli.{module}").command
        assert isinstance(command, click.Command)
        _name_page(command, TOPICS.get(cmd_name, "commands"))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is meant; one that does not exist is answered with the nearest."""
        try:
            return super().resolve_command(ctx, args)
        except click.exceptions.NoSuchCommand as error:
            name = error.command_name
            raise click.exceptions.NoSuchCommand(name, possibilities=COMMANDS, ctx=ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One line for each command, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl((name, line) for name, (_, line) in sorted(COMMANDS.items()))


def _name_page(command: click.Command, topic: str) -> None:
    """Let the help of a command, and of those in it, end with the page that explains more, unless
    it names one itself."""
    line = f"{MORE}  arena manual {topic}"
    for each in (command, *getattr(command, "commands", {}).values()):
        if MORE not in (each.epilog or ""):
            each.epilog = f"{inspect.cleandoc(each.epilog or '')}\n\n{line}".lstrip()


@click.command(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example:  arena demo        (then: arena COMMAND --help)",
)
@click.version_option(
    __version__, prog_name="arena", message=f"%(prog)s, version %(version)s ({CORE})"
)
def group() -> None:
    """Daifugō Arena: tournaments of bots for the climbing game Daifugō (大富豪)."""
    if CORE.expected:
        raise BadInput("ARENA_CORE", CORE.wanted, CORE.expected)


def main() -> NoReturn:
    """Run the command line and leave with its exit code: 2 for what the caller got wrong."""
    _write_what_can_be_written()
    # Small matrices: more threads only wait for each other, and add up in another order.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        code = group.main(standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        code = 2
    except click.ClickException as error:
        click.echo(f"{coloured('arena:', ERROR)} {_one_line(error)}", err=True)
        code = 2
    except click.Abort:
        click.echo("Stopped.", err=True)
        code = 130
    except _expected_errors() as error:
        click.echo(f"{coloured('arena:', ERROR)} {error}", err=True)
        code = 2
    except BrokenPipeError:
        sys.stderr.close()
        code = 0
    sys.exit(code if isinstance(code, int) else 0)


def _one_line(error: click.ClickException) -> str:
    """What click refuses, with the command that explains itself."""
    said = " ".join(error.format_message().split()).removesuffix(".")
    context = error.ctx if isinstance(error, click.UsageError) else None
    return said if context is None else f"{said}; see {context.command_path} --help"


def _write_what_can_be_written() -> None:
    """Where output goes to a file, some systems (Windows) have no kanji: then their numbers."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _expected_errors() -> tuple[type[Exception], ...]:
    """Errors with a sentence for the caller: ours, and the client kit's if a command loaded it."""
    problems = sys.modules.get("arena.client.problems")
    if problems is None:
        return (ArenaError,)
    return (ArenaError, problems.KitError, problems.ArenaProblem, problems.ArenaUnreachable)
