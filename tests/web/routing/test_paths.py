"""What a request is about follows from its path and query alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.session.names import block_id, hand_id, table_id, turn_id
from arena.web.routing.paths import (
    NOTHING,
    SEAT,
    TURNS,
    Concern,
    Matter,
    concern_of,
    session_of,
    session_of_turn,
)

API = "/api/v1"
CUP = Concern(Matter.SESSION, "cup")
SESSIONS = st.text(st.characters(exclude_characters="/.\n\r"), min_size=1, max_size=40)


@pytest.mark.parametrize(
    ("method", "path", "query", "about"),
    [
        ("GET", f"{API}/turns", "wait=25", TURNS),
        ("POST", f"{API}/turns", "", TURNS),
        ("GET", "/seat", "after=x", SEAT),
        ("POST", "/seat/answer", "", SEAT),
        ("POST", "/seat/leave", "", SEAT),
        ("GET", "/seat/invitation", "", NOTHING),
        ("GET", f"{API}/turns/ledger", "", NOTHING),
        ("GET", f"{API}/turns/ledger", "session=cup", CUP),
        ("GET", f"{API}/turns/ledger", "hand=cup-r01-t01-h001", CUP),
        (
            "POST",
            f"{API}/turns/cup-r01-t01-h001.14.2",
            "wait=25",
            Concern(Matter.ANSWER, "cup", "cup-r01-t01-h001.14.2"),
        ),
        ("POST", f"{API}/turns/nonsense", "", Concern(Matter.ANSWER, "", "nonsense")),
        ("POST", f"{API}/turns/a/b", "", NOTHING),
        ("GET", f"{API}/hands/cup-r01-t01-h001/events", "wait=25", CUP),
        ("GET", "/hands/cup-r12-t07b-h0123", "", CUP),
        ("POST", f"{API}/tables/cup-r01-t01/void", "", CUP),
        ("GET", "/tables/cup-r01-t01", "", CUP),
        ("GET", f"{API}/sessions/cup", "", CUP),
        ("PUT", f"{API}/sessions/cup/entry", "", CUP),
        ("POST", f"{API}/sessions/cup/pause", "", CUP),
        ("POST", f"{API}/sessions/cup/start", "", Concern(Matter.START, "cup")),
        ("GET", "/sessions/cup/bots/b-aaaaaaaa", "", CUP),
        ("GET", f"{API}/sessions", "", NOTHING),
        ("GET", f"{API}/stream", "table=cup-r01-t01&seconds=5", CUP),
        ("GET", f"{API}/stream", "session=cup", CUP),
        ("GET", f"{API}/stream", "sessions=all", NOTHING),
        ("GET", f"{API}/stream", "hand=%ff", NOTHING),
        ("GET", f"{API}/stream", "&".join(["session=cup"] * 40), NOTHING),
        ("GET", f"{API}/cluster", "", NOTHING),
        ("POST", f"{API}/cluster/sessions/cup/move", "", CUP),
        ("POST", f"{API}/cluster/referees/ash-8000/drain", "", Concern(Matter.REFEREE, "ash-8000")),
        ("GET", f"{API}/bots/b-aaaaaaaa", "", NOTHING),
        ("GET", "/", "", NOTHING),
        ("GET", "", "", NOTHING),
        ("GET", "/static/hands.js", "", NOTHING),
        ("GET", "//sessions/cup", "", NOTHING),
    ],
)
def test_each_path_is_about_one_thing(method: str, path: str, query: str, about: Concern) -> None:
    assert concern_of(method, path, query) == about


@given(SESSIONS, st.integers(1, 999), st.integers(1, 999), st.integers(1, 9_999))
def test_the_session_of_every_id_is_read_from_its_right_end(
    session: str, round_: int, number: int, hand: int
) -> None:
    table = table_id(session, round_, number)
    for replayed in (table, f"{table}b", f"{table}aa"):
        assert session_of(replayed, "tables") == session
        assert session_of(hand_id(replayed, hand), "hands") == session
        assert session_of_turn(turn_id(hand_id(replayed, hand), 14, 2)) == session
    assert session_of(block_id(session, round_, number), "tables") == session
    assert session_of(session, "sessions") == session


@given(st.text(max_size=60), st.text(max_size=60))
def test_nothing_that_is_asked_for_breaks_it(path: str, query: str) -> None:
    for method in ("GET", "POST", "BREW"):
        for start in ("", "/", f"{API}/turns/", f"{API}/stream", f"{API}/hands/", "/sessions/"):
            assert isinstance(concern_of(method, start + path, query), Concern)


def test_names_are_read_as_the_app_reads_them() -> None:
    """A WSGI environment has the bytes of a path as Latin-1."""
    path = f"{API}/sessions/h\u00e9".encode().decode("latin-1")
    assert concern_of("GET", path, "") == Concern(Matter.SESSION, "h\u00e9")
    assert concern_of("GET", f"{API}/stream", "session=h%C3%A9") == Concern(
        Matter.SESSION, "h\u00e9"
    )
