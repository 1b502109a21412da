"""`arena rules ...`: the catalogue of rulesets and options, from the code that makes them true."""

from __future__ import annotations

import json

import click

from arena.cli.remote import json_option


@click.group("rules", epilog="Example:  arena rules show pagat+kakumei --diff pagat")
def command() -> None:
    """List, show and compare rulesets and options."""


@command.command("list", epilog="Example:  arena rules list")
@json_option
def list_(as_json: bool) -> None:
    """List presets, patches and options with kanji, reading, values and defaults."""
    from arena.reference import rules_list, ruleset_schema

    if as_json:
        click.echo(json.dumps(ruleset_schema(), ensure_ascii=False, indent=2))
    else:
        click.echo(rules_list(), nl=False)


@command.command(epilog="Example:  arena rules show pagat+kakumei+shibari --diff pagat")
@click.argument("ruleset")
@click.option("--diff", help="Show only what is different from this ruleset.")
@json_option
def show(ruleset: str, diff: str | None, as_json: bool) -> None:
    """Show a ruleset resolved: every option with its value. RULESET is preset+patch+patch..."""
    from arena.reference import rules_data, rules_show

    if as_json:
        click.echo(json.dumps(rules_data(ruleset, diff=diff), ensure_ascii=False, indent=2))
    else:
        click.echo(rules_show(ruleset, diff=diff), nl=False)


@command.command(epilog="Example:  arena rules reference > rules.md")
def reference() -> None:
    """Print the reference of all options in Markdown, each with a played example."""
    from arena.reference import reference as text

    click.echo(text(), nl=False)


@command.command(epilog="Example:  arena rules coverage --tests tests")
@click.option(
    "--tests",
    type=click.Path(exists=True, file_okay=False),
    help="The folder of the tests, to name those that rest on a statement.",
)
def coverage(tests: str | None) -> None:
    """Print which options and tests rest on each statement of the source documents."""
    from pathlib import Path

    from arena.reference import coverage_text

    click.echo(coverage_text(None if tests is None else Path(tests)), nl=False)
