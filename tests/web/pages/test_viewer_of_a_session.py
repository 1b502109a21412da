"""The viewer on a hand of a session: what it weighs, and what a browser checks of the hand."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from playwright.sync_api import Browser, Page, Response

from arena.proofs.chance import mixed_key
from arena.proofs.merkle import proof_of, root_of
from arena.proofs.signatures import Signer
from arena.rules.cards import CODES, pack
from arena.session import deals
from arena.settings import Settings
from tests.browser import ORIGIN, window
from tests.real import Real
from tests.referee.table import SEED
from tests.web.api.test_results import play
from tests.web.pages.test_hands import HAND
from tests.web.pages.test_views import PATCHES

MOST_BYTES = 30 * 1024
MOST_BYTES_OF_SCRIPT = 15 * 1024
RECORD, SESSION = f"/api/v1{HAND}/record", "/api/v1/sessions/cup"
RECORDS, PROOF = f"{SESSION}/records", f"/api/v1{HAND}/proof"
Change = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="module")
def real() -> Real:
    """A session of four bots that is over: its secret is public."""
    created = Real(settings=Settings(requests_per_s=0, anonymous_per_s=0))
    created.session(4, ruleset=PATCHES)
    play(created)
    return created


def test_the_first_view_of_a_hand_is_light(browser: Browser, real: Real) -> None:
    with window(browser, real.anybody) as page:
        responses: list[Response] = []
        page.on("response", lambda each: responses.append(each))
        page.goto(f"{HAND}?at=40")
        page.wait_for_selector(".scrub")
        page.wait_for_load_state("networkidle")
        sizes = {each.url: len(gzip.compress(each.body())) for each in responses}
    kinds = [url.rpartition("/")[2].partition(".")[0] for url in sizes]
    # The icon is that of the site: a browser asks for it once, whichever page comes first.
    assert sorted(kinds) == ["arena", "cup-r01-t01-h002?at=40", "icon", "viewer"]
    assert sizes[next(url for url in sizes if url.endswith(".js"))] <= MOST_BYTES_OF_SCRIPT
    assert sum(sizes.values()) <= MOST_BYTES, sizes
    assert all(url.startswith(ORIGIN) for url in sizes)


def verify(browser: Browser, real: Real, path: str = "", change: Change = dict.copy) -> list[str]:
    """What the page says of the hand, a line each with its class. change: of what is answered
    under the path, of a record file its header."""
    with window(browser, real.anybody) as page:
        text = real.anybody.get(path or RECORD).text
        document, *others = map(orjson.loads, text.splitlines())
        change(document)
        lines = [orjson.dumps(each).decode() for each in (document, *others)]
        if path:
            page.route(f"**{path}", lambda route: route.fulfill(body="\n".join(lines)))
        return said_by(page)


def said_by(page: Page) -> list[str]:
    """What the page of the hand says once its button is pressed."""
    page.goto(HAND)
    page.click("text=Verify this hand")
    page.wait_for_selector("#check ~ ul li")
    said: list[str] = page.eval_on_selector_all(
        "#check ~ ul li", "(all) => all.map((each) => `${each.className}: ${each.textContent}`)"
    )
    return said


def test_a_browser_checks_the_deal_and_the_log_of_a_hand(browser: Browser, real: Real) -> None:
    commitment, deal, log, secret, *_, left_out = verify(browser, real)
    record = real.anybody.get(RECORD).get_json()
    assert commitment.startswith("good: ")
    assert record["commitment"] in commitment
    assert deal == "good: Each of the 53 cards of the deck was dealt, or left out, exactly once."
    assert log.startswith(f"good: Each of the {len(record['steps'])} steps of the log has the hash")
    assert record["head"] in log
    assert secret.startswith("good: The deck, the lots and the salt follow from the secret")
    assert left_out.startswith("open: Not checked here: ")


def swap_cards(record: dict[str, Any]) -> None:
    record["deck"][0], record["deck"][1] = record["deck"][1], record["deck"][0]


def other_salt(record: dict[str, Any]) -> None:
    record["salt"] = "00" * 16


def other_lots(record: dict[str, Any]) -> None:
    record["lots"]["dealer"].reverse()


def other_commitment(record: dict[str, Any]) -> None:
    record["commitment"] = "00" * 32


def a_card_dealt_twice(record: dict[str, Any]) -> None:
    hands = record["steps"][0]["events"][0]["hands"]
    hands[0][0] = hands[1][0]


def other_number(record: dict[str, Any]) -> None:
    record["number"] = 1


def other_secret(session: dict[str, Any]) -> None:
    session["secret"] = "00" * 32


def no_secret(session: dict[str, Any]) -> None:
    session["secret"] = None


def other_chance(header: dict[str, Any]) -> None:
    """As if a bot had given something to chance, which the deals do not follow from."""
    header["bots"][0]["chance"] = "11" * 32


def other_move(record: dict[str, Any]) -> None:
    record["steps"][3]["at_ms"] += 1


def other_head(record: dict[str, Any]) -> None:
    record["head"] = "00" * 32


def no_hashes(record: dict[str, Any]) -> None:
    """As older programs wrote it."""
    del record["head"]
    for step in record["steps"]:
        del step["hash"]


def no_deck(record: dict[str, Any]) -> None:
    del record["deck"]


@pytest.mark.parametrize(
    ("path", "change", "says"),
    [
        (RECORD, swap_cards, "bad: The deck, the lots and the salt of the record have the SHA-256"),
        (RECORD, other_salt, "bad: The deck, the lots and the salt of the record have the SHA-256"),
        (RECORD, other_lots, "bad: The deck, the lots and the salt of the record have the SHA-256"),
        (RECORD, other_commitment, "bad: The deck, the lots and the salt of the record have"),
        (RECORD, a_card_dealt_twice, "bad: The cards that were dealt are not those of the deck."),
        (RECORD, other_number, "bad: The deck, the lots or the salt do not follow from the secret"),
        (
            RECORD,
            other_move,
            "bad: The log is not the one that its hashes are of: the hash of step 3",
        ),
        (RECORD, other_head, "bad: The log is not the one that its hashes are of: the head"),
        (RECORD, no_hashes, "open: The log has no hashes: an older program wrote this record."),
        (
            RECORDS,
            other_chance,
            "bad: The deck, the lots or the salt do not follow from the secret",
        ),
        (SESSION, other_secret, "bad: The secret of the session is not the one"),
        (SESSION, no_secret, "open: The secret of the session is not public yet"),
        (RECORD, no_deck, "bad: The record cannot be checked"),
    ],
)
def test_a_record_that_was_tampered_with_is_refused(
    path: str, change: Change, says: str, browser: Browser, real: Real
) -> None:
    lines = verify(browser, real, path, change)
    assert any(line.startswith(says) for line in lines), lines


def two_packs(record: dict[str, Any]) -> None:
    """A deal of two packs with three jokers to five, by the program that deals."""
    deck = pack(decks=2, jokers=3)
    key = mixed_key(bytes.fromhex(SEED), [])
    shuffle = deals.deal(key, "x", 7, deck=deck, players=5)
    names = [CODES[card] for card in shuffle.deck]
    dealt = {"hands": [names[seat::5] for seat in range(5)], "blind": []}
    record |= {"shuffles": "x", "number": 7, "deck": names, "salt": shuffle.salt.hex()}
    record |= {"lots": deals.lots_document(shuffle.lots), "seating": [0, 1, 2, 3, 4]}
    record |= {"commitment": deals.commitment(shuffle), "steps": [{"events": [dealt]}]}
    record["ruleset"] |= {"decks": 2, "jokers": 3}


def test_a_deal_of_two_packs_follows_from_the_secret_as_well(browser: Browser, real: Real) -> None:
    commitment, deal, _, secret, *_ = verify(browser, real, RECORD, two_packs)
    assert commitment.startswith("bad: ")  # the page names that of its own hand
    assert deal.startswith("good: Each of the 107 cards")
    assert secret.startswith("good: ")


def proof_of_the_hand(real: Real) -> dict[str, Any]:
    """The hand as the first of two that a digest covers."""
    head = bytes.fromhex(real.anybody.get(RECORD).get_json()["head"])
    leaves = [head, b"x" * 32]
    digest = {
        "format": "daifugo-arena/digest/1",
        "session": "cup",
        "hands": 2,
        "root": root_of(leaves).hex(),
    }
    return {
        "session": "cup",
        "hand": HAND.removeprefix("/hands/"),
        "head": head.hex(),
        "index": 0,
        "size": 2,
        "proof": [each.hex() for each in proof_of(leaves, 0)],
        "digest": Signer(b"\x07" * 32).signed(digest),
    }


def as_it_is(proof: dict[str, Any]) -> None:
    """Nothing is changed."""


def other_proof(proof: dict[str, Any]) -> None:
    proof["proof"] = ["00" * 32]


def other_size(proof: dict[str, Any]) -> None:
    proof["digest"]["hands"] = 3


def other_time(proof: dict[str, Any]) -> None:
    proof["digest"]["at_ms"] = 1


def not_signed(proof: dict[str, Any]) -> None:
    proof["digest"] |= {"signature": None, "public_key": None}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            as_it_is,
            ["good: The head is number 1 of the 2 hands", "good: The digest is signed with"],
        ),
        (other_proof, ["bad: The head of the hand is not among those that the digest"]),
        (other_size, ["bad: The head of the hand is not among those that the digest"]),
        (other_time, ["good: The head is", "bad: The signature of the digest does not fit it."]),
        (not_signed, ["good: The head is", "open: The digest is not signed"]),
    ],
)
def test_a_browser_checks_that_the_digest_covers_the_hand(
    change: Change, says: list[str], browser: Browser, real: Real
) -> None:
    proof = proof_of_the_hand(real)
    change(proof)
    with window(browser, real.anybody) as page:
        page.route(f"**{PROOF}", lambda route: route.fulfill(body=orjson.dumps(proof).decode()))
        lines = said_by(page)[4:-1]
    assert [line[: len(start)] for line, start in zip(lines, says, strict=True)] == says


def test_what_a_browser_does_not_know_is_not_checked_and_says_so(
    browser: Browser, real: Real
) -> None:
    proof = proof_of_the_hand(real)
    with window(browser, real.anybody) as page:
        page.add_init_script("Object.defineProperty(crypto, 'subtle', {value: undefined})")
        page.route(f"**{PROOF}", lambda route: route.fulfill(body=orjson.dumps(proof).decode()))
        *good, signature, _ = said_by(page)
    assert all(line.startswith("good: ") for line in good)
    assert signature.startswith("open: The signature of the digest was not checked here")


def test_a_hand_that_no_digest_covers_yet_says_so(browser: Browser, real: Real) -> None:
    with window(browser, real.anybody) as page:
        page.route(f"**{PROOF}", lambda route: route.fulfill(status=409, body="{}"))
        assert said_by(page)[4].startswith("open: No digest of the session covers this hand yet")


def test_without_the_header_of_the_records_the_rest_is_checked_all_the_same(
    browser: Browser, real: Real
) -> None:
    with window(browser, real.anybody) as page:
        page.route(f"**{RECORDS}", lambda route: route.fulfill(status=403, body="{}"))
        good, secret = (lines := said_by(page))[:3], lines[3]
    assert all(line.startswith("good: ") for line in good)
    assert secret.startswith("open: The deal was not computed from the secret: ")
