"""Every page for people: an arena that has something on each of them, and where they are.

Who adds a page adds an address of it here: tests of all pages (accessibility, width) read this
list, and a test fails on a route of pages that is not in it.
"""

from __future__ import annotations

from collections.abc import Mapping

from arena.clock import instant
from arena.proofs.signatures import Signer
from arena.settings import Settings
from arena.store.port import BotRow
from tests.real import Real
from tests.web.api.test_results import play

PATCHES = {"preset": "pagat", "patches": ["kakumei", "hachi_giri"]}
NAMES = ("大貧民ボット次郎", "روبوت ذكي", "x" * 200, "<b>bold</b> & “quoted”")
PAGES: Mapping[str, tuple[str, ...]] = {
    "/": ("/",),
    "/sessions": ("/sessions?after=first",),
    "/sessions/{session}": (
        "/sessions/cup",
        "/sessions/over",
        "/sessions/next",
        "/sessions/secret",
    ),
    "/sessions/{session}/{report}": (
        "/sessions/over/standings",
        "/sessions/over/crosstable",
        "/sessions/over/superiority",
        "/sessions/over/separations",
        "/sessions/over/history",
    ),
    "/sessions/{session}/tables": ("/sessions/over/tables", "/sessions/cup/tables?round=1"),
    "/sessions/{session}/bots/{bot}": ("/sessions/over/bots/over-1", "/sessions/next/bots/b-1"),
    "/sessions/{session}/pairs/{bot}/{other}": (
        "/sessions/over/pairs/over-1/over-2",
        "/sessions/next/pairs/b-1/b-2",
    ),
    "/sessions/{session}/ceremony": (
        "/sessions/over/ceremony",
        "/sessions/over/ceremony?step=3",
        "/sessions/cup/ceremony",
    ),
    "/tables/{table}": ("/tables/over-r01-t01", "/tables/cup-r01-t01"),
    "/hands/{hand}": ("/hands/over-r01-t01-h002?at=40&log=all", "/hands/cup-r01-t01-h001"),
    "/seat": ("/seat",),
    "/seat/invitation": ("/seat/invitation",),
    "/rules": ("/rules", "/rules?q=eight", "/rules?q=hachigirri"),
    "/rules/{ruleset}": ("/rules/pagat+kakumei", "/rules/dqx"),
    "/rules/examples/{option}": ("/rules/examples/kakumei",),
    "/rules/examples/{option}/{number}": ("/rules/examples/seats/2",),
    "/manual": ("/manual",),
    "/manual/{topic}": ("/manual/events",),
    "/problems": ("/problems",),
    "/problems/{code}": ("/problems/illegal", "/problems/not_found"),
    "/staff": ("/staff",),
    "nowhere": ("/nowhere",),
}
"""For each route of pages (and for paths that are none) some addresses of the arena below."""


def arena_of_all_pages() -> Real:
    """An arena with a session that is being played, one that is over, one whose results are
    withheld, and one to come that bots with difficult names have entered."""
    settings = Settings(requests_per_s=0, anonymous_per_s=100_000, anonymous_burst=100_000)
    real = Real(settings=settings, signer=Signer(bytes(range(32))))
    real.organiser.post("/api/v1/sessions", json={"name": "First", "slug": "first"})
    real.clock.pass_ms(1)
    real.session(5, names="over", slug="over", seats=4, schedule={"rounds": 5}, ruleset=PATCHES)
    play(real, at_most=420)
    real.organiser.post("/api/v1/sessions/over/freeze")
    play(real)
    real.organiser.post("/api/v1/sessions/over/publish")
    real.session(4, names="secret", slug="secret", board="pseudonymous")
    play(real)
    real.organiser.post("/api/v1/sessions/secret/embargo", json={})
    _coming(real)
    real.session(8, names="cup", seats=4, schedule={"rounds": 3}, ruleset=PATCHES)
    play(real, at_most=500)
    real.clock.pass_ms(600_000)
    return real


def _coming(real: Real) -> None:
    starts = instant(real.clock.ms + 7_500_000)
    document = {"name": NAMES[0] + NAMES[1], "slug": "next", "seats": 4, "starts": starts}
    assert real.organiser.post("/api/v1/sessions", json=document).status_code == 201
    real.organiser.post("/api/v1/sessions/next/open")
    for number, name in enumerate(NAMES):  # from before names were checked so
        real.store.write(BotRow(f"b-{number}", name, name, f"h{number}", 1, False, "bot"))
        path = f"/api/v1/sessions/next/entries/b-{number}"
        assert real.organiser.put(path).status_code == 200
