"""`arena manual`: the pages of the manual, in the terminal or as files for a web server."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from html import escape
from pathlib import Path

import click

from arena.cli.remote import json_option, print_json
from arena.errors import BadInput
from arena.manual import FIRST_PAGES, PAGES, ManualPage, manual_page, pages_by_kind

FRAME = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Daifugō Arena</title>
<link rel="stylesheet" href="arena.css">
</head>
<body>
<header class="bar"><a class="brand" href="index.html">Daifugō Arena</a></header>
<main>
<article class="prose">
{body}
</article>
</main>
</body>
</html>
"""


@click.command(
    epilog="""Examples:

    arena manual

    arena manual ratings

    arena manual --html public/manual
"""
)
@click.argument("topic", required=False)
@click.option(
    "--html",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write all pages as HTML into this folder.",
)
@json_option
def command(topic: str | None, folder: Path | None, as_json: bool) -> None:
    """Read the manual: all topics, one page, or all of it as a folder of HTML files.

    A running arena has the same pages under /manual.
    """
    if folder is not None:
        if topic is not None:
            raise BadInput("TOPIC", topic, "nothing beside --html, which writes all pages")
        written = _write(folder)
        if as_json:
            print_json({"files": [str(path) for path in written]})
        else:
            click.echo(f"{len(written)} files in {folder}; begin with {folder / 'index.html'}")
    elif topic is None:
        _list(as_json=as_json)
    else:
        _print(_known(topic), as_json=as_json)


def _known(topic: str) -> ManualPage:
    """A page by its topic. Raises BadInput with the nearest one."""
    topics = [page.topic for page in PAGES]
    if topic in topics:
        return manual_page(topic)
    near = get_close_matches(topic, topics, n=1)
    guess = f"; did you mean {near[0]!r}?" if near else ""
    raise BadInput("TOPIC", topic, f"one of {', '.join(topics)}{guess}")


def _list(*, as_json: bool) -> None:
    if as_json:
        listed = [
            {
                "topic": page.topic,
                "kind": page.kind,
                "title": page.title,
                "says": page.says,
                "language": page.language,
            }
            for page in PAGES
        ]
        print_json({"pages": listed})
        return
    click.echo("Pages of the manual (arena manual TOPIC):")
    begin = ", ".join(f"{topic} ({wish.lower()})" for wish, topic in FIRST_PAGES)
    click.echo(f"Begin with {begin}.")
    for kind, pages in pages_by_kind():
        click.echo(f"\n{kind}")
        for page in pages:
            click.echo(f"  {page.topic:<17} {page.says}")


def _print(page: ManualPage, *, as_json: bool) -> None:
    if as_json:
        print_json({"topic": page.topic, "title": page.title, "markdown": page.text})
    elif sys.stdout.isatty():
        click.echo_via_pager(page.text)
    else:
        click.echo(page.text, nl=False)


def _entry(page: ManualPage) -> str:
    """A page in the list of all."""
    lang = f' lang="{page.language}"'
    link = f'<a href="{page.topic}.html">{escape(page.title)}</a>'
    return f"<dt{lang}>{link}</dt><dd{lang}>{escape(page.says)}</dd>"


def _index() -> str:
    """The list of all pages."""
    lists = (
        f"<h2>{kind}</h2><dl>{''.join(map(_entry, pages))}</dl>" for kind, pages in pages_by_kind()
    )
    return f"<h1>Manual</h1>{''.join(lists)}"


def _write(folder: Path) -> list[Path]:
    """Write every page, the list of them and the stylesheet; the files that were written."""
    from arena.manual.rendering import manual_html
    from arena.web.pages.assets import STYLESHEET

    pages = {"index.html": FRAME.format(language="en", title="Manual", body=_index())}
    for page in PAGES:
        body = manual_html(page.text, lambda topic: f"{topic}.html")
        pages[f"{page.topic}.html"] = FRAME.format(
            language=page.language, title=escape(page.title), body=body
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "arena.css").write_bytes(STYLESHEET.body)
        for name, text in pages.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput("--html", str(folder), f"a folder to write to ({error.strerror})") from error
    return [folder / name for name in ("arena.css", *pages)]
