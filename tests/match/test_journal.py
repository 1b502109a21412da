"""A match that was stopped goes on behind its last whole block, and is the same to the byte."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from arena.errors import BadInput, Conflict, Unavailable
from arena.match.block_documents import read_block, write_block
from arena.match.journal import open_journal
from arena.match.local import Match, MatchTerms, play_block
from arena.match.match_identity import identity
from arena.match.matches import play_match
from tests.match.test_local import Here

LOWEST = "tests.match.players:Lowest"
TERMS = {"ruleset": {"preset": "pagat"}, "hands_per_table": 1, "deals": "fresh"}
HEAD = {"bots": {"A": "x:Y"}, "seed": "1", "hands": 9, "sprt": None}


def match(*, record=True, **terms):
    return Match(
        LOWEST, "tests.match.players:Cheat", (LOWEST,), MatchTerms(**TERMS | terms), record
    )


BLOCK = play_block(match(), 1)


def kept(path, asked=None):
    with open_journal(path, HEAD) as journal:
        return list(journal.blocks(asked or match()))


def filled(path, count):
    """A journal with so many blocks."""
    with open_journal(path, HEAD) as journal:
        for number in range(1, count + 1):
            journal.append(play_block(match(), number))
    return path


def test_a_block_is_the_same_when_it_is_read_again():
    slow = {bot: replace(own, slowest_ms=7, slowest_turn="x") for bot, own in BLOCK.conduct.items()}
    block = BLOCK._replace(conduct=slow)
    again = read_block(match(), 1, json.loads(json.dumps(write_block(1, block))))
    assert again == block
    assert [vars(own) for own in again.conduct.values()] == [vars(own) for own in slow.values()]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"block": 2}, "block is 2; expected 1"),
        ({"hands": []}, "hands is "),
        ({"hands": 7}, "hands is 7"),
        ({"hands": [{}]}, r"hands\[0\] is \[\]; expected the members"),
        ({"records": []}, "records is .* expected a list of 1 lines"),
        ({"records": ["{}\n{}\n"]}, r"records\[0\] is .* expected a line of a record file"),
        ({"records": ["7\n"]}, r"records\[0\]"),
        ({"conduct": {}}, "conduct is "),
        ({"more": 1}, "block is .*; expected the members"),
    ],
)
def test_what_is_no_block_of_the_match_is_refused(change, said):
    with pytest.raises(BadInput, match=said):
        read_block(match(), 1, write_block(1, BLOCK) | change)


@pytest.mark.parametrize(
    ("member", "value", "said"),
    [
        ("bots", ["A", "B", "other-1", "other-1"], r"hands\[0\].bots"),
        ("finish", [1, 2, 3], "finish"),
        ("finish", [1, 2, 2, 3], "finish"),
        ("finish", [1, 2, 3, True], r"hands\[0\].finish"),
        ("faults", ["C"], "bot is 'C'"),
        ("forfeits", None, r"hands\[0\].forfeits"),
    ],
)
def test_what_is_no_hand_of_the_match_is_refused(member, value, said):
    document = write_block(1, BLOCK)
    document["hands"][0][member] = value
    with pytest.raises(BadInput, match=said):
        read_block(match(), 1, document)


@pytest.mark.parametrize(("member", "value"), [("answers", -1), ("errors", 1.5), ("refusal", None)])
def test_what_is_no_conduct_is_refused(member, value):
    document = write_block(1, BLOCK)
    document["conduct"]["A"][member] = value
    with pytest.raises(BadInput, match=rf"conduct.A.{member} is "):
        read_block(match(), 1, document)


@pytest.mark.slow
def test_a_match_goes_on_behind_the_blocks_that_it_has():
    def played(before, pool):
        said = []
        test = play_match(
            match(), pool, hands=6, watch=lambda *now: said.append(now), before=before
        )
        return test, said

    whole, pool = played((), Here()), Here()
    assert played([play_block(match(), number) for number in (1, 2)], pool) == whole
    assert pool.numbers == [3, 4, 5, 6]


@pytest.mark.slow
def test_a_line_that_was_not_written_to_its_end_is_cut_off(tmp_path):
    path = filled(tmp_path / "j", 2)
    whole = path.read_bytes()
    for torn in (whole[:-1], whole[:-200], whole[: whole.rindex(b"\n", 0, -1) + 2]):
        path.write_bytes(torn)
        assert [block.hands[0].block for block in kept(path)] == ["block 000001"]
        assert path.read_bytes() == whole[: whole.rindex(b"\n", 0, -1) + 1]


def test_a_first_line_that_was_not_written_to_its_end_is_written_again(tmp_path):
    whole = filled(tmp_path / "whole", 0).read_bytes()
    for length in (0, 1, len(whole) - 1):
        (tmp_path / "torn").write_bytes(whole[:length])
        assert kept(tmp_path / "torn") == []
        assert (tmp_path / "torn").read_bytes() == whole


@pytest.mark.parametrize("text", ["precious", "{}\n", "[]\n", "{\n", '{"format": "x"}\nmore'])
def test_a_file_that_is_no_journal_is_left_as_it_is(text, tmp_path):
    (tmp_path / "j").write_text(text)
    with pytest.raises(BadInput, match=r"--resume is .*; expected a journal that arena match"):
        kept(tmp_path / "j")
    assert (tmp_path / "j").read_text() == text


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seed": "2"}, "seed is 1 there, 2 here"),
        ({"bots": {"A": "x:Z"}}, r"bots\.A is x:Y there, x:Z here"),
        ({"hands": 10}, "hands is 9 there, 10 here"),
        ({"sprt": [0.0, 20.0]}, r"sprt is not given there, \[0.0, 20.0\] here"),
        ({"more": 1}, "more is not given there, 1 here"),
    ],
)
def test_the_journal_of_another_match_is_refused_with_what_differs(change, said, tmp_path):
    path = filled(tmp_path / "j", 0)
    with pytest.raises(BadInput, match=said), open_journal(path, HEAD | change):
        pass


@pytest.mark.parametrize("line", [b"{", b"", b"7", b'{"block": 2}'])
def test_a_line_in_the_middle_that_is_no_block_is_named(line, tmp_path):
    path = filled(tmp_path / "j", 2)
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([lines[0], line, *lines[2:]]))
    with pytest.raises(BadInput, match=r"j, line 2"):
        kept(path)


def test_two_matches_do_not_write_one_journal(tmp_path):
    with (
        open_journal(tmp_path / "j", HEAD),
        pytest.raises(Conflict, match="is being written by another arena match"),
        open_journal(tmp_path / "j", HEAD),
    ):
        pass


def test_a_journal_that_cannot_be_opened_or_written_is_said_so(tmp_path):
    with pytest.raises(BadInput, match=r"--resume is .*; expected a file to write"):
        kept(tmp_path)
    with open_journal(tmp_path / "j", HEAD) as journal:
        journal._file = open("/dev/full", "r+b", buffering=0)  # noqa: SIM115
        with journal._file, pytest.raises(Unavailable, match="j cannot be written: "):
            journal.append(BLOCK)


def test_the_identity_names_whatever_changes_the_play():
    same = identity(match())
    assert same == identity(match())
    others = [
        match(seed=2),
        match(hands_per_table=2),
        match(deals="rotate"),
        match(reseat_every=0),
        match(record=False),
        match(ruleset={"preset": "pagat", "patches": ["kakumei"]}),
        Match(f"{LOWEST} --shy", LOWEST, (), MatchTerms(**TERMS)),
    ]
    assert all(identity(other) != same for other in others)
