"""`arena notices` and `arena session notify`, against a real `arena serve` and a real receiver."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from arena.client import Client
from tests.cli.shell import arena, served
from tests.notices.receiver import receiver

pytestmark = pytest.mark.server


def test_messages_reach_an_address_that_the_operator_allows(tmp_path: Path) -> None:
    database = f"sqlite:///{(tmp_path / 'arena.db').as_posix()}"
    with receiver() as other:
        where = f"http://127.0.0.1:{other.port}"
        file = tmp_path / "cup.toml"
        file.write_text(f'name = "Cup"\nslug = "cup"\nseats = 2\n[notify]\nurl = "{where}/arena"\n')
        with served(database, more=("--notify-allow", where)) as server:
            told = {"ARENA_URL": server.url, "ARENA_ADMIN_TOKEN": server.token}
            made = arena("session", "create", str(file), "--open", env=told)
            assert made.returncode == 0, made.stderr
            assert re.search(r"^secret +whsec_\S+  \(shown only now\)$", made.stdout, re.MULTILINE)
            tested = arena("session", "notify", "cup", "--test", env=told)
            assert tested.returncode == 0, tested.stderr
            assert tested.stdout.startswith(f"Messages go to {where}/arena\n")
            listed = json.loads(arena("session", "notify", "cup", "--json", env=told).stdout)
            assert [each["type"] for each in listed["deliveries"]] == ["test", "session.opened"]
            assert {each["status"] for each in listed["deliveries"]} == {"delivered"}
            changed = arena("session", "notify", "cup", "--set", f"{where}/2", env=told)
            assert "shown only now" in changed.stdout
            away = arena("session", "notify", "cup", "--set", "https://other.example/", env=told)
            assert away.returncode == 2
            assert "ARENA_NOTIFY_ALLOW=other.example" in away.stderr
            removed = arena("session", "notify", "cup", "--remove", env=told)
            assert removed.stdout.startswith("No messages are sent.")
            for wrong in (("--secret", "x"), ("--test", "--remove")):
                refused = arena("session", "notify", "cup", *wrong, env=told)
                assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    lines = [request.split(b"\r\n")[0] for request in other.requests]
    assert lines == [b"POST /arena HTTP/1.1"] * 2


def test_a_receiver_that_does_not_take_a_message_is_told_of(tmp_path: Path) -> None:
    database = f"sqlite:///{(tmp_path / 'arena.db').as_posix()}"
    with receiver(b"HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n") as other:
        where = f"http://127.0.0.1:{other.port}"
        with served(database, more=("--notify-allow", where)) as server:
            told = {"ARENA_URL": server.url, "ARENA_ADMIN_TOKEN": server.token}
            with Client(server.url, server.token) as client:
                client.request("POST", "/sessions", body={"name": "Cup", "slug": "cup"})
            arena("session", "notify", "cup", "--set", f"{where}/", env=told)
            tested = arena("session", "notify", "cup", "--test", env=told)
            assert tested.returncode == 1
            assert "answered with 302" in tested.stdout


def test_an_owner_and_an_organiser_read_the_same_notices(tmp_path: Path) -> None:
    database = f"sqlite:///{(tmp_path / 'arena.db').as_posix()}"
    with served(database) as server:
        with Client(server.url, server.token) as organiser, Client(server.url) as bot:
            organiser.request("POST", "/sessions", body={"name": "Cup", "slug": "cup"})
            organiser.request("POST", "/sessions/cup/open")
            token = bot.register("alice")["token"]
            bot.enter("cup")
        told = {"ARENA_URL": server.url, "ARENA_TOKEN": token, "ARENA_ADMIN_TOKEN": server.token}
        assert arena("notices", env=told).stdout == "No notices.\n"
        words = ("withdraw", "cup", "alice", "--reason", "too slow", "--yes")
        assert arena("session", *words, env=told).returncode == 0
        mine = arena("notices", env=told)
        assert "An organiser has withdrawn the bot from session cup: too slow." in mine.stdout
        assert arena("notices", "alice", env=told).stdout == mine.stdout
        (line,) = arena("notices", "--json", "--kind", "withdrawn", env=told).stdout.splitlines()
        assert json.loads(line)["data"] == {"by": "organiser", "reason": "too slow"}
        assert arena("notices", "--session", "other", env=told).stdout == "No notices.\n"
        assert arena("notices", "--after", "1", env=told).stdout == "No notices.\n"
        kept = tmp_path / "token.json"
        kept.write_text(json.dumps({"url": server.url, "name": "alice", "token": token}))
        assert arena("notices", "--token-file", str(kept)).stdout == mine.stdout
    wrong = arena("notices")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
