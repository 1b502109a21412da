"""Boards: by what name bots are shown, and to whom.

In a session with a pseudonymous board everybody but staff knows a bot by two words instead of its
id, name and owner: opponents in turn documents, line-ups, standings, records and pages alike. Nor
is told which of them share an owner or are kept apart; that they never meet can be seen of course.
The words follow from a secret of this arena that never leaves its store, so nobody can compute them
from a name, not even when the session's own secret is told. House bots keep their names, and so do
bots that the session's document names itself (its anchor, its benchmarks, the regulars of a
gauntlet). Who entered earlier has the first choice, so nobody's words change when others come.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from arena.documents import Document


class DisplayNames(NamedTuple):
    """How one reader is shown the bots of a session. pseudonyms: by bot id; empty if all are named.

    hidden: there is something to hide, even if nobody has entered yet.
    """

    pseudonyms: Mapping[str, str]
    hidden: bool

    def bot(self, bot: str) -> str:
        """What stands for the id."""
        return self.pseudonyms.get(bot, bot)

    def name(self, bot: str, name: str) -> str:
        """What stands for the name."""
        return self.pseudonyms.get(bot, name)

    def owner(self, bot: str, owner: str) -> str:
        """The owner; nothing for a bot whose name is not shown."""
        return "" if bot in self.pseudonyms else owner

    def shown(self, bot: str, name: str) -> Document:
        """A bot as it stands in documents."""
        return {"bot": self.bot(bot), "name": self.name(bot, name)}


NAMED = DisplayNames({}, hidden=False)


def pseudonymous_document(document: Document, board: DisplayNames) -> Document:
    """A session's document without who is kept apart: that names bots and owners."""
    if not board.hidden:
        return document
    return {**document, "schedule": {**document["schedule"], "apart": None}}


def pseudonymous_schedule(schedule: Document | None, board: DisplayNames) -> Document | None:
    """A stored schedule with the roster by pseudonym, and without who never meets.

    It was drawn in the order of the pseudonyms.
    """
    if schedule is None or not board.hidden:
        return schedule
    roster = [board.bot(bot) for bot in schedule["roster"]]
    return {**schedule, "roster": roster, "owners": None, "apart": None}


def pseudonymous_hand(record: Document, board: DisplayNames) -> Document:
    """A hand's record by pseudonym. What else is in it knows seats only."""
    if not board.hidden:
        return record
    pairs = zip(record["bots"], record["players"], strict=True)
    return {
        **record,
        "players": [board.name(bot, name) for bot, name in pairs],
        "bots": [board.bot(bot) for bot in record["bots"]],
    }
