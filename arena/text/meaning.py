"""What a text says of an answer, before it is known which answers there are.

"A pair of fours with the spade" is a size, a rank and one card; which entries of `legal` that fits
is found out by comparing. What a text leaves open stays open here, and nothing is guessed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from arena.text.lexicon import Token
from arena.text.words import JOKER, shape_of

COUNTS = {**{str(value): value for value in range(2, 10)}, "T": 10}
"""Ranks that are also numbers."""
ARTICLE_BEFORE = ("card", "run", "size", "plural", "rank")


class Piece(NamedTuple):
    """A card, or what is known of it: its rank, its suit, both or neither ("")."""

    rank: str = ""
    suit: str = ""

    def fits(self, name: str) -> bool:
        """Could it be this natural card?"""
        return self.rank in ("", name[1]) and self.suit in ("", name[0])


@dataclass(slots=True)
class Meaning:
    """What was read.

    word: pass, nothing, rock, yes ...: with the kind of its token, empty if there is none; pieces:
    natural cards; jokers: how many; roles: what they stand for; size: of the whole; plural: the
    rank of all cards; suit: of cards that are not named; is_run, is_set: the shape, if it is said.
    """

    word: tuple[str, str] | None = None
    pieces: list[Piece] = field(default_factory=list)
    jokers: int = 0
    roles: list[Piece] = field(default_factory=list)
    size: int | None = None
    plural: str = ""
    suit: str = ""
    is_run: bool = False
    is_set: bool = False

    @property
    def has_cards(self) -> bool:
        """Does it speak of any cards?"""
        return bool(self.pieces or self.jokers or self.size or self.plural or self.suit)

    def fits(self, kind: str, entry: Mapping[str, Any]) -> bool:
        """Could it mean this entry of `legal`?"""
        if self.word is not None:
            return self._is_word(entry)
        if "name" in entry:
            wanted = [piece.rank for piece in self.pieces if not piece.suit]
            return not self.jokers and sorted(wanted) == sorted(entry["name"])
        if "ask" in entry:
            wishes = [piece.suit + piece.rank for piece in self.pieces] + [JOKER] * self.jokers
            return sorted(wishes) == sorted(entry["ask"])
        cards = entry.get("cards") or ()
        return bool(cards) and self._fits_cards(kind, cards, entry.get("as") or ())

    def _is_word(self, entry: Mapping[str, Any]) -> bool:
        match self.word:
            case "pass", _:
                return "pass" in entry
            case "nothing", _:
                return [] in (entry.get("cards"), entry.get("ask"), entry.get("name"))
            case "throw", shape:
                return bool(entry.get("throw") == shape)
            case "accept", yes:
                return "accept" in entry and entry["accept"] is bool(yes)
        return False

    def _fits_cards(self, kind: str, cards: Sequence[str], roles: Sequence[str]) -> bool:
        if not self._fits_size(len(cards)):
            return False
        if kind == "play" and not self._fits_shape(shape_of(cards, roles)):
            return False
        natural = [name for name in cards if name != JOKER]
        jokers = len(cards) - len(natural)
        unnamed = len(cards) - len(self.pieces) - self.jokers
        of_jokers = self.plural == JOKER
        if self.plural and not (unnamed or self.pieces):
            return False
        if jokers != self.jokers + (unnamed if of_jokers else 0):
            return False
        unnamed_piece = Piece(self._rank_of_all(), self.suit)
        pieces = self.pieces + [unnamed_piece] * (0 if of_jokers else unnamed)
        return cover(pieces, natural) and self._fits_roles(natural, roles)

    def _fits_shape(self, shape: str) -> bool:
        if not (self.is_run or self.is_set):
            return True
        return (shape == "set") is not self.is_run

    def _fits_size(self, size: int) -> bool:
        named = len(self.pieces) + self.jokers
        if self.size is not None:
            return size == self.size >= named
        return size >= max(2, named) if self.plural and not self.pieces else size == named

    def _rank_of_all(self) -> str:
        ranks = {piece.rank for piece in self.pieces}
        return self.plural or ("" if len(ranks) != 1 or self.is_run else ranks.pop())

    def _fits_roles(self, natural: Sequence[str], roles: Sequence[str]) -> bool:
        """Do the jokers stand for what is said of them? In a set they have its rank, and where it
        does not matter any suit."""
        if not roles:
            rank = natural[0][1] if natural else None
            return all(rank and role.rank in ("", rank) for role in self.roles)
        left = [Piece(JOKER) if role == JOKER else Piece(role[1], role[0]) for role in roles]
        for said in self.roles:
            fitting = (r for r in left if said.rank in ("", r.rank) and said.suit in ("", r.suit))
            found = next(fitting, None)
            if found is None:
                return False
            left.remove(found)
        return True

    def body(self, kind: str) -> dict[str, Any] | None:
        """The answer of the protocol, where the text alone says all of it; None where it leaves
        anything open."""
        if self.word is not None:
            return _body_of_word(kind, *self.word)
        exact = all(piece.rank and piece.suit for piece in self.pieces)
        if kind == "name":
            is_ranks = not self.jokers and not any(piece.suit for piece in self.pieces)
            return {"name": [piece.rank for piece in self.pieces]} if is_ranks else None
        if kind == "ask":
            wishes = [piece.suit + piece.rank for piece in self.pieces] + [JOKER] * self.jokers
            return {"ask": wishes} if wishes and all(p.rank for p in self.pieces) else None
        cards = [piece.suit + piece.rank for piece in self.pieces] + [JOKER] * self.jokers
        if not exact or not cards or self.size not in (None, len(cards)):
            return None
        if not self.roles:
            return {"cards": cards}
        as_ = [JOKER if r.rank == JOKER else r.suit + r.rank for r in self.roles]
        whole = all(len(name) == 2 for name in as_) and len(as_) == self.jokers
        return {"cards": cards, "as": as_} if whole else None


def _body_of_word(kind: str, word: str, value: str) -> dict[str, Any]:
    if word == "pass":
        return {"pass": True}
    if word == "throw":
        return {"throw": value}
    if word == "accept":
        return {"accept": bool(value)}
    return {kind if kind in ("ask", "name") else "cards": []}


def cover(pieces: Sequence[Piece], cards: Sequence[str]) -> bool:
    """Is there a card for each piece, and a piece for each card? What says most comes first."""
    if len(pieces) != len(cards):
        return False
    left = Counter(cards)
    for piece in sorted(pieces, key=lambda p: (not (p.rank and p.suit), not p.rank, not p.suit)):
        exact = piece.suit + piece.rank
        name = exact if len(exact) == 2 else next((n for n in left if piece.fits(n)), "")
        if not left[name]:
            return False
        left[name] -= 1
        if not left[name]:
            del left[name]
    return True


def meaning(found: Sequence[Token], kind: str) -> Meaning | None:
    """What tokens mean together, None if that is nothing. kind: of the turn."""
    reader = _Reader(kind)
    for before, token, after in _neighbours(found):
        if not reader.take(before, token, after):
            return None
    return reader.finish()


def _neighbours(found: Sequence[Token]) -> Iterator[tuple[str, Token, str]]:
    """Each token between the kinds of those before and after it."""
    kinds = ["", *(token.kind for token in found), ""]
    for place, token in enumerate(found):
        yield kinds[place], token, kinds[place + 2]


class _Reader:
    """Takes tokens one by one. A suit belongs to the ranks before it that have none ("four and five
    of spades"); if it comes first, to those after it ("spades 4 5").

    suit_first: did a suit come before all ranks? suit_due: it has no rank yet. after_run: a number
    is the size of a run. role_due: an "as" has nothing after it yet; role_open: what a joker stands
    for has a rank, and may get a suit. Whatever has no place in this is not read at all: half of
    what was said is never taken for the whole.
    """

    def __init__(self, kind: str) -> None:
        self.meaning = Meaning()
        self.by_rank = kind in ("name", "ask")
        self.suit_first = self.suit_due = False
        self.after_run = False
        self.in_roles = self.role_due = self.role_open = False

    def take(self, before: str, token: Token, after: str) -> bool:
        """Take a token; False if it has no meaning where it stands."""
        match token.kind:
            case "card":
                return self._card(token.value)
            case "rank":
                return self._rank(token.value, after)
            case "plural":
                return self._plural(token.value)
            case "suit":
                return self._suit(token.value, before)
            case "size":
                return self._size(int(token.value), is_set=True)
            case "a":
                return self._article(before, after)
            case "as":
                self.in_roles = self.role_due = True
                return before == "card" and self.meaning.jokers > len(self.meaning.roles)
            case "run":
                self.meaning.is_run = self.after_run = True
                return True
            case "pass" | "nothing" | "throw" | "accept":
                return self._word(token)
        return token.kind == "of"

    def finish(self) -> Meaning | None:
        """What it comes to, None if it does not go together."""
        made = self.meaning
        named = len(made.pieces) + made.jokers
        if self.role_due or (self.suit_due and (made.size or 0) <= named):
            return None
        if made.plural and any(piece.rank != made.plural for piece in made.pieces):
            return None
        if made.plural == JOKER and made.suit:
            return None
        if made.word is not None:
            return None if made.has_cards or made.is_run else made
        return made if made.has_cards or made.is_run else None

    def _word(self, token: Token) -> bool:
        said = (token.kind, token.value)
        is_other = self.meaning.word not in (None, said)
        self.meaning.word = said
        return not is_other

    def _takes_role(self, role: Piece) -> bool:
        """Take what a joker stands for, if a joker waits for that."""
        takes = self.in_roles and len(self.meaning.roles) < self.meaning.jokers
        self.in_roles = takes
        self.role_open = takes and bool(role.rank) and not role.suit and role.rank != JOKER
        if takes:
            self.role_due = False
            self.meaning.roles.append(role)
        return takes

    def _card(self, name: str) -> bool:
        piece = Piece(JOKER) if name == JOKER else Piece(name[1], name[0])
        if self._takes_role(piece):
            return True
        if name == JOKER:
            self.meaning.jokers += 1
        else:
            self.meaning.pieces.append(piece)
        return not self.role_due

    def _rank(self, rank: str, after: str) -> bool:
        if rank in COUNTS and (self.after_run or after == "plural"):
            return self._size(COUNTS[rank], is_set=False)
        if not self._takes_role(Piece(rank)):
            self.suit_due = False
            suit = self.meaning.suit if self.suit_first else ""
            self.meaning.pieces.append(Piece(rank, suit))
        return not self.role_due

    def _plural(self, rank: str) -> bool:
        made = self.meaning
        if not self.by_rank:
            is_first = not made.plural
            made.plural = rank
            return is_first and not self.role_due
        count, made.size = made.size or 1, None
        if rank == JOKER:
            made.jokers += count
        else:
            made.pieces += [Piece(rank)] * count
        return True

    def _suit(self, suit: str, before: str) -> bool:
        made = self.meaning
        if self.role_due:
            return self._takes_role(Piece("", suit))
        if self.role_open:
            self.role_open = False
            made.roles[-1] = made.roles[-1]._replace(suit=suit)
        elif made.plural:
            made.pieces.append(Piece(made.plural, suit))
        elif self.suit_first or not made.pieces:
            was_due, self.suit_due = self.suit_due, True
            made.suit, self.suit_first = suit, True
            return not was_due
        elif any(not piece.suit for piece in made.pieces):
            made.pieces = [Piece(each.rank, each.suit or suit) for each in made.pieces]
        else:  # "four of spades and hearts"
            made.pieces.append(Piece(made.pieces[-1].rank, suit))
            return before in ("suit", "of")
        return True

    def _size(self, size: int, *, is_set: bool) -> bool:
        made = self.meaning
        is_first = made.size is None
        made.size, made.is_set = size, is_set and not self.after_run
        self.after_run = False
        return is_first

    def _article(self, before: str, after: str) -> bool:
        """An "a" is an ace where no article can stand."""
        if after in ARTICLE_BEFORE:
            return not (before == "suit" and after == "rank" and self.suit_first)
        return self._rank("A", after)
