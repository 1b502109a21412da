"""`run`: flags and environment, registration and return, entry, the ways it ends."""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.client import Bot, Tally, Turn, run
from arena.client.flags import BotSettings, kebab, parser, settings
from arena.client.main import signed_in
from arena.client.problems import ArenaProblem, KitError
from arena.client.tokens import StoredToken, TokenFile
from tests.client.fake_arena import FakeArena, Trouble, answering, serving, turn

FIRST_BOT = """
from arena.client import Bot, run

class Careful(Bot):
    def play(self, turn):
        return turn.lowest() or turn.pass_()

if __name__ == "__main__":
    run(Careful())
"""


EAGER_MAIN = """
from arena.client import Bot, run

def main():
    run(Bot())

main()
"""


class Careful(Bot):
    """Plays the lowest."""

    def play(self, turn: Turn) -> Any:
        return turn.lowest() or turn.pass_()


@pytest.fixture
def arena() -> FakeArena:
    return FakeArena([turn(1), answering(2)])


@pytest.fixture
def url(arena: FakeArena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.chdir(tmp_path)
    with serving(arena) as url:
        yield url


def start(url: str, *flags: str, bot: Bot | None = None) -> Tally | None:
    return run(bot or Careful(), argv=["--url", url, "--wait", "2", *flags], environ={})


def started(url: str, folder: Path) -> subprocess.Popen[str]:
    """The first bot of the README as a process of its own."""
    (folder / "careful.py").write_text(FIRST_BOT)
    root = Path(__file__).parents[2]
    return subprocess.Popen(
        [sys.executable, "careful.py", "--url", url, "--session", "cup", "--name", "carl"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(root)},
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_bot_without_a_token_registers_enters_the_open_session_and_plays(
    arena: FakeArena, url: str
) -> None:
    assert start(url) == Tally(2, 0, 0, 0)
    assert arena.entered == ["careful"]
    assert arena.status == "finished"


def test_a_restart_goes_on_as_the_same_bot_in_the_same_session(arena: FakeArena, url: str) -> None:
    start(url)
    arena.waiting.extend([turn(3), turn(4)])
    arena.status = "running"
    assert start(url) == Tally(2, 0, 0, 0)
    assert arena.paths("POST").count("/api/v1/bots") == 1
    assert arena.entered == ["careful"]


def test_a_token_file_can_be_named(arena: FakeArena, url: str, tmp_path: Path) -> None:
    file = tmp_path / "kept" / "alice.json"
    start(url, "--name", "alice", "--token-file", str(file), "--session", "cup")
    kept = json.loads(file.read_text())
    assert kept == {
        "url": url,
        "name": "alice",
        "token": "dfa_0",
        "sessions": ["cup"],
        "owner": "alice",
        "chances": {"cup": arena.chances["alice"]},
    }
    assert not (tmp_path / ".arena").exists()


def test_a_bot_gives_the_same_bytes_to_chance_after_a_restart(
    arena: FakeArena, url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    for number in (3, 4):
        start(url, "--token-file", "t.json", "--session", "cup")
        arena.waiting.append(turn(number))
        arena.status = "open"
    given = arena.chances["careful"]
    assert len(bytes.fromhex(given)) == 32
    assert arena.entered == ["careful", "careful"]
    assert caplog.messages.count(f"entered session cup, giving {given}") == 2
    assert "other bytes" not in caplog.text


def test_bytes_that_the_arena_does_not_take_are_not_kept(
    arena: FakeArena, url: str, tmp_path: Path
) -> None:
    arena.chances["careful"] = "11" * 32  # from a process that kept nothing
    start(url, "--token-file", "t.json", "--session", "cup")
    assert arena.entered == ["careful"]
    assert "chances" not in json.loads((tmp_path / "t.json").read_text())


@pytest.mark.parametrize("chance", ["none", "1f" * 32])
def test_what_is_given_to_chance_can_be_said(arena: FakeArena, url: str, chance: str) -> None:
    run(Careful(), argv=["--url", url, "--wait", "2"], environ={"ARENA_CHANCE": chance})
    assert arena.chances == ({} if chance == "none" else {"careful": chance})
    assert arena.entered == ["careful"]


def test_bytes_that_nobody_can_give_are_one_line_and_status_2(
    url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        start(url, "--chance", "1f1f")
    assert ended.value.code == 2
    assert (
        "chance is '1f1f'; expected 32 bytes as 64 hex digits, or none" in capsys.readouterr().err
    )


def test_no_token_file_at_all_leaves_nothing_behind(url: str, tmp_path: Path) -> None:
    start(url, "--token-file", "none")
    assert [*tmp_path.iterdir()] == []


def test_a_kept_token_that_the_arena_has_forgotten_is_put_aside(
    arena: FakeArena, url: str, tmp_path: Path
) -> None:
    start(url, "--token-file", "t.json")
    arena.tokens = {"dfa_other": "somebody"}
    arena.waiting.append(turn(3))
    arena.status = "open"
    assert start(url, "--token-file", "t.json") == Tally(1, 0, 0, 0)
    assert json.loads((tmp_path / "t.json.old").read_text())["token"] == "dfa_0"
    assert json.loads((tmp_path / "t.json").read_text())["token"] == "dfa_1"


def test_a_given_token_is_used_and_nothing_is_registered(arena: FakeArena, url: str) -> None:
    arena.tokens["dfa_mine"] = "mine"
    assert start(url, "--token", "dfa_mine") == Tally(2, 0, 0, 0)
    assert "/api/v1/bots" not in arena.paths("POST")


def test_a_token_is_never_sent_to_another_arena(
    arena: FakeArena, url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    start(url, "--token-file", "t.json")
    other = FakeArena([turn(1)])
    with serving(other) as elsewhere, pytest.raises(SystemExit) as ended:
        start(elsewhere, "--token-file", "t.json")
    assert ended.value.code == 1
    said = caplog.records[-1].getMessage()
    assert said.startswith(f"t.json keeps a token of {url}, not of {elsewhere}")
    assert other.requests == []


def test_a_token_file_that_was_exchanged_is_not_used(
    arena: FakeArena, url: str, tmp_path: Path
) -> None:
    """Somebody else's address in a file with the right name: the token is not for this arena."""
    start(url)
    (kept,) = (tmp_path / ".arena").glob("careful@*.json")
    document = json.loads(kept.read_text())
    kept.write_text(json.dumps({**document, "url": "http://other.example:8765"}))
    arena.waiting.append(turn(3))
    arena.status = "open"
    arena.requests.clear()
    start(url)
    assert "/api/v1/bots" in arena.paths("POST")
    assert document["token"] not in {request.token for request in arena.requests}


def test_localhost_and_127_0_0_1_are_the_same_bot(arena: FakeArena, url: str) -> None:
    start(url)
    arena.waiting.append(turn(3))
    arena.status = "open"
    start(url.replace("http://127.0.0.1", "localhost"))
    assert arena.entered == ["careful", "careful"]
    assert arena.paths("POST").count("/api/v1/bots") == 1


def test_an_address_that_is_none_is_one_line_and_status_2(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for flags, environ in ((["--url", "ftp://host"], {}), ([], {"ARENA_URL": "ftp://host"})):
        with pytest.raises(SystemExit) as ended:
            run(Careful(), argv=flags, environ=environ)
        assert ended.value.code == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "the arena's address is 'ftp://host'; expected http" in said


def test_a_default_name_that_is_taken_gets_a_suffix(arena: FakeArena, url: str) -> None:
    arena.tokens["dfa_x"] = "careful"
    start(url)
    assert arena.entered[0].startswith("careful-")


def test_a_chosen_name_that_is_taken_is_an_error(
    arena: FakeArena, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arena.tokens["dfa_x"] = "alice"
    with pytest.raises(SystemExit) as ended:
        start(url, "--name", "alice")
    assert ended.value.code == 1
    assert arena.entered == []


class TestOwners:
    def chosen(self, url: str, *flags: str) -> BotSettings:
        return settings(parser().parse_args(["--url", url, "--owner", "alice", *flags]), {}, {})

    def test_three_started_at_once_in_one_folder_are_three_bots_of_the_owner(
        self, arena: FakeArena, url: str
    ) -> None:
        chosen, together = self.chosen(url), threading.Barrier(3)
        names: list[str] = []

        def sign_in() -> None:
            together.wait()
            with signed_in(chosen, default_name="careful") as me:
                names.append(me.name)
                together.wait()  # so that all three run at the same time

        threads = [threading.Thread(target=sign_in) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(names) == ["careful", "careful-2", "careful-3"]
        assert [*arena.owners.values()] == ["alice"] * 3
        posted = [each.body for each in arena.requests if each.method == "POST"]
        assert {body["owner"] for body in posted} == {"alice"}

    def test_a_code_is_used_for_the_first_bot_only(self, arena: FakeArena, url: str) -> None:
        for name in ("a-1", "a-2"):
            with signed_in(self.chosen(url, "--code", "c", "--name", name), default_name="x"):
                pass
        posted = [(each.token, each.body.get("code")) for each in arena.requests]
        assert posted == [(None, "c"), ("dfa_0", None)]

    def test_elsewhere_the_token_of_another_bot_is_given(
        self, arena: FakeArena, url: str, tmp_path: Path
    ) -> None:
        arena.tokens["dfa_mine"], arena.owners["dfa_mine"] = "alice-1", "alice"
        flags = ("--owner-token", "dfa_mine", "--token-file", str(tmp_path / "there" / "a.json"))
        with signed_in(self.chosen(url, *flags), default_name="alice-2") as me:
            assert me.name == "alice-2"
        assert arena.owners["dfa_1"] == "alice"

    def test_kept_tokens_that_the_arena_has_forgotten_are_passed_over(
        self, arena: FakeArena, url: str
    ) -> None:
        with signed_in(self.chosen(url), default_name="a-1"):
            pass
        arena.tokens.clear()
        arena.owners.clear()
        with signed_in(self.chosen(url), default_name="a-2") as me:
            assert me.name == "a-2"
        assert [*arena.owners.values()] == ["alice"]

    def test_an_owner_that_is_somebody_elses_is_an_error_that_names_the_way(
        self, arena: FakeArena, url: str
    ) -> None:
        arena.tokens["dfa_x"], arena.owners["dfa_x"] = "stranger", "alice"
        with (
            pytest.raises(ArenaProblem, match="'alice' is somebody's already"),
            signed_in(self.chosen(url), default_name="careful"),
        ):
            pass
        arena.tokens["dfa_y"], arena.owners["dfa_y"] = "careful", "y"
        arena.owners["dfa_x"] = "other"
        with signed_in(self.chosen(url), default_name="careful") as me:
            assert me.name.startswith("careful-"), "only the name was taken"

    def test_a_token_of_another_arena_or_owner_is_not_sent(
        self, arena: FakeArena, url: str
    ) -> None:
        folder = Path(".arena")
        folder.mkdir()
        for name, stored in (
            ("a", StoredToken("http://other.example", "a", "dfa_there", owner="alice")),
            ("b", StoredToken(url, "b", "dfa_bob", owner="bob")),
        ):
            TokenFile(folder / f"{name}.json").save(stored)
        (folder / "odd.json").write_text("{}")
        with signed_in(self.chosen(url), default_name="careful"):
            pass
        assert [each.token for each in arena.requests] == [None]

    def test_the_program_may_say_whose_bot_it_is(self, arena: FakeArena, url: str) -> None:
        run(Careful(), argv=["--url", url, "--wait", "2"], environ={}, owner="carol")
        assert arena.owners["dfa_0"] == "carol"
        environ = {"ARENA_OWNER": "dora", "ARENA_OWNER_TOKEN": "t"}
        chosen = settings(parser().parse_args([]), environ, {"owner": "carol"})
        assert (chosen.owner, chosen.owner_token) == ("dora", "t")


def test_the_command_line_wins_over_the_environment_and_this_over_the_program() -> None:
    environ = {"ARENA_URL": "http://env", "ARENA_SESSION": "a,b", "ARENA_CODE": "c"}
    given = {"url": "http://program", "session": "p", "name": "n", "wait_s": 3.0}
    flags = parser().parse_args(["--url", "http://flag"])
    chosen = settings(flags, environ, given)
    assert (chosen.url, chosen.sessions, chosen.code) == ("http://flag", ("a", "b"), "c")
    assert (chosen.name, chosen.wait_s, chosen.patience_s) == ("n", 3.0, 120.0)
    assert settings(parser().parse_args([]), {}, {}).url == "http://127.0.0.1:8000"


def test_sessions_may_be_repeated_or_listed() -> None:
    flags = parser().parse_args(["--session", "a", "--session", "b, c", "--session", "a"])
    assert settings(flags, {}, {}).sessions == ("a", "b", "c")


def test_the_default_name_comes_from_the_class() -> None:
    assert kebab("CarefulBot") == "careful-bot"
    assert kebab("Lowest") == "lowest"


def test_help_shows_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run(Careful(), argv=["--help"])
    said = capsys.readouterr().out
    assert "Plays the lowest." in said
    assert "example:" in said
    assert "ARENA_TOKEN" in said


def test_a_bot_can_have_flags_of_its_own(url: str) -> None:
    class Greedy(Careful):
        def add_flags(self, parser: Any) -> None:
            parser.add_argument("--greed", type=int)

        def begin(self, flags: Any) -> None:
            self.greed = flags.greed

    bot = Greedy()
    start(url, "--greed", "9", bot=bot)
    assert bot.greed == 9


def test_an_arena_that_is_not_there_is_one_line_and_status_1(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with pytest.raises(SystemExit) as ended:
        start("http://127.0.0.1:9", "--patience", "0.1", "--token-file", "none")
    assert ended.value.code == 1
    assert caplog.records[-1].getMessage().startswith("no answer from http://127.0.0.1:9 (")


def test_a_session_that_runs_already_is_joined_by_one_who_was_in_it(
    arena: FakeArena, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    arena.status = "running"
    assert start(url, "--session", "cup") == Tally(2, 0, 0, 0)
    assert "the session is running" in caplog.text


def test_a_session_that_does_not_exist_is_answered_with_those_that_are_open(
    arena: FakeArena, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    for status, listed in (("open", "open for entries: cup"), ("paused", "none is open")):
        arena.status = status
        with pytest.raises(SystemExit) as ended:
            start(url, "--session", "cupp")
        assert ended.value.code == 1
        said = caplog.records[-1].getMessage()
        assert said.startswith(f"there is no session 'cupp' at {url}; {listed}")


def test_a_second_copy_of_a_bot_is_another_bot_and_says_so(
    arena: FakeArena, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    with signed_in(settings(parser().parse_args(["--url", url]), {}, {}), default_name="slowish"):
        start(url, bot=type("Slowish", (Careful,), {})())
    said = "slowish is running already in this folder; this is another bot, slowish-2"
    assert said in caplog.text


def test_a_bot_that_is_asynchronous_is_refused_by_the_name_of_its_method(
    arena: FakeArena, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    class Asynchronous(Bot):
        async def play(self, turn: Turn) -> Any:
            return "pass"

    with pytest.raises(SystemExit):
        start(url, bot=Asynchronous())
    assert "Asynchronous.play is `async def`" in caplog.records[-1].getMessage()
    assert arena.requests == []


def test_a_full_session_is_an_error(arena: FakeArena, url: str) -> None:
    arena.tokens["dfa_mine"] = "mine"
    arena.troubles.extend([Trouble(200, {"name": "mine"})])
    arena.troubles.extend([Trouble(409, {"detail": "full"})] * 2)  # with bytes for chance, without
    with pytest.raises(SystemExit):
        start(url, "--token", "dfa_mine", "--session", "cup")


def test_a_module_that_calls_run_while_it_is_imported_is_told_where_to_put_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "eager_bot.py").write_text(FIRST_BOT.replace('__name__ == "__main__"', "True"))
    (tmp_path / "eager_main.py").write_text(EAGER_MAIN)
    monkeypatch.syspath_prepend(tmp_path)
    for module in ("eager_bot", "eager_main"):
        with pytest.raises(KitError, match=f'{module}.py calls .* `if __name__ == "__main__":`'):
            importlib.import_module(module)


@pytest.mark.server
def test_the_first_bot_of_the_readme_has_at_most_ten_lines_and_plays(
    arena: FakeArena, url: str, tmp_path: Path
) -> None:
    assert len(FIRST_BOT.strip().splitlines()) <= 10
    process = started(url, tmp_path)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 0
    assert "entered session cup" in said
    assert "session cup is finished" in said
    assert "carl: 2 turns answered" in said


@pytest.mark.server
@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_ctrl_c_and_sigterm_end_it_without_a_traceback(
    arena: FakeArena, url: str, tmp_path: Path, stop: signal.Signals
) -> None:
    arena.waiting.clear()
    arena.status = "open"
    arena.enter = lambda *_: (200, {})  # type: ignore[method-assign]
    process = started(url, tmp_path)
    while "/api/v1/turns" not in arena.paths("GET"):
        time.sleep(0.02)
        assert process.poll() is None
    process.send_signal(stop)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 0
    assert "stopped; started again it goes on where it was" in said
    assert "Traceback" not in said
