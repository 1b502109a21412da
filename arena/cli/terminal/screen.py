"""One screen that shows a moment of a hand: who sits there, the pile, what has been said.

Lines only: nothing here reads a key or a connection. Cards are drawn by the console.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from arena.cli.colours import coloured
from arena.cli.terminal.console import Console
from arena.cli.terminal.narrator import LiveNarrator, WatchedMoment
from arena.cli.terminal.phrases import Watching
from arena.cli.terminal.playback import Playback
from arena.rules import see
from arena.rules.cards import codes
from arena.rules.view import View
from arena.tournament.reporting.markup import shortened, width_of

NAME_COLUMNS = 20
MIDDLE_LINES = 4


class Screen:
    """Draws what is watched. note: a line about the connection, "" if all is well."""

    def __init__(self, console: Console, narrator: LiveNarrator, phrases: Watching) -> None:
        self._console = console
        self._narrator = narrator
        self._phrases = phrases
        self.note = ""

    def lines(self, playback: Playback, *, columns: int, rows: int) -> list[str]:
        """The screen, as many lines as there are rows."""
        moment = playback.moment
        if moment is None:
            return [_cut(line, columns) for line in (self._phrases.waiting, self.note)]
        middle = list(self._middle(moment))
        top = [self._head(playback, moment), "", *self._seats(moment), ""]
        top += [*middle, *[""] * (MIDDLE_LINES - len(middle)), "─" * columns]
        room = max(0, rows - len(top) - 1)
        said = list(self._sentences(playback, room))
        bottom = self.note or self._phrases.keys
        whole = [*top, *said, *[""] * (room - len(said))][: rows - 1]
        return [_cut(line, columns) for line in (*whole, bottom)]

    def _head(self, playback: Playback, moment: WatchedMoment) -> str:
        hand, phrases = moment.hand, self._phrases
        state = phrases.paused
        if playback.live:
            state = phrases.live
        elif playback.playing:
            state = phrases.playing.format(speed=f"{playback.speed:g}")
        behind = phrases.behind.format(count=playback.behind) if playback.behind else ""
        place = phrases.hand.format(number=hand.number, of=hand.of)
        parts = (hand.session, hand.table, place, state, behind)
        return coloured(" · ".join(part for part in parts if part), "cyan")

    def _seats(self, moment: WatchedMoment) -> Iterator[str]:
        """A line for each seat."""
        if not moment.state.players:
            yield from moment.hand.names
            return
        view = see(moment.hand.rules, moment.state, None)
        hands = moment.reader.hands(moment.state)
        for seat, name in enumerate(moment.hand.names):
            title = self._narrator.words.title(view.titles[seat])
            who = f"{name} ({title})" if title else name
            padded = who + " " * max(0, NAME_COLUMNS - width_of(who))
            line = f"{padded} {self._standing(view, seat, hands)}"
            yield coloured(f"> {line}", "green") if view.to_move == seat else f"  {line}"

    def _standing(self, view: View, seat: int, hands: Sequence[int]) -> str:
        """How many cards a seat holds, or which, or its place."""
        place, count = view.places[seat], view.counts[seat]
        if place is not None:
            return self._phrases.place.format(place=place)
        held = self._console.cards(codes(hands[seat])) if hands[seat] else "|" * count
        passed = f" {self._phrases.passed}" if view.passed[seat] else ""
        return f"{count:>2} {held}{passed}"

    def _middle(self, moment: WatchedMoment) -> Iterator[str]:
        """The pile, whose turn it is, what is in force."""
        if moment.hidden:
            yield self._phrases.hidden
            return
        if not moment.state.players:
            return
        view = see(moment.hand.rules, moment.state, None)
        speaker = self._narrator.speaker(moment.hand)
        yield from self._narrator.words.position(speaker, view, ())
        yield "  " + (self._console.cards(view.pile.codes) if view.pile is not None else "")

    def _sentences(self, playback: Playback, room: int) -> Iterator[str]:
        """The last sentences up to the moment, the newest below."""
        first = max(0, playback.at - room + 1)
        for at in range(first, playback.at + 1):
            each = playback.moments[at]
            if each.sentence is None:
                yield self._phrases.hand.format(number=each.hand.number, of=each.hand.of)
            else:
                text = each.sentence.text
                yield coloured(f"* {text}", "yellow") if each.sentence.notable else f"  {text}"


def _cut(line: str, columns: int) -> str:
    """A line that fits; one that is too long loses its colours, too."""
    if width_of(click.unstyle(line)) <= columns:
        return line
    return shortened(click.unstyle(line), columns - 1)
