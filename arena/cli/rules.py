"""`arena rules ...`: the catalogue of rulesets and options, from the code that makes them true."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from arena.cli.remote import json_option
from arena.cli.rulesets import RULESET, RulesetDocument, is_ruleset, read_ruleset


@click.group("rules", epilog="Example:  arena rules find 5飛び")
def command() -> None:
    """List, find, show and compare rulesets, patches and options."""


@command.command("list", epilog="Example:  arena rules list")
@json_option
def list_(as_json: bool) -> None:
    """List presets, patches and options with kanji, reading, values and defaults."""
    from arena.reference import rules_list, rules_list_data

    if as_json:
        _echo_json(rules_list_data())
    else:
        click.echo(rules_list(), nl=False)


@command.command(
    epilog="""Examples:

    arena rules find 5飛び

    arena rules find eight

    arena rules find skips the next player
"""
)
@click.argument("words", nargs=-1, required=True)
@json_option
def find(words: tuple[str, ...], as_json: bool) -> int:
    """Find presets, patches and options by kanji, reading, English name, or words of a sentence.

    Case, accents, hyphens and kana make no difference, nor does 八 for 8. Exit code 1 if nothing
    was found; a variant that is known and is no option is named with the reason.
    """
    from arena.reference import find as find_entries
    from arena.reference import find_absent, guesses
    from arena.reference.listing import described

    query = " ".join(words)
    entries = find_entries(query)
    if as_json:
        _echo_json([entry.data() for entry in entries])
    for entry in () if as_json else entries:
        head, *more = described(entry)
        click.echo("\n".join([f"{entry.kind:<7}{head}", *more]))
    if not entries:
        for row in (absent := find_absent(query)):
            click.echo(f"no option: {row.names} ({row.reading}): {row.why}", err=True)
        near = ", ".join(guesses(query))
        if not absent:
            click.echo(f"nothing about {query!r}{near and f'; perhaps {near}'}", err=True)
    return 0 if entries else 1


@command.command(
    epilog="""Examples:

    arena rules show pagat+kakumei,shibari=kata --diff pagat

    arena rules show spring-cup.toml

    arena rules show go_tobi
"""
)
@click.argument("what")
@click.option("--diff", type=RULESET, help="Show only what is different from this ruleset.")
@json_option
def show(what: str, diff: RulesetDocument | None, as_json: bool) -> None:
    """Show a ruleset with the value of every option, or one option or patch by its name.

    A ruleset is preset+patch+patch,option=value,... or a TOML or JSON file: a ruleset, or a
    session file with one. An option is shown with its values, uses and a played example.
    """
    from arena.reference import name_data, name_text, rules_data, rules_show

    if diff is None and not is_ruleset(what):
        if as_json:
            _echo_json(name_data(what))
        else:
            click.echo(name_text(what), nl=False)
        return
    ruleset = read_ruleset(what)
    if as_json:
        _echo_json(rules_data(ruleset, diff=diff))
    else:
        click.echo(rules_show(ruleset, diff=diff), nl=False)


def _echo_json(document: Any) -> None:
    click.echo(json.dumps(document, ensure_ascii=False, indent=2))


@command.command(epilog="Example:  arena rules reference > rules.md")
def reference() -> None:
    """Print the reference of all options in Markdown, each with a played example."""
    from arena.reference import reference as text

    click.echo(text(), nl=False)


@command.command(epilog="Example:  arena rules coverage --tests tests")
@click.option(
    "--tests",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder of the tests, to see what they play.",
)
@json_option
def coverage(tests: Path | None, as_json: bool) -> int:
    """Print which options, vectors and tests stand behind each statement and settled reading.

    With --tests, what no vector and no test plays is listed at the end, and the exit code is 1 if
    there is any. A test plays if it calls the engine; what an option only declares is not played.
    """
    from arena.reference import coverage_table, coverage_text, not_played

    table = coverage_table(tests)
    if as_json:
        _echo_json([row.data() for row in table])
    else:
        click.echo(coverage_text(table, with_tests=tests is not None), nl=False)
    return 1 if tests is not None and not_played(table) else 0
