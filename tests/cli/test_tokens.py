"""An organiser at the terminal: whose token is taken away, who is asked, what is listed."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from werkzeug.serving import make_server

from arena.cli.main import group
from arena.cli.organise import confirm
from arena.cli.run import read_bots
from arena.client import ArenaProblem
from arena.errors import BadInput, Forbidden
from arena.store import open_store
from tests.cli.shell import arena
from tests.real import Real
from tests.web.api.test_tokens import API


class Terminal:
    """A real arena behind a socket, and commands typed by its organiser."""

    def __init__(self, real: Real, url: str) -> None:
        self.real = real
        self.url = url
        header: str = real.organiser.environ_base["HTTP_AUTHORIZATION"]
        self.token = header.removeprefix("Bearer ")

    def run(self, *words: str, answer: str = "") -> Result:
        environ = {"ARENA_URL": self.url, "ARENA_ADMIN_TOKEN": self.token}
        return CliRunner().invoke(group, words, env=environ, input=answer)

    def ok(self, *words: str, answer: str = "") -> str:
        done = self.run(*words, answer=answer)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code == 0, done.output
        return done.stdout

    def status(self, bot: str) -> str:
        entries = self.real.referee.queries.session("cup", staff=True)["entries"]
        return next(str(entry["status"]) for entry in entries if entry["name"] == bot)


@contextmanager
def at_terminal() -> Iterator[Terminal]:
    """A terminal before an arena with a session in play."""
    real = Real()
    real.session()
    server = make_server("127.0.0.1", 0, real.app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield Terminal(real, f"http://127.0.0.1:{server.server_port}")
    server.shutdown()
    thread.join(10)
    server.server_close()


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    with at_terminal() as created:
        yield created


HARM = (
    ("session", "withdraw", "cup", "bot-1"),
    ("session", "disqualify", "cup", "bot-1"),
    ("admin", "revoke", "bot-1"),
)


@pytest.mark.parametrize("words", HARM)
def test_where_nobody_can_be_asked_harm_needs_a_word(
    terminal: Terminal, words: tuple[str, ...]
) -> None:
    with pytest.raises(Forbidden, match="this needs --yes") as refused:
        terminal.ok(*words)
    assert f"bot-1 ({terminal.real.ids[0]}, owner bot-1)" in str(refused.value)
    assert terminal.status("bot-1") == "entered"
    said = terminal.ok(*words, "--yes")
    assert said.startswith(f"bot-1 ({terminal.real.ids[0]}, owner bot-1) is ")
    assert terminal.status("bot-1") != "entered"


@pytest.mark.parametrize("words", HARM)
def test_at_a_terminal_it_asks_with_the_id_and_the_owner(
    terminal: Terminal, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confirm, "at_terminal", lambda: True)
    declined = terminal.run(*words, answer="n\n")
    assert declined.exit_code != 0
    assert f"bot-1 ({terminal.real.ids[0]}, owner bot-1)" in declined.stderr
    assert terminal.status("bot-1") == "entered"
    terminal.ok(*words, answer="y\n")
    assert terminal.status("bot-1") != "entered"


def test_a_name_that_is_anothers_id_does_not_harm_the_other(terminal: Terminal) -> None:
    """Such names came into older databases; an id is an id first, and it is said whose."""
    from arena.store.port import BotRow

    victim = terminal.real.ids[0]
    terminal.real.store.write(BotRow("b-evil", victim, "mallory", "h" * 64, 1, False, "bot"))
    with pytest.raises(Forbidden) as refused:
        terminal.ok("admin", "revoke", victim)
    assert f"bot-1 ({victim}, owner bot-1)" in str(refused.value)
    assert terminal.ok("admin", "revoke", "b-evil", "--yes").startswith(f"{victim} (b-evil,")
    assert not terminal.real.referee.queries.bot(victim)["revoked"]


def test_a_bot_is_added_and_it_is_said_which(terminal: Terminal) -> None:
    bot, _ = terminal.real.referee.register("late", "anna")
    terminal.real.organiser.post(f"{API}/sessions", json={"name": "Two", "slug": "two"})
    told = terminal.ok("session", "add", "two", "late")
    assert told == f"late ({bot['id']}, owner anna) is number 1 of two\n"


def test_a_revoked_bot_gets_a_new_token(terminal: Terminal) -> None:
    terminal.ok("admin", "revoke", "bot-2", "--yes")
    done = terminal.run("admin", "restore", "bot-2")
    assert "its entries stay withdrawn" in done.stderr
    fresh = terminal.real.client(done.stdout.strip())
    assert fresh.get(f"{API}/whoami").status_code == 200
    with pytest.raises(ArenaProblem, match="is not revoked"):
        terminal.ok("admin", "restore", "bot-2")


def test_tokens_of_the_staff_are_made_listed_and_revoked(terminal: Terminal) -> None:
    words = ("admin", "token", "--name", "anna", "--role", "assistant", "--url", terminal.url)
    anna = terminal.real.client(terminal.ok(*words).strip())
    assert anna.get(f"{API}/audit").status_code == 200
    assert anna.get(f"{API}/organisers").status_code == 403
    listed = terminal.ok("admin", "tokens").splitlines()
    assert [line.split()[1:3] for line in listed[2:]] == [
        ["anna", "assistant"],
        ["organiser", "organiser"],
    ]
    with pytest.raises(Forbidden, match=r"anna \(.*, assistant\) away\? Nobody can be asked"):
        terminal.ok("admin", "revoke-token", "anna")
    assert "is revoked" in terminal.ok("admin", "revoke-token", "anna", "--yes")
    told = {each["name"]: each["revoked"] for each in read(terminal, "admin", "tokens", "--json")}
    assert told == {"anna": True, "organiser": False}
    assert "organiser (b-" in terminal.ok("session", "audit")
    with pytest.raises(BadInput, match="arena admin revoke is for bots"):
        terminal.ok("admin", "revoke-token", "bot-1", "--yes")
    with pytest.raises(ArenaProblem, match="make another one first"):
        terminal.ok("admin", "revoke-token", "organiser", "--yes")


def read(terminal: Terminal, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(terminal.ok(*words))
    return found


def test_codes_are_listed_and_revoked(terminal: Terminal) -> None:
    code = terminal.ok("admin", "code", "--label", "class 4b", "--uses", "30").strip()
    listed = terminal.ok("admin", "codes")
    assert "class 4b" in listed
    assert code not in listed
    (found,) = read(terminal, "admin", "codes", "--json")
    assert terminal.ok("admin", "revoke-code", found["id"]) == (
        f"code {found['id']} (class 4b) is revoked\n"
    )
    (gone,) = read(terminal, "admin", "codes", "--json")
    assert gone == {**found, "revoked": True, "usable": False}
    with pytest.raises(ArenaProblem, match="no enrolment code"):
        terminal.ok("admin", "revoke-code", "000000000000")


def test_a_token_is_made_in_a_database_that_nobody_has_open(tmp_path: Path) -> None:
    database = f"sqlite:///{(tmp_path / 'arena.db').as_posix()}"
    words = ("admin", "token", "--database", database, "--name", "anna", "--role", "viewer")
    for told in (f"there was no {database}: a new database was made\n", ""):
        done = CliRunner().invoke(group, words, env={"ARENA_URL": "http://127.0.0.1:9"})
        assert done.stdout.startswith("dfaadm_")
        assert done.stderr == told
    with open_store(database) as store:
        found = [(row.name, row.kind) for row in store.staff()]
        assert found == [("anna", "viewer"), ("anna-2", "viewer")]
        assert [row.action for row in store.audit()] == ["organiser.create"] * 2


def test_a_token_is_of_the_arena_that_the_environment_names(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARENA_URL", terminal.url)
    anna = terminal.ok("admin", "token", "--name", "anna").strip()
    assert terminal.real.client(anna).get(f"{API}/whoami").status_code == 200
    assert list(tmp_path.iterdir()) == []


@pytest.mark.server
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--url", "http://127.0.0.1:9", "--database", "sqlite:///x.db"), "arena: --database is"),
        (("--url", "http://127.0.0.1:9"), "arena: --token is"),
        (("--role", "boss"), "'boss' is not one of"),
    ],
)
def test_a_token_that_cannot_be_made_is_refused(words: tuple[str, ...], said: str) -> None:
    done = arena("admin", "token", *words)
    assert done.returncode == 2
    assert said in done.stderr


def bots(*names: str) -> list[dict[str, str]]:
    return [{"name": name, "command": "python -m sample_bots.lowest"} for name in names]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("alice", "alice"), "no other bot of the file has"),
        (("alice-1", "aIice-1"), "does not look like 'alice-1'"),
        (("alice", "a/b"), "name is 'a/b'"),
        (("alice", "b-7q3mz2ka"), "the form of an id"),
    ],
)
def test_names_in_a_session_file_go_through_the_same_check(
    names: tuple[str, ...], said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        read_bots(bots(*names))
    assert [spec.name for spec in read_bots(bots("alice", "bob"))] == ["alice", "bob"]


def test_people_are_invited_listed_and_an_invitation_is_revoked(terminal: Terminal) -> None:
    document = {"name": "Fun", "slug": "fun", "rated": False}
    terminal.real.organiser.post(f"{API}/sessions", json=document)
    done = terminal.run("session", "invite", "fun", "--name", "Ann", "--clock", "x2")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith(f"{terminal.url}/seat/invitation#fun.")
    assert "for Ann, clock x2, good until" in done.stderr
    made = json.loads(terminal.ok("session", "invite", "fun", "--valid-hours", "1", "--json"))
    assert made["link"] == f"{terminal.url}/seat/invitation#{made['code']}"
    said = terminal.ok("session", "revoke-invitation", "fun", made["id"])
    assert said == f"invitation {made['id']} is revoked\n"
    listed = terminal.ok("session", "invitations", "fun").splitlines()
    assert listed[2].split()[1:3] == ["Ann", "x2"]
    assert listed[3].endswith("revoked")
    assert made["code"] not in "\n".join(listed)


def test_an_invitation_that_cannot_be_is_refused_in_one_line(terminal: Terminal) -> None:
    with pytest.raises(ArenaProblem, match="it is running"):
        terminal.ok("session", "invite", "cup")
    assert terminal.run("session", "invite", "cup", "--clock", "x3").exit_code == 2
