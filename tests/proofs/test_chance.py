"""Chance from everybody: the vectors of the manual, and who is mixed into which round."""

from __future__ import annotations

import hashlib

import pytest

from arena.errors import BadInput
from arena.proofs.chance import RoundKeys, mixed_key, read_chance, read_public

SECRET = bytes(range(32))
ANNA, BERT = b"\x11" * 32, b"\x22" * 32


def test_the_key_is_the_hash_of_the_secret_and_what_was_given() -> None:
    text = b"daifugo-arena/chance/1" + SECRET + b"\0\0\0\0" + ANNA + b"\0\0\0\2" + BERT
    assert mixed_key(SECRET, [ANNA, None, BERT]) == hashlib.sha256(text).digest()


def test_every_byte_and_its_place_in_the_roster_change_the_key() -> None:
    gifts = [[ANNA, BERT], [BERT, ANNA], [ANNA, None], [None, ANNA], [ANNA], [None, None], []]
    keys = {mixed_key(SECRET, gift) for gift in gifts}
    assert (
        len(keys) == len(gifts) - 2
    )  # nobody, whoever is there; one that gave and one that did not


def test_a_round_mixes_in_who_was_in_the_roster_when_it_was_drawn() -> None:
    keys = RoundKeys(SECRET, (ANNA, None, BERT), mixed=(2, 3))
    assert keys.of_round(1) == mixed_key(SECRET, [ANNA, None])
    assert keys.of_round(2) == mixed_key(SECRET, [ANNA, None, BERT])
    assert keys.of_round(7) == keys.of_round(2)


def test_a_session_of_an_older_program_deals_from_the_secret_itself() -> None:
    assert RoundKeys(SECRET).of_round(3) == SECRET


@pytest.mark.parametrize("wrong", [None, 7, "", "00", "g" * 64, " " * 64, "00" * 33, "é" * 64])
def test_what_is_no_32_bytes_is_refused(wrong: object) -> None:
    with pytest.raises(BadInput, match=r"chance.*; expected 32 random bytes as 64 hex digits"):
        read_chance(wrong)
    assert read_chance("0A" * 32) == b"\x0a" * 32


def test_the_public_value_comes_last_as_its_hash_and_enters_all_rounds() -> None:
    value = "宝くじ 07 13 21"
    text = b"daifugo-arena/chance/1" + SECRET + b"\0\0\0\0" + ANNA
    text += b"public" + hashlib.sha256(value.encode()).digest()
    assert mixed_key(SECRET, [ANNA], public=value) == hashlib.sha256(text).digest()
    keys = RoundKeys(SECRET, (ANNA, BERT), mixed=(1, 2), public=value)
    assert keys.of_round(1) == mixed_key(SECRET, [ANNA], public=value)
    assert keys.of_round(2) == mixed_key(SECRET, [ANNA, BERT], public=value)
    assert mixed_key(SECRET, [ANNA], public="07 13 22") != mixed_key(SECRET, [ANNA], public=value)


@pytest.mark.parametrize("wrong", [None, 7, "", "x" * 1001, "a\nb", "\x7f", "\x85", "\ud800"])
def test_what_is_no_public_value_is_refused(wrong: object) -> None:
    said = r"public_chance.*; expected 1 to 1,000 characters without control characters"
    with pytest.raises(BadInput, match=said):
        read_public(wrong)
    assert read_public("革" * 1000) == "革" * 1000
