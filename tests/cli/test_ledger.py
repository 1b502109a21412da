"""`arena ledger`: what a bot's owner and an organiser are told of a bot's turns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.store import open_store
from tests.cli.shell import arena, served
from tests.referee.table import Arena

pytestmark = pytest.mark.server


def test_an_owner_and_an_organiser_see_the_same_turns(tmp_path: Path) -> None:
    database = f"sqlite:///{(tmp_path / 'arena.db').as_posix()}"
    with open_store(database) as store:
        table = Arena(store)
        table.session(hands_per_table=1)
        table.play()
        token = table.referee.rotate_token(table.bots["bot-1"])
        admin = table.referee.registry.create_admin()
        turns = [e["turn"] for e in table.referee.queries.ledger("bot-1", limit=500)["entries"]]
    with served(database, first=False) as server:
        told = {"ARENA_URL": server.url, "ARENA_TOKEN": token, "ARENA_ADMIN_TOKEN": admin}
        lines = arena("ledger", "--session", "cup", "--json", env=told).stdout.splitlines()
        assert [json.loads(line)["turn"] for line in lines] == turns
        theirs = arena("ledger", "bot-1", "--json", env=told).stdout.splitlines()
        assert theirs == lines
        text = arena("ledger", "--hand", "cup-r01-t01-h001", env=told).stdout
        assert len(text.splitlines()) == len(turns) + 2
        drawn = arena("ledger", "--hand", "cup-r01-t01-h001", "--bars", env=told).stdout
        assert drawn.splitlines()[0].split() == ["turn", "ms", "time"]
        assert drawn.splitlines()[2].startswith(turns[0])
        assert "# thinking" in drawn.splitlines()[-1]
        kept = tmp_path / "token.json"
        kept.write_text(json.dumps({"url": server.url, "name": "bot-1", "token": token}))
        assert arena("ledger", "--token-file", str(kept)).stdout == text
        other = ("--url", "http://other.example:8765")
        refused = arena("ledger", *other, "--token-file", str(kept))
        assert refused.returncode == 2
        assert f"keeps a token of {server.url}, not of http://other.example:8765" in refused.stderr
        same = ("--url", server.url.replace("http://127.0.0.1", "localhost"))
        assert arena("ledger", *same, "--token-file", str(kept)).stdout == text
        wrong = arena("ledger", "--hand", "nothing", env=told)
        assert wrong.returncode == 2
        assert "there is no hand 'nothing'" in wrong.stderr
    wrong = arena("ledger")
    assert wrong.returncode == 2
    assert wrong.stderr.count("\n") == 1
    assert "ARENA_TOKEN" in wrong.stderr
