"""Records: what anybody can check, and what checking finds."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import BadInput, Forbidden
from arena.records.pooling import Records
from arena.records.verify import Finding, verify
from arena.session.record_format import HAND, HEAD, SESSION
from arena.web.api.validation import load_schemas
from tests.referee.table import SEED, Arena, lowest

Edit = Callable[[dict[str, Any]], None]


@functools.cache
def played() -> tuple[str, ...]:
    """The record of a finished session of six hands at two tables, with a forfeit."""
    arena = Arena()
    session = arena.session(
        8, hands_per_table=5, clock={"bank_ms": 0, "absent_after": 1}, ruleset="pagat+kakumei"
    )
    arena.bots.pop("bot-8")
    while arena.status(session) != "finished":
        if not arena.play():
            arena.clock.pass_ms(60_000)
            arena.referee.sweep()
    return tuple(arena.referee.queries.records(session))


def edited(line: int, edit: Edit) -> list[Finding]:
    """What is found when one line (from 1) has been edited."""
    lines = list(played())
    document = orjson.loads(lines[line - 1])
    edit(document)
    lines[line - 1] = orjson.dumps(document).decode()
    return list(verify(lines).findings)


def test_a_record_is_true_and_tells_it() -> None:
    report = verify(played())
    assert report.findings == ()
    assert report.hands == 10
    assert report.secret
    statuses = [orjson.loads(line).get("status") for line in played()]
    assert statuses.count("forfeited") == 2


def test_hands_without_a_header_are_checked_as_far_as_it_goes() -> None:
    report = verify(played()[1:])
    assert report.ok
    assert not report.secret


def test_the_same_session_gives_the_same_bytes(arena: Arena) -> None:
    session = arena.session()
    arena.play()
    lines = list(arena.referee.queries.records(session))
    arena.restart(outage_ms=1_000)
    assert list(arena.referee.queries.records(session)) == lines


def _swap_deck(document: dict[str, Any]) -> None:
    deck = document["deck"]
    deck[0], deck[1] = deck[1], deck[0]


def _swap_both_decks(document: dict[str, Any]) -> None:
    for deck in (document["deck"], document["steps"][0]["command"]["deck"]):
        deck[0], deck[1] = deck[1], deck[0]


def _new_commitment(document: dict[str, Any]) -> None:
    """A cheat who deals other cards and commits to them afterwards."""
    _swap_both_decks(document)
    text = orjson.dumps({"deck": document["deck"], "lots": document["lots"]})
    fresh = hashlib.sha256(bytes.fromhex(document["salt"]) + text).hexdigest()
    document["commitment"] = document["steps"][0]["meta"]["commitment"] = fresh


def _edit_move(document: dict[str, Any]) -> None:
    step = next(s for s in document["steps"] if s["command"]["type"] == "pass")
    step["command"] = {"type": "play", "seat": step["command"]["seat"], "cards": ["S2"]}


def _edit_event(document: dict[str, Any]) -> None:
    step = next(s for s in document["steps"] if len(s["events"]) > 1 and s["turn"])
    del step["events"][-1]


def _drop_step(document: dict[str, Any]) -> None:
    del document["steps"][5]


def _cut_log(document: dict[str, Any]) -> None:
    del document["steps"][-1]


def _swap_result(document: dict[str, Any]) -> None:
    document["result"]["places"].reverse()


def _forgive(document: dict[str, Any]) -> None:
    document["result"]["faults"] = []


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (_swap_deck, "deck is not the one that was dealt"),
        (_swap_both_decks, "do not fit the commitment"),
        (_new_commitment, "follows from the secret"),
        (_edit_move, "step"),
        (_edit_event, "events do not follow"),
        (_drop_step, "step 5"),
        (_cut_log, "ends before the hand is over"),
        (_swap_result, "result does not follow"),
        (_forgive, "result does not follow"),
        (lambda d: d["seating"].reverse(), "seating"),
        (lambda d: d.update(fingerprint="00"), "fingerprint"),
        (lambda d: d.update(salt="00" * 16), "commitment"),
        (lambda d: d["lots"]["idle"].reverse(), "lots are not"),
        (lambda d: d.update(number=2), "hand 1 of table"),
        (lambda d: d["ruleset"].update(kakumei=False), "ruleset is not"),
        (lambda d: d.update(session="other"), "session is 'other'"),
    ],
)
def test_an_edit_is_found_with_its_line(edit: Edit, said: str) -> None:
    line = next(n for n, text in enumerate(played(), 1) if '"faults":[{' in text)
    findings = edited(line, edit)
    assert findings[0].line == line
    assert said in " ".join(finding.what for finding in findings if finding.line == line)


def test_another_secret_is_found() -> None:
    findings = edited(1, lambda header: header.update(secret="11" * 32))
    assert "commitment" in findings[0].what
    assert findings[0].line == 1


def test_a_false_forfeit_is_found() -> None:
    line = next(n for n, text in enumerate(played(), 1) if '"status":"forfeited"' in text)

    def blame_another(document: dict[str, Any]) -> None:
        (guilty,) = document["result"]["forfeits"]
        document["result"]["forfeits"] = [(guilty + 1) % 4]

    findings = edited(line, blame_another)
    assert [finding.line for finding in findings] == [line]


def test_a_file_cut_in_the_middle_is_found() -> None:
    lines = played()
    assert verify(lines[:-1]).findings[-1].what.startswith("the header says 10 hands")
    half = [*lines[:3], lines[3][: len(lines[3]) // 2]]
    assert "cut off" in verify(half).findings[0].what
    assert verify(half).findings[0].line == 4
    missing = verify([*lines[:2], *lines[3:]])
    assert "is missing" in missing.findings[0].what


def test_an_ended_file_and_another_after_it_are_both_checked() -> None:
    arena = Arena()
    league = arena.session(slug="league", hands_per_table=1)
    arena.play()
    report = verify([*played(), *arena.referee.queries.records(league)])
    assert report.ok
    assert report.hands == 11
    twice = verify([*played(), *played()])
    assert {finding.what for finding in twice.findings} == {"session 'cup' is in the file twice"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)


@pytest.mark.slow
@settings(max_examples=settings().max_examples * 3 // 2, deadline=None)
@given(st.data())
def test_hostile_values_are_findings_and_never_crash(data: st.DataObject) -> None:
    """Any member of any line replaced by anything."""
    lines = list(played()[:3])
    at = data.draw(st.integers(0, 2))
    document = orjson.loads(lines[at])
    place = document
    while True:
        key = data.draw(st.sampled_from(_keys(place)))
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
            place[key] = data.draw(JSON)
            break
        place = inner
    try:
        lines[at] = orjson.dumps(document).decode()
    except orjson.JSONEncodeError:
        return
    verify(lines)


def _keys(place: Any) -> list[Any]:
    return list(place) if isinstance(place, dict) else list(range(len(place)))


@given(st.lists(st.binary(max_size=40) | st.text(max_size=40), max_size=4))
def test_garbage_is_findings(lines: list[bytes | str]) -> None:
    assert len(verify(lines).findings) >= len(lines)


def test_deeply_nested_lines_are_findings() -> None:
    assert not verify(["[" * 100_000, '{"format":' * 5_000]).ok


def test_results_are_read_for_the_ratings() -> None:
    records = Records()
    records.read(played())
    (pool,) = records.pools()
    assert len(pool.results) == 10
    assert len({result.block for result in pool.results}) == 2
    assert {entrant.name for entrant in pool.entrants} == {f"bot-{n}" for n in range(1, 9)}
    assert any(result.forfeits for result in pool.results)
    assert any(result.faults for result in pool.results)


@pytest.mark.parametrize("line", ["", "[]", '{"format":"x"}', '{"format":"daifugo-arena/hand/1"}'])
def test_a_line_that_cannot_be_rated_is_named(line: str) -> None:
    with pytest.raises(BadInput, match="line 3"):
        Records().read([*played()[:2], line])


def test_a_hand_is_public_only_when_the_session_says_so(arena: Arena) -> None:
    session = arena.session(hands_per_table=2, visibility="after_session")
    hand = arena.one()[1]["hand"]
    while arena.referee.queries.hand(hand)["status"] == "playing":
        arena.play(at_most=1)
    with pytest.raises(Forbidden):
        arena.referee.queries.record(hand)
    assert formats(session, arena) == [SESSION, HEAD]
    assert formats(session, arena, full=True) == [SESSION, HAND]
    head = orjson.loads(list(arena.referee.queries.records(session))[1])
    assert head["hand"] == hand
    assert not load_schemas().faults("hand_head", head)
    arena.play()
    record = arena.referee.queries.record(hand)
    assert record["deck"]
    assert record["head"] == record["steps"][-1]["hash"] == head["head"]
    assert formats(session, arena) == [SESSION, HAND, HAND]


def test_a_hand_that_was_called_off_stands_in_its_place_with_its_head(arena: Arena) -> None:
    session = arena.session(hands_per_table=2)
    arena.play(at_most=5)
    arena.referee.set_session(session, "cancel", "admin")
    _, line = arena.referee.queries.records(session)
    head = orjson.loads(line)
    assert (head["format"], head["status"], len(bytes.fromhex(head["head"]))) == (HEAD, "void", 32)
    with pytest.raises(Forbidden):
        arena.referee.queries.record(head["hand"])


def test_headers_and_hands_have_the_shapes_of_their_schemas() -> None:
    header, *hands = map(orjson.loads, played())
    assert not load_schemas().faults("session_record", header)
    assert not [fault for hand in hands for fault in load_schemas().faults("hand_record", hand)]


def formats(session: str, arena: Arena, *, full: bool = False) -> list[str]:
    """The formats of the lines of a session's record."""
    lines = arena.referee.queries.records(session, full=full)
    return [orjson.loads(line)["format"] for line in lines]


def test_a_running_hand_has_no_record_and_its_secret_is_kept(arena: Arena) -> None:
    session = arena.session(hands_per_table=1)
    hand = arena.one()[1]["hand"]
    with pytest.raises(Forbidden):
        arena.referee.queries.record(hand)
    assert orjson.loads(next(iter(arena.referee.queries.records(session))))["secret"] is None
    assert arena.referee.queries.session(session)["secret"] is None
    assert SEED not in orjson.dumps(arena.referee.queries.session(session)).decode()
    arena.play()
    assert arena.referee.queries.session(session)["secret"] == SEED


def test_never_is_never(arena: Arena) -> None:
    session = arena.session(hands_per_table=1, visibility="never")
    hand = arena.one()[1]["hand"]
    arena.play(lowest)
    with pytest.raises(Forbidden):
        arena.referee.queries.record(hand)
    log = orjson.dumps(arena.referee.hand_events(hand)).decode()
    assert '"deck"' not in log
    assert verify(arena.referee.queries.records(session, full=True)).ok
