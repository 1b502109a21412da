"""How to enter stands on the page of a session that is open, for this very server."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest

from arena.settings import Settings
from tests.real import Real
from tests.web.pages.test_views import Outline, page


def arena(settings: Settings | None = None, **members: Any) -> Real:
    """An arena with a session that is open."""
    real = Real(settings=settings)
    document = {"name": "Cup", "slug": "cup", "seats": 4, **members}
    assert real.organiser.post("/api/v1/sessions", json=document).status_code == 201
    assert real.organiser.post("/api/v1/sessions/cup/open").status_code == 200
    return real


def commands(text: str) -> list[list[str]]:
    """What is to be typed, as a shell reads it."""
    words = [word for word in Outline(text).words if word.startswith(("curl", "python"))]
    return [shlex.split(line) for word in words for line in word.splitlines()]


def test_the_commands_enter_a_bot() -> None:
    real = arena()
    kit, register, enter, ask = commands(page(real.anybody))
    assert kit == ["python", "first_bot.py", "--url", "http://localhost", "--session", "cup"]
    body, url = register[2:]
    path = url.removeprefix("http://localhost")
    made = real.anybody.post(path, data=body, content_type="application/json")
    assert made.status_code == 201, made.text
    bot = real.client(made.get_json()["token"])
    assert bot.put(enter[-1].removeprefix("http://localhost")).status_code == 200
    at_once = ask[-1].removeprefix("http://localhost").replace("wait=25", "wait=0")
    assert bot.get(at_once).status_code == 200  # nobody moves the clock of this arena
    assert "1 bot" in page(real.anybody)


def test_the_address_is_the_one_that_the_reader_used() -> None:
    real = arena()
    for scheme, host in (("https", "arena.example.org"), ("http", "[::1]:8000")):
        shown = real.anybody.get("/sessions/cup", base_url=f"{scheme}://{host}").text
        assert f"--url {scheme}://{host} " in shown
    behind = {"X-Forwarded-Proto": "https", "Host": "arena.example.org"}
    shown = real.anybody.get("/sessions/cup", headers=behind).text
    assert "--url https://arena.example.org " in shown


@pytest.mark.parametrize("host", ["a;rm -rf", "x$(id)", "<b>", "a b", "e'x"])
def test_a_host_that_is_none_is_not_repeated(host: str) -> None:
    shown = arena().anybody.get("/sessions/cup", headers={"Host": host}).text
    assert host not in shown
    assert "--url http://127.0.0.1:8000 " in shown


def test_an_arena_that_asks_for_a_code_says_so() -> None:
    real = arena(Settings(registration="code"))
    kit, register, *_ = commands(page(real.anybody))
    assert kit[-2:] == ["--code", "CODE"]
    assert '"code": "CODE"' in register[2]
    assert "The code is from the organiser." in page(real.anybody)


def test_who_cannot_enter_by_themselves_is_told_why() -> None:
    assert "ask for a token" in page(arena(Settings(registration="closed")).anybody)
    real = arena(roster={"open": False})
    assert "The organiser enters the bots of this session." in page(real.anybody)
    assert commands(page(real.anybody)) == []


def test_where_it_is_not_open_nothing_is_said() -> None:
    real = Real()
    real.session(4)
    assert "How to enter" not in page(real.anybody)
    assert not re.search(r"\bcurl\b", page(real.anybody))
