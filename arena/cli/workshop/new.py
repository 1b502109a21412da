"""`arena new`: a folder with a starter, a whole bot in one file, in the language that is wanted."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import NamedTuple

import click

from arena.cli.remote import json_option, print_outcome
from arena.errors import BadInput
from arena.resources import SAMPLE_BOTS, folder

STARTERS = "starters"
"""The folder of the starters, below that of the sample bots."""


class Starter(NamedTuple):
    """A starter. needs: what has to be installed, here with the names of Debian's packages. build,
    run: commands in its folder; no build: it runs as it is. ignored: what building makes.
    note: what else is to be known."""

    title: str
    needs: str
    run: str
    build: str = ""
    ignored: tuple[str, ...] = ()
    note: str = ""


LANGUAGES = {
    "cpp": Starter(
        "C++",
        "a compiler for C++17, libcurl and nlohmann/json (g++, libcurl4-openssl-dev, "
        "nlohmann-json3-dev)",
        "./bot",
        "g++ -std=c++17 -o bot bot.cpp -lcurl",
        ("bot",),
    ),
    "csharp": Starter(
        "C#",
        "Mono (mono-mcs, libmono-system-net-http4.0-cil, libmono-system-xml-linq4.0-cil, "
        "libmono-system-runtime-serialization4.0-cil)",
        "mono bot.exe",
        "mcs -out:bot.exe -r:System.Net.Http -r:System.Xml -r:System.Xml.Linq "
        "-r:System.Runtime.Serialization Bot.cs Choose.cs",
        ("bin/", "obj/", "bot.exe"),
        "With the .NET SDK 8 there is `dotnet run -- --session ...` instead, which the arena's own "
        "tests have not tried.",
    ),
    "go": Starter("Go", "Go 1.19 or newer (golang-go)", "./bot", "go build", ("bot",)),
    "java": Starter(
        "Java",
        "Java 17 or newer (default-jdk-headless)",
        "java Bot",
        "javac Bot.java Json.java",
        ("*.class",),
    ),
    "javascript": Starter("JavaScript", "Node.js 18 or newer (nodejs)", "node bot.mjs"),
    "python": Starter("Python", "Python 3.9 or newer (python3)", "python3 bot.py"),
    "ruby": Starter("Ruby", "Ruby 2.7 or newer (ruby)", "ruby bot.rb"),
    "rust": Starter(
        "Rust",
        "Rust 1.63 or newer with cargo, and libcurl (cargo, libcurl4-openssl-dev, pkg-config)",
        "./target/debug/bot",
        "cargo build",
        ("target/",),
    ),
    "shell": Starter("shell", "curl and jq (curl, jq)", "sh bot.sh"),
    "typescript": Starter(
        "TypeScript",
        "Node.js 18 or newer with npm (nodejs, npm)",
        "node bot.js",
        "npm install --no-audit --no-fund && npx tsc",
        ("node_modules/", "bot.js"),
    ),
}
"""By the name of its folder."""


def files(language: str, name: str) -> dict[str, str]:
    """What `arena new` writes: the text of each file by its name."""
    place = folder(SAMPLE_BOTS) / STARTERS / language
    shipped = {file.name: file.read_text("utf-8") for file in sorted(place.glob("*.*"))}
    ignored = "".join(f"{each}\n" for each in ("*.token", *LANGUAGES[language].ignored))
    return {**shipped, "README.md": readme(language, name), ".gitignore": ignored}


def readme(language: str, name: str) -> str:
    """How to build, run and try a starter."""
    starter = LANGUAGES[language]
    note = f"\n{starter.note}\n" if starter.note else ""
    build = f"Build it in this folder:\n\n    {starter.build}\n\n" if starter.build else ""
    return f"""\
# {name}

A bot for Daifugō Arena in {starter.title}. It needs {starter.needs}.

{build}Run it against an arena:

    {starter.run} --url http://127.0.0.1:8000 --session spring-cup --name {name}

What is not given is read from ARENA_URL, ARENA_SESSION, ARENA_NAME, ARENA_CODE (an enrolment
code) and ARENA_TOKEN. Its first run registers it and keeps the token in a file that ends with
`.token`: who has that file is this bot. The bot ends with the session.
{note}
Try it without an arena. Is it better than a sample bot?

    arena match "{starter.run}" "python -m sample_bots.lowest" --hands 200

Or let it play in a session of your own, with `command = "{starter.run}"` in the list of bots of a
file for `arena run`.

Your strategy goes into `choose`. `arena manual protocol` says what is in a turn, `arena manual
turns` what may be asked besides playing cards.

Licence: this starter is part of Daifugō Arena, Apache-2.0. You may change it and keep what you
make of it to yourself.
"""


def _language(value: str) -> str:
    """Raises UsageError with the nearest names for a language without a starter."""
    if value.lower() in LANGUAGES:
        return value.lower()
    near = difflib.get_close_matches(value.lower(), LANGUAGES, cutoff=0.5)
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    raise click.UsageError(
        f"no starter in {value!r}; {meant}There are: {', '.join(sorted(LANGUAGES))}"
    )


@click.command(
    epilog="""Examples:

    arena new otter --language javascript

    arena new --list
"""
)
@click.argument("name", required=False)
@click.option("--language", default="python", show_default=True, help="Of which language.")
@click.option("--list", "show", is_flag=True, help="List the languages, and what each needs.")
@json_option
def command(name: str | None, language: str, show: bool, as_json: bool) -> None:
    """Write a bot to start from into a new folder NAME.

    It is one file that plays properly and keeps to the protocol: long polls, waiting when it is
    told to, the same answer again after a broken connection. A README says how to build and run
    it. A folder that is there already is left alone.
    """
    if show:
        listed = {each: starter.needs for each, starter in sorted(LANGUAGES.items())}
        text = "\n".join(f"{each:<12} {needs}" for each, needs in listed.items())
        print_outcome({"languages": listed}, text, as_json=as_json)
        return
    if name is None:
        raise click.UsageError("a NAME for the bot and its folder is needed, or --list")
    chosen = _language(language)
    texts = files(chosen, Path(name).name)
    _write(Path(name), texts)
    starter = LANGUAGES[chosen]
    steps = [f"cd {name}", *([starter.build] if starter.build else [])]
    steps.append(f"{starter.run} --session SESSION --name {Path(name).name}")
    said = "\n".join([f"Wrote {', '.join(texts)} into {name}. Next:", *(f"  {s}" for s in steps)])
    print_outcome({"folder": name, "files": [*texts], "next": steps}, said, as_json=as_json)


def _write(place: Path, texts: dict[str, str]) -> None:
    """Write files into a new folder. Raises BadInput if it exists or cannot be made."""
    try:
        place.mkdir(parents=True)
        for file, text in texts.items():
            (place / file).write_text(text, encoding="utf-8")
    except FileExistsError:
        raise BadInput("NAME", str(place), "a folder that is not there yet") from None
    except OSError as error:
        raise BadInput("NAME", str(place), f"a folder to write to ({error})") from error
