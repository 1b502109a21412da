"""Notes over HTTP: what is taken, what is refused, and who reads them on pages and in records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from arena.settings import Settings
from arena.web.api.validation import Schemas
from tests.real import Real
from tests.web.pages.test_views import page
from tests.web.watchdog import Watchdog

API = "/api/v1"
HTML = '<img src=x onerror="alert(1)">' + "w" * 200
HAND = "cup-r01-t01-h001"


@pytest.fixture
def real(schemas: Schemas) -> Iterator[Real]:
    """An arena with every response looked at."""
    watchdog = Watchdog(schemas)
    created = Real(settings=Settings(requests_per_s=0, anonymous_per_s=0))
    watchdog.watch(created.app)
    yield created
    assert watchdog.complaints == []


def play(real: Real, note: str) -> None:
    """Play a session to its end; all send this note with every answer."""
    while waiting := real.waiting():
        for number, turn in waiting:
            answer = next((e for e in turn["legal"] if "pass" not in e), turn["legal"][0])
            body = {**answer, "note": note}
            told = real.bots[number].post(f"{API}/turns/{turn['turn']}", json=body)
            assert told.status_code == 200, told.text


def ledger(real: Real, number: int) -> list[dict[str, Any]]:
    told = real.bots[number].get(f"{API}/turns/ledger?hand={HAND}").get_json()
    entries: list[dict[str, Any]] = told["entries"]
    return entries


def test_a_note_goes_with_every_form_of_answer(real: Real) -> None:
    real.session()
    number, turn = real.waiting()[0]
    sent = {"choice": 0, "note": "鬼に金棒"}
    path = f"{API}/turns/{turn['turn']}?wait=0"
    assert real.bots[number].post(path, json=sent).status_code == 200
    assert ledger(real, number)[-1]["note"] == "鬼に金棒"
    number, turn = real.waiting()[0]
    entry = {"turn": turn["turn"], **turn["legal"][-1], "note": "x" * 280}
    told = real.bots[number].post(f"{API}/turns", json={"answers": [entry]})
    assert [each["status"] for each in told.get_json()["results"]] == [200]
    assert ledger(real, number)[-1]["note"] == "x" * 280


@pytest.mark.parametrize("note", ["x" * 281, "two\nlines", "\x1b[31m", "\u2028", 7, None, {}])
def test_what_is_no_note_is_refused_and_named(real: Real, note: object) -> None:
    real.session()
    number, turn = real.waiting()[0]
    body = {**turn["legal"][0], "note": note}
    told = real.bots[number].post(f"{API}/turns/{turn['turn']}", json=body)
    assert told.status_code == 400
    assert [each["pointer"] for each in told.get_json()["errors"]] == ["/note"]
    many = {"answers": [{"turn": turn["turn"], **body}]}
    told = real.bots[number].post(f"{API}/turns", json=many)
    assert [each["pointer"] for each in told.get_json()["errors"]] == ["/answers/0/note"]
    assert all(
        turn["turn"] != each["turn"] or each["refused"] == 2 for each in ledger(real, number)
    )


def test_a_published_note_stands_on_the_hand_s_page_as_text(real: Real) -> None:
    real.session(notes=True, hands_per_table=1)
    play(real, HTML)
    html = page(real.anybody, f"/hands/{HAND}?log=all")
    assert "<img" not in html
    assert "&lt;img src=x onerror=&#34;alert(1)&#34;&gt;www" in html
    moves = len([each for each in ledger(real, 0) if each["note"]])
    of_seat = page(real.anybody, f"/hands/{HAND}?log=all&seat={ledger(real, 0)[0]['seat']}")
    assert of_seat.count('class="note"') == moves
    assert page(real.anybody, f"/hands/{HAND}?log=all&watch=1").count('class="note"') == 0


def test_the_page_of_a_hand_has_its_notes_from_the_end_of_the_session_on(real: Real) -> None:
    real.session(notes=True, hands_per_table=2)
    first = f"{API}/hands/{HAND}"
    while real.anybody.get(first).get_json()["status"] == "playing":
        number, turn = real.waiting()[0]
        body = {**turn["legal"][-1], "note": "a secret plan"}
        real.bots[number].post(f"{API}/turns/{turn['turn']}", json=body)
    assert "a secret plan" not in page(real.anybody, f"/hands/{HAND}?log=all")
    play(real, "a secret plan")
    assert "a secret plan" in page(real.anybody, f"/hands/{HAND}?log=all")


def test_without_the_organiser_s_word_nobody_but_the_owner_reads_notes(real: Real) -> None:
    real.session(hands_per_table=1)
    play(real, "a secret plan")
    assert "a secret plan" not in page(real.anybody, f"/hands/{HAND}?log=all")
    assert "a secret plan" not in real.anybody.get(f"{API}/hands/{HAND}/record").text
    assert "a secret plan" not in real.organiser.get(f"{API}/sessions/cup/records").text
    theirs = f"{API}/bots/{real.ids[0]}/ledger"
    assert "a secret plan" not in real.organiser.get(theirs).text
    assert "a secret plan" in str(ledger(real, 0))
