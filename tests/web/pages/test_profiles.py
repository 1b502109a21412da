"""The pages of a bot, and of two bots against each other; the same for programs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.store.port import BotRow
from arena.web.api.validation import Schemas
from tests.real import Real
from tests.web.api.test_results import play
from tests.web.pages.test_views import Outline, page
from tests.web.watchdog import Watchdog

pytestmark = pytest.mark.slow

CUP = "/sessions/cup"
API = f"/api/v1{CUP}"


@pytest.fixture(scope="module")
def real(schemas: Schemas) -> Iterator[Real]:
    """Five bots that have played three rounds, with every response looked at."""
    watchdog = Watchdog(schemas)
    created = Real()
    watchdog.watch(created.app)
    created.session(5, seats=4, schedule={"rounds": 5})
    play(created)
    yield created
    assert watchdog.complaints == []


def text(outline: Outline) -> str:
    return " ".join(word.strip() for word in outline.words if word.strip())


def test_a_bot_has_its_rating_opponents_places_and_hands(real: Real) -> None:
    outline = Outline(page(real.anybody, f"{CUP}/bots/bot-2"))
    captions = " ".join(word for word in outline.words if word.endswith(("then", "shared")))
    assert "Rating after each round, from all hands until then" in captions
    assert "Against each opponent, in the hands that they shared" in captions
    links = [str(a["href"]) for a in outline.of("a")]
    assert len([link for link in links if link.startswith(f"{CUP}/pairs/")]) == 4
    hands = [link for link in links if link.startswith("/hands/")]
    assert len(set(hands)) == 8
    assert all(head.get("scope") in ("col", "row") for head in outline.of("th"))
    assert "No faults." in text(outline)


def test_it_is_addressed_by_its_name_or_its_id(real: Real) -> None:
    by_name = page(real.anybody, f"{CUP}/bots/bot-2")
    assert page(real.anybody, f"{CUP}/bots/{real.ids[1]}") == by_name
    assert real.anybody.get(f"{CUP}/bots/nobody").status_code == 404
    assert real.anybody.get(f"{CUP}/bots/bot-2?after=-1").status_code == 400


def test_two_bots_have_the_hands_that_they_shared(real: Real) -> None:
    path = f"{CUP}/pairs/bot-1/bot-2"
    outline = Outline(page(real.anybody, path))
    document = real.anybody.get(f"{API}/pairs/bot-1/bot-2").get_json()
    hands = [str(a["href"]) for a in outline.of("a") if str(a["href"]).startswith("/hands/")]
    assert hands == [f"/hands/{each['hand']}" for each in document["hands"]]
    assert f"in {document['ahead']:g} of {document['shared']} hands" in text(outline)
    other = real.anybody.get(f"{API}/pairs/bot-2/bot-1").get_json()
    assert other["gap_elo"] == -document["gap_elo"]
    assert other["ahead"] + document["ahead"] == document["shared"]
    assert real.anybody.get(f"{CUP}/pairs/bot-1/bot-1").status_code == 400
    assert real.anybody.get(f"{CUP}/pairs/bot-1/nobody").status_code == 404


def test_programs_get_the_same_numbers_page_by_page(real: Real) -> None:
    whole = real.anybody.get(f"{API}/bots/bot-3").get_json()
    (row,) = [
        row
        for row in real.anybody.get(f"{API}/standings").get_json()["groups"][0]["rows"]
        if row["name"] == "bot-3"
    ]
    assert whole["row"] == row
    assert sum(each["hands"] for each in whole["places"]) == row["hands"] == len(whole["hands"])
    assert [each["round"] for each in whole["history"]][-1] == 5
    assert whole["history"][-1]["elo"] == row["elo"]
    first = real.anybody.get(f"{API}/bots/bot-3?limit=3").get_json()
    rest = real.anybody.get(f"{API}/bots/bot-3?after={first['next']}").get_json()
    assert first["hands"] + rest["hands"] == whole["hands"]
    assert rest["next"] is None


@pytest.mark.slow
def test_every_link_on_them_leads_somewhere(real: Real) -> None:
    for path in (f"{CUP}/bots/bot-1", f"{CUP}/pairs/bot-1/bot-5"):
        for link in Outline(page(real.anybody, path)).of("a"):
            href = str(link["href"])
            href = path + href if href.startswith("?") else href.partition("#")[0] or path
            assert real.anybody.get(href).status_code == 200, link


def test_long_lists_of_hands_come_page_by_page(real: Real, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.pages.profiles.HANDS_A_PAGE", 3)
    path, seen = f"{CUP}/bots/bot-4", list[str]()
    while path:
        outline = Outline(page(real.anybody, path))
        tables = [str(a["href"]) for a in outline.of("a") if str(a["href"]).startswith("/hands/")]
        seen += tables[-3:] if "after=6" not in path else tables[-2:]
        beyond = [a["href"] for a in outline.of("a") if a.get("rel") == "next"]
        path = f"{CUP}/bots/bot-4{beyond[0]}" if beyond else ""
    assert len(seen) == len(set(seen)) == 8


def test_before_the_start_a_bot_has_a_page_without_hands() -> None:
    real = Real()
    document = {"name": "Cup", "slug": "cup", "seats": 4}
    real.organiser.post("/api/v1/sessions", json=document)
    real.organiser.post(f"{API}/open")
    made = real.organiser.post("/api/v1/bots", json={"name": "alice"}).get_json()
    real.client(made["token"]).put(f"{API}/entry")
    assert "None that counts has ended yet." in page(real.anybody, f"{CUP}/bots/alice")


def test_what_is_withheld_is_not_on_the_page_of_a_bot() -> None:
    real = Real()
    real.session(4, schedule={"rounds": 2})
    play(real, at_most=230)
    real.organiser.post(f"{API}/freeze")
    before = page(real.anybody, f"{CUP}/bots/bot-1")
    play(real)
    assert page(real.anybody, f"{CUP}/bots/bot-1") == before
    real.organiser.post(f"{API}/publish")
    assert page(real.anybody, f"{CUP}/bots/bot-1") != before
    real.organiser.post(f"{API}/embargo", json={})
    for path in ("bots/bot-1", "pairs/bot-1/bot-2"):
        assert real.anybody.get(f"{CUP}/{path}").status_code == 403
        assert real.anybody.get(f"{API}/{path}").status_code == 403
        assert real.organiser.get(f"{API}/{path}").status_code == 200


def test_under_pseudonyms_neither_name_nor_id_leads_to_a_bot() -> None:
    real = Real()
    real.session(4, board="pseudonymous")
    play(real)
    for path in (f"bots/{real.ids[0]}", "bots/bot-1", f"pairs/{real.ids[0]}/{real.ids[1]}"):
        assert real.anybody.get(f"{CUP}/{path}").status_code == 404
    (group,) = real.anybody.get(f"{API}/standings").get_json()["groups"]
    one, other = (row["bot"] for row in group["rows"][:2])
    for path in (f"bots/{one}", f"pairs/{one}/{other}"):
        shown = page(real.anybody, f"{CUP}/{path}")
        assert one in shown
        assert not [word for word in ("bot-1", "bot-2", *real.ids) if word in shown]


def test_void_tables_and_disqualified_bots_do_not_count_and_are_said_to_be_so() -> None:
    real = Real()
    real.session(5, seats=4, schedule={"rounds": 5})
    play(real, at_most=300)
    void = {"reason": "a cable"}
    assert real.organiser.post("/api/v1/tables/cup-r01-t01/void", json=void).status_code == 200
    play(real)
    assert "/hands/cup-r01-" not in page(real.anybody, f"{CUP}/bots/bot-1")
    path = f"{API}/entries/{real.ids[1]}/disqualify"
    assert real.organiser.post(path).status_code == 200
    assert "It was disqualified" in page(real.anybody, f"{CUP}/bots/bot-2")
    assert f"{CUP}/pairs/{real.ids[0]}/{real.ids[1]}" not in page(real.anybody, f"{CUP}/bots/bot-1")


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", "a/b?c#d", "大富豪", "שלום", "x" * 200]
)
def test_names_do_no_harm_in_text_or_address(name: str) -> None:
    real = Real()
    real.organiser.post("/api/v1/sessions", json={"name": "Cup", "slug": "cup", "seats": 4})
    for number, each in enumerate((name, "alice")):  # from before names were checked so
        real.store.write(BotRow(f"b-{number}", each, each, f"h{number}", 1, False, "bot"))
        assert real.organiser.put(f"{API}/entries/b-{number}").status_code == 200
    for path in (f"{CUP}/bots/b-0", f"{CUP}/pairs/b-1/b-0"):
        shown = page(real.anybody, path)
        assert "<script" not in shown
        assert name in Outline(shown).words
        assert len(Outline(shown).of("bdi")) > 1
