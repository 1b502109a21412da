"""The pages of tables: round by round, and one table hand by hand."""

from __future__ import annotations

import pytest

from arena.session.publication import Publication, read_publication, write_publication
from tests.real import Real
from tests.web.api.test_results import play
from tests.web.pages.test_views import Outline, page

pytestmark = pytest.mark.slow

CUP = "/sessions/cup/tables"


def tables(real: Real, path: str) -> list[str]:
    """The tables that a page leads to."""
    links = [str(a["href"]) for a in Outline(page(real.anybody, path)).of("a")]
    return [link.removeprefix("/tables/") for link in links if link.startswith("/tables/")]


def test_tables_are_listed_by_rounds_and_a_round_by_itself() -> None:
    real = Real()
    real.session(8, seats=4, schedule={"rounds": 3}, hands_per_table=1)
    play(real)
    everything = [f"cup-r{r:02}-t{t:02}" for r in (1, 2, 3) for t in (1, 2)]
    assert tables(real, CUP) == everything
    assert tables(real, f"{CUP}?round=2") == everything[2:4]
    assert tables(real, f"{CUP}?round=1") == everything[:2]
    outline = Outline(page(real.anybody, CUP))
    assert [word for word in outline.words if word.startswith("Tables of round")] == [
        "Tables of round 1",
        "Tables of round 2",
        "Tables of round 3",
    ]
    assert "This round has not begun." in page(real.anybody, f"{CUP}?round=4")
    for query in ("round=0", "round=x", "round=9"):
        assert real.anybody.get(f"{CUP}?{query}").status_code == 400


def test_a_session_leads_to_its_rounds_whatever_became_of_it() -> None:
    real = Real()
    real.session(8, seats=4, schedule={"kind": "swiss", "rounds": 4})

    def rounds() -> list[str]:
        links = Outline(page(real.anybody, "/sessions/cup")).of("a")
        return [str(a["href"]) for a in links if "?round=" in str(a["href"])]

    assert rounds() == [f"{CUP}?round=1"]
    play(real, at_most=30)
    real.organiser.post("/api/v1/sessions/cup/cancel")
    assert rounds()
    for link in rounds():
        assert real.anybody.get(link).status_code == 200, link


def test_tables_that_were_played_again_are_in_their_round() -> None:
    real = Real()
    real.session(8, seats=4, schedule={"rounds": 2}, hands_per_table=1)
    play(real, at_most=60)
    real.organiser.post("/api/v1/tables/cup-r01-t01/void", json={"reason": "a cable"})
    assert real.organiser.post("/api/v1/tables/cup-r01-t01/replay").status_code == 201
    play(real)
    assert tables(real, f"{CUP}?round=1") == ["cup-r01-t01", "cup-r01-t02", "cup-r01-t01b"]
    assert tables(real, f"{CUP}?round=2") == ["cup-r02-t01", "cup-r02-t02"]


def test_a_table_has_places_titles_and_points_as_they_ran() -> None:
    real = Real()
    real.session(4, ruleset={"preset": "uecda"}, seats=4)
    play(real)
    outline = Outline(page(real.anybody, "/tables/cup-r01-t01"))
    text = " ".join(word.strip() for word in outline.words if word.strip())
    assert "Hand by hand: place, title, points" in text
    result = real.anybody.get("/api/v1/tables/cup-r01-t01").get_json()
    assert len(result["titles"]) == 4
    assert ("daifugō" in text) == ("daifugo" in result["titles"])
    assert ("Points in all" in text) == any(
        any(hand["result"]["points"]) for hand in result["hands"]
    )
    assert [a["href"] for a in outline.of("a") if "/bots/" in str(a["href"])]


def test_while_results_are_withheld_a_table_leads_to_no_bot_and_has_no_place() -> None:
    real = Real()
    real.session(4)
    play(real)
    real.organiser.post("/api/v1/sessions/cup/embargo", json={})
    for path in ("/tables/cup-r01-t01", CUP):
        assert "/bots/" not in page(real.anybody, path)
    assert "not known yet" in page(real.anybody, "/tables/cup-r01-t01")


def test_notes_of_older_programs_know_no_freeze() -> None:
    note = write_publication(Publication(mode="frozen", since_ms=5, frozen_ms=5, tables=("t",)))
    assert read_publication(note).as_frozen().since_ms == 5
    older = note.replace('"frozen_ms":5,', "")
    assert "frozen_ms" not in older
    assert read_publication(older).frozen_ms == 0
