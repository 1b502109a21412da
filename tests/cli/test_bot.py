"""An owner's commands for a bot: rename and retire, with the bot's own token."""

from __future__ import annotations

import json

import pytest

from arena.client import ArenaProblem
from arena.errors import BadInput, Forbidden
from tests.cli.test_session import Desk, desk, token_of

pytestmark = pytest.mark.slow
__all__ = ["desk"]


def test_a_bot_is_renamed_and_retired(desk: Desk) -> None:
    token = token_of(desk.real.bots[0])
    assert "it is alice-2 (b-" in desk.run("bot", "rename", "alice-2", "--token", token)
    with pytest.raises(ArenaProblem, match="is taken"):
        desk.run("bot", "rename", "bot-2", "--token", token)
    with pytest.raises(Forbidden, match="--yes"):
        desk.run("bot", "retire", "--token", token)
    retired = json.loads(desk.run("bot", "retire", "--yes", "--json", "--token", token))
    assert (retired["name"], retired["revoked"]) == ("alice-2", True)
    with pytest.raises(BadInput, match="ARENA_TOKEN"):
        desk.run("bot", "rename", "alice-3")
