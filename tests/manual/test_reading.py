"""The manual in the terminal, on the server and as files: every page, and links that lead on."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from click.testing import CliRunner, Result

from arena.cli.main import group
from arena.errors import BadInput
from arena.manual import FIRST_PAGES, PAGES, ManualPage
from arena.manual.rendering import anchor, manual_html
from tests.manual.pages import DEPLOY, MANUAL, README, RULES, anchors
from tests.real import Real
from tests.web.pages.test_views import Outline, page

TOPICS = [each.topic for each in PAGES]


def manual(*options: str) -> Result:
    return CliRunner().invoke(group, ["manual", *options])


def test_every_page_of_the_repository_is_in_the_manual() -> None:
    named = {f"{each.package.replace('.', '/')}/{each.file}" for each in PAGES}
    here = {path.relative_to(path.parents[2]).as_posix() for path in (*MANUAL, *DEPLOY, RULES)}
    assert named == here


def test_the_readme_links_every_page() -> None:
    text = README.read_text(encoding="utf-8")
    for each in PAGES:
        link = f"]({each.package.replace('.', '/')}/{each.file})"
        assert link in text, f"the table in the README has no link to the page {each.topic}"


def test_the_list_has_a_line_for_each() -> None:
    lines = manual().stdout.splitlines()
    for each in PAGES:
        assert any(line.split()[:1] == [each.topic] for line in lines), each.topic
    assert [each["topic"] for each in json.loads(manual("--json").stdout)["pages"]] == TOPICS


def test_a_reader_is_led_to_the_page_to_begin_with() -> None:
    links = [each.get("href") for each in Outline(page(Real().anybody, "/manual")).of("a")]
    assert {topic for _, topic in FIRST_PAGES} <= set(TOPICS)
    for wish, topic in FIRST_PAGES:
        assert f"/manual/{topic}" in links
        assert f"{topic} ({wish.lower()})" in manual().stdout


@pytest.mark.parametrize("each", PAGES, ids=lambda each: each.topic)
def test_a_page_is_printed_as_it_stands(each: ManualPage) -> None:
    text = manual(each.topic).stdout
    assert text == each.text
    assert text.startswith(f"# {each.title}\n")


def test_an_unknown_topic_gets_the_nearest() -> None:
    done = manual("rating")
    assert isinstance(done.exception, BadInput)
    assert "did you mean 'ratings'?" in str(done.exception)


@pytest.mark.slow
def test_on_the_server_every_link_of_every_page_leads_somewhere() -> None:
    real = Real()
    outlines = {
        f"/manual/{topic}": Outline(page(real.anybody, f"/manual/{topic}")) for topic in TOPICS
    }
    outlines["/manual"] = Outline(page(real.anybody, "/manual"))
    ids = {path: {attrs.get("id") for _, attrs in each.tags} for path, each in outlines.items()}
    for path, outline in outlines.items():
        for link in outline.of("a"):
            place, _, fragment = str(link["href"]).partition("#")
            if "://" in place:
                continue
            real.clock.pass_ms(1_000)
            assert real.anybody.get(place or path).status_code == 200, (path, link)
            if fragment and (place or path) in ids:
                assert unquote(fragment) in ids[place or path], (path, link)


def test_a_page_on_the_server_is_there_as_markdown_too() -> None:
    real = Real()
    response = real.anybody.get("/manual/ratings.md")
    assert response.content_type == "text/markdown; charset=utf-8"
    assert response.text.startswith("# Ratings")
    by_accept = real.anybody.get("/manual/ratings", headers={"Accept": "text/markdown"})
    assert by_accept.data == response.data
    assert "Accept" in by_accept.headers["Vary"].split(", ")
    again = real.anybody.get("/manual/ratings", headers={"If-None-Match": '"x"'})
    assert (again.status_code, again.mimetype) == (200, "text/html")
    for unknown in ("/manual/nothing", "/manual/ratings.html", "/manual/.md"):
        assert real.anybody.get(unknown).status_code == 404


def test_as_files_all_pages_lead_to_each_other(tmp_path: Path) -> None:
    folder = tmp_path / "public" / "manual"
    assert f"{len(PAGES) + 2} files" in manual("--html", str(folder)).stdout
    names = {path.name for path in folder.iterdir()}
    assert names == {"index.html", "arena.css", *(f"{topic}.html" for topic in TOPICS)}
    for path in folder.glob("*.html"):
        for link in Outline(path.read_text(encoding="utf-8")).of("a"):
            place = str(link["href"]).partition("#")[0]
            assert "://" in place or not place or place in names, (path.name, link)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = manual("--html", str(tmp_path / "file" / "manual"))
    assert isinstance(done.exception, BadInput)
    assert str(tmp_path / "file" / "manual") in str(done.exception)


@pytest.mark.parametrize("each", PAGES, ids=lambda each: each.topic)
def test_tables_have_heads_and_are_scrolled_with_the_keyboard_too(each: ManualPage) -> None:
    html = manual_html(each.text, str)
    assert html.count("<table") == html.count('<table tabindex="0"')
    assert "<th></th>" not in html


def test_nothing_in_a_page_is_taken_as_html() -> None:
    html = manual_html("# A <b>\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1))\n", str)
    assert "<script" not in html
    assert "<b>" not in html
    assert 'href="javascript:' not in html


@pytest.mark.parametrize("path", [*MANUAL, *DEPLOY], ids=lambda path: path.stem)
def test_headings_have_the_anchors_of_the_repository(path: Path) -> None:
    html = manual_html(path.read_text(encoding="utf-8"), str)
    assert set(re.findall(r'<h\d id="([^"]*)"', html)) == anchors(path)
    assert anchor("What is promised?") == "what-is-promised"
