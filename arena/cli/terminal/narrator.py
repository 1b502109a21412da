"""What is followed, put into words: a moment for each event that says something.

Sentences are those of `arena.narration`, as everybody may know them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from arena.cli.terminal.following import HandBegins, Hidden, NewEvents, News, WatchedHand
from arena.cli.terminal.spectating import Spectator
from arena.narration.language import Detail, Language, Speaker
from arena.narration.sentences import ABOVE, PUBLIC, Perspective, Sentence, narrate
from arena.rules import EMPTY, State
from arena.rules.events import Event


class WatchedMoment(NamedTuple):
    """How a hand stood, and what had just happened. sentence: None for an event that says nothing,
    and at the beginning; hidden: is what happens not shown yet?"""

    hand: WatchedHand
    state: State
    reader: Perspective = PUBLIC
    sentence: Sentence | None = None
    over: bool = False
    hidden: bool = False


class LiveNarrator:
    """Puts news into moments, in one language."""

    def __init__(self, words: Language, detail: Detail) -> None:
        self.words = words
        self._detail = detail
        self._hand: WatchedHand | None = None
        self._spectator: Spectator | None = None

    def speaker(self, hand: WatchedHand) -> Speaker:
        """Who is called what in a hand."""
        return Speaker(hand.names, hand.rules.table.titles, self._detail)

    def moments(self, news: News) -> Iterator[WatchedMoment]:
        """The moments that some news are."""
        match news:
            case HandBegins(hand=hand, over=over):
                self._hand, self._spectator = hand, Spectator(hand.rules)
                yield WatchedMoment(hand, EMPTY, over=over)
            case Hidden(hand=hand):
                yield WatchedMoment(hand, EMPTY, hidden=True)
            case NewEvents(events=events):
                for event in events:
                    yield self._moment(event)

    def _moment(self, event: Event) -> WatchedMoment:
        assert self._hand is not None, "a hand begins before anything happens in it"
        assert self._spectator is not None
        before, event = self._spectator.take(event)
        reader = ABOVE if self._spectator.open else PUBLIC
        speaker = self.speaker(self._hand)
        said = list(narrate(self.words, speaker, (event,), reader=reader, state=before))
        return WatchedMoment(self._hand, self._spectator.state, reader, said[0] if said else None)
