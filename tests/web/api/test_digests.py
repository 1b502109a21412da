"""Digests, proofs and keys over HTTP."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from arena.proofs.signatures import is_signed_document
from arena.records.proofs import check_proof
from arena.web.pages.parts import parts_of
from tests.real import Real
from tests.web.api.test_results import play
from tests.web.fakes import SIGNER
from tests.web.watchdog import Watchdog

HAND_PAGE = "/hands/cup-r01-t01-h001"


def test_a_digest_is_signed_and_known_by_its_tag(anybody: FlaskClient) -> None:
    response = anybody.get("/api/v1/sessions/cup/digest")
    assert response.status_code == 200
    assert response.json is not None
    assert is_signed_document(response.json)
    again = anybody.get(
        "/api/v1/sessions/cup/digest", headers={"If-None-Match": response.headers["ETag"]}
    )
    assert (again.status_code, again.data) == (304, b"")


def test_who_calls_makes_no_difference(anybody: FlaskClient, alice: FlaskClient) -> None:
    ours, theirs = (each.get("/api/v1/sessions/cup/digest") for each in (anybody, alice))
    assert ours.data == theirs.data


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("sessions/none/digest", 404),
        ("hands/none/proof", 404),
        ("hands/cup-r02-t01-h001/proof", 409),
        ("sessions/cup/digest?at=1", 400),
    ],
)
def test_what_is_not_there_yet_is_a_problem(path: str, status: int, anybody: FlaskClient) -> None:
    response = anybody.get(f"/api/v1/{path}")
    assert response.status_code == status
    assert response.mimetype == "application/problem+json"


def test_the_index_has_the_key_and_the_list_says_since_when(anybody: FlaskClient) -> None:
    index = anybody.get("/api/v1").json
    assert index is not None
    assert index["public_key"] == SIGNER.public_key
    listed = anybody.get(index["keys"]).json
    assert listed is not None
    assert listed["keys"][-1]["public_key"] == SIGNER.public_key
    assert listed["keys"][-1]["until"] is None


def test_the_root_stands_below_the_standings_in_every_form(anybody: FlaskClient) -> None:
    line = f"digest {'ab' * 32} over 12 hands at 3 tables, signed with key {SIGNER.public_key}"
    for form in ("text", "github", "html", "latex"):
        page = anybody.get(f"/api/v1/sessions/cup/standings?format={form}").text
        assert line in page
    csv = anybody.get("/api/v1/sessions/cup/standings?format=csv").text
    assert "digest" not in csv
    document = anybody.get("/api/v1/sessions/cup/standings").json
    assert document is not None
    assert document["digest"]["root"] == "ab" * 32


def test_the_proof_of_a_hand_of_a_real_arena_holds(watchdog: Watchdog) -> None:
    real = Real(signer=SIGNER)
    watchdog.watch(real.app)
    real.session(4)
    play(real)
    hand = "/api/v1/hands/cup-r01-t01-h002"
    proof, record = (real.anybody.get(f"{hand}/{each}").json for each in ("proof", "record"))
    assert proof is not None
    check_proof(proof, SIGNER.public_key, record=record)
    assert proof["digest"] == real.anybody.get("/api/v1/sessions/cup/digest").json
    session = real.anybody.get("/api/v1/sessions/cup").json
    assert session is not None
    assert session["digest"]["root"] == proof["digest"]["root"]


def test_pages_show_the_digest_by_now_and_lead_to_the_proofs() -> None:
    real = Real(signer=SIGNER)
    real.session(4, schedule={"rounds": 2})
    before = real.anybody.get("/sessions/cup").text
    assert "Digest of 0 hands at 0 closed tables" in before
    assert "/api/v1/hands/cup-r01-t01-h001/proof" not in real.anybody.get(HAND_PAGE).text
    play(real)
    root = real.anybody.get("/api/v1/sessions/cup/digest").json["root"]  # type: ignore[index]
    for path in ("/sessions/cup", "/sessions/cup/standings"):
        page = real.anybody.get(path).text
        assert "Digest of 4 hands at 2 closed tables" in page
        assert root in page
        assert SIGNER.public_key in page
    assert "/api/v1/hands/cup-r01-t01-h001/proof" in real.anybody.get(HAND_PAGE).text


def test_the_digest_is_a_part_of_the_page_that_is_kept_up_to_date() -> None:
    real = Real(signer=SIGNER)
    real.session(4)
    play(real)
    assert "Digest of 2 hands" in parts_of(real.anybody.get("/sessions/cup").data)["digest"]
