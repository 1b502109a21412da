"""Digests: one signed hash over the hands at closed tables, and the proof of a single one."""

from __future__ import annotations

import orjson
import pytest

from arena.application import Referee
from arena.documents import Document
from arena.errors import Conflict, NotFound, Unavailable
from arena.proofs.chain import LogHasher, step_text, unplayed_head
from arena.proofs.merkle import proven_root, root_of
from arena.proofs.signatures import Signer, is_signed, is_signed_document
from arena.queries import digest_tree, heads
from arena.store.port import DropSteps, StepRow
from arena.store.reading import all_session_hands
from tests.referee.table import CLOSED, Arena, first

KEY = bytes(range(32))
PUBLIC = Signer(KEY).public_key


def signing(arena: Arena) -> Arena:
    """The same arena, taken over by a process with a key."""
    arena.referee = Referee(arena.store, clock=arena.clock, settings=CLOSED, signer=Signer(KEY))
    arena.referee.start(threads=False)
    return arena


def digest(arena: Arena, session: str = "cup") -> Document:
    return arena.referee.queries.digest(session)


def proof(arena: Arena, hand: str) -> Document:
    return arena.referee.queries.proof(hand)


def head(record: Document) -> bytes:
    """The head of a hand, from its public record alone."""
    if not record["steps"]:
        return unplayed_head(record["hand"], seating=record["seating"])
    salt = bytes.fromhex(record["salt"])
    hasher = LogHasher(
        record["hand"], seating=record["seating"], commitment=record["commitment"], salt=salt
    )
    log = hasher.start
    for step in record["steps"]:
        log = hasher.after(log, step_text(step))
    return log


def records(arena: Arena, session: str = "cup") -> list[Document]:
    return [orjson.loads(line) for line in arena.referee.queries.records(session)][1:]


def proven(document: Document) -> str:
    """The root to which the proof of a hand leads."""
    way = [bytes.fromhex(each) for each in document["proof"]]
    top = proven_root(bytes.fromhex(document["head"]), document["index"], document["size"], way)
    return top.hex()


def test_the_root_follows_from_the_public_record_alone(arena: Arena) -> None:
    signing(arena).session(8, hands_per_table=2)
    arena.play()
    found = digest(arena)
    assert found["root"] == root_of(map(head, records(arena))).hex()
    assert (found["tables"], found["hands"], found["rounds"], found["further"]) == (2, 4, 1, [])
    assert found["secret_commitment"] == arena.referee.queries.session("cup")["secret_commitment"]
    assert found["public_key"] == PUBLIC
    assert is_signed_document(found)


def test_before_a_table_is_closed_there_is_nothing_to_sign_but_that(arena: Arena) -> None:
    signing(arena).session(8)
    found = digest(arena)
    assert (found["tables"], found["hands"], found["rounds"], found["at_ms"]) == (0, 0, 0, 0)
    assert found["root"] == root_of([]).hex()
    assert is_signed_document(found)


def test_an_arena_without_a_key_signs_nothing(arena: Arena) -> None:
    arena.session()
    arena.play()
    found = digest(arena)
    assert found["public_key"] is found["signature"] is None
    assert found["hands"] == 2


def test_a_table_that_is_closed_before_its_round_is_complete_stands_among_the_further_ones(
    arena: Arena,
) -> None:
    arena.session(8, schedule={"rounds": 2})
    play_table(arena, "cup-r01-t01")
    found = digest(arena)
    assert (found["rounds"], found["further"]) == (0, ["cup-r01-t01"])
    assert (found["tables"], found["hands"]) == (1, 2)
    play_table(arena, "cup-r01-t02")
    play_table(arena, "cup-r02-t02")
    found = digest(arena)
    assert (found["rounds"], found["further"]) == (1, ["cup-r02-t02"])
    assert proof(arena, "cup-r02-t02-h001")["index"] == 4


def play_table(arena: Arena, table: str) -> None:
    while turns := [each for each in arena.waiting() if each[1]["turn"].startswith(f"{table}-")]:
        for bot, turn in turns:
            arena.referee.answer(bot, turn["turn"], first(turn))


def test_what_is_added_bit_by_bit_is_what_another_process_reads_at_once(arena: Arena) -> None:
    arena.session(8, schedule={"rounds": 2})
    while arena.status("cup") != "finished":
        arena.play(at_most=60)
        added = digest(arena)
        fresh = Referee(arena.store, clock=arena.clock, settings=CLOSED).queries
        assert fresh.digest("cup") == added
    assert (added["hands"], added["rounds"]) == (8, 2)
    assert added["at_ms"] == max(row.ended_ms for row in all_session_hands(arena.store, "cup"))


def test_every_hand_is_proven_and_the_proof_fits_the_digest_only(arena: Arena) -> None:
    signing(arena).session(12, hands_per_table=1)
    arena.play()
    found = digest(arena)
    for index, record in enumerate(records(arena)):
        document = proof(arena, record["hand"])
        assert document["head"] == head(record).hex()
        assert (document["session"], document["index"], document["size"]) == ("cup", index, 3)
        assert document["digest"] == found
        assert proven(document) == found["root"]


def test_a_forfeited_hand_has_a_head_without_a_log(arena: Arena) -> None:
    arena.session(
        8, hands_per_table=5, clock={"bank_ms": 0, "absent_after": 1}, ruleset="pagat+kakumei"
    )
    arena.bots.pop("bot-8")
    while arena.status("cup") != "finished":
        if not arena.play():
            arena.clock.pass_ms(60_000)
            arena.referee.sweep()
    listed = records(arena)
    assert "forfeited" in [record["status"] for record in listed]
    assert digest(arena)["root"] == root_of(map(head, listed)).hex()


def test_a_hand_whose_table_is_played_is_not_proven_yet(arena: Arena) -> None:
    arena.session(hands_per_table=2)
    while arena.store.hand("cup-r01-t01-h002") is None:
        arena.play(at_most=1)
    with pytest.raises(Conflict, match="cup-r01-t01 is played still"):
        proof(arena, "cup-r01-t01-h001")
    for ask in (lambda: proof(arena, "cup-r09-t01-h001"), lambda: digest(arena, "nothing")):
        with pytest.raises(NotFound):
            ask()


def test_where_shuffles_are_shared_nobody_learns_that_a_hand_has_ended(arena: Arena) -> None:
    arena.session(8, hands_per_table=1, deals="common", deals_may_repeat=True)
    play_table(arena, "cup-r01-t01")
    assert digest(arena)["tables"] == 0
    with pytest.raises(Conflict):
        proof(arena, "cup-r01-t01-h001")
    arena.play()
    assert proven(proof(arena, "cup-r01-t01-h001")) == digest(arena)["root"]


def test_a_table_that_is_void_stays_in_it_and_a_replay_comes_beside_it(arena: Arena) -> None:
    signing(arena).session(8, schedule={"rounds": 2})
    play_table(arena, "cup-r01-t01")
    play_table(arena, "cup-r01-t02")
    before = digest(arena)
    arena.referee.void("cup-r01-t01", "power cut", "admin")
    assert digest(arena) == before
    arena.referee.replay("cup-r01-t01", "admin")
    during = digest(arena)
    assert (during["rounds"], during["further"]) == (0, ["cup-r01-t01", "cup-r01-t02"])
    assert during["root"] == before["root"]
    arena.play()
    after = digest(arena)
    assert (after["tables"], after["rounds"], after["further"]) == (5, 2, [])
    assert proof(arena, "cup-r02-t01-h001")["index"] == 6


def test_a_hand_that_was_called_void_has_the_head_of_its_log_as_far_as_it_went(
    arena: Arena,
) -> None:
    arena.session()
    arena.play(at_most=5)
    arena.referee.void("cup-r01-t01", "power cut", "admin")
    found = digest(arena)
    assert (found["tables"], found["hands"]) == (1, 1)
    assert proven(proof(arena, "cup-r01-t01-h001")) == found["root"]


def test_a_cancelled_session_has_what_was_played(arena: Arena) -> None:
    arena.session(8)
    arena.play(at_most=5)
    arena.referee.set_session("cup", "cancel", "admin")
    assert digest(arena)["hands"] == 2


@pytest.mark.parametrize("withhold", ["freeze", "embargo"])
def test_digests_are_shown_while_results_are_withheld(arena: Arena, withhold: str) -> None:
    """They tell no result: a head is a hash with a salt that is secret until the hand is shown."""
    arena.session(8, schedule={"rounds": 2})
    arena.play(at_most=20)
    getattr(arena.referee, withhold)("cup", "admin")
    arena.play()
    shown = digest(arena)
    arena.referee.publish("cup", "admin")
    assert digest(arena) == shown
    assert shown["hands"] == 8


def test_on_a_pseudonymous_board_it_names_nobody(arena: Arena) -> None:
    arena.session(board="pseudonymous")
    arena.play()
    text = orjson.dumps([digest(arena), proof(arena, "cup-r01-t01-h001")]).decode()
    assert not [each for bot in arena.bots.items() for each in bot if each in text]


def test_the_header_of_a_record_is_signed_as_it_stands(arena: Arena) -> None:
    signing(arena).session()
    arena.play()
    line = next(arena.referee.queries.records("cup")).encode()
    document = orjson.loads(line)
    assert list(document)[-3:] == ["digest", "public_key", "signature"]
    assert document["digest"] == digest(arena)
    unsigned = line[: line.rindex(b',"signature"')] + b"}"
    assert is_signed(unsigned, document["signature"], public_key=PUBLIC)


def test_without_a_key_the_header_says_so(arena: Arena) -> None:
    arena.session()
    document = orjson.loads(next(arena.referee.queries.records("cup")))
    assert document["public_key"] is document["signature"] is None
    assert document["digest"]["hands"] == 0


def test_what_nobody_has_asked_for_is_brief(arena: Arena) -> None:
    signing(arena).session()
    arena.play()
    found, brief = digest(arena), arena.referee.queries.digest_brief("cup")
    assert brief == {
        "tables": 1,
        "hands": 2,
        "rounds": 1,
        "root": found["root"],
        "at": "2027-01-15T08:00:00.000Z",
        "public_key": PUBLIC,
    }


def test_once_known_only_the_tables_are_counted(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena.session()
    arena.play()
    found = digest(arena)
    monkeypatch.setattr(digest_tree, "all_tables", None)
    assert digest(arena) == found


def test_the_hash_that_is_stored_is_not_computed_again(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena.session(hands_per_table=1)
    arena.play()
    hand, stored = "cup-r01-t01-h001", bytes(range(32))
    steps = arena.store.steps(hand)
    arena.store.write(DropSteps(hand), *steps[:-1], steps[-1]._replace(hash=stored))
    monkeypatch.setattr(heads, "computed_head", None)
    assert proof(arena, hand)["head"] == stored.hex()


def test_a_log_that_was_changed_afterwards_is_not_proven(arena: Arena) -> None:
    arena.session(hands_per_table=1)
    arena.play()
    hand = "cup-r01-t01-h001"
    digest(arena)
    steps = arena.store.steps(hand)
    forged: StepRow = steps[-1]._replace(at_ms=steps[-1].at_ms + 1, hash=None)
    arena.store.write(DropSteps(hand), *steps[:-1], forged)
    with pytest.raises(Unavailable, match="not the one that the digest covers"):
        proof(arena, hand)


@pytest.mark.slow
def test_where_others_wait_a_big_session_is_read_in_the_background(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.queries.digests.FEW", 1)
    arena.session()
    arena.play()
    referee = Referee(arena.store, clock=arena.clock, settings=CLOSED, paced=True)
    queries = referee.queries
    assert queries.digest_brief("cup") is None
    thread = queries.digests._thread
    if thread is not None:
        thread.join()
    assert queries.digest_brief("cup") == arena.referee.queries.digest_brief("cup")
    queries.digests.close()
