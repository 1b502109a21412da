"""A turn as a bot sees it: the turn document of the protocol with some helpers around it.

A light view and nothing more: it decides nothing, asks nobody and never changes. Every member of
the document can also be read as in a dict: `turn["held"]`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from random import Random
from typing import Any

from arena.client import cards as c
from arena.client.forms import Answer, as_answer, with_note
from arena.client.history import HandHistory, unseen
from arena.client.problems import KitError, NoLegalList
from arena.text.describing import turn_in_words
from arena.text.reading import Unclear, read_body, read_index

ENGINE = "arena.wire.positions"
"""Looked for by its name: the kit has to work where there is no arena."""
NO_CARDS = "turn.hand is the hand that is being played (id, number, of); your cards are turn.held"


@dataclass(frozen=True, slots=True)
class CurrentHand:
    """The hand that a turn belongs to: its id, its number at the table from 1, of how many.

    In other games a hand is what a player holds: whoever takes it for that learns it at once.
    """

    id: str
    number: int
    of: int

    def __str__(self) -> str:
        return self.id

    def __iter__(self) -> Iterator[str]:
        raise TypeError(NO_CARDS)

    def __len__(self) -> int:
        raise TypeError(NO_CARDS)

    def __contains__(self, card: object) -> bool:
        raise TypeError(NO_CARDS)

    def __getitem__(self, index: object) -> str:
        raise TypeError(NO_CARDS)

    def __bool__(self) -> bool:
        return True


def _engine() -> Any:
    """`arena.wire.positions`, which the kit alone does not bring along."""
    try:
        return import_module(ENGINE)
    except ImportError:
        raise KitError("positions need the whole arena: pip install daifugo-arena") from None


class Turn(Mapping[str, Any]):
    """One decision that is asked of this bot."""

    def __init__(self, document: Mapping[str, Any], histories: HandHistory | None = None) -> None:
        self._document = document
        self._histories = histories
        self._position: Any = None

    @classmethod
    def from_position(cls, position: Any) -> Turn:
        """The turn of the seat that is asked in an `arena.game.Position` or its text, for tests.

        It has no session, no events and no clock. Needs the whole arena, as `position` does;
        raises `arena.errors.BadInput` for a line that is none, or where another seat is asked.
        """
        read = _engine().read_position(position) if isinstance(position, str) else position
        fields = _engine().position_fields(read, Random(0))
        turn = cls({"turn": "position", "events": [], "events_from": 0, **fields})
        turn._position = read
        return turn

    def __getitem__(self, member: str) -> Any:
        return self._document[member]

    def get(self, member: str, default: Any = None) -> Any:
        """A member, or something else where the document has it not."""
        try:
            return self._document[member]
        except KeyError:
            return default

    def __iter__(self) -> Iterator[str]:
        return iter(self._document)

    def __len__(self) -> int:
        return len(self._document)

    def __repr__(self) -> str:
        held = " ".join(self.held)
        return f"<Turn {self.id} {self.kind}, held: {held}, pile: {self.pile_cards}>"

    # What is asked, and where

    @property
    def id(self) -> str:
        return str(self["turn"])

    @property
    def kind(self) -> str:
        """play, give, discard, ask, name, throw ..."""
        return str(self.get("kind", "play"))

    @property
    def session(self) -> str:
        return str(self.get("session", ""))

    @property
    def table(self) -> str:
        return str(self.get("table", ""))

    @property
    def hand(self) -> CurrentHand:
        """The hand that is being played, from its deal to its end. Your cards are `turn.held`."""
        number, of = int(self.get("hand_number", 0)), int(self.get("hands", 0))
        return CurrentHand(str(self.get("hand", "")), number=number, of=of)

    @property
    def seat(self) -> int:
        return int(self.get("seat", 0))

    @property
    def remaining_ms(self) -> int:
        """What was left of the move time when the turn was sent; then the bank is drawn on."""
        return int(self.get("remaining_ms", 0))

    @property
    def bank_ms(self) -> int:
        """What is left of the bank, the time for long thought that has to last for the table."""
        return int(self.get("bank_ms", 0))

    @property
    def left_ms(self) -> int:
        """Time until the referee answers instead, when the turn was sent: move time and bank."""
        return self.remaining_ms + self.bank_ms

    # What one sees

    @property
    def held(self) -> list[str]:
        """The cards in one's hand."""
        return list(self.get("held", ()))

    @property
    def pile(self) -> Mapping[str, Any] | None:
        """The play to beat, or None: then this bot leads."""
        return self.get("pile") or None

    @property
    def pile_cards(self) -> list[str]:
        return list(self.pile["cards"]) if self.pile else []

    @property
    def leading(self) -> bool:
        """True when nothing lies on the table: any combination may be led."""
        return self.pile is None

    @property
    def order(self) -> str:
        """The order in force now: "normal" (3 lowest) or "reversed" (3 highest)."""
        return str(self.get("order", "normal"))

    @property
    def next_order(self) -> str:
        """The order after this trick, as far as one can know: a waiting revolution is counted."""
        return c.flip(self.order) if self.get("pending_revolution") else self.order

    @property
    def lock(self) -> Mapping[str, Any] | None:
        """The suit lock (shibari) in force, or None."""
        return self.get("lock") or None

    @property
    def must(self) -> Mapping[str, Any]:
        """For give, discard, ask: how many, from which cards, to whom."""
        return self.get("must") or {}

    @property
    def players(self) -> list[Mapping[str, Any]]:
        return list(self.get("players", ()))

    @property
    def others(self) -> list[Mapping[str, Any]]:
        """The players that still hold cards, this bot left out; the next to act first."""
        seats = len(self.players) or 1
        rest = [p for p in self.players if p["seat"] != self.seat and p["held"]]
        return sorted(rest, key=lambda p: (p["seat"] - self.seat) % seats)

    @property
    def events(self) -> list[Mapping[str, Any]]:
        """What happened since this bot's turn before."""
        return list(self.get("events", ()))

    @cached_property
    def history(self) -> list[Mapping[str, Any]]:
        """All that happened in this hand since its deal, as this bot may know it.

        Also what was before a restart: then the first look costs one request. A turn that was
        written by hand has only its own `events`; raises KitError if others came before those.
        """
        if self._histories is not None:
            return self._histories.events(self)
        if self.get("events_from"):
            raise KitError("what happened before this turn's events is known only in a session")
        return self.events

    @cached_property
    def unseen(self) -> list[str]:
        """The cards that others may hold, weakest first: neither mine, nor played or thrown away
        where I could see it. Cards taken out before the deal count, for nobody has seen them.

        Raises KitError for a turn that was written by hand: it does not say what the pack was.
        """
        given = self._given()
        if given is not None:
            return c.sort_cards(_engine().unseen_cards(given))
        if self._histories is None:
            raise KitError("which cards the pack has is known only in a session")
        return unseen(self._histories.pack(self), self.held, self.history)

    @cached_property
    def position(self) -> Any:
        """What this bot knows of the hand, an `arena.game.Position`: `str(turn.position)` is a line
        of text, `turn.position.worlds(...)` are states to play on.

        Needs the arena itself, not only its kit. Raises KitError without it, and for a turn that
        was written by hand, which does not say by which rules it is played.
        """
        given = self._given()
        if given is not None:
            return given
        if self._histories is None:
            raise KitError("by which rules is played is known only in a session")
        options = self._histories.options(self)
        return _engine().read_events(options, self.history, seat=self.seat)

    def _given(self) -> Any:
        """The position of a turn that was made from one; None for a turn of a session."""
        if self._position is None and "position" in self:
            self._position = _engine().read_position(self["position"])
        return self._position

    # What may be answered

    @property
    def has_legal(self) -> bool:
        return bool(self.get("legal"))

    @property
    def legal(self) -> list[Answer]:
        """Everything that may be answered, in the protocol's order. Capped if `legal_more`."""
        entries = self.get("legal")
        if not entries:
            raise NoLegalList("this session does not list the legal moves: find them yourself")
        return [dict(entry) for entry in entries]

    @cached_property
    def can_pass(self) -> bool:
        if not self.has_legal:
            return self.kind == "play" and not self.leading
        return {"pass": True} in self["legal"]

    def text(self) -> str:
        """This turn in English, for a language model or a person: what happened, what lies, what is
        in force, the cards held, and the legal answers with their numbers.

        It says what the document says and nothing else. `read` understands the reply.
        """
        return turn_in_words(self)

    def read(self, text: str) -> Answer:
        """The answer that a text means: "3", "S4 S5", "four and five of spades", "pass".

        A number is that of `text`'s list. Nothing is guessed: raises KitError for a text that is no
        legal answer, or may be several; it says which there are. Where not all is listed, cards
        that are named one by one are taken as they are.
        """
        try:
            if not self.has_legal:
                return read_body(text, self.kind)
            return self.legal[read_index(text, self.kind, self["legal"])]
        except Unclear as error:
            if self.get("legal_more"):
                with suppress(Unclear):
                    return read_body(text, self.kind)
            raise KitError(str(error)) from None

    def pass_(self) -> Answer:
        return {"pass": True}

    def answer(self, answer: Any, *, note: str = "") -> Answer:
        """An answer with a note for the bot's owner, who reads it beside this turn later.

        answer: whatever a method of a bot may return, an entry of `legal`, a list of cards ...;
        ValueError if it is no answer. note: one line of at most 280 characters; what is longer is
        cut. Others read it only where the session publishes notes, when it is over.
        """
        given = as_answer(answer, "Turn.answer")
        return with_note(given, note) if note else given

    def plays(self) -> list[Answer]:
        """The legal entries that play cards, weakest first; of equally weak ones that with the most
        cards first."""
        return sorted((e for e in self.legal if e.get("cards")), key=self._weakness)

    def strength(self, card: str) -> int:
        """0 weakest ... 13 joker, in the order in force."""
        return c.strength(card, self.order)

    def lowest(self) -> Answer | None:
        """The weakest legal play; of equally weak ones that with the most cards. None: no play."""
        return next(iter(self.plays()), None)

    def highest(self) -> Answer | None:
        """The strongest legal play; of equally strong ones that with the fewest cards."""
        return max(self.plays(), key=self._weakness, default=None)

    def _weakness(self, play: Mapping[str, Any]) -> tuple[int, int, int]:
        jokers = play["cards"].count(c.JOKER)
        return (c.play_strength(play, self.order), jokers, -len(play["cards"]))

    def fallback(self) -> Answer:
        """A harmless answer for a bot that has none: pass, else the lowest that may be answered."""
        if self.can_pass:
            return self.pass_()
        if self.kind == "play":
            return self._lowest_play()
        if self.kind == "accept":
            return {"accept": False}
        return self.lightest()

    def _lowest_play(self) -> Answer:
        if not self.has_legal:
            return {"cards": c.sort_cards(self.held, self.order)[:1]}
        return min(self.legal, key=lambda e: (len(e.get("cards", ())), self._burden(e)))

    def lightest(self) -> Answer:
        """For give and discard: as many cards as one may get rid of, the weakest ones."""
        if not self.has_legal:
            return self._owed()
        return min(self.legal, key=lambda e: (-len(e.get("cards", ())), self._burden(e)))

    def _burden(self, entry: Mapping[str, Any]) -> list[int]:
        return sorted((self.strength(card) for card in entry.get("cards", ())), reverse=True)

    def _owed(self) -> Answer:
        owed = list(self.must.get("owed") or ())
        free = c.without(self.must.get("from") or self.held, owed)
        number = max(0, int(self.must.get("min", 1)) - len(owed))
        return {"cards": owed + c.sort_cards(free, self.order)[:number]}
