"""Tables of the manual that follow from the code.

    python -m tests.manual.generated        writes them into the pages

What is around a table is written by people.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

import click

from arena.cli.main import COMMANDS, group
from arena.rules import compile_ruleset
from arena.settings import Settings
from tests.manual.pages import ROOT
from tests.real import Real

MANUAL = ROOT / "arena" / "manual"
SCHEMAS = ROOT / "schemas"
SHARED = ("--json", "--url", "--token")
ELSEWHERE = ("ruleset",)
"""Documents whose members are on the page about the rules."""
Rows = Callable[[], Iterator[str]]


def settings_rows() -> Iterator[str]:
    """Each setting, with what its class says about it."""
    said = _entries(inspect.getdoc(Settings) or "")
    for field in fields(Settings):
        default = field.default
        shown = str(default).lower() if type(default) is bool else str(default)
        yield f"| `{field.name}` | {f'`{shown}`' if shown else 'empty'} | {said[field.name]} |"


def _entries(doc: str) -> dict[str, str]:
    """The paragraphs `name, name: text` of a docstring, by name."""
    names = "|".join(field.name for field in fields(Settings))
    parts = re.split(rf"(?:^|; |\. )((?:(?:{names})(?:, )?)+): ", doc, flags=re.MULTILINE)
    found = {}
    for heads, words in zip(parts[1::2], parts[2::2], strict=True):
        said = re.sub(r"\s+", " ", words).replace("``", "`").strip().replace("|", "\\|")
        sentence = said[0].upper() + said[1:].rstrip(".") + "."
        found |= dict.fromkeys(heads.split(", "), sentence)
    return found


def session_rows() -> Iterator[str]:
    """Each member of a session's document."""
    schema = json.loads((SCHEMAS / "session.schema.json").read_bytes())
    yield from _session_members(schema, "")


def _session_members(schema: dict[str, Any], prefix: str) -> Iterator[str]:
    for name, member in schema["properties"].items():
        inner = member.get("properties")
        said = member.get("description", "The rules; see below.").replace("|", "\\|")
        if values := [f"`{value}`" for value in member.get("enum", ())]:
            said += " One of " + ", ".join(values) + "."
        yield f"| `{prefix}{name}` | {_default(member)} | {said} |"
        if inner and name != "ruleset":
            yield from _session_members(member, f"{name}.")


def _default(member: dict[str, Any]) -> str:
    value = member.get("default")
    if value is None:
        return ""
    return f"{value:,}" if type(value) is int else f"`{json.dumps(value)}`"


def flag_rows() -> Iterator[str]:
    """Each command with its flags."""
    for name in sorted(COMMANDS):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        yield from _flags(command, f"arena {name}")


def _flags(command: click.Command, words: str) -> Iterator[str]:
    if isinstance(command, click.Group):
        for name in sorted(command.commands):
            yield from _flags(command.commands[name], f"{words} {name}")
        return
    options = [param for param in command.params if isinstance(param, click.Option)]
    names = [max(option.opts, key=len) for option in options]
    shown = [f"`{name}`" for name in names if name not in SHARED]
    yield f"| `{words}` | {' '.join(shown) or 'the shared ones'} |"


def endpoint_rows(part: str) -> Rows:
    """The endpoints of a part of the page."""

    def rows() -> Iterator[str]:
        for path, methods in Real().anybody.get("/openapi.json").get_json()["paths"].items():
            for method, operation in methods.items():
                if _part(path, operation.get("description", "")) == part:
                    yield _endpoint(f"{method.upper()} {path}", operation)

    return rows


def _part(path: str, description: str) -> str:
    if not path.startswith("/api/"):
        return "Pages and documents"
    who = re.search(r"For (bots|viewers|assistants|organisers|everybody with)[^.]*\.$", description)
    if not who:
        return "For everybody"
    return "For bots" if who[1] in ("bots", "everybody with") else "For organisers"


def _endpoint(request: str, operation: dict[str, Any]) -> str:
    query = [each["name"] for each in operation.get("parameters", ()) if each["in"] == "query"]
    names = " ".join(f"`{name}`" for name in query)
    return f"| `{request}` | {operation['summary']} | {names} |"


def member_rows() -> Iterator[str]:
    """Each document with its members."""
    for path in sorted(SCHEMAS.rglob("*.schema.json")):
        name = str(path.relative_to(SCHEMAS)).removesuffix(".schema.json")
        schema = json.loads(path.read_bytes())
        if name in ELSEWHERE:
            continue
        members = dict.fromkeys(_members(schema, ""))
        shown = " ".join(f"`{member}`" for member in members) or "those of what it is a list of"
        yield f"| `{name}` | {schema['title']} | {shown} |"


def _members(schema: object, prefix: str) -> Iterator[str]:
    """The members of a schema and of what is in it, by their paths."""
    if not isinstance(schema, dict):
        return
    for name, member in schema.get("properties", {}).items():
        if name in ELSEWHERE:
            yield prefix + name
            continue
        yield prefix + name
        yield from _members(member, f"{prefix}{name}.")
    for inside in ("items", "additionalProperties"):
        yield from _members(schema.get(inside), prefix)
    for several in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for each in schema.get(several, ()):
            yield from _members(each, prefix)


def observation_rows() -> Iterator[str]:
    """Each part of an observation."""
    from arena.envs.layout import ObservationLayout

    for first, part in ObservationLayout(compile_ruleset("pagat")).parts:
        last = first + part.size - 1
        numbers = f"{first}" if last == first else f"{first} to {last}"
        yield f"| `{part.name}` | {numbers} | {part.high} | {part.says} |"


def action_rows() -> Iterator[str]:
    """Each sort of actions, with its first and its last."""
    from arena.envs.actions import Actions

    actions = Actions(compile_ruleset("pagat"))
    for part in actions.ranges:
        last = part.first + part.number - 1
        some = dict.fromkeys((actions.names[part.first], actions.names[last]))
        shown = ", ".join(f"`{name}`" for name in some)
        yield f"| {part.name} | {part.first} | {last} | {shown} |"


TABLES: dict[tuple[str, str], Rows] = {
    ("settings", "Which settings are there?"): settings_rows,
    ("session-file", "What can be in it?"): session_rows,
    ("environments", "What is in an observation?"): observation_rows,
    ("environments", "Which actions are there?"): action_rows,
    ("flags", "Which command has which flags?"): flag_rows,
    ("members", "Which document has which members?"): member_rows,
    **{
        ("endpoints", part): endpoint_rows(part)
        for part in ("For bots", "For everybody", "For organisers", "Pages and documents")
    },
}
"""The tables: page and heading, and what their rows are."""


def with_table(text: str, heading: str, rows: Rows) -> str:
    """A page with the rows of the first table under a heading made anew."""
    before, under, after = text.partition(f"\n## {heading}\n")
    assert under, heading
    head, table, rest = re.split(r"((?:^\|.*\n)+)", after, maxsplit=1, flags=re.MULTILINE)
    lines = [*table.splitlines()[:2], *rows()]
    return before + under + head + "\n".join(lines) + "\n" + rest


def main() -> None:
    """Write all tables into their pages."""
    for (topic, heading), rows in TABLES.items():
        page = MANUAL / f"{topic}.md"
        text = page.read_text(encoding="utf-8")
        page.write_text(with_table(text, heading, rows), encoding="utf-8")


if __name__ == "__main__":
    main()
