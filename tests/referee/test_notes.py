"""Notes: what a bot sends beside an answer is kept with the turn, and is told to nobody else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
import pytest

from arena.documents import Document
from arena.errors import BadInput, Refused
from arena.proofs.chain import remarks_hash
from arena.records.verify import verify
from tests.referee.table import Arena, lowest

NOTE = "keeps the joker 🃏 for the last trick"
BESIDE = {
    *("clock_ms", "seat", "opened_ms", "seen_ms", "charged_ms", "bank_ms", "late", "refused"),
    "cause",
}


def noted(turn: Document) -> Mapping[str, Any]:
    """The lowest cards, with a note that names the turn."""
    return {**lowest(turn), "note": f"at {turn['turn']}"}


def meta(arena: Arena, turn: Document) -> Document:
    """What the log says of a turn that was answered."""
    step = next(s for s in arena.store.steps(turn["hand"]) if s.turn == turn["turn"])
    read: Document = orjson.loads(step.meta)
    return read


def entry(arena: Arena, bot: str, turn: Document, **asked: Any) -> Document:
    """What the ledger of a bot says of a turn."""
    entries = arena.referee.queries.ledger(bot, limit=500, **asked)["entries"]
    found: Document = next(each for each in entries if each["turn"] == turn["turn"])
    return found


def records(arena: Arena, session: str, **asked: Any) -> list[str]:
    return list(arena.referee.queries.records(session, **asked))


def test_a_note_is_kept_beside_the_turn_and_its_owner_reads_it(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    told = arena.referee.answer(bot, turn["turn"], {**lowest(turn), "note": NOTE})
    assert meta(arena, turn)["note"] == NOTE
    assert entry(arena, bot, turn)["note"] == NOTE
    assert "joker" not in str(told)
    arena.restart()
    assert entry(arena, bot, turn)["note"] == NOTE


def test_what_a_bot_says_that_it_has_thought_is_kept_for_its_ledger(arena: Arena) -> None:
    """It changes no charge, and is told like a note."""
    arena.session()
    bot, turn = arena.one()
    arena.clock.pass_ms(400)
    arena.referee.answer(bot, turn["turn"], {**lowest(turn), "thought_ms": 90_000})
    assert meta(arena, turn)["thought_ms"] == 90_000
    assert entry(arena, bot, turn)["thought_ms"] == 90_000
    assert entry(arena, bot, turn)["charged_ms"] == 250
    again = arena.referee.answer(bot, turn["turn"], {**lowest(turn), "thought_ms": 1})
    assert again["replayed"], "it is the same answer"


def test_each_turn_with_a_note_has_a_nonce_of_its_own_which_no_bot_can_give(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    with pytest.raises(BadInput, match="nonce"):
        arena.referee.answer(bot, turn["turn"], {**noted(turn), "nonce": "00" * 16})
    nonces = set()
    for _ in range(2):
        bot, turn = arena.one()
        arena.referee.answer(bot, turn["turn"], {**lowest(turn), "note": NOTE})
        nonces.add(meta(arena, turn)["nonce"])
    assert len(nonces) == 2
    assert all(len(bytes.fromhex(nonce)) == 16 for nonce in nonces)


def test_nobody_is_told_the_nonce_while_the_hand_is_played(arena: Arena) -> None:
    session = arena.session(notes=True)
    bot, turn = arena.one()
    told = [arena.referee.answer(bot, turn["turn"], {**lowest(turn), "note": NOTE})]
    nonce, queries, hand = meta(arena, turn)["nonce"], arena.referee.queries, turn["hand"]
    for reader in arena.bots.values():
        told += [arena.referee.turns(reader, limit=64), arena.referee.hand_events(hand, reader)]
        told += [queries.ledger(reader), queries.ledger(reader, staff=True)]
    assert nonce not in str([told, queries.hand(hand), queries.session(session)])


@pytest.mark.parametrize("thought", [-1, 1.5, True, "12", None, 86_400_001])
def test_a_thought_that_is_no_time_is_refused(thought: Any, arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    with pytest.raises(BadInput, match="thought_ms"):
        arena.referee.answer(bot, turn["turn"], {**lowest(turn), "thought_ms": thought})


def test_an_answer_without_a_note_is_kept_as_before(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    arena.referee.answer(bot, turn["turn"], lowest(turn))
    assert meta(arena, turn).keys() == BESIDE
    assert entry(arena, bot, turn)["note"] is None
    bot, turn = arena.one()
    arena.referee.answer(bot, turn["turn"], {**lowest(turn), "note": ""})
    assert meta(arena, turn).keys() == BESIDE


def test_of_many_answers_each_has_its_note(arena: Arena) -> None:
    arena.session(8)
    bot, _ = arena.one()
    waiting = [turn for each, turn in arena.waiting() if each == bot]
    results = arena.referee.answer_many(bot, [{"turn": t["turn"], **noted(t)} for t in waiting])
    assert [result["status"] for result in results] == [200] * len(waiting)
    assert [meta(arena, each)["note"] for each in waiting] == [f"at {t['turn']}" for t in waiting]


def test_an_answer_sent_again_with_another_note_is_the_same_answer(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    first = arena.referee.answer(bot, turn["turn"], {**lowest(turn), "note": "first"})
    again = arena.referee.answer(bot, turn["turn"], {**lowest(turn), "note": "second"})
    assert again == {**first, "replayed": True}
    assert arena.referee.answer(bot, turn["turn"], lowest(turn))["replayed"]
    assert meta(arena, turn)["note"] == "first"


def test_the_note_of_a_refused_answer_is_dropped(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    with pytest.raises(Refused):
        arena.referee.answer(bot, turn["turn"], {"pass": True, "note": "a lead must be played"})
    arena.referee.answer(bot, turn["turn"], lowest(turn))
    assert "note" not in meta(arena, turn)
    assert "must be played" not in str(arena.store.steps(turn["hand"]))


@pytest.mark.parametrize("note", ["x" * 281, "two\nlines", "a bell\x07", "nul\0", 7, None, ["x"]])
def test_a_note_that_is_none_is_refused_and_nothing_is_written(arena: Arena, note: object) -> None:
    arena.session()
    bot, turn = arena.one()
    before = arena.log(turn["hand"])
    with pytest.raises(BadInput, match="note"):
        arena.referee.answer(bot, turn["turn"], {**lowest(turn), "note": note})
    assert arena.log(turn["hand"]) == before
    arena.referee.answer(bot, turn["turn"], {**lowest(turn), "note": "y" * 280})


def test_a_note_alone_is_no_answer(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    with pytest.raises(BadInput, match="one of pass, cards"):
        arena.referee.answer(bot, turn["turn"], {"note": NOTE})


def test_nobody_else_at_the_table_is_sent_a_note(arena: Arena) -> None:
    session = arena.session(notes=True)
    bot, turn = arena.one()
    arena.referee.answer(bot, turn["turn"], {**lowest(turn), "note": NOTE})
    queries, hand = arena.referee.queries, turn["hand"]
    for other in arena.bots.values():
        assert "joker 🃏" not in str(arena.referee.turns(other, limit=64))
        assert "joker 🃏" not in str(arena.referee.hand_events(hand, other))
    assert "joker 🃏" not in str([queries.hand(hand), queries.session(session)])
    assert entry(arena, bot, turn, staff=True)["note"] is None


def test_records_without_notes_are_the_same_bytes_whatever_bots_wrote() -> None:
    told = []
    for answerer in (lowest, noted):
        arena = Arena()
        session = arena.session()
        names = dict.fromkeys(arena.bots.values())
        arena.play(answerer)
        written = records(arena, session) + records(arena, session, full=True)
        lines = "".join(map(without_hashes, written))
        for number, bot in enumerate(names):
            lines = lines.replace(bot, f"b-{number}")
        told.append(lines)
    assert told[0] == told[1]
    assert '"notes"' not in told[0]


def without_hashes(line: str) -> str:
    """A line without the hashes into which notes go."""
    document = orjson.loads(line)
    for name in ("head", "digest"):
        document.pop(name, None)
    for step in document.get("steps", ()):
        del step["hash"]
        step.pop("remarks", None)
    return orjson.dumps(document).decode()


def test_notes_are_published_with_the_records_when_the_session_is_over(arena: Arena) -> None:
    session = arena.session(notes=True)
    turns = []

    def answer(turn: Document) -> Mapping[str, Any]:
        turns.append(turn)
        return noted(turn)

    hand = f"{session}-r01-t01-h001"
    while arena.referee.queries.hand(hand)["status"] == "playing":
        arena.play(answer, at_most=1)
    bot = next(iter(arena.bots.values()))
    assert '"note"' not in str(arena.referee.queries.record(hand))
    assert '"note"' not in "".join(records(arena, session, full=True))
    arena.play(answer)
    lines = records(arena, session)
    steps = [step for line in lines[1:] for step in orjson.loads(line)["steps"][1:]]
    assert [step["remarks"]["note"] for step in steps] == [f"at {step['turn']}" for step in steps]
    assert all(step["remarks"].keys() == {"note", "nonce"} for step in steps)
    assert orjson.loads(lines[0])["document"]["notes"] is True
    report = verify(lines)
    assert report.findings == ()
    mine = arena.referee.queries.ledger(bot, staff=True)["entries"]
    assert all(each["note"] == f"at {each['turn']}" for each in mine)


def test_where_bots_have_pseudonyms_the_public_reads_no_notes(arena: Arena) -> None:
    session = arena.session(notes=True, board="pseudonymous")
    arena.play(noted)
    assert '"note"' not in "".join(records(arena, session))
    assert '"note":"at ' in "".join(records(arena, session, full=True))


def test_a_hash_in_place_of_a_note_is_not_that_of_any_note_that_is_guessed(arena: Arena) -> None:
    """The salt of a hand is public when its record is; the nonce is not."""
    session = arena.session(notes=True, board="pseudonymous")
    arena.play(lambda turn: {**lowest(turn), "thought_ms": 7})
    withheld = orjson.loads(records(arena, session)[1])
    shown = orjson.loads(records(arena, session, full=True)[1])
    pairs = list(zip(withheld["steps"], shown["steps"], strict=True))[1:]
    assert [one["remarks"] for one, _ in pairs] == [
        remarks_hash(two["remarks"]) for _, two in pairs
    ]
    assert len({one["remarks"] for one, _ in pairs}) == len(pairs)
    assert all(two["remarks"]["nonce"] not in str(withheld) for _, two in pairs)


def test_a_session_says_whether_notes_are_published(arena: Arena) -> None:
    session = arena.session(start=False)
    assert arena.referee.queries.session(session)["notes"] is False
    with pytest.raises(BadInput, match="true or false"):
        arena.session(slug="other", notes="yes")
