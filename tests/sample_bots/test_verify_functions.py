"""The functions of the program in JavaScript have the vectors of those in Python, so that the two
implementations cannot drift apart."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from arena.proofs.canonical import canonical
from arena.proofs.chain import LogHasher, remarks_hash, step_text, unplayed_head
from arena.proofs.chance import RoundKeys
from arena.proofs.merkle import proof_of, proven_root, root_of
from arena.proofs.signatures import Signer
from arena.rules.cards import CODES, pack
from arena.session import deals
from tests.proofs.test_chain import COMMITMENT, SALT
from tests.proofs.test_merkle import LEAVES, ROOTS
from tests.proofs.test_signatures import KEY, OF_NOTHING, PUBLIC
from tests.sample_bots.node import evaluate

pytestmark = pytest.mark.server
FAIRNESS = Path(__file__).parents[2] / "arena" / "manual" / "fairness.md"
SECRETS = {
    "00, 32 times": bytes(32),
    "00 01 02 to 1f": bytes(range(32)),
    "ff, 32 times": b"\xff" * 32,
}
Expression = tuple[str, Mapping[str, Any]]


def test_sha_256_is_that_of_the_standard_library() -> None:
    texts = [random.Random(size).randbytes(size) for size in [*range(131), 5_000, 70_001]]
    answers = evaluate(("sha256(unhex(text))", {"text": text.hex()}) for text in texts)
    assert answers == [hashlib.sha256(text).hexdigest() for text in texts]


def manual_vectors() -> Iterator[tuple[Expression, list[str]]]:
    """The vectors of the page on fairness: the first ten cards of decks."""
    block = FAIRNESS.read_text(encoding="utf-8").partition("```text vectors\n")[2]
    for line in block.partition("```")[0].splitlines()[1:]:
        secret = next(name for name in SECRETS if line.startswith(name))
        table, number, packs, jokers, *cards = line.removeprefix(secret).split()
        ruleset = {"suits": ["S", "H", "D", "C"], "jokers": int(jokers), "decks": int(packs)}
        hand = {"shuffles": table, "number": int(number), "ruleset": ruleset, "seating": [0, 1, 2]}
        values = {"key": SECRETS[secret].hex(), "hand": hand}
        yield ("drawn(unhex(key), hand).deck.slice(0, 10)", values), cards


def test_the_vectors_of_the_manual() -> None:
    expressions, decks = zip(*manual_vectors(), strict=True)
    assert len(decks) == 3
    assert evaluate(expressions) == list(decks)


def test_deals_and_commitments_are_those_of_the_arena() -> None:
    expressions, expected = [], []
    for players in range(3, 9):
        packs, jokers = 1 + players // 6, players % 3
        ruleset = {"suits": list("CHDS"), "jokers": jokers, "decks": packs}
        hand = {"table": "春-r01-t01", "number": players * 1_000, "ruleset": ruleset}
        deck, key = pack(decks=packs, jokers=jokers), hashlib.sha256(bytes([players])).digest()
        shuffle = deals.deal(key, "春-r01-t01", hand["number"], deck=deck, players=players)
        values = {"key": key.hex(), "hand": {**hand, "seating": list(range(players))}}
        expressions += [
            ("drawn(unhex(key), hand)", values),
            ("commitmentOf(drawn(unhex(key), hand))", values),
        ]
        expected += [
            {
                "deck": [CODES[card] for card in shuffle.deck],
                "lots": deals.lots_document(shuffle.lots),
                "salt": shuffle.salt.hex(),
            },
            deals.commitment(shuffle),
        ]
    assert evaluate(expressions) == expected


def test_the_keys_of_rounds_mix_in_what_the_roster_gave() -> None:
    given = (b"\x11" * 32, None, b"\x22" * 32, b"\x33" * 32)
    header = {
        "secret": bytes(range(32)).hex(),
        "bots": [
            {"bot": f"b-{index}", "chance": chance and chance.hex()}
            for index, chance in reversed(list(enumerate(given)))
        ],
        "schedule": {"roster": [f"b-{index}" for index in range(4)] + ["b-house"]},
    }
    expressions, expected = [], []
    public_values = (None, "3f9c1d77a2", "宝くじ 07 13 21")
    for mixed, public in product((None, (0, 1, 3, 4), (4,), ()), public_values):
        schedule = {**header["schedule"], "mixed": mixed, "public_chance": public}
        keys = RoundKeys(bytes(range(32)), given, mixed, public)
        for number in range(1, 6):
            values = {"header": {**header, "schedule": schedule}, "number": number}
            expressions.append(("keyOf(header, number)", values))
            expected.append(keys.of_round(number).hex())
    assert evaluate(expressions) == expected


def test_canonical_json_is_that_of_python() -> None:
    documents: list[dict[str, Any]] = [
        {"b": [1, {"d": None, "c": True}], "a": '革命 \u2028 \x00 \x1f \x7f "\\/\n\t'},
        {"10": 1, "9": 2, "": {"z": [], "y": {}}, "B": 0, "a": [[2, 1], ["b", "a"]]},
        {"at_ms": 1_800_000_000_000, "most": 2**53 - 1, "least": -(2**53 - 1), "zero": 0},
    ]
    answers = evaluate(("canonical(document)", {"document": each}) for each in documents)
    assert [answer.encode() for answer in answers] == list(map(canonical, documents))


def test_the_chain_of_a_log_is_that_of_the_arena() -> None:
    hand = {"hand": "cup-r01-t01-h001", "seating": [2, 0, 1], "table": "cup-r01-t01"}
    log = LogHasher(hand["hand"], seating=hand["seating"], commitment=COMMITMENT, salt=SALT)
    remarks = {"thought_ms": 7, "note": "革命!", "nonce": "0f" * 16}
    steps: list[dict[str, Any]] = [
        {"seq": 0, "at_ms": 7, "turn": "", "command": {"type": "deal"}, "events": [], "meta": {}},
        {
            "seq": 4,
            "events": [{"seat": 1, "by": "x"}],
            "remarks": remarks,
            "meta": {"b": 1, "a": 2},
        },
        {"seq": 5, "events": [], "remarks": remarks_hash(remarks), "meta": {}},
    ]
    before, hashed = log.start, []
    for step in steps:
        before = log.after(before, step_text(step))
        hashed.append({**step, "hash": before.hex()})
    record = {**hand, "salt": SALT.hex(), "commitment": COMMITMENT, "steps": hashed}
    head, other = before.hex(), "00" * 32
    expressions = [
        ("chainStart(hand)", {"hand": record}),
        ("chainFault(hand)", {"hand": {**record, "head": head}}),
        ("chainFault(hand)", {"hand": {**record, "head": other}}),
        ("chainFault(hand)", {"hand": {**record, "steps": hashed[1:], "head": head}}),
        ("unplayedHead(hand)", {"hand": record}),
    ]
    assert evaluate(expressions) == [
        log.start.hex(),
        "",
        "the head is not the hash of the last step",
        "the hash of step 0 does not follow from the log",
        unplayed_head(hand["hand"], seating=hand["seating"]).hex(),
    ]


def test_merkle_roots_are_those_of_certificate_transparency() -> None:
    grown = "(() => { const tree = new Tree(); leaves.map(unhex).forEach((leaf) => tree.add(leaf));"
    text = f"{grown} return tree.root; }})()"
    sizes = [*ROOTS, 0, 4, 5, 6, 7]
    leaves = [leaf.hex() for leaf in LEAVES]
    answers = evaluate((text, {"leaves": leaves[:size]}) for size in sizes)
    assert answers[: len(ROOTS)] == list(ROOTS.values())
    assert answers == [root_of(LEAVES[:size]).hex() for size in sizes]


def test_proofs_lead_to_the_root_and_those_of_another_length_nowhere() -> None:
    text = "provenRoot(unhex(leaf), index, size, proof.map(unhex))"
    expressions: list[Expression] = []
    expected: list[str | None] = []
    for size in range(1, 9):
        for index in range(size):
            proof = proof_of(LEAVES[:size], index)
            values = {"leaf": LEAVES[index].hex(), "index": index, "size": size}
            shown = [each.hex() for each in proof]
            expressions += [
                (text, {**values, "proof": shown}),
                (text, {**values, "proof": [*shown, "00" * 32]}),
                (text, {**values, "proof": shown, "index": size}),
            ]
            expected += [proven_root(LEAVES[index], index, size, proof).hex(), None, None]
    assert evaluate(expressions) == expected
    assert set(expected) - {None} == {root_of(LEAVES[:size]).hex() for size in range(1, 9)}


def test_signatures_are_those_of_rfc_8032() -> None:
    text = "isSigned(utf8(message), signature, key)"
    known = {"message": "", "signature": OF_NOTHING, "key": PUBLIC}
    document = Signer(KEY).signed({"format": "daifugo-arena/digest/1", "root": "ab" * 32})
    others = [{**document, name: "00" * 32} for name in document]
    wrong = [{"message": "x"}, {"key": ""}, {"key": None}, {"signature": "zz" * 64}]
    expressions: list[Expression] = [
        (text, known),
        *((text, {**known, **other}) for other in wrong),
        ("isSignedDocument(document)", {"document": document}),
        *(("isSignedDocument(document)", {"document": other}) for other in others),
    ]
    signed = [index for index, answer in enumerate(evaluate(expressions)) if answer]
    assert signed == [0, 1 + len(wrong)]
