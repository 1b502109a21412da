"""What the tools of `arena mcp` do: ask an arena for one bot, and answer in text.

They tell what the arena tells this bot, and give no advice. Each opens a connection of its own, for
a model may wait for a turn and ask for something else meanwhile.
"""

from __future__ import annotations

from urllib.parse import quote

from arena.client import Client, KitError, Turn
from arena.client.history import Histories
from arena.documents import Document
from arena.errors import ArenaError
from arena.text.describing import HOW, HOW_WITHOUT, NOTHING, entry_in_words, turn_in_words

PATIENCE_S = 10.0
LONGEST_WAIT_S = 25.0
NO_SESSION = "There is no such session now."


class ToolFailure(Exception):
    """What a tool could not do, in one line."""


class ArenaTools:
    """The tools, for the bot of one token."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self.token = url, token

    def sessions(self, state: str | None = None) -> str:
        """Sessions in a state, or all: a line each."""
        with self._client() as client:
            found = client.sessions(state)
        return "\n".join(map(_session_line, found)) or NO_SESSION

    def enter(self, session: str) -> str:
        """Enter a session that is open."""
        with self._client() as client:
            entry = client.enter(session)
        return f"You have entered {entry.get('session', session)}: {entry['status']}."

    def wait_for_turn(self, seconds: float) -> str:
        """The turns that wait, in text; waits for one if there is none."""
        with self._client() as client:
            turns = client.turns(min(seconds, LONGEST_WAIT_S))["turns"]
        return "\n\n".join(map(turn_in_words, turns)) or NOTHING

    def legal(self, turn: str) -> str:
        """What may be answered to a turn that waits."""
        with self._client() as client:
            document = _find(client, turn)
        legal = document.get("legal")
        if not legal:
            return HOW_WITHOUT
        lines = [f"{n}. {entry_in_words(document['kind'], e)}" for n, e in enumerate(legal)]
        more = ["There are more than these."] if document.get("legal_more") else []
        return "\n".join([*lines, *more, HOW])

    def play(self, turn: str, answer: str, seconds: float) -> str:
        """Answer a turn in text; then the turns that wait next, if seconds are given for them."""
        with self._client() as client:
            client.answer(turn, {"text": answer})
        return "Accepted." + (f"\n\n{self.wait_for_turn(seconds)}" if seconds else "")

    def standings(self, session: str) -> str:
        """The standings as a table."""
        with self._client() as client:
            text: str = client.standings(session, format="text", layout="concise")
        return text.rstrip()

    def rules(self, session: str) -> str:
        """The rules of a session: every option that is on, with what it says."""
        with self._client() as client:
            text = client.text(f"/sessions/{quote(session, safe='')}", query={"as": "text"})
        return text.rstrip()

    def position(self, turn: str) -> str:
        """What this bot knows of the hand of a turn that waits, as the line of a position."""
        with self._client() as client:
            document = _find(client, turn)
            histories = Histories(lambda hand: client.hand_events(hand)["events"], client.session)
            histories.note(document)
            return str(Turn(document, histories).position)

    def _client(self) -> Client:
        return Client(self.url, self.token, patience_s=PATIENCE_S)


def in_one_line(error: KitError | ArenaError) -> str:
    """What a failure says, without line breaks."""
    return " ".join(str(error).split())


def _find(client: Client, turn: str) -> Document:
    for document in client.turns()["turns"]:
        if document["turn"] == turn:
            return dict(document)
    raise ToolFailure(f"the turn {turn[:80]!r} does not wait for an answer now")


def _session_line(session: Document) -> str:
    name = f"{session['session']} ({session['name']})"
    return f"{name}: {session['status']}, {session['seats']} at a table"
