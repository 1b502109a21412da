from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from arena.web.api.problems import Code, Problem
from arena.web.api.queries import Param, arguments, defaults, read_query, reader

PARAMS = (
    Param("wait", "number", "Seconds.", 0.0, most=30),
    Param("max", "integer", "How many.", 32, least=1, most=64),
    Param("legal", "flag", "With the list.", default=True),
    Param("state", "word", "Which.", words=("open", "running")),
    Param("after", "text", "From where."),
)


def _faults(given: Mapping[str, Sequence[str]]) -> list[dict[str, str]]:
    with pytest.raises(Problem) as caught:
        read_query(PARAMS, given)
    assert caught.value.code is Code.INVALID
    errors: list[dict[str, str]] = caught.value.members["errors"]
    return errors


def test_what_is_not_given_has_its_default() -> None:
    assert read_query(PARAMS, {}) == defaults(PARAMS)
    assert defaults(PARAMS)["max"] == 32


def test_values_come_in_their_types() -> None:
    given = {"wait": ["2.5"], "max": ["7"], "legal": ["0"], "state": ["open"], "after": ["x-1"]}
    expected = {"wait": 2.5, "max": 7, "legal": False, "state": "open", "after": "x-1"}
    assert read_query(PARAMS, given) == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("wait", "30.1"),
        ("wait", "-1"),
        ("wait", "nan"),
        ("wait", "1e1"),
        ("wait", ""),
        ("wait", "２"),
        ("max", "0"),
        ("max", "65"),
        ("max", "3.0"),
        ("max", "9" * 400),
        ("legal", "yes"),
        ("state", "Open"),
        ("after", ""),
        ("after", "a\nb"),
        ("after", "x" * 121),
    ],
)
def test_values_that_do_not_fit_are_refused_by_name(name: str, text: str) -> None:
    [fault] = _faults({name: [text]})
    assert fault["in"] == "query"
    assert fault["pointer"] == f"/{name}"


def test_unknown_and_repeated_parameters_are_refused_all_at_once() -> None:
    faults = _faults({"wiat": ["25"], "max": ["1", "2"], "a/b~": ["x"]})
    assert [fault["pointer"] for fault in faults] == ["/wiat", "/max", "/a~1b~0"]
    assert "known: wait, max" in faults[0]["message"]


@given(st.sampled_from([param.name for param in PARAMS]), st.text(max_size=10))
def test_any_text_is_read_or_refused(name: str, text: str) -> None:
    with suppress(Problem):
        assert set(read_query(PARAMS, {name: [text]})) == {param.name for param in PARAMS}


def test_a_query_of_raw_bytes_is_a_bad_request(anybody: FlaskClient) -> None:
    response = anybody.get("/api/v1", environ_overrides={"QUERY_STRING": "x=\xa8"})
    assert response.status_code == 400
    assert response.json is not None
    assert response.json["code"] == "bad_request"


def test_the_same_query_has_the_same_values_and_nobody_can_change_them() -> None:
    read = reader(PARAMS)
    values = read("max=3&wait=1.5")
    assert values == read_query(PARAMS, {"max": ["3"], "wait": ["1.5"]})
    assert read("max=3&wait=1.5") is values
    with pytest.raises(TypeError):
        values["max"] = 4  # type: ignore[index]


@pytest.mark.parametrize("query", ["text=%FF", "text=%E5%A4", "text=\xa8"])
def test_a_query_that_is_not_utf_8_is_refused(query: str) -> None:
    with pytest.raises(Problem) as raised:
        arguments(query)
    assert raised.value.code is Code.BAD_REQUEST


def test_a_query_is_read_as_utf_8_with_blanks_and_repetitions() -> None:
    assert arguments("a=%E5%A4%A7+x&a=2&b=") == {"a": ["大 x", "2"], "b": [""]}


@pytest.mark.parametrize("query", ["x=1" + "&x=1" * 32, "a=" + "b" * 8_191, "&" * 60_000])
def test_a_query_that_is_too_long_or_has_too_many_parameters_is_not_read(
    query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.web.api.queries.parse_qs", unread)
    with pytest.raises(Problem, match="at most") as caught:
        arguments(query)
    assert caught.value.code is Code.BAD_REQUEST


def unread(*_: object, **__: object) -> dict[str, list[str]]:
    raise AssertionError("nothing should have been made of the query")


def test_the_longest_query_that_an_endpoint_takes_is_read() -> None:
    names = ("session", "table", "hand", "after")
    query = "&".join(f"{name}={'%E5%A4%A7' * 120}" for name in names)
    assert arguments(query) == {name: ["大" * 120] for name in names}


def test_a_refusal_quotes_the_value_and_says_what_it_must_be() -> None:
    (fault,) = _faults({"max": ["65"]})
    assert fault["message"] == "must be a whole number from 1 to 64; it is '65'"
    (fault,) = _faults({"wait": ["x" * 400]})
    assert fault["message"] == f"must be a number from 0 to 30; it is '{'x' * 40}'"
    with pytest.raises(Problem, match="must be a whole number, 0 or more; it is '-1'"):
        read_query([Param("at", "integer", "The event.")], {"at": ["-1"]})
