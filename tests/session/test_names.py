"""Names nobody can be mistaken by: what is refused, and which names are one name."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import BadInput
from arena.session.confusables import check_appearance, skeleton
from arena.session.confusables_data import PROTOTYPES
from arena.session.names import check_name, check_owner, check_text, new_id, new_token


@pytest.mark.parametrize(
    "name",
    [
        "alice-1",
        "Zoë",
        "大富豪ボット3",
        "かくめいAI",
        "革命くん Mk2",
        "ノート",
        "々ロボットー",
        "김봇 v2",
        "Иван",
        "Ωμέγα",
        "Nguyễn",
        "🂡 ace",
        "🂡",
        "x_y.z",
        "O'Brien & sons",
        "b-alice",
        "s-1",
        "team-r10",
    ],
)
def test_honest_names_are_taken(name: str) -> None:
    assert check_name(name) == name
    assert check_owner(name) == name


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("аlice", "one script"),
        ("alicе", "one script"),
        ("раураӏ", "look like Latin"),
        ("ΑΒΒΑ", "look like Latin"),
        ("ａｌｉｃｅ", "plain letters"),
        ("𝐚𝐥𝐢𝐜𝐞", "plain letters"),
        ("alice①", "plain letters"),
        ("alice١", "digits"),
        ("Z\u0351\u036b\u0302a", "marks"),
        ("Ваbка", "one script"),
    ],
)
def test_names_that_pass_for_others_are_refused_with_the_reason(name: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        check_appearance("name", name)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("\u2800", r"without U\+2800"),
        ("alice\u2800", r"without U\+2800"),
        ("\u3164", r"without U\+3164"),
        ("alice\ufe0f", r"without U\+FE0F"),
        ("a\u034flice", r"without U\+034F"),
        ("\u200b", "printable"),
        ("a\u202elice", "printable"),
        ("alice\u00a0", "printable"),
        (" ", "no spaces at the ends"),
        ("", "1 to 40"),
        ("..", "at least one letter"),
        (".", "at least one letter"),
        ("-", "at least one letter"),
        ("- _ -", "at least one letter"),
        ("\u0301", "at least one letter"),
        ("…", "at least one letter"),
        ("a/b", "none of /"),
        ("a\\b", "none of /"),
        ("../alice", "no dot at the beginning"),
        (".alice", "no dot at the beginning"),
        ("C:alice", "none of /"),
        ("alice?", "none of /"),
        ("alice*", "none of /"),
        ("<alice>", "none of /"),
        ('"alice"', "none of /"),
        ("alice|bob", "none of /"),
        ("a∕b", "none of /"),
        ("a⁄b", "none of /"),
        ("b-7q3mz2ka", "the form of an id"),
        ("B-7Q3MZ2KA", "the form of an id"),
        ("b‐7q3mz2ka", "the form of an id"),
        ("b\u22127q3mz2ka", "the form of an id"),
        ("s\u02d7aaaaaaaa", "the form of an id"),
        ("cup\u2212r01-t03", "the form of an id"),
        ("-alice", "no hyphen at the beginning"),
        ("--yes", "no hyphen at the beginning"),
        ("s-aaaaaaaa", "the form of an id"),
        ("cup-r01-t03", "the form of an id"),
        ("cup-r01-t03b", "the form of an id"),
        ("cup-r01-b02", "the form of an id"),
        ("cup-r01-t03-h001", "the form of an id"),
        ("cup-r01-t03-h001.14.2", "the form of an id"),
        ("dfa_secret", "the form of an id"),
        ("dfaadm_x", "the form of an id"),
        ("house-1", "begin with house-"),
        ("House-1", "begin with house-"),
        ("h0use-1", "begin with house-"),
        ("house‐1", "begin with house-"),
    ],
)
def test_names_that_look_empty_or_like_a_path_or_an_id_are_refused(name: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        check_name(name)


def test_the_ids_and_tokens_that_we_make_are_no_names() -> None:
    for made in (new_id("b-"), new_id("s-"), new_token("dfa_")[:30]):
        with pytest.raises(BadInput, match="the form of an id"):
            check_name(made)


def test_a_label_may_be_a_sentence_but_can_be_seen() -> None:
    assert check_text("label", "class 4b: who? (2026/27)", longest=80)
    with pytest.raises(BadInput, match="can be seen"):
        check_text("label", "class\u28004b", longest=80)


@pytest.mark.parametrize(
    "other",
    [
        "Alice-1",
        "ALICE-1",
        "aIice-1",
        "al1ce-1",
        "alice-l",
        "alice-I",
        "a|ice-1",
        "alice‐1",
        "alice‑1",
        "alice–1",
        "alice—1",
        "alice−1",
        "alice--1",
        "alıce-1",
        "alİce-1",
        "al\u200bice-1",
        "alice\ufe0f-1",
        "ａｌｉｃｅ-1",
        "𝐚𝐥𝐢𝐜𝐞-1",
        "аlice-1",
        "alісе-1",
        "ᎪᏞᎥᏟᎬ-1",
        "ꓮꓡꓲꓚꓰ-1",
    ],
)
def test_names_that_look_alike_have_one_skeleton(other: str) -> None:
    assert skeleton(other) == skeleton("alice-1")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bob-0", "BOB-O"),
        ("mallory", "rnallory"),
        ("two  words", "two words"),
        ("two words", "two\u2003words"),
        ("Иван", "ИВАН"),
        ("ΩΜΈΓΑ", "ωμέγα"),
        ("straße", "STRASSE"),
        ("Zoë", "ZOE\u0308"),
    ],
)
def test_other_pairs_that_are_one_name(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("alice-1", "alice-2"),
        ("alice-1", "alice-11"),
        ("alice", "alices"),
        ("Zoë", "Zoe"),
        ("大富豪", "大貧民"),
        ("ボット", "ロボット"),
        ("n", "v"),
        ("u", "y"),
        ("🂡", "🂢"),
    ],
)
def test_names_that_differ_to_the_eye_are_two(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)


def test_numbers_tell_bots_apart() -> None:
    assert len({skeleton(f"bot-{number}") for number in range(20_000)}) == 20_000


@given(st.text())
def test_a_skeleton_is_its_own_and_knows_no_case(text: str) -> None:
    once = skeleton(text)
    assert skeleton(once) == once
    assert skeleton(text.casefold()) == once


@given(st.text("abc-", max_size=3))
def test_what_the_standard_calls_alike_is_alike(around: str) -> None:
    """All of it but dashes, which are one whatever the standard makes of some of them, and one
    prototype with a control character in it."""
    for code, prototype in PROTOTYPES.items():
        if unicodedata.category(chr(code)) != "Pd" and "\t" not in prototype:
            assert skeleton(around + chr(code)) == skeleton(around + prototype), hex(code)


@pytest.mark.parametrize(
    ("character", "prototype"),
    [
        ("\u0430", "a"),
        ("\u03bf", "o"),
        ("\u0131", "i"),
        ("1", "l"),
        ("0", "o"),
        ("m", "rn"),
        ("\u2010", "-"),
        ("\u2044", "/"),
        ("\u30ce", "/"),
        ("\u2019", "'"),
        ("\u13aa", "a"),
    ],
)
def test_the_data_says_what_the_standard_says(character: str, prototype: str) -> None:
    assert PROTOTYPES[ord(character)] == prototype


def test_the_data_is_whole_and_needs_no_second_look() -> None:
    assert len(PROTOTYPES) == 2157
    for code, prototype in PROTOTYPES.items():
        assert prototype.translate(PROTOTYPES) == prototype, f"U+{code:04X}"
        assert unicodedata.normalize("NFD", prototype) == prototype


@given(st.text("aIl1|0o-._ /\\\u2010\u2800\u0131\u0430é大🂡\u0301", max_size=12))
def test_every_name_that_is_accepted_can_be_seen_and_is_no_path(name: str) -> None:
    try:
        check_name(name)
    except BadInput:
        return
    assert skeleton(name).strip("-._ '")
    assert not set(name) & set("/\\|")
    assert not name.startswith(".")
