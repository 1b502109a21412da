"""What anybody may read: the index, sessions, tables, hands, standings, schemas, health.

A token is not needed; with a bot's token a hand's log is answered as that bot's seat may see it.
Views only: what a spectator may see is decided by the referee.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

import arena
from arena.errors import NotFound
from arena.reference import rules_in_words
from arena.settings import Settings
from arena.statuses import SessionStatus
from arena.web.api.bots import limits_of
from arena.web.api.documents import (
    JSON,
    SCHEMA_MEDIA,
    TEXT,
    TEXT_MEDIA,
    ServedDocument,
    document_of,
)
from arena.web.api.endpoints import Endpoint, RateCost, Reply, View
from arena.web.api.limits import rate_cost_of_document, rate_cost_of_list
from arena.web.api.problems import Code, Problem, retry
from arena.web.api.queries import AS, Param
from arena.web.api.services import Call
from arena.web.api.validation import SUFFIX

API = "/api/v1"
KEYS = "/keys"
PAGE = (
    Param("after", "text", "The id that the page before ended with, from its `next`."),
    Param("limit", "integer", "The most entries to get.", 100, least=1, most=500),
)
METRICS_MEDIA = "text/plain; version=0.0.4; charset=utf-8"
METRICS_COST = 5
"""Units: as much of the process's time as five short requests."""


def index(call: Call) -> Reply:
    """Show what this is: version, limits, and where the documents are."""
    settings = call.services.settings
    schemas = {name: f"/schemas/{name}{SUFFIX}" for name in sorted(call.services.schemas.documents)}
    return Reply(
        {
            "name": "Daifugō Arena",
            "version": arena.__version__,
            "core": arena.CORE.name,
            "api": "v1",
            "registration": settings.registration,
            "public_key": call.queries.keys()["public_key"],
            "keys": f"{API}{KEYS}",
            "limits": limits_of(settings),
            "openapi": "/openapi.json",
            "rules": "/rules",
            "problems": "/problems",
            "schemas": schemas,
        }
    )


def show_bot(call: Call) -> Reply:
    """Show a bot as everybody may see it, by id or by name."""
    return Reply(call.queries.bot(call.path["bot"]))


def list_sessions(call: Call) -> Reply:
    """List sessions, newest first; `state=open` are those that can be entered.

    Hidden ones are listed for organisers, assistants and viewers only: for others a page may have
    fewer than `limit`, so go by `next`.
    """
    query = call.query
    page = {"after": query["after"], "limit": query["limit"]}
    document = call.queries.sessions(query["state"], **page, staff=call.staff)
    return Reply(document, credit=-rate_cost_of_list(len(document["sessions"])))


def show_session(call: Call) -> Reply:
    """Show a session: its document with all defaults, status, roster and progress.

    Where the board is pseudonymous everybody but organisers gets pseudonyms instead of ids, names
    and owners, here and everywhere; before the start the roster is empty for them. `as=text` gives
    its name, status and rules in English, for language models.
    """
    document = call.queries.session(call.path["session"], staff=call.staff)
    if call.query["as"] == "json":
        return Reply(document)
    rules = rules_in_words(document["ruleset"], document["options"])
    head = f"{document['name']} ({document['session']}): {document['status']}."
    return Reply(f"{head}\n{rules}\n".encode(), media=TEXT_MEDIA)


def list_tables(call: Call) -> Reply:
    """List the tables of a session in playing order."""
    query = call.query
    session = call.path["session"]
    page = {"after": query["after"], "limit": query["limit"]}
    document = call.queries.tables(session, **page, staff=call.staff)
    return Reply(document, credit=-rate_cost_of_list(len(document["tables"])))


def show_table(call: Call) -> Reply:
    """Show a table: its players, its status, its hands with their results.

    Results that are withheld for now are null for all but organisers.
    """
    document = call.queries.table(call.path["table"], staff=call.staff)
    return Reply(document, credit=-rate_cost_of_list(len(document["hands"])))


def show_hand(call: Call) -> Reply:
    """Show a hand: seating, status, commitment and result. No cards while it runs."""
    return Reply(call.queries.hand(call.path["hand"], staff=call.staff))


def show_record(call: Call) -> Reply:
    """Get the full record of an ended hand, which anybody can verify offline.

    It changes only if its table is declared void, or if names are shown that were not before.
    """
    record = call.queries.record(call.path["hand"], staff=call.staff)
    reply = _tagged(record)
    reply.headers = {"Vary": "Authorization"}
    return reply


def show_digest(call: Call) -> Reply:
    """Get one hash over all hands of a session at tables that are closed, signed by the arena.

    It changes when a table is closed, and what it covers cannot be changed behind the back of
    whoever has kept it. Shown also while results are withheld, for it tells none. Without a signing
    key `public_key` and `signature` are null.
    """
    return _tagged(call.queries.digest(call.path["session"]))


def show_proof(call: Call) -> Reply:
    """Get the proof that a hand is in the digest of its session, as RFC 9162 has it.

    Answers 409 as long as the hand's table is played.
    """
    return _tagged(call.queries.proof(call.path["hand"]))


def show_keys(call: Call) -> Reply:
    """List the public keys with which this arena signs and has signed, each with its times."""
    return _tagged(call.queries.keys())


def _tagged(document: Mapping[str, Any]) -> Reply:
    """A document that is the same for everybody who may see it, with its tag."""
    served = document_of(orjson.dumps(document), JSON)
    return Reply(served.body, etag=served.etag)


def hand_events(call: Call) -> Reply:
    """Get the log of a hand as the caller may see it.

    With a bot's token as that bot's seat, else as a spectator. With `wait` the request is held
    until there is an event after number `after`.
    """
    viewer = call.who.id if call.who and "play" in call.who.scopes else None
    wait_ms = round(call.query["wait"] * 1000)
    hand = call.path["hand"]
    staff = call.staff
    after = call.query["after"]
    return Reply(call.referee.hand_events(hand, viewer, after, wait_ms=wait_ms, staff=staff))


def list_schemas(call: Call) -> Reply:
    """List the JSON Schemas of everything that is sent and received."""
    return _document_reply(call.services.documents["/schemas"])


def show_schema(call: Call) -> Reply:
    """Get one JSON Schema (2020-12)."""
    return _document_in(call, "/schemas", "file")


def openapi(call: Call) -> Reply:
    """Get this description of the interface (OpenAPI 3.1)."""
    return _document_reply(call.services.documents["/openapi.json"])


def _document_reply(document: ServedDocument) -> Reply:
    """A document, at its price."""
    cost = rate_cost_of_document(len(document.body))
    return Reply(document.body, media=document.media, etag=document.etag, credit=-cost)


def _document_in(call: Call, folder: str, thing: str) -> Reply:
    """A document of a folder, by the last part of the path. Raises NotFound."""
    name = call.path[thing]
    document = call.services.documents.get(f"{folder}/{name}")
    if document is None:
        raise NotFound(thing, f"there is no {thing} {name!r} under {folder}")
    return _document_reply(document)


def healthz(call: Call) -> Reply:
    """Say that the process is alive. Says nothing of the log or the clocks."""
    return Reply({"alive": True})


def metrics(call: Call) -> Reply:
    """Show what this process has counted, in Prometheus' text form.

    Nothing in it is about a single bot, and nothing about cards.
    """
    text = call.referee.metrics() + call.services.metrics.text()
    return Reply(text, media=METRICS_MEDIA, credit=1 - METRICS_COST)


def readyz(call: Call) -> Reply:
    """Say whether the log can be written and the clocks run; 503 if not."""
    health = call.referee.health()
    if health["ready"]:
        return Reply(health)
    problem = retry(Code.UNAVAILABLE, _why_not_ready(health), 1)
    members = {**problem.members, "health": health}
    raise Problem(problem.code, problem.detail, members=members, headers=problem.headers)


def _why_not_ready(health: Mapping[str, Any]) -> str:
    if health.get("stopping"):
        return "The arena is stopping."
    if health["store"]:
        return "Nobody looks after the clocks."
    why = f": {health['reason']}" if "reason" in health else ""
    return f"The log cannot be written{why}."


def endpoints(settings: Settings) -> tuple[Endpoint, ...]:
    """The public routes below the base path."""
    longest = settings.max_wait_ms // 1000
    not_found, withheld = (Code.NOT_FOUND,), (Code.NOT_FOUND, Code.FORBIDDEN)
    log = (
        Param("after", "integer", "The number of events already known.", 0),
        Param("wait", "number", "Seconds to wait for an event; 0 asks once.", 0.0, most=longest),
    )
    state = Param("state", "word", "Only sessions in this state.", words=tuple(SessionStatus))
    return (
        Endpoint("GET", "", index, "index"),
        Endpoint("GET", "/bots/{bot}", show_bot, "bot", codes=not_found),
        Endpoint("GET", "/sessions", list_sessions, "sessions", query=(state, *PAGE), gzip=True),
        Endpoint(
            "GET",
            "/sessions/{session}",
            show_session,
            "session_view",
            query=(AS,),
            codes=not_found,
            medias=(TEXT,),
            gzip=True,
        ),
        Endpoint(
            "GET",
            "/sessions/{session}/tables",
            list_tables,
            "tables",
            query=PAGE,
            codes=not_found,
            gzip=True,
        ),
        Endpoint("GET", "/tables/{table}", show_table, "table", codes=not_found, gzip=True),
        Endpoint("GET", "/hands/{hand}", show_hand, "hand", codes=not_found),
        Endpoint(
            "GET",
            "/hands/{hand}/events",
            hand_events,
            "events",
            query=log,
            codes=(*withheld, Code.DAMAGED),
        ),
        Endpoint(
            "GET",
            "/hands/{hand}/record",
            show_record,
            "hand_record",
            codes=withheld,
            further=(304,),
        ),
        _tagged_document(
            "/hands/{hand}/proof", show_proof, "proof", codes=(*not_found, Code.CONFLICT)
        ),
        _tagged_document("/sessions/{session}/digest", show_digest, "digest", codes=not_found),
        _tagged_document(KEYS, show_keys, "keys"),
    )


def root_endpoints() -> tuple[Endpoint, ...]:
    """The public routes outside the base path: documents and health. Health never counts."""
    free, not_found = RateCost.FREE, (Code.NOT_FOUND,)
    return (
        Endpoint("GET", "/healthz", healthz, "alive", rate_cost=free),
        Endpoint("GET", "/readyz", readyz, "health", rate_cost=free),
        Endpoint("GET", "/metrics", metrics, medias=(METRICS_MEDIA,)),
        _tagged_document("/openapi.json", openapi, medias=(JSON,)),
        _tagged_document("/schemas", list_schemas, "schemas"),
        _tagged_document("/schemas/{file}", show_schema, medias=(SCHEMA_MEDIA,), codes=not_found),
    )


def _tagged_document(path: str, view: View, answers: str = "", **more: Any) -> Endpoint:
    return Endpoint("GET", path, view, answers, further=(304,), **more)
