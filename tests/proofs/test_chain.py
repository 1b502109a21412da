"""The chain of a log: that its text is what the docstring says, and that all of it is covered."""

from __future__ import annotations

import hashlib

from arena.proofs.chain import LogHasher, remarks_hash, step_text, unplayed_head

SALT = bytes(range(16))
COMMITMENT = "ab" * 32
PLACE = b'{"hand":"cup-r01-t01-h001","seating":[2,0,1]}'


def hasher(**other: object) -> LogHasher:
    known = {"seating": [2, 0, 1], "commitment": COMMITMENT, "salt": SALT, **other}
    return LogHasher("cup-r01-t01-h001", **known)  # type: ignore[arg-type]


def test_the_chain_starts_from_the_commitment_and_the_place_of_the_hand() -> None:
    text = b"daifugo-arena/chain/1" + SALT + b"\xab" * 32 + PLACE
    assert hasher().start == hashlib.sha256(text).digest()
    others = [{"seating": [0, 1, 2]}, {"commitment": "cd" * 32}, {"salt": b"x" * 16}]
    assert len({hasher().start, *(hasher(**other).start for other in others)}) == 4


def test_a_step_is_hashed_with_the_salt_and_the_hash_before_it() -> None:
    log, step = hasher(), step_text({"seq": 4, "at_ms": 7, "turn": "", "hash": "00"})
    assert step == b'{"at_ms":7,"seq":4,"turn":""}'
    text = b"daifugo-arena/step/1" + SALT + log.start + step
    assert log.after(log.start, step) == hashlib.sha256(text).digest()


def test_remarks_are_covered_by_a_hash_that_does_not_give_them_away() -> None:
    nonce = "0f" * 16
    text = f'{{"nonce":"{nonce}","note":"革命!","thought_ms":7}}'
    expected = hashlib.sha256(b"daifugo-arena/remarks/1" + text.encode()).hexdigest()
    remarks = {"thought_ms": 7, "note": "革命!", "nonce": nonce}
    assert remarks_hash(remarks) == expected
    shown, withheld = {"seq": 4, "remarks": remarks}, {"seq": 4, "remarks": expected}
    assert step_text(shown) == step_text(withheld)
    assert step_text(shown) != step_text({"seq": 4})


def test_a_hand_that_was_not_played_has_a_head_too() -> None:
    expected = hashlib.sha256(b"daifugo-arena/unplayed/1" + PLACE).digest()
    assert unplayed_head("cup-r01-t01-h001", seating=(2, 0, 1)) == expected
