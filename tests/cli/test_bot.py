"""An owner's commands for a bot: rename and retire, with the bot's own token."""

from __future__ import annotations

import json

import pytest

from arena.client import ArenaProblem
from arena.errors import BadInput, Forbidden
from tests.cli.test_session import Console, console, token_of

pytestmark = pytest.mark.slow
__all__ = ["console"]


def test_a_bot_is_renamed_and_retired(console: Console) -> None:
    token = token_of(console.real.bots[0])
    assert "it is alice-2 (b-" in console.run("bot", "rename", "alice-2", "--token", token)
    with pytest.raises(ArenaProblem, match="is taken"):
        console.run("bot", "rename", "bot-2", "--token", token)
    with pytest.raises(Forbidden, match="--yes"):
        console.run("bot", "retire", "--token", token)
    retired = json.loads(console.run("bot", "retire", "--yes", "--json", "--token", token))
    assert (retired["name"], retired["revoked"]) == ("alice-2", True)
    with pytest.raises(BadInput, match="ARENA_TOKEN"):
        console.run("bot", "rename", "alice-3")
