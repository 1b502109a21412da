"""Documents that docstrings and pages name: they are in the repository, with those headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.manual.pages import PAGES, ROOT, docstrings, headings, named, text

FOLDERS = ("arena", "tests", "sample_bots")
SOURCES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
DOCUMENT = re.compile(r"(?<![\w/.-])((?:\.\./)*\w[\w/-]*\.md)\b")
HEADING_FIRST = re.compile(r"“([^”]+)”\s+in\s+`([\w/-]+\.md)`")
HEADING_LAST = re.compile(r"`([\w/-]+\.md)`,\s+“([^”]+)”")
PLACE = re.compile(r"`((?:arena|tests|schemas|sample_bots)/[\w/.-]*)`")


def writings() -> Iterator[tuple[Path, str]]:
    """The docstrings that may name a document, and all pages, with the file that each is in."""
    for path in SOURCES:
        if ".md" in text(path):
            yield from ((path, docstring) for docstring in docstrings(path))
    yield from ((page, text(page)) for page in PAGES)


def document(name: str, user: Path) -> Path | None:
    """The file of a name: beside who names it, or above that, up to the root."""
    folders = [parent for parent in user.parents if parent.is_relative_to(ROOT)]
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


def cited(writing: str) -> Iterator[tuple[str, str]]:
    """Headings with the names of their documents."""
    yield from HEADING_FIRST.findall(writing)
    yield from ((heading, name) for name, heading in HEADING_LAST.findall(writing))


def test_every_document_that_is_named_exists() -> None:
    names = {(named(user), name) for user, said in writings() for name in DOCUMENT.findall(said)}
    assert len(names) >= 10
    assert sorted(pair for pair in names if not document(pair[1], ROOT / pair[0])) == []


def test_every_heading_that_is_cited_exists() -> None:
    found = {(user, *pair) for user, said in writings() for pair in cited(said)}
    assert len(found) >= 3
    for user, heading, name in found:
        there = document(name, user)
        assert there, f"{named(user)} names {name}"
        assert re.sub(r"\s+", " ", heading) in headings(there), f"{named(user)} cites {heading}"


def test_every_place_in_the_repository_that_is_named_exists() -> None:
    for page in PAGES:
        for place in PLACE.findall(text(page)):
            assert (ROOT / place).exists(), f"{named(page)} names {place}"
