"""Where somebody is who watches: at the end, behind it, going on or standing still. Keys move it.

Live is a replay whose end moves: who has stepped back stays there until End goes live again.
"""

from __future__ import annotations

from collections.abc import Callable

from arena.cli.terminal.narrator import WatchedMoment

MOST_MOMENTS = 20_000
"""What is kept to go back to; the oldest hands go first."""
SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Moments a second."""


class Playback:
    """Moments that have come, and one of them that is shown."""

    def __init__(self) -> None:
        self.moments: list[WatchedMoment] = []
        self.at = -1
        self.live = True
        self.playing = False
        self.speed = 1.0

    @property
    def moment(self) -> WatchedMoment | None:
        """What is shown; None before anything has come."""
        return self.moments[self.at] if self.moments else None

    @property
    def behind(self) -> int:
        """How many moments have come after the one that is shown."""
        return len(self.moments) - 1 - self.at

    def add(self, moment: WatchedMoment) -> None:
        """A moment has come. One without a sentence belongs to the one before."""
        last = self.moments[-1] if self.moments else None
        if moment.over and last is None:  # it is no live hand that begins: from its beginning on
            self.live, self.playing = False, True
        if last is not None and last.hand == moment.hand and moment.sentence is None:
            self.moments[-1] = moment._replace(sentence=last.sentence)
        else:
            self.moments.append(moment)
            self._forget()
        if self.live or self.at < 0:
            self.at = len(self.moments) - 1

    def advance(self) -> bool:
        """One moment on, if it is playing and there is one."""
        if not self.playing or not self.behind:
            return False
        self.at += 1
        return True

    def press(self, key: str) -> None:
        """What a key does; nothing for one that means nothing."""
        match key:
            case "space":
                self._toggle()
            case "left" | "right":
                self._go(self.at + (1 if key == "right" else -1))
            case "home":
                self._go(0)
            case "end":
                self.live, self.playing, self.at = True, False, len(self.moments) - 1
            case "n" | "p":
                self._find(1 if key == "n" else -1, lambda at: self._is_notable(at))
            case "pagedown" | "pageup":
                self._find(1 if key == "pagedown" else -1, lambda at: self._begins_hand(at))
            case "<" | ">":
                step = SPEEDS.index(self.speed) + (1 if key == ">" else -1)
                self.speed = SPEEDS[max(0, min(step, len(SPEEDS) - 1))]

    def _toggle(self) -> None:
        if self.live or self.playing:
            self.live = self.playing = False
        elif self.behind:
            self.playing = True
        else:
            self.live = True

    def _go(self, at: int) -> None:
        if 0 <= at < len(self.moments):
            self.at = at
            self.live = self.playing = False

    def _find(self, step: int, wanted: Callable[[int], bool]) -> None:
        """Go to the next moment, or the one before, that is wanted."""
        at = self.at + step
        while 0 <= at < len(self.moments):
            if wanted(at):
                self._go(at)
                return
            at += step

    def _is_notable(self, at: int) -> bool:
        sentence = self.moments[at].sentence
        return sentence is not None and bool(sentence.notable)

    def _begins_hand(self, at: int) -> bool:
        return at == 0 or self.moments[at].hand != self.moments[at - 1].hand

    def _forget(self) -> None:
        if len(self.moments) > MOST_MOMENTS:
            first = self.moments[0].hand
            gone = sum(1 for each in self.moments if each.hand == first)
            if gone < len(self.moments):
                del self.moments[:gone]
                self.at = max(0, self.at - gone)
