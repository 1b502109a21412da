"""The game's part of a turn document: what a seat sees, what it owes, what it may answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from arena.documents import Document
from arena.rules.commands import Accept, Answer, Ask, Discard, Give, Name, Throw
from arena.rules.events import Question
from arena.rules.legal import Menu, legal
from arena.rules.melds import Meld
from arena.rules.ruleset import Ruleset
from arena.rules.state import State
from arena.rules.view import View, see
from arena.wire.values import (
    COLOURS,
    SHAPES,
    write_cards,
    write_ids,
    write_meld,
    write_rank,
    write_suits,
    write_wish,
)

Named = tuple[str, str]
"""A bot's id and its name."""
LEGAL_CAP: Final = 512
KINDS: Final = ("play", "give", "ask", "discard", "name", "throw", "accept")


def turn_fields(
    rules: Ruleset, state: State, seat: int, *, hints: bool, bots: Sequence[Named] = ()
) -> Document:
    """What a turn document says of the hand, for the seat that has to answer.

    hints: with the list of legal answers, at most `LEGAL_CAP` of them; ``legal_more`` says whether
    there are more. bots: who plays, by seat; left out if not given.
    """
    fields = seat_fields(rules, state, seat, bots)
    return fields | menu_fields(legal(rules, state, seat)) if hints else fields


def seat_fields(rules: Ruleset, state: State, seat: int, bots: Sequence[Named] = ()) -> Document:
    """What a turn document says of the hand, but for what the seat may answer."""
    view = see(rules, state, seat)
    fields = table_fields(view, bots)
    fields["kind"] = "play" if view.question is None else view.question.kind
    fields["held"] = write_cards(view.held)
    fields["must"] = None if view.question is None else _must(view.question)
    return fields


def menu_fields(menu: Menu, write: Callable[[Meld], Document] | None = None) -> Document:
    """What a turn document says a seat may answer. write: in place of `meld_entry`."""
    entries = menu_entries(menu, write)
    more = len(entries) > LEGAL_CAP
    return {"legal": entries[:LEGAL_CAP] if more else entries, "legal_more": more}


def table_fields(view: View, bots: Sequence[Named] = ()) -> Document:
    """What everybody at the table sees."""
    pile = None
    if view.pile is not None:
        pile = write_meld(view.pile)
        pile["seat"] = view.owner
        del pile["low"]
    fields: Document = {
        "pile": pile,
        "order": "reversed" if view.order_reversed else "normal",
        "pending_revolution": view.pending,
        "lock": _lock(view),
        "direction": "cw" if view.direction > 0 else "ccw",
        "players": _players(view, bots),
    }
    if view.cleared:
        fields["cleared"] = write_cards(view.cleared)
    return fields


def _players(view: View, bots: Sequence[Named]) -> list[Document]:
    """What everybody knows of each player."""
    counts, passed, places, titles = view.counts, view.passed, view.places, view.titles
    if not bots:
        return [
            {
                "seat": seat,
                "held": counts[seat],
                "passed": passed[seat],
                "place": places[seat],
                "title": titles[seat],
            }
            for seat in range(len(counts))
        ]
    return [
        {
            "seat": seat,
            "held": counts[seat],
            "passed": passed[seat],
            "place": places[seat],
            "title": titles[seat],
            "bot": bots[seat][0],
            "name": bots[seat][1],
        }
        for seat in range(len(counts))
    ]


def legal_entries(rules: Ruleset, state: State, seat: int) -> list[Document]:
    """The canonical list of what a seat may answer, in canonical order."""
    return menu_entries(legal(rules, state, seat))


def menu_entries(menu: Menu, write: Callable[[Meld], Document] | None = None) -> list[Document]:
    """The entries of a menu, in its order. write: in place of `meld_entry`."""
    entries: list[Document] = [{"pass": True}] if menu.may_pass else []
    if write is None:
        entries += [meld_entry(m) for m in menu.melds]
    else:
        entries += map(write, menu.melds)
    if menu.others:
        entries += map(_entry, menu.others)
    return entries


def meld_entry(m: Meld) -> Document:
    """A play as an entry: `as` only where it matters how the jokers are read."""
    entry: Document = {"cards": list(m.codes)}
    if m.roles:
        entry["as"] = write_ids(m.roles)
    return entry


def _entry(answer: Answer) -> Document:
    """Any other answer as an entry."""
    if isinstance(answer, Give | Discard):
        return {"cards": write_cards(answer.cards)}
    if isinstance(answer, Name):
        return {"name": [write_rank(rank) for rank in answer.ranks]}
    if isinstance(answer, Ask):
        return {"ask": [write_wish(wish) for wish in answer.wishes]}
    if isinstance(answer, Throw):
        return {"throw": SHAPES[answer.shape]}
    if isinstance(answer, Accept):
        return {"accept": answer.yes}
    return {"pass": True}


def _must(question: Question) -> Document:
    """What a question asks for. from: the cards to choose among, or whose ranks may be named;
    owed: those in every answer."""
    must: Document = {"rule": question.rule, "min": question.least, "max": question.most}
    if question.to >= 0:
        must["to"] = question.to
    if question.ways:
        source = 0
        owed = -1
        for way in question.ways:
            source |= sum(mask for mask, _ in way)
            owed &= sum(mask for mask, count in way if mask.bit_count() == count)
        must["from"] = write_cards(source)
        if question.kind != "name":
            must["owed"] = write_cards(owed & source)
    return must


def _lock(view: View) -> Document | None:
    """The locks in force."""
    if not (view.suit_lock or view.number_lock or view.colour_lock or view.rank_limit):
        return None
    lock: Document = {}
    if view.suit_lock:
        lock["suits"] = write_suits(view.suit_lock)
    if view.number_lock:
        lock["number"] = True
    if view.colour_lock:
        lock["colour"] = COLOURS[view.colour_lock]
    if view.rank_limit:
        lock["ranks"] = [write_rank(rank) for rank in range(13) if view.rank_limit >> rank & 1]
    return lock
