"""The referees that share a database: who plays which session; one hands its sessions over, takes
some again, or gives one to another.

Requests about another referee, or about a session that another one plays, are passed on before they
get here. Views only; what is done is done, and noted in the audit log, by the cluster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.cluster.reporting import MOST_SESSIONS
from arena.errors import Conflict, NotFound
from arena.web.api.endpoints import Endpoint, Reply, Scope
from arena.web.api.limits import rate_cost_of_list
from arena.web.api.problems import Code
from arena.web.api.queries import Param
from arena.web.api.services import Call

if TYPE_CHECKING:
    from arena.cluster.cluster import Cluster


def show_cluster(call: Call) -> Reply:
    """Show the referees that share the work, and who plays which session.

    `beat_age_ms` is how long a referee has been silent, `this` the one that answers. `sessions` has
    those in play, each with its home; they come in pages, the referees with each.
    """
    query = call.query
    document = _cluster(call).document(after=query["after"] or "", limit=query["limit"])
    return Reply(document, credit=-rate_cost_of_list(len(document["sessions"])))


def drain_referee(call: Call) -> Reply:
    """Let a referee hand its sessions over to the others, and take none.

    It goes on answering, and may be stopped when it has none left. The answer does not wait for
    that.
    """
    return Reply(_this(call).drain(call.caller))


def undrain_referee(call: Call) -> Reply:
    """Let a referee take sessions again."""
    return Reply(_this(call).undrain(call.caller))


def move_session(call: Call) -> Reply:
    """Move a session that is being played to another referee.

    Nobody is charged for the moment that it takes. The answer says where the session is played now.
    """
    return Reply(_cluster(call).move(call.path["session"], call.body["to"], call.caller))


def _cluster(call: Call) -> Cluster:
    """The cluster. Raises Conflict where a process is alone."""
    cluster = call.referee.cluster
    if cluster is None:
        raise Conflict("cluster", "this arena is one process: it has no cluster")
    return cluster


def _this(call: Call) -> Cluster:
    """The cluster, where the path names the referee that answers. Raises NotFound, with the names
    that there are."""
    cluster, referee = _cluster(call), call.path["referee"]
    if referee != cluster.name:
        names = ", ".join(each["name"] for each in cluster.document(limit=1)["referees"])
        raise NotFound(referee, f"no referee {referee!r} is there; there are {names}")
    return cluster


def endpoints() -> tuple[Endpoint, ...]:
    """The routes."""
    page = (
        Param("after", "text", "The session that the page before ended with, from its `next`."),
        Param("limit", "integer", "The most sessions to get.", 100, least=1, most=MOST_SESSIONS),
    )
    lost = (Code.NOT_FOUND, Code.CONFLICT)
    referee, admin = "/cluster/referees/{referee}", Scope.ADMIN
    return (
        Endpoint(
            "GET",
            "/cluster",
            show_cluster,
            "cluster",
            Scope.VIEWER,
            query=page,
            codes=(Code.CONFLICT,),
        ),
        Endpoint("POST", f"{referee}/drain", drain_referee, "referee", admin, codes=lost),
        Endpoint("POST", f"{referee}/undrain", undrain_referee, "referee", admin, codes=lost),
        Endpoint(
            "POST",
            "/sessions/{session}/move",
            move_session,
            "session_home",
            admin,
            "move",
            codes=(*lost, Code.BAD_VALUE),
        ),
    )
