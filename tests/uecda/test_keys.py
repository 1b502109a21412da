"""Whose bot a client becomes: kept tokens, given ones, new bots, and names that are taken."""

from __future__ import annotations

from contextlib import closing

import pytest

from arena.client import Client
from arena.client.problems import ArenaProblem
from arena.errors import BadInput
from arena.loopback.host import LocalArena
from arena.settings import Settings
from arena.uecda.keys import Keys, read_tokens

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def arena():
    with LocalArena(Settings(requests_per_s=0)) as one:
        yield one.listen().url


def sign_in(url, keys, name):
    """The key of a name, with a client of its own."""
    with Client(url) as client:
        key = keys.sign_in(client, name)
        assert client.token == key.token
        return key


def test_equal_names_are_numbered_and_the_next_day_they_are_the_same_bots(arena, tmp_path):
    with closing(Keys(folder=tmp_path)) as keys:
        first = [sign_in(arena, keys, "okada") for _ in range(3)]
    assert [key.called for key in first] == ["okada", "okada-2", "okada-3"]
    with closing(Keys(folder=tmp_path)) as keys:
        assert [sign_in(arena, keys, "okada") for _ in range(3)] == first


def test_a_name_that_others_have_in_the_arena_gets_a_number(arena, tmp_path):
    with Client(arena) as client:
        client.register("murata")
    with closing(Keys(folder=tmp_path)) as keys:
        assert sign_in(arena, keys, "murata").called == "murata-2"


def test_a_name_is_free_when_its_bot_plays_no_more(arena, tmp_path):
    with closing(Keys(folder=tmp_path)) as keys:
        key = sign_in(arena, keys, "tommy")
        keys.release(key)
        assert sign_in(arena, keys, "tommy") == key


def test_a_name_that_the_arena_keeps_for_itself_gets_a_prefix(arena, tmp_path):
    with closing(Keys(folder=tmp_path)) as keys:
        assert sign_in(arena, keys, "House-1").called == "u-House-1"


def test_a_token_of_a_file_is_used_and_a_wrong_one_is_said(arena, tmp_path):
    with Client(arena) as client:
        token = client.register("alice")["token"]
    file = tmp_path / "tokens.csv"
    file.write_text(f"name,owner,bot,token\nalice,a,b-x,{token}\nbob,b,b-y,dfa_wrong\n")
    with closing(Keys(read_tokens(file), folder=tmp_path / "keys")) as keys:
        assert sign_in(arena, keys, "alice").called == "alice"
        with pytest.raises(ArenaProblem, match="401"):
            sign_in(arena, keys, "bob")
    assert not (tmp_path / "keys").exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name,owner\nalice,a\n", "line 1 is .* expected the columns name and token"),
        ("name,token\nalice,\n", "line 2 is .* expected a name and a token"),
        ("", "line 1 is .* expected the columns name and token"),
    ],
)
def test_a_file_without_tokens_is_refused_with_its_line(tmp_path, text, says):
    file = tmp_path / "tokens.csv"
    file.write_text(text)
    with pytest.raises(BadInput, match=says):
        read_tokens(file)
