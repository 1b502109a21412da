"""A finished session's record changed with all hashes computed anew: what passes is said to be
unproved, and what is known besides finds it."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from arena.proofs.merkle import root_of
from arena.proofs.signatures import Signer
from arena.records.digest_checks import Digest, read_digest
from tests.records.mutations import SIGNER, rehashed, signed
from tests.records.records import (
    Lines,
    checked,
    forged,
    found,
    hands,
    headed,
    header,
    line,
    only,
    season,
)

pytestmark = pytest.mark.slow
OTHER_MOVES = "the moves are those that were made"
HEADER = "that the header is the arena's, as it is not signed"
FORGER = Signer(bytes(32))


def published(**members: Any) -> Digest:
    """The digest of the season, as somebody has kept it."""
    return read_digest(digest(**members), "digest.json")


def digest(**members: Any) -> dict[str, Any]:
    document = {**header(signed(list(season())))["digest"], **members}
    del document["public_key"], document["signature"]
    return SIGNER.signed(document)


def midway(rounds: int, further: list[str]) -> Digest:
    """A digest from the middle of the season."""
    covered = [
        hand for hand in hands(season()) if hand["round"] <= rounds or hand["table"] in further
    ]
    return published(
        rounds=rounds,
        further=further,
        hands=len(covered),
        tables=len({hand["table"] for hand in covered}),
        root=root_of(bytes.fromhex(hand["head"]) for hand in covered).hex(),
    )


def signed_by_forger() -> Lines:
    return signed(forged(), FORGER)


def test_another_game_with_another_winner_passes_and_it_is_said_that_this_is_not_proved() -> None:
    winners = [
        [hand["result"]["places"][0] for hand in hands(each)] for each in (season(), forged())
    ]
    assert winners[0] != winners[1]
    said, verifier = checked(forged())
    assert said == []
    assert any(
        OTHER_MOVES in what and "other legal moves would pass" in what
        for what in verifier.closing.unproved
    )
    assert not any("digest" in what for what in verifier.closing.proved)


def test_a_digest_that_was_computed_anew_without_signature_is_said_to_prove_nothing() -> None:
    own = header(signed_by_forger())["digest"] | {"public_key": None, "signature": None}
    said, verifier = checked(headed(forged(), digest=own))
    assert said == []
    (what,) = [each for each in verifier.closing.unproved if OTHER_MOVES in each]
    assert "no signature, so whoever changes the file can compute it anew" in what
    assert own["root"] in what


def test_a_forger_who_signs_with_a_key_of_his_own_is_asked_whose_it_is() -> None:
    said, verifier = checked(signed_by_forger())
    assert said == []
    key = f"that key {FORGER.public_key} is the arena's: ask for it elsewhere"
    assert any(what.startswith(key) for what in verifier.closing.unproved)


def test_another_game_is_refused_with_the_key_of_the_arena() -> None:
    for lines in (signed_by_forger(), forged(), [signed(list(season()))[0], *forged()[1:]]):
        assert found(lines, key=SIGNER.public_key)
    (what,) = found(signed_by_forger(), key=SIGNER.public_key)
    assert f"signed with key {FORGER.public_key}, asked for was {SIGNER.public_key}" in what


def test_another_game_is_refused_below_the_header_that_the_arena_signed() -> None:
    said, verifier = checked([signed(list(season()))[0], *forged()[1:]])
    assert "this is not the record that was signed" in said[0]
    assert any(
        "the digest in the header is not that of these hands" in what
        for what in verifier.closing.unproved
    )


def test_another_game_is_refused_with_a_digest_that_was_published_before() -> None:
    for lines in (forged(), signed_by_forger(), forged()[1:]):
        (what,) = found(lines, digests=[published()])
        assert "digest.json has root" in what
        (what,) = found(lines, roots=[published().root])
        assert f"no beginning of the record leads to digest {published().root[:16]}" in what


def test_the_record_itself_fits_its_digest_and_nothing_of_the_moves_is_left_unproved() -> None:
    for beside in ({"digests": [published()]}, {"roots": [published().root]}):
        said, verifier = checked(season(), **beside)
        assert said == []
        assert any("is that of 9 hands as they stand" in each for each in verifier.closing.proved)
        assert not any(OTHER_MOVES in each for each in verifier.closing.unproved)
        assert any(HEADER in each for each in verifier.closing.unproved)


def test_a_digest_from_the_middle_of_a_session_pins_the_hands_until_then() -> None:
    early = midway(1, ["cup-r03-t01"])
    said, verifier = checked(season(), digests=[early])
    assert said == []
    assert "digest.json is that of 6 hands as they stand here" in str(verifier.closing.proved)
    assert any(
        what == "that the moves of 3 hands are those that were made: the digest does not cover them"
        for what in verifier.closing.unproved
    )
    second = {hand["hand"]: line(hand) for hand in hands(forged()) if hand["round"] == 2}
    mixed = [season()[0], *(second.get(h["hand"], line(h)) for h in hands(season()))]
    assert found(mixed) == found(mixed, digests=[early]) == []
    assert "digest.json has root" in found(mixed, digests=[published()])[0]


def test_a_root_from_the_middle_with_tables_out_of_order_asks_for_the_whole_digest() -> None:
    assert found(season(), roots=[midway(2, []).root]) == []
    (what,) = found(season(), roots=[midway(1, ["cup-r03-t01"]).root])
    assert "published while tables were playing, give all of the digest" in what


def test_digests_of_another_session_or_another_key_are_named() -> None:
    (what,) = found(season(), digests=[published(session="league")])
    assert "digest.json is of session league, which is not in the record" in what
    (what,) = found(season(), digests=[published(secret_commitment="ab" * 32)])
    assert "digest.json is of session cup, which is not in the record" in what
    other = read_digest(header(signed(list(season()), FORGER))["digest"], "digest.json")
    said = found(signed(list(season())), digests=[other], key=SIGNER.public_key)
    keys = f"{FORGER.public_key}, asked for was {SIGNER.public_key}"
    assert said == [f"line 1: digest.json is signed with key {keys}"]
    unsigned = digest() | {"public_key": None, "signature": None}
    given = read_digest(unsigned, "digest.json")
    (what,) = found(signed(list(season())), digests=[given], key=SIGNER.public_key)
    assert "digest.json is not signed, and a key was asked for" in what


OUT = {
    "a table": lambda hand: hand["table"] != "cup-r02-t01",
    "the last table": lambda hand: hand["table"] != "cup-r03-t01",
    "the first table": lambda hand: hand["table"] != "cup-r01-t01",
    "all rounds but one": lambda hand: hand["round"] == 2,
    "hands at the end of a table": lambda hand: (hand["round"], hand["number"]) < (3, 2),
    "hands at the end of each table": lambda hand: hand["number"] < 3,
}
MISSING = {
    "a table": ["cup-r02-t01 is missing"],
    "the last table": ["cup-r03-t01 is missing"],
    "the first table": ["cup-r01-t01 is missing"],
    "all rounds but one": ["cup-r01-t01 is missing", "cup-r03-t01 is missing"],
    "hands at the end of a table": ["cup-r03-t01 has 1 of 3 hands: hands are missing"],
    "hands at the end of each table": [
        f"cup-r0{number}-t01 has 2 of 3 hands: hands are missing" for number in (1, 2, 3)
    ],
}


@pytest.mark.parametrize("what", list(OUT))
def test_what_is_taken_out_is_named_though_the_header_counts_only_what_is_left(what: str) -> None:
    said = found(only(season(), OUT[what]))
    assert len(said) == len(MISSING[what])
    assert all(f"table {each}" in line for each, line in zip(MISSING[what], said, strict=True))


def tables(**members: Any) -> dict[str, Any]:
    return {**header(season())["tables"], **members}


def test_what_a_forged_header_excuses_passes_and_is_said_to_be_its_word_alone() -> None:
    """All of them are refused with the arena's key: the header is signed."""
    first_table = [hand for hand in hands(season()) if hand["round"] == 1]
    void = tables(
        void=[{"table": "cup-r01-t01", "reason": "x", "at": "2027-01-15", "replay": None}]
    )
    voided = [{**hand, "void": "x"} if hand in first_table else hand for hand in hands(season())]
    excuses: dict[str, Lines] = {
        "1 round of the schedule was not begun: only the header says so": only(
            season(), OUT["the last table"], rounds_begun=2
        ),
        "why 1 table was cut short": only(
            season(),
            OUT["hands at the end of a table"],
            tables=tables(aborted=["cup-r03-t01"]),
        ),
        "why 1 table was made void": [
            *headed(season()[:1], tables=void),
            *map(line, voided),
        ],
        "that nothing is missing: the session is running": only(
            season(), OUT["a table"], status="running", secret=None
        ),
        "rounds begun, and tables cut short or void are as it says": only(
            season(),
            OUT["hands at the end of each table"],
            document={**header(season())["document"], "hands_per_table": 2},
        ),
    }
    for excuse, lines in excuses.items():
        said, verifier = checked(lines)
        assert said == [], excuse
        assert any(excuse in what for what in verifier.closing.unproved), excuse
        assert any(what.startswith(HEADER) for what in verifier.closing.unproved)
        kept = {name: header(signed(list(season())))[name] for name in ("digest", "public_key")}
        signature = header(signed(list(season())))["signature"]
        changed = headed(headed(lines, **kept), signature=signature)
        assert "the signature does not fit the header" in found(changed, key=SIGNER.public_key)[0]


def test_a_status_that_does_not_go_with_the_rest_is_found() -> None:
    (what,) = found(headed(season(), status="running"))
    assert "the secret is there, though the session is running" in what
    (what,) = found(only(season(), lambda hand: False, rounds_begun=0))
    assert "the session is finished, and no round was begun" in what


def test_a_void_table_that_was_added_has_to_be_named_and_dealt_as_the_secret_says() -> None:
    again = [
        rehashed(orjson.loads(each.replace(b"cup-r01-t01", b"cup-r01-t01b")))
        for each in season()[1:4]
    ]
    added = [*season()[:4], *map(line, again), *season()[4:]]
    said = found(headed(added, hands=12))
    assert "the schedule has no table cup-r01-t01b, and it is played in no other's stead" in said[0]
    void = tables(
        void=[{"table": "cup-r01-t01", "reason": "x", "at": "2027-01-15", "replay": "cup-r01-t01b"}]
    )
    said = found(headed(added, hands=12, tables=void))
    assert any("deck, lots or salt are not what follows from the secret" in what for what in said)


@pytest.mark.parametrize("schedule", [True, False])
def test_rounds_that_no_session_can_have_begun_take_no_time(schedule: bool) -> None:
    more: dict[str, Any] = {} if schedule else {"schedule": None, "status": "cancelled"}
    said = found(headed(season(), rounds_begun=2**53, **more))
    assert said


def test_where_all_is_signed_and_known_only_what_no_record_can_prove_is_left() -> None:
    said, verifier = checked(signed(list(season())), key=SIGNER.public_key)
    assert said == []
    assert [what.partition(":")[0] for what in verifier.closing.unproved] == [
        "who the bots' programs were, and that the clock of the arena went right",
        "that bots were sent what the record says",
        "that the organiser did not know the deals beforehand",
    ]
