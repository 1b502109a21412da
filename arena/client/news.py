"""What happened to a bot since its program ran last: read when it comes back, and logged.

The number of the last notice is kept beside the token, so that each is logged once. Arenas that are
older than notices have none.
"""

from __future__ import annotations

import logging

from arena.client.http import Client
from arena.client.problems import ArenaProblem
from arena.client.tokens import StoredToken
from arena.documents import Document

LOG = logging.getLogger("arena.client")
MOST = 20
"""Notices that are logged; of more the newest."""
ROUTINE = ("session_started", "next_table")
"""What a program sees for itself."""
GOOD = ("session_ended",)


def report(client: Client, stored: StoredToken) -> int:
    """Log what is new; the number of the last notice."""
    try:
        found = list(client.notices(after=stored.notices))
    except ArenaProblem as problem:
        if problem.status != 404:
            raise
        LOG.debug("%s keeps no notices", client.url)
        return stored.notices
    news = [notice for notice in found if notice["kind"] not in ROUTINE]
    if len(news) > MOST:
        LOG.info("%d notices since last time; the newest %d:", len(news), MOST)
    for notice in news[-MOST:]:
        level = logging.INFO if notice["kind"] in GOOD else logging.WARNING
        LOG.log(level, "%s %s", _day(notice), notice["text"])
    return int(found[-1]["notice"]) if found else stored.notices


def _day(notice: Document) -> str:
    """When it happened, to the minute, in UTC."""
    return str(notice["at"])[:16].replace("T", " ")
