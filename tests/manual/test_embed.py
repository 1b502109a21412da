"""The page on sharing and embedding: every parameter, key and member is one that there is."""

from __future__ import annotations

import re

from arena.manual import manual_page
from arena.settings import Settings
from arena.web.pages.assets import VIEWER
from arena.web.pages.hands import endpoints
from arena.web.pages.moments import LONG_THOUGHT_MS

TEXT = manual_page("embed").text
SCRIPT = VIEWER.body.decode()


def rows(heading: str) -> list[str]:
    """The first cells of the table below a heading."""
    section = TEXT.partition(f"## {heading}")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [line.split("|")[1].strip() for line in lines[2:]]


def test_the_parameters_are_those_of_the_page() -> None:
    (page,) = [each for each in endpoints() if each.path == "/hands/{hand}"]
    assert {param.name for param in page.query} == {
        cell.strip("`") for cell in rows("How do I share a moment?")
    }


def test_every_single_key_of_the_script_stands_in_the_table_and_no_other() -> None:
    written = {key for cell in rows("Which keys are there?") for key in re.findall("`(.)`", cell)}
    actions = SCRIPT.partition("const ACTIONS = {")[2].partition("\n};")[0]
    said = SCRIPT.partition("const SAID = {")[2].partition("\n};")[0]
    keys = re.findall(r'^  "?([a-z<>?])"?: ', actions + said, re.MULTILINE)
    assert written | {"?"} == set(keys)
    listed = re.findall(r'^  \["(.*?)", ', SCRIPT.partition("const KEYS = [")[2], re.MULTILINE)
    assert {key for cell in listed for key in cell.split() if len(key) == 1} >= set(keys)
    assert f"{LONG_THOUGHT_MS // 1000} seconds or more" in TEXT


def test_the_members_of_a_message_are_those_that_are_sent() -> None:
    cells = rows("How does my page learn what is shown?")
    written = {name for cell in cells for name in re.findall("`(.*?)`", cell)}
    sent = SCRIPT.partition("parent.postMessage({")[2].partition("}")[0]
    assert written == set(re.findall(r"(?:^|, )\s*(\w+)", sent.strip()))


def test_the_setting_is_one_of_the_process() -> None:
    (line,) = re.findall(r'ARENA_(\w+)="(.*?)"', TEXT)
    assert Settings(**{line[0].lower(): line[1]}).frame_ancestors == "https://club.example"
