"""What may be answered at a turn, as a numbered list: few cards before many, weak before strong."""

from __future__ import annotations

from collections.abc import Sequence

from arena.cli.terminal.console import Console
from arena.cli.terminal.phrases import PHRASES
from arena.cli.terminal.typed import Typed
from arena.client.cards import play_strength
from arena.documents import Document
from arena.narration.language import Language
from arena.narration.sentences import describe_answers
from arena.rules import Menu
from arena.rules.commands import Answer
from arena.wire.turns import menu_entries


class Choices:
    """The answers of a menu by their numbers, from 1. order: of ranks, "normal" or "reversed"."""

    def __init__(self, menu: Menu, words: Language, order: str) -> None:
        self._menu = menu
        self._phrases = PHRASES[words.code]
        entries, texts = menu_entries(menu), describe_answers(words, menu)
        self._indexes = sorted(range(len(entries)), key=lambda at: _place(entries[at], order))
        self._entries = [entries[at] for at in self._indexes]
        self._texts = [texts[at] for at in self._indexes]

    def __len__(self) -> int:
        return len(self._indexes)

    def answer(self, number: int) -> Answer:
        """The answer of a number."""
        return self._menu.answer(self._indexes[number - 1])

    @property
    def enter(self) -> Answer | None:
        """What Enter alone answers: a pass, or the only answer that there is."""
        return self._menu.answer(0) if self._menu.may_pass or len(self) == 1 else None

    def readings(self, typed: Typed) -> list[int]:
        """The numbers of what was meant: by cards, whatever their order, and by what jokers stand
        for if that was said."""
        body = typed.body or {}
        if "cards" not in body:
            return []
        wanted = sorted(body["cards"])
        roles = sorted(body["as"]) if "as" in body else None
        return [
            number
            for number, entry in enumerate(self._entries, start=1)
            if sorted(entry.get("cards", ("-",))) == wanted
            and (roles is None or sorted(entry.get("as", ())) == roles)
        ]

    def show(self, console: Console, *, most: int) -> None:
        """List the first ones, and say what Enter alone does."""
        numbers = range(1, min(most, len(self)) + 1)
        if numbers:
            console.line(self._phrases.choices)
        self._list(console, numbers)
        if len(self) > len(numbers):
            console.line(self._phrases.more.format(count=len(self) - len(numbers)))
        if self._menu.may_pass:
            console.line(self._phrases.enter_passes)
        elif len(self) == 1:
            console.line(self._phrases.enter_only)

    def show_readings(self, console: Console, numbers: Sequence[int]) -> None:
        """List the ways to play the same cards."""
        console.line(self._phrases.several)
        self._list(console, numbers)

    def _list(self, console: Console, numbers: Sequence[int]) -> None:
        items = [f"{number}: {self._text(console, number - 1)}" for number in numbers]
        for line in items if console.plain else console.columns(items):
            console.line(line)

    def _text(self, console: Console, at: int) -> str:
        """An answer: cards as they are drawn, and in words where nothing is drawn."""
        entry, text = self._entries[at], self._texts[at]
        cards = console.cards(entry.get("cards", ()))
        if "as" in entry:
            cards += f" as {console.cards(entry['as'])}"
        return f"{cards}, {text}" if cards and console.plain else cards or text


def _place(entry: Document, order: str) -> tuple[int, int]:
    """Where an answer stands in the list; those without cards come first."""
    cards = entry.get("cards", ())
    return (len(cards), play_strength(entry, order)) if cards else (0, 0)
