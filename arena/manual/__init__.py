"""The manual: Markdown, the same in the repository, on a running arena and in the terminal.

A page is a file beside this one, beside the files for operators, or beside the rules. This module
lists them and reads them; `rendering` makes HTML of them.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from arena.errors import NotFound


class PageKind(StrEnum):
    """What a page is for."""

    TUTORIAL = "Tutorials"
    HOW_TO = "How to"
    REFERENCE = "Reference"
    EXPLANATION = "Explanation"


class ManualPage(NamedTuple):
    """A page. topic: its name in addresses and on the command line; package, file: where its text
    is; says: one line on what it answers; language: of its text."""

    topic: str
    kind: PageKind
    package: str
    file: str
    says: str
    language: str = "en"

    @property
    def text(self) -> str:
        """Its text, in Markdown."""
        return _read(self.package, self.file)

    @property
    def title(self) -> str:
        """Its first heading."""
        return self.text.partition("\n")[0].removeprefix("# ")


def _page(topic: str, kind: PageKind, says: str, package: str = "arena.manual") -> ManualPage:
    return ManualPage(topic, kind, package, f"{topic}.md", says)


def _japanese(topic: str, kind: PageKind, says: str) -> ManualPage:
    return ManualPage(f"{topic}.ja", kind, "arena.manual", f"{topic}.ja.md", says, "ja")


PAGES = (
    _page("first-bot", PageKind.TUTORIAL, "A bot in Python that plays, and one that is better."),
    _japanese("first-bot", PageKind.TUTORIAL, "Pythonでボットを書いて、強くするまで。"),
    _page("any-language", PageKind.TUTORIAL, "The same with curl, so that every byte is seen."),
    _japanese("any-language", PageKind.TUTORIAL, "curlで通信の中身を見ながら対戦する。"),
    _page("strong-bot", PageKind.TUTORIAL, "Search the end of a hand, look ahead before it."),
    _page("first-tournament", PageKind.TUTORIAL, "An event of eight bots on your own machine."),
    _page("class", PageKind.TUTORIAL, "Codes, a pseudonymous board, grades: a rehearsal."),
    _page("kit", PageKind.HOW_TO, "Write bots in Python without installing the arena."),
    _page("language-models", PageKind.HOW_TO, "Turns and answers in words, for models."),
    _page("improve", PageKind.HOW_TO, "Is the new version better? Matches, tests, debugging."),
    _page("clusters", PageKind.HOW_TO, "Long matches: all cores, clusters, after a crash."),
    _page("seat", PageKind.HOW_TO, "Play in the browser, with script or without; house bots."),
    _page("playing", PageKind.HOW_TO, "Play and watch in a terminal, by eye or by ear."),
    _page("following", PageKind.HOW_TO, "Follow what is played, by server-sent events."),
    _page("embed", PageKind.HOW_TO, "Share a moment of a hand, or show it within your own page."),
    _page("events", PageKind.HOW_TO, "Run an event, from the session file to the standings."),
    _page("uecda", PageKind.HOW_TO, "A client of the UECda contest plays here, unchanged."),
    _japanese("uecda", PageKind.HOW_TO, "UECdaのクライアントをそのまま対戦させる。"),
    _page("uecda-events", PageKind.HOW_TO, "Run a UECda contest, from groups to the final."),
    _japanese("uecda-events", PageKind.HOW_TO, "UECda大会を開く。"),
    _page("grading", PageKind.HOW_TO, "Sessions to grades, and submissions one by one."),
    _page("stamping", PageKind.HOW_TO, "Digests to keep, stamps, proofs and the arena's key."),
    _page("notices", PageKind.HOW_TO, "What owners learn of their bots, and how it is sent."),
    _page(
        "hosting", PageKind.HOW_TO, "From an empty machine to the first session.", "arena.deploy"
    ),
    _page("access", PageKind.HOW_TO, "Who may enter, and who may do what.", "arena.deploy"),
    _page(
        "operations", PageKind.HOW_TO, "The days after: backups, upgrades, logs.", "arena.deploy"
    ),
    _page("referees", PageKind.HOW_TO, "Several, and a balancer before them.", "arena.deploy"),
    _page("postgresql", PageKind.HOW_TO, "Its settings, backups, restores.", "arena.deploy"),
    _page("compiled", PageKind.HOW_TO, "The same rules in C: how to get them, and go back."),
    _page("monitoring", PageKind.HOW_TO, "Metrics, alarms and a dashboard.", "arena.deploy"),
    _page("changing", PageKind.HOW_TO, "Add a rule, a schedule, an endpoint, a command, a page."),
    _page(
        "protocol", PageKind.REFERENCE, "Turns, answers, refusals and retries, as they are sent."
    ),
    _page("receipts", PageKind.REFERENCE, "What proves how a hand went, and who keeps it."),
    _page("doctor", PageKind.HOW_TO, "Try a bot in layers, and read what to change."),
    _page("mock", PageKind.HOW_TO, "Scripted hands for a bot's own tests."),
    _page("positions", PageKind.REFERENCE, "Hands at one moment as text, worlds, play-outs."),
    _page("solving", PageKind.REFERENCE, "What an answer is sure of; 60 positions to test bots."),
    _page("environments", PageKind.REFERENCE, "PettingZoo and Gymnasium: observations, actions."),
    _page("turns", PageKind.REFERENCE, "Every kind of question with its answer; all events."),
    _page("endpoints", PageKind.REFERENCE, "Every path of a running arena."),
    _page("errors", PageKind.REFERENCE, "Every problem: what it means, why, and what to do."),
    _page("members", PageKind.REFERENCE, "Which document has which members."),
    _page(
        "records", PageKind.REFERENCE, "What is in a record file, and how its hashes are computed."
    ),
    _page(
        "verifying", PageKind.REFERENCE, "What `arena verify` proves, and a program that checks."
    ),
    _page("session-file", PageKind.REFERENCE, "Everything an organiser decides, with defaults."),
    _page("settings", PageKind.REFERENCE, "Everything an operator decides, with defaults."),
    _page("limits", PageKind.REFERENCE, "Which limits there are, and why.", "arena.deploy"),
    _page("commands", PageKind.REFERENCE, "What all commands share: exit codes, JSON, colours."),
    _page("flags", PageKind.REFERENCE, "Which command has which flags."),
    ManualPage(
        "readings",
        PageKind.REFERENCE,
        "arena.rules",
        "RULES.md",
        "The rules' options, the order of effects, and every settled reading.",
    ),
    _page("changes", PageKind.REFERENCE, "What a user may notice, newest first."),
    _page("ratings", PageKind.EXPLANATION, "What the numbers mean, and how exact they are."),
    _page("fairness", PageKind.EXPLANATION, "How cards are dealt, and how to check it."),
    _page("clocks", PageKind.EXPLANATION, "How long a bot may think, and who pays for outages."),
    _page("scaling", PageKind.EXPLANATION, "What hosts an event needs, and what bounds it."),
    _page("security", PageKind.EXPLANATION, "What is promised, and what not."),
    _page("architecture", PageKind.EXPLANATION, "How the arena is built, for whoever changes it."),
    _page("decisions", PageKind.EXPLANATION, "Why it is built so."),
)
"""All pages, in the order in which they are listed."""
FIRST_PAGES = (
    ("Write a bot", "first-bot"),
    ("Play", "seat"),
    ("Watch", "playing"),
    ("Run a tournament", "first-tournament"),
    ("Teach a class", "class"),
    ("Host an arena", "hosting"),
    ("Change the code", "changing"),
)
"""What a reader may want, each with the page to begin with."""


def pages_by_kind() -> list[tuple[PageKind, list[ManualPage]]]:
    """All pages, in groups."""
    return [(kind, [page for page in PAGES if page.kind is kind]) for kind in PageKind]


def manual_page(topic: str) -> ManualPage:
    """A page by its topic. Raises NotFound."""
    for each in PAGES:
        if each.topic == topic:
            return each
    raise NotFound(topic, "the manual has no page of that name")


@cache
def _read(package: str, file: str) -> str:
    return (files(package) / file).read_text(encoding="utf-8")
