"""The cluster as organisers are shown it: plain data, ready for JSON. Changes nothing."""

from __future__ import annotations

from arena.clock import instant
from arena.cluster.leases import SessionLeases
from arena.cluster.membership import Membership
from arena.documents import Document
from arena.errors import NotFound
from arena.statuses import RefereeStatus
from arena.store.cluster_rows import RefereeRow

MOST_SESSIONS = 500
"""Of a page, if the caller names no limit."""
DEAD = "dead"
"""The status of a referee that has not said itself that it has ended."""


class ClusterReport:
    """What one referee knows of all."""

    def __init__(self, leases: SessionLeases, membership: Membership) -> None:
        self._leases = leases
        self._membership = membership

    def cluster(self, *, after: str = "", limit: int = MOST_SESSIONS) -> Document:
        """All referees, and a page of sessions in play, by their ids; `next` is the last one of a
        page that is full."""
        rows = [row for row in self._leases.rows() if row.session > after]
        page = [row._asdict() for row in rows[:limit]]
        more = page[-1]["session"] if len(rows) > limit else None
        referees = [self._referee(row) for row in self._membership.rows()]
        return {"referees": referees, "sessions": page, "next": more}

    def own(self) -> Document:
        """This referee. Raises NotFound before it has joined."""
        name = self._membership.own
        row = self._membership.row(name)
        if row is None:
            raise NotFound("referee", f"{name} has not joined the others")
        return self._referee(row)

    def _referee(self, row: RefereeRow) -> Document:
        own = row.name == self._membership.own
        dead = not own and self._membership.is_dead(row.name)
        status = DEAD if dead and row.status != RefereeStatus.STOPPED else row.status
        return {
            "name": row.name,
            "address": row.address,
            "status": str(self._membership.status if own else status),
            "detail": row.detail,
            "version": row.version,
            "sessions": self._leases.count(row.name),
            "turns": self._membership.burden().turns if own else 0 if dead else row.turns,
            "started": instant(row.started_ms),
            "beat_age_ms": self._membership.silent_ms(row.name),
            "this": own,
        }
