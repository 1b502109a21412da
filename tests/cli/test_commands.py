"""Every command explains itself, and bad input is one line and exit code 2."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

from arena.cli.colours import ERROR, coloured
from arena.cli.main import COMMANDS, group
from tests.cli.shell import arena, environment, served

pytestmark = pytest.mark.server

BOTS = '[[bots]]\nname = "a"\ncommand = "python -m sample_bots.lowest"\ncount = 4\n'


def all_commands() -> list[tuple[str, ...]]:
    """Every command and subcommand."""
    found: list[tuple[str, ...]] = []
    context = click.Context(group)
    for name in COMMANDS:
        command = group.get_command(context, name)
        assert command is not None
        found.append((name,))
        if isinstance(command, click.Group):
            found += [(name, sub) for sub in command.commands]
    return found


@pytest.mark.parametrize("words", all_commands(), ids=" ".join)
def test_every_command_has_help_with_an_example(words: tuple[str, ...]) -> None:
    command: click.Command = group
    context = click.Context(group)
    for word in words:
        assert isinstance(command, click.Group)
        found = command.get_command(context, word)
        assert found is not None
        command = found
    text = command.get_help(click.Context(command, info_name=words[-1]))
    assert "Example" in text
    assert "arena " + " ".join(words) in " ".join(text.split()) or isinstance(command, click.Group)


def wrong(*arguments: str, cwd: Path | None = None) -> str:
    """What a command says that is called wrongly."""
    done = arena(*arguments, cwd=cwd)
    assert done.returncode == 2, done
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize(
    ("words", "guess"), [(("sesion",), "session"), (("session", "opne"), "open")], ids=str
)
def test_a_misspelt_command_gets_the_nearest_one(words: tuple[str, ...], guess: str) -> None:
    assert guess in wrong(*words).splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("session", "open"), "Missing argument 'SESSION'; see "),
        (("rate", "--modle", "x"), "No such option '--modle'. Did you mean"),
        (("demo", "--hands", "0"), "Invalid value for '--hands': 0 is not in the range 1<=x<=1000"),
        (("rules", "show"), "Missing argument 'WHAT'; see "),
        (("rate", "x", "--model", "elo"), "'elo' is not one of 'bt', 'pl'; see "),
    ],
    ids=str,
)
def test_a_wrong_call_is_one_line_that_names_the_help(words: tuple[str, ...], said: str) -> None:
    (line,) = wrong(*words).splitlines()
    assert line.startswith("arena: ")
    assert said in line
    assert line.endswith(" --help")


def test_a_group_without_a_command_shows_its_help() -> None:
    assert "Commands:" in wrong("session")


def test_a_value_that_is_missing_is_not_called_none(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text('name = "x"\n')
    assert "bots is not given; expected a list" in wrong("run", "cup.toml", cwd=tmp_path)


def test_completion_offers_commands_and_their_subcommands() -> None:
    words = {
        "_ARENA_COMPLETE": "bash_complete",
        "COMP_WORDS": "arena session st",
        "COMP_CWORD": "2",
    }
    program = Path(sys.executable).with_name("arena")
    done = subprocess.run(
        [str(program)], env=environment(**words), capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["plain,start", "plain,status"]


def test_colours_are_for_terminals_and_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert coloured("arena:", ERROR) == "\x1b[31marena:\x1b[0m"
    assert "\x1b" not in wrong("rules", "show", "hearts")
    monkeypatch.setenv("NO_COLOR", "1")
    assert coloured("arena:", ERROR) == "arena:"


def test_an_unknown_option_of_a_ruleset_is_named_with_what_was_expected() -> None:
    said = wrong("rules", "show", "pagat+kakumi")
    assert "kakumi" in said
    assert "kakumei" in said
    assert len(said.splitlines()) == 1


def test_an_unknown_preset_lists_the_presets() -> None:
    assert "pagat" in wrong("rules", "show", "hearts")


def test_a_file_that_is_no_toml_tells_the_line(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text('name = "x"\nseats = \n')
    assert "line 2" in wrong("run", "cup.toml", cwd=tmp_path)


def test_a_bot_without_a_command_is_named(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text('name = "x"\n[[bots]]\nname = "a"\n')
    assert "bots[0].command" in wrong("run", "cup.toml", cwd=tmp_path)


def test_a_session_that_cannot_be_played_is_refused_before_it_starts(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text('name = "x"\nhands_per_table = 0\n' + BOTS)
    said = wrong("run", "cup.toml", "--folder", str(tmp_path / "out"), cwd=tmp_path)
    assert "hands_per_table" in said


def test_an_unknown_option_value_in_a_session_is_named(tmp_path: Path) -> None:
    text = 'name = "x"\n[ruleset.options]\nshibari = "half"\n' + BOTS
    (tmp_path / "cup.toml").write_text(text)
    said = wrong("run", "cup.toml", "--folder", str(tmp_path / "out"), cwd=tmp_path)
    assert "shibari" in said
    assert "half" in said
    assert "kata" in said


def test_an_arena_that_is_not_there_is_said_so() -> None:
    impatient = "from arena.cli import main, remote; remote.PATIENCE_S = 0.5; main()"
    done = subprocess.run(
        [sys.executable, "-c", impatient, "session", "list", "--url", "http://127.0.0.1:9"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("arena: no answer from http://127.0.0.1:9")


def test_a_database_of_another_kind_is_refused(tmp_path: Path) -> None:
    assert "mysql" in wrong("serve", "--database", "mysql://x")


def test_a_setting_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    (tmp_path / "arena.toml").write_text("prot = 8000\n")
    assert "prot" in wrong("serve", "--config", str(tmp_path / "arena.toml"))


def test_the_whole_way_of_an_organiser(tmp_path: Path) -> None:
    """serve, create, add, start, status, standings, records, verify, and again after a restart."""
    database = f"sqlite:///{(tmp_path / 'cup.db').as_posix()}"
    cup = {"name": "Cup", "slug": "cup", "hands_per_table": 1, "schedule": {"rounds": 1}}
    cup["clock"] = {"move_ms": 1, "bank_ms": 0, "grace_ms": 0, "absent_after": 1}  # type: ignore[assignment]
    (tmp_path / "cup.json").write_text(json.dumps(cup))
    with served(database) as server:
        env = {"ARENA_URL": server.url, "ARENA_ADMIN_TOKEN": server.token}

        def ok(*arguments: str) -> str:
            done = arena(*arguments, cwd=tmp_path, env=env)
            assert done.returncode == 0, done.stderr
            return done.stdout

        assert "created" in ok("session", "create", "cup.json")
        assert "open" in ok("session", "open", "cup")
        code = ok("admin", "code", "--label", "class", "--uses", "4").strip()
        assert code
        from arena.client import Client

        for number in range(4):
            with Client(server.url) as client:
                client.register(f"bot-{number}", owner=f"owner-{number}")
            said = ok("session", "add", "cup", f"bot-{number}")
            assert f"number {number + 1} of cup" in said
        refused = arena("session", "start", "cup", cwd=tmp_path, env=env)
        assert refused.returncode == 2
        assert "4 bots have never been here: bot-0, bot-1, bot-2, bot-3" in refused.stderr
        assert "running" in ok("session", "start", "cup", "--anyway")
        while "finished" not in ok("session", "status", "cup"):
            pass
        assert json.loads(ok("session", "status", "cup", "--json"))["status"] == "finished"
        assert "bot-0" in ok("standings", "cup")
        assert ok("standings", "cup", "--format", "github").count("|") > 10
        assert "cup" in ok("session", "list", "--state", "finished")
        ok("session", "records", "cup", "-o", "cup.jsonl")
        assert "no findings" in ok("verify", "cup.jsonl")
        assert "bot-0" in ok("rate", "cup.jsonl")
        refused = arena("session", "start", "cup", env=env)
        assert refused.returncode == 2
        assert "finished" in refused.stderr
    offline = arena("standings", "cup", "--database", database)
    assert "bot-0" in offline.stdout, offline.stderr
    with served(database, first=False) as server:
        again = arena("standings", "cup", "--url", server.url)
        assert again.stdout == offline.stdout


def test_an_edited_record_is_found_out(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"format": "daifugo-arena/session/1"\n')
    done = arena("verify", "x.jsonl", cwd=tmp_path)
    assert done.returncode == 1
    assert "x.jsonl:1:" in done.stdout


def test_output_in_an_encoding_without_kanji_is_written_all_the_same() -> None:
    done = arena("--help", env={"PYTHONIOENCODING": "cp1252"})
    assert done.returncode == 0, done.stderr
    assert "\\u5927\\u5bcc\\u8c6a" in done.stdout


@pytest.mark.parametrize("given", [("--url", "ftp://host"), ("--url", "https://a@host")])
def test_an_address_that_is_none_is_one_line_and_code_2(given: tuple[str, str]) -> None:
    for done in (
        arena("standings", "cup", *given),
        arena("standings", "cup", env={"ARENA_URL": given[1]}),
    ):
        assert done.returncode == 2
        assert done.stderr.startswith("arena: the arena's address is ")
        assert done.stderr.count("\n") == 1
