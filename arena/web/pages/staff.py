"""The staff view: what an organiser looks at during an event, as it changes.

The page itself holds nothing that is not public: its script asks the API with a token that is
pasted into it once, and shows what it gets. It changes nothing; that is done by commands.
"""

from __future__ import annotations

from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.queries import Param
from arena.web.api.services import Call
from arena.web.pages.assets import STAFF
from arena.web.pages.rendering import page, page_endpoint

SESSION = Param("session", "text", "The session that the script shows first.")


def staff_page(call: Call) -> Reply:
    """Show the staff view: who is connected, clocks, faults, alerts and audit of a session.

    The page is the same for everybody; what it shows its script gets with an organiser's token.
    """
    return page(call, "staff.html", (), basis=None, values=lambda: {"script": STAFF.path})


def endpoints() -> tuple[Endpoint, ...]:
    """The route of the page."""
    return (page_endpoint("/staff", staff_page, query=(SESSION,)),)
