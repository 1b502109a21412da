"""`arena replay`: recorded hands in the viewer, served on this machine or as one file."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
import requests
from click.testing import CliRunner, Result
from playwright.sync_api import Browser, Page

from arena.bench.strategies import player
from arena.cli.main import group
from arena.cli.terminal.opening import has_desktop
from arena.cli.terminal.replay_server import RecordedHands, ReplayPages, ReplayServer
from arena.errors import BadInput
from arena.match.recording import record_lines
from arena.match.tables import TableSetup, play_table
from arena.narration.language import Detail
from arena.narration.sentences import LANGUAGES
from arena.rules import compile_ruleset
from arena.rules.presets import PRESETS
from arena.session.recorded_hand import RecordedHand, read_recorded_hand
from arena.web.api.validation import load_schemas
from arena.web.pages.assets import STYLESHEET, VIEWER
from arena.web.pages.hands import HandView
from arena.web.pages.recorded import compact_script, one_file, rules_for
from tests.browser import violations, window
from tests.cli.shell import ARENA, PATIENCE_S, environment

MOST_BYTES = 60_000
BOTS = ("lowest", "random", "saving-5", "sense-50", "sense-30", "sense-70")
NASTY = ("\x1b[31mred\x07", "</script><script>alert(1)</script>", "مرحبا", "大富豪\u202e")
ABOVE = HandView(None, "en", Detail.NORMAL)


def lines_of_table(ruleset: str, *, hands: int = 2) -> list[str]:
    """Hands of a table, as a record file has them."""
    rules = compile_ruleset(ruleset)
    bots = BOTS[: rules.players]
    setup = TableSetup(rules, "b1", "p", bots, hands=hands, seed=1, shuffles="b1", seats="b1")
    return list(
        record_lines(setup, play_table(setup, [player(b, setup, seed=1) for b in bots]), number=1)
    )


def renamed(line: str, names: tuple[str, ...]) -> str:
    document = json.loads(line)
    document["players"] = document["bots"] = list(names)
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return lines_of_table("house", hands=3)


@pytest.fixture
def file(tmp_path: Path, lines: list[str]) -> Path:
    path = tmp_path / "match.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    return path


def replay(file: Path, *options: str) -> Result:
    return CliRunner().invoke(group, ["replay", str(file), *options])


def refusal(file: Path, *options: str) -> str:
    """What `replay` refuses with; `main` prints it in one line and ends with code 2."""
    done = replay(file, *options)
    assert isinstance(done.exception, BadInput), done.output
    return str(done.exception)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_hand_of_every_preset_is_one_file_within_its_budget(preset: str) -> None:
    for line in lines_of_table(preset):
        hand = read_recorded_hand(json.loads(line))
        for code in LANGUAGES:
            for seat in (None, 1):
                page = one_file(hand, HandView(seat, code, Detail.FULL))
                assert len(page) <= MOST_BYTES
                check_alone(page.decode())


def check_alone(page: str) -> None:
    """The file refers to nothing else, and allows its own style and script only."""
    assert not re.search(r"https?://|@import|url\(|\bsrc=|<link", page.replace("data:", ""))
    assert set(re.findall(r'href="([^"?#]*)', page)) <= {""}
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    (script,) = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    for text in (style, script):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"sha256-{digest}" in policy.replace("&#39;", "'")
    assert "default-src &#39;none&#39;" in policy


def test_the_file_has_all_sentences_as_text_and_says_nothing_else_of_names(
    lines: list[str],
) -> None:
    hand = read_recorded_hand(json.loads(renamed(lines[0], NASTY)))
    page = one_file(hand, ABOVE).decode()
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "<script>alert" not in page
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in page
    assert page.count("<script") == 2
    assert "The hand ends: 1st" in page


def test_from_a_seat_the_file_has_no_card_that_the_seat_did_not_know(lines: list[str]) -> None:
    """The deal shows one hand; all names of cards in it are that seat's."""
    hand = read_recorded_hand(json.loads(lines[0]))
    page = one_file(hand, HandView(2, "en", Detail.NORMAL)).decode()
    felt = page.split('<div class="felt">')[1].split("</nav>")[0]
    assert felt.count('<li class="card') == hand.events[0].counts[2]  # type: ignore[attr-defined]


def test_comments_and_indents_of_the_script_go_and_nothing_that_counts() -> None:
    script = VIEWER.body.decode()
    assert all(line.count("`") % 2 == 0 for line in script.splitlines()), "a text over lines"
    short = compact_script(script)
    assert len(short) < len(script)
    assert re.sub(r"^\s*(//.*)?\n|^\s+", "", script, flags=re.MULTILINE).strip() == short


def test_rules_for_other_pages_are_left_out_of_the_style() -> None:
    style = ".a{x:1}.b,p{y:2}@media print{.c{z:3}.a .b{w:4}}:is(th, td).text{v:5}"
    in_doubt = ":is(th, td).text{v:5}"
    assert rules_for("a p", style) == f".a{{x:1}}.b,p{{y:2}}{in_doubt}"
    assert (
        rules_for("a b text", style)
        == ".a{x:1}.b,p{y:2}@media print{.a .b{w:4}}:is(th, td).text{v:5}"
    )
    kept = rules_for("viewer felt", STYLESHEET.body.decode())
    assert kept.count("{") == kept.count("}")


def position(page: Page) -> str:
    """What is drawn of the table."""
    return page.locator(".felt").inner_text()


@pytest.mark.server
def test_the_file_opens_by_double_click_with_script_and_without(
    browser: Browser, file: Path, tmp_path: Path
) -> None:
    target = tmp_path / "a hand.html"
    assert replay(file, "--hand", "2", "--html", str(target)).exit_code == 0
    with window(browser, script=False) as page:
        page.goto(target.as_uri())
        plain = position(page)
        assert page.get_by_role("heading", name="Hand 2").is_visible()
        assert page.locator(".log li").count() > 20
        page.locator("summary").last.click()
        assert page.get_by_text("The hand ends: 1st").is_visible()
    for scheme in ("light", "dark"):
        with window(browser, scheme=scheme) as page:
            page.goto(target.as_uri())
            page.get_by_role("slider").wait_for()
            assert position(page) == plain
            assert violations(page) == []
            page.keyboard.press("End")
            assert position(page) != plain
            assert "place 1" in position(page)
            page.keyboard.press("Home")
            assert position(page) == plain
            page.keyboard.press("n")
            assert page.locator("li.now .mark").count() == 1


def test_html_is_written_whole_or_not_at_all(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "hand.html"
    done = replay(file, "--hand", "match-r01-t01-h002", "--html", str(target), "--json")
    assert json.loads(done.stdout) == {
        "file": str(target),
        "hand": "match-r01-t01-h002",
        "bytes": len(target.read_bytes()),
    }
    assert "--html is" in refusal(file, "--hand", "1", "--html", str(tmp_path / "no" / "x.html"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hand.html", "match.jsonl"]


@pytest.fixture
def url(file: Path) -> Iterator[str]:
    with ReplayServer(ReplayPages(RecordedHands(file)), 0) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server.url
        server.shutdown()
        thread.join()


def get(url: str, **headers: str) -> requests.Response:
    return requests.get(url, headers=headers, timeout=PATIENCE_S)


def test_the_list_leads_to_pages_with_their_moments(url: str) -> None:
    listed = get(f"{url}/").text
    assert re.findall(r'<a href="(/hands/\d)">', listed) == [f"/hands/{n}" for n in (1, 2, 3)]
    page = get(f"{url}/hands/2?at=9&seat=1&lang=ja&detail=full")
    assert page.headers["Content-Security-Policy"].startswith(
        "default-src 'none'; script-src 'self'"
    )
    assert re.findall(r'rel="(\w+)" href="/hands/(\d)', page.text) == [("prev", "1"), ("next", "3")]
    (moments,) = re.findall(r'data-moments="([^"]*)"', page.text)
    document = get(url + moments.replace("&amp;", "&")).json()
    assert load_schemas().faults("moments", document) == []
    assert (document["seat"], document["lang"], document["detail"]) == (1, "ja", "full")
    for path in re.findall(r'(?:href|src)="(/static/[^"]*)"', page.text):
        assert get(url + path).status_code == 200


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("/hands/4", 404, "hand is '4'; expected 1 to 3"),
        ("/hands/x", 404, "hand is 'x'"),
        ("/hands/1/record", 404, "there is no such page"),
        ("/static/../../etc/passwd", 404, "there is no such page"),
        ("/hands/1?at=99999", 400, "at is 99999; expected an event, 0 to"),
        ("/hands/1?at=-1", 400, "at is '-1'; expected a whole number"),
        ("/hands/1?seat=7", 400, "seat is 7; expected 0 to 3"),
        ("/hands/1?lang=tlh", 400, "lang is 'tlh'; expected one of en, ja"),
        ("/hands/1?detail=x", 400, "detail is 'x'"),
        ("/hands/1?theme=x", 400, "theme is 'x'"),
    ],
)
def test_what_there_is_not_is_named(url: str, path: str, status: int, says: str) -> None:
    request = requests.Request("GET", url).prepare()
    request.url = url + path
    with requests.Session() as session:
        got = session.send(request, timeout=PATIENCE_S)
    assert got.status_code == status
    assert says in got.text
    assert got.headers["Content-Type"].startswith("text/plain")


def test_a_page_of_another_site_cannot_read_the_file_through_it(url: str) -> None:
    """DNS rebinding: the browser would send the other site's name."""
    got = get(f"{url}/hands/1", Host="evil.example")
    assert (got.status_code, got.text) == (421, "not this machine")
    assert requests.post(f"{url}/", timeout=PATIENCE_S).status_code == 501
    assert requests.head(f"{url}/", timeout=PATIENCE_S).content == b""


def test_long_files_are_listed_page_by_page(tmp_path: Path, lines: list[str]) -> None:
    file = tmp_path / "long.jsonl"
    file.write_text("".join(lines * 150), encoding="utf-8")
    pages = ReplayPages(RecordedHands(file))
    first = pages.answer("/", {}).body.decode()
    assert first.count("<li>") == 200
    assert 'rel="next" href="/?from=201"' in first
    last = pages.answer("/", {"from": "401"}).body.decode()
    assert last.count("<li>") == 50
    assert 'rel="prev" href="/?from=201"' in last
    assert 'rel="next"' not in last
    assert pages.answer("/hands/450", {}).status == 200


def test_names_of_any_kind_do_nothing_to_the_pages(tmp_path: Path, lines: list[str]) -> None:
    file = tmp_path / "nasty.jsonl"
    file.write_text("".join(renamed(line, NASTY) for line in lines), encoding="utf-8")
    pages = ReplayPages(RecordedHands(file))
    for path in ("/", "/hands/1", "/hands/1/moments"):
        body = pages.answer(path, {}).body.decode()
        assert "\x1b" not in body
        assert "\u202e" not in body
        assert "<script>alert" not in body or path.endswith("moments")
    assert "مرحبا" in pages.answer("/", {}).body.decode()


@pytest.mark.server
def test_it_says_where_it_is_and_ends_with_ctrl_c(file: Path) -> None:
    command = [
        *ARENA,
        "replay",
        str(file),
        "--hand",
        "2",
        "--seat",
        "random",
        "--no-open",
        "--json",
    ]
    process = subprocess.Popen(
        command, env=environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    says = process.stderr.readline()
    address = says.split()[1]
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/hands/2\?lang=en&detail=normal&seat=\d", address)
    page = get(address).text
    assert "as <bdi>random</bdi> saw it" in page
    process.send_signal(signal.SIGINT)
    output, wrong = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert json.loads(output) == {"url": address, "hands": 3}
    assert "Traceback" not in wrong


def test_ctrl_c_ends_it_politely_also_before_it_serves(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(url: str, *, opens: bool) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("arena.cli.terminal.replay.show_address", interrupted)
    assert replay(file).exit_code == 0


def test_a_browser_is_opened_on_a_desktop_only(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    assert not has_desktop()
    monkeypatch.setenv("DISPLAY", ":0")
    assert has_desktop()
    monkeypatch.setenv("SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22")
    assert not has_desktop()


def test_a_bad_file_is_refused_with_its_line(tmp_path: Path, lines: list[str]) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(lines[0] + lines[1][:-40] + "\n", encoding="utf-8")
    assert "line 2" in refusal(file)
    file.write_text("", encoding="utf-8")
    assert (
        refusal(file) == "file is 'without hands'; expected a record file of hands that were played"
    )
    assert "a file to read" in refusal(tmp_path / "absent.jsonl")
    document = json.loads(lines[0])
    document["steps"][1]["events"] = [{"type": "nonsense"}]
    file.write_text(json.dumps(document), encoding="utf-8")
    assert "expected" in refusal(file, "--html", str(tmp_path / "x.html"))
    assert not (tmp_path / "x.html").exists()


def test_hands_and_seats_that_there_are_not_are_refused(file: Path, tmp_path: Path) -> None:
    target = str(tmp_path / "x.html")
    assert "--hand is '4'; expected a number from 1 to 3" in refusal(file, "--hand", "4")
    assert "the file has several hands" in refusal(file, "--html", target)
    assert "the file has several hands" in refusal(file, "--seat", "random")
    assert "--seat is 'x'; expected one of" in refusal(file, "--hand", "1", "--seat", "x")


def test_a_port_that_is_taken_is_named(file: Path, url: str) -> None:
    port = url.rpartition(":")[2]
    assert f"--port is {port}; expected a port that is free" in refusal(file, "--port", port)


def test_a_hand_that_was_not_played_says_so(lines: list[str]) -> None:
    hand: RecordedHand = read_recorded_hand(json.loads(lines[0]))._replace(steps=(), void="<b>")
    page = one_file(hand, ABOVE).decode()
    assert "It was not played" in page
    assert "This table is void: <bdi>&lt;b&gt;</bdi>" in page
