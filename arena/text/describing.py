"""A turn document as text, for who reads it: a language model, or a person in a terminal.

One block a turn: its id, the clock, what happened, what lies, what is in force, who holds how many,
one's own cards, and the answers with the numbers that they have in `legal`. What an event says is
said in the words of the viewer's sentences (`arena.narration`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from arena.documents import Document
from arena.text.words import (
    CAUSE_WORDS,
    JOKER,
    RANK_LETTERS,
    answer_in_words,
    card_in_words,
    cards_in_words,
    force_in_words,
    listed,
    number,
    on_table,
    play_in_words,
    plural,
    question_in_words,
    rank_word,
    seat_in_words,
    title_in_words,
    wish_in_words,
)

Names = Sequence[str]
"""What the seats are called, by seat."""
NOTHING = "No turn waits for you."
HOW = (
    'Answer with a number of this list, with cards ("S4 S5"), or in words ("four and five of '
    'spades", "pass").'
)
HOW_WITHOUT = (
    'This session does not list what is legal. Answer with cards ("S4 S5"), or in words ("four and '
    'five of spades", "pass").'
)


def turn_in_words(turn: Mapping[str, Any]) -> str:
    """The text of a turn document, in lines; it ends with one that says how to answer."""
    return "\n".join(_lines(turn))


def turns_in_words(turns: Sequence[Mapping[str, Any]], poll_after_ms: int, cursor: object) -> str:
    """Several turns with an empty line between them, or that there is none; then when to ask
    again, and the cursor for newer turns only."""
    blocks = [turn_in_words(turn) for turn in turns] or [NOTHING]
    after = f", with after={cursor} for newer turns only" if cursor is not None else ""
    blocks.append(f"Ask again after {poll_after_ms} ms{after}.")
    return "\n\n".join(blocks)


def _lines(turn: Mapping[str, Any]) -> Iterator[str]:
    names = _player_names(turn)
    yield f"Turn {turn['turn']}"
    yield _whereabouts(turn, names)
    yield from _clock(turn)
    happened = list(_happened(turn, names))
    if happened:
        yield "Since your last turn:" if turn.get("events_from") else "So far:"
        yield from (f"- {each}" for each in happened)
    yield from _position(turn, names)
    yield _own_cards(turn)
    yield from _answers(turn, names)


def _player_names(turn: Mapping[str, Any]) -> list[str]:
    """What the players are called: their names, or their seats where no names are given."""
    return [each.get("name", f"seat {each['seat']}") for each in turn["players"]]


def _whereabouts(turn: Mapping[str, Any], names: Names) -> str:
    who = f"You are {names[turn['seat']]}"
    title = title_in_words(turn["players"][turn["seat"]].get("title"))
    who += f", the {title}" if title else ""
    if "hand_number" not in turn:
        return f"{who}."
    of = f" of {turn['hands']}" if turn.get("hands") else ""
    where = f"at table {turn['table']} of session {turn['session']}"
    return f"{who}, in hand {turn['hand_number']}{of} {where}."


def _clock(turn: Mapping[str, Any]) -> Iterator[str]:
    if "remaining_ms" not in turn:
        return
    left, bank = turn["remaining_ms"] / 1000, turn.get("bank_ms", 0) / 1000
    more = f", then {bank:.1f} s of your bank" if bank else ""
    yield f"Time left: {left:.1f} s{more}."


def _happened(turn: Mapping[str, Any], names: Names) -> Iterator[str]:
    """What happened since one's turn before, a phrase an event."""
    for event in turn.get("events", ()):
        says = EVENTS.get(event["type"])
        if says is not None:
            rule = event.get("by", "")
            yield f"{says(names, event)} ({rule})." if rule else f"{says(names, event)}."


def _position(turn: Mapping[str, Any], names: Names) -> Iterator[str]:
    pile = turn.get("pile")
    yield on_table(_play(pile), names[pile["seat"]]) if pile else on_table("", "")
    active = force_in_words(
        is_reversed=turn["order"] == "reversed",
        is_pending=bool(turn.get("pending_revolution")),
        is_turned=turn.get("direction") == "ccw",
        lock=turn.get("lock") or {},
    )
    if active:
        yield f"In force: {listed(active)}."
    step = -1 if turn["order"] == "reversed" else 1
    ranks = " ".join(RANK_LETTERS[::step])
    yield f"Ranks, weakest first: {ranks}."
    yield "Players, in the order of seats:"
    for name, each in zip(names, turn["players"], strict=True):
        you = " (you)" if each["seat"] == turn["seat"] else ""
        says = seat_in_words(
            name + you,
            count=each["held"],
            passed=bool(each.get("passed")),
            place=each.get("place"),
        )
        yield f"- {says}"


def _own_cards(turn: Mapping[str, Any]) -> str:
    held = _weakest_first(turn["held"], turn["order"])
    in_words = ", ".join(card_in_words(name) for name in held)
    return f"Your cards, weakest first: {' '.join(held)} ({in_words})."


def _weakest_first(cards: Sequence[str], order: str) -> list[str]:
    sign = -1 if order == "reversed" else 1

    def strength(name: str) -> tuple[bool, int]:
        return name == JOKER, 0 if name == JOKER else sign * RANK_LETTERS.index(name[1])

    return sorted(cards, key=strength)


def _answers(turn: Mapping[str, Any], names: Names) -> Iterator[str]:
    kind = turn.get("kind", "play")
    if kind == "play":
        yield "It is your turn to follow." if turn.get("pile") else "It is your turn to lead."
    else:
        yield from _question(turn, names, kind)
    legal = turn.get("legal")
    if not legal:
        yield HOW_WITHOUT
        return
    yield "You may answer:"
    for index, entry in enumerate(legal):
        yield f"{index}. {entry_in_words(kind, entry)}"
    if turn.get("legal_more"):
        yield "There are more than these; name such an answer by its cards."
    yield HOW


def _question(turn: Mapping[str, Any], names: Names, kind: str) -> Iterator[str]:
    must = turn.get("must") or {}
    to = names[must["to"]] if "to" in must else ""
    asked = question_in_words(
        "You", kind, least=must.get("min", 1), most=must.get("max", 1), to=to
    ).replace("You is", "You are")
    rule = f" ({must['rule']})" if must.get("rule") else ""
    yield f"{asked}{rule}."
    if must.get("owed"):
        yield f"In it must be {cards_in_words(must['owed'])}."


def entry_in_words(kind: str, entry: Mapping[str, Any]) -> str:
    """An answer with its cards before the words: "S4 S5: ..."; only words where it has no cards."""
    words, short = answer_in_words(kind, entry), answer_as_cards(entry)
    return f"{short}: {words}" if short else words


def answer_as_cards(entry: Mapping[str, Any]) -> str:
    """The cards of an answer as one writes them, "S4 JK as S5"; "" if it has none."""
    roles = entry.get("as") or ()
    cards = " ".join(entry.get("cards", ()))
    return f"{cards} as {' '.join(roles)}" if roles else cards


def _play(play: Mapping[str, Any]) -> str:
    """A play as events and the pile have it."""
    kind = "set" if play["shape"] == "single" else play["shape"]
    return play_in_words(kind, play["cards"], play.get("as") or ())


def _some_cards(event: Mapping[str, Any]) -> str:
    """Cards that change hands, or only how many where they are hidden."""
    cards, size = event.get("cards") or (), event.get("size", 0)
    return cards_in_words(cards) if cards or not size else number(size)


def _together(names: Names, seats: Sequence[int]) -> str:
    return listed([names[seat] for seat in seats])


def _skips(names: Names, event: Document) -> str:
    seats = event["seats"]
    return f"{_together(names, seats)} {'is' if len(seats) == 1 else 'are'} skipped"


def _asks(names: Names, event: Document) -> str:
    wishes = listed([wish_in_words(wish) for wish in event["wishes"]]) or "nothing"
    return f"{names[event['seat']]} asks {names[event['to']]} for {wishes}"


def _names_ranks(names: Names, event: Document) -> str:
    named = listed([plural(rank_word(rank)) for rank in event["ranks"]]) or "nothing"
    return f"{names[event['seat']]} names {named}"


def _sets_aside(names: Names, event: Document) -> str:
    return f"{names[event['seat']]} sets aside {_some_cards(event)} for {names[event['to']]}"


def _gives(names: Names, event: Document) -> str:
    return f"{names[event['seat']]} gives {names[event['to']]} {_some_cards(event) or 'nothing'}"


EVENTS: Mapping[str, Callable[[Names, Document], str]] = {
    "played": lambda names, e: f"{names[e['seat']]} plays {_play(e)}",
    "passed": lambda names, e: f"{names[e['seat']]} passes",
    "cleared": lambda names, e: "The table is cleared",
    "freed": lambda names, e: "All may play again",
    "skipped": _skips,
    "turned": lambda names, e: (
        "Play goes " + ("clockwise" if e["direction"] > 0 else "anticlockwise")
    ),
    "swapped": lambda names, e: f"{names[e['seat']]} and {names[e['to']]} swap all their cards",
    "wished": _asks,
    "promised": _sets_aside,
    "gave": _gives,
    "discarded": lambda names, e: f"{names[e['seat']]} discards {_some_cards(e) or 'nothing'}",
    "named": _names_ranks,
    "took": lambda names, e: f"{names[e['seat']]} takes {_some_cards(e)} from the table",
    "accepted": lambda names, e: f"{names[e['seat']]} {'accepts' if e['yes'] else 'declines'}",
    "out": lambda names, e: f"{names[e['seat']]} goes out",
    "fouled": lambda names, e: f"{names[e['seat']]} goes out by a forbidden last play",
    "fell": lambda names, e: f"{names[e['seat']]} falls",
    "expired": lambda names, e: (
        f"The referee answers for {names[e['seat']]}: {CAUSE_WORDS[e['cause']]}"
    ),
}
"""What an event says, by its type; those that are not here say what the position says as well."""
