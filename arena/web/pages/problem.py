"""Problems as pages: what a browser gets where a program gets problem+json, and what codes mean.

The page of an error says what happened this time and what a person can do; what the code means to a
program stands at the address that `type` names, `/problems/{code}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from arena.errors import NotFound
from arena.rules.options import OPTIONS
from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.limits import rate_cost_of_document
from arena.web.api.middleware import JSON_MEDIA
from arena.web.api.negotiation import wants_page
from arena.web.api.problems import TABLE, Code
from arena.web.api.services import Call
from arena.web.pages.rendering import page, render_template, with_code

BY_ACCEPT = {"Vary": "Accept"}
FOR_PEOPLE: Mapping[Code, str] = MappingProxyType(
    {
        Code.INVALID: "The address has something behind its question mark that this page does not "
        "know. Open it without that, or follow a link of another page.",
        Code.BAD_VALUE: "Correct the address: the sentence above names what is wrong in it.",
        Code.NO_TOKEN: "This is for programs that have a token. People find what they may see from "
        "the first page on.",
        Code.FORBIDDEN: "It is not shown to everybody, or not yet. A session's page says when its "
        "results are published.",
        Code.NO_ROUTE: "Check the address for a slip, or go on from the first page.",
        Code.NOT_FOUND: "Check the address for a slip. Sessions may be hidden, and old ones are "
        "deleted in the end: then nothing is left of them here.",
        Code.METHOD_NOT_ALLOWED: "Go back, and open the page by its link.",
        Code.TOO_LARGE: "Go back and send less.",
        Code.TOO_MANY_REQUESTS: "Wait a little, then load the page again. Everybody who looks at "
        "pages without a token shares one limit.",
        Code.SERVER_ERROR: "Load the page again. If it goes on, tell whoever runs this arena the "
        "request's number below: it is in the log.",
        Code.UNAVAILABLE: "Load the page again in a moment. The arena is starting, stopping or has "
        "very many readers; what is being played is not lost.",
    }
)
"""What to do, where that is something else for who reads than for who writes a program."""


def problem_page(problem: Mapping[str, Any]) -> bytes:
    """A problem's document as a page, for a browser."""
    code = Code(problem["code"])
    values = {
        "problem": problem,
        "advice": with_code(FOR_PEOPLE.get(code, TABLE[code].advice)),
        "faults": problem.get("errors", []),
        "rule": problem.get("rule") if problem.get("rule") in OPTIONS else None,
        "retry_after_s": problem.get("retry_after_s"),
    }
    return render_template("problem.html", values)


def list_problems(call: Call) -> Reply:
    """List all problem codes with their status, meaning and what to do.

    As a page for who asks for HTML.
    """
    return _reply(call, "/problems", tuple(Code))


def show_problem(call: Call) -> Reply:
    """Explain one problem code; this is what `type` of a problem points to.

    As a page for who asks for HTML.
    """
    code = call.path["code"]
    if code not in TABLE:
        raise NotFound(code, f"there is no code {code!r} under /problems")
    return _reply(call, f"/problems/{code}", (Code(code),))


def _reply(call: Call, path: str, codes: tuple[Code, ...]) -> Reply:
    """Some codes as JSON, or as a page for who prefers that."""
    document = call.services.documents[path]
    if wants_page(call.environ.get("HTTP_ACCEPT", ""), *JSON_MEDIA):
        reply = page(call, "problems.html", codes, basis=None, values=lambda: _values(codes))
    else:
        cost = rate_cost_of_document(len(document.body))
        reply = Reply(document.body, media=document.media, etag=document.etag, credit=-cost)
    reply.headers = BY_ACCEPT
    return reply


def _values(codes: tuple[Code, ...]) -> Mapping[str, Any]:
    entries = [
        (code, TABLE[code], with_code(TABLE[code].meaning), with_code(TABLE[code].advice))
        for code in codes
    ]
    return {"entries": entries, "all": len(codes) > 1}


def endpoints() -> tuple[Endpoint, ...]:
    """The routes of the problems' explanations."""
    medias, further = ("text/html",), (304,)
    return (
        Endpoint("GET", "/problems", list_problems, "problems", medias=medias, further=further),
        Endpoint(
            "GET",
            "/problems/{code}",
            show_problem,
            "problem_entry",
            codes=(Code.NOT_FOUND,),
            medias=medias,
            further=further,
        ),
    )
