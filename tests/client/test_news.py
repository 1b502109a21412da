"""A bot that comes back is told what happened meanwhile, each thing once."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from arena.client.flags import parser, settings
from arena.client.main import enter, signed_in
from arena.client.news import MOST
from arena.client.problems import KitError
from arena.client.tokens import TokenFile
from arena.documents import Document
from tests.client.fake_arena import FakeArena, Request, serving


def notice(number: int, kind: str = "fault", text: str = "No answer came in time.") -> Document:
    return {
        "notice": number,
        "session": "cup",
        "at": "2026-01-31T09:00:05.120Z",
        "kind": kind,
        "text": text,
        "data": {},
    }


def come_back(url: str) -> TokenFile:
    chosen = settings(parser().parse_args(["--url", url]), {}, {})
    with signed_in(chosen, default_name="careful") as me:
        assert me.file is not None
        return me.file


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    found = [record.getMessage() for record in caplog.records]
    caplog.clear()
    return [line for line in found if line.startswith("2026") or "newest" in line]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_what_happened_is_logged_when_the_bot_comes_back_and_only_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "arena.client")
    arena = FakeArena()
    with serving(arena) as url:
        come_back(url)
        assert "GET" not in {request.method for request in arena.requests}
        arena.notices = [
            notice(1, "next_table"),
            notice(2),
            notice(3, "session_ended", "It ended."),
        ]
        come_back(url)
        assert lines(caplog) == [
            "2026-01-31 09:00 No answer came in time.",
            "2026-01-31 09:00 It ended.",
        ]
        come_back(url)
        assert lines(caplog) == []
        arena.notices.append(notice(4, "disqualified", "An organiser has disqualified the bot."))
        file = come_back(url)
        (record,) = [each for each in caplog.records if "disqualified" in each.getMessage()]
        assert record.levelno == logging.WARNING
        stored = file.load()
        assert stored is not None
        assert stored.notices == 4


def test_of_many_notices_the_newest_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "arena.client")
    arena = FakeArena()
    with serving(arena) as url:
        come_back(url)
        arena.notices = [notice(number, text=f"Fault {number}.") for number in range(1, 31)]
        come_back(url)
    found = lines(caplog)
    assert len(found) == MOST + 1
    assert found[0] == "30 notices since last time; the newest 20:"
    assert found[-1].endswith("Fault 30.")


def test_an_arena_that_keeps_no_notices_is_played_at_all_the_same(
    caplog: pytest.LogCaptureFixture,
) -> None:
    arena = FakeArena()
    with serving(arena) as url:
        come_back(url)
        come_back(url)
        stored = come_back(url).load()
    assert stored is not None
    assert stored.notices == 0


def test_sessions_are_called_by_their_names_beside_the_ids_that_commands_take(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Two(FakeArena):
        def sessions(self, request: Request) -> list[Document]:
            return [{"session": "s-aaaaaaaa", "name": "Spring cup"}, {"session": "cup"}]

    chosen = settings(parser().parse_args([]), {}, {})
    with serving(Two()) as url, signed_in(chosen._replace(url=url), default_name="careful") as me:
        with pytest.raises(KitError, match=r"--session: s-aaaaaaaa \(Spring cup\), cup$"):
            enter(me, [])
        with pytest.raises(KitError, match=r"no session 'x' .* s-aaaaaaaa \(Spring cup\), cup$"):
            enter(me, ["x"])
