"""The viewer on a hand of a session: what it weighs, and the deal checked in a browser."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from playwright.sync_api import Browser, Response

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
    under the path."""
    with window(browser, real.anybody) as page:
        document = real.anybody.get(path or RECORD).get_json()
        change(document)
        body = orjson.dumps(document).decode()
        if path:
            page.route(f"**{path}", lambda route: route.fulfill(body=body))
        page.goto(HAND)
        page.click("text=Verify this hand")
        page.wait_for_selector("#check ~ ul li")
        lines: list[str] = page.eval_on_selector_all(
            "#check ~ ul li", "(all) => all.map((each) => `${each.className}: ${each.textContent}`)"
        )
        return lines


def test_a_browser_checks_the_deal_of_a_hand(browser: Browser, real: Real) -> None:
    commitment, deal, secret, left_out = verify(browser, real)
    digest = real.anybody.get(RECORD).get_json()["commitment"]
    assert commitment.startswith("good: ")
    assert digest in commitment
    assert deal == "good: Each of the 53 cards of the deck was dealt, or left out, exactly once."
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
    shuffle = deals.deal(bytes.fromhex(SEED), "x", 7, deck=deck, players=5)
    names = [CODES[card] for card in shuffle.deck]
    dealt = {"hands": [names[seat::5] for seat in range(5)], "blind": []}
    record |= {"shuffles": "x", "number": 7, "deck": names, "salt": shuffle.salt.hex()}
    record |= {"lots": deals.lots_document(shuffle.lots), "seating": [0, 1, 2, 3, 4]}
    record |= {"commitment": deals.commitment(shuffle), "steps": [{"events": [dealt]}]}


def test_a_deal_of_two_packs_follows_from_the_secret_as_well(browser: Browser, real: Real) -> None:
    commitment, deal, secret, _ = verify(browser, real, RECORD, two_packs)
    assert commitment.startswith("bad: ")  # the page names that of its own hand
    assert deal.startswith("good: Each of the 107 cards")
    assert secret.startswith("good: ")
