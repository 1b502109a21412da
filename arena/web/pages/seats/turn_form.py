"""The question that a turn puts to a person, as a form: its values for a template, and what the
person answers, as any bot would say it.

All of it comes from the turn document of the seat. Nothing here knows a rule or a request.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from arena.errors import BadInput
from arena.rules.cards import JOKER, RANKS, SUITS
from arena.web.api.browser_forms import Form, whole_number

CARDS, RANK, WISH, SHAPE, YES = "card", "rank", "wish", "throw", "accept"
CHOICE, PASS = "choice", "pass"
MOST_LISTED = 100
"""Answers that are listed on the page; more of them can still be made of cards."""
VERBS: Mapping[str, str] = {
    "play": "Play",
    "give": "Give",
    "discard": "Discard",
    "name": "Name",
    "ask": "Ask",
}
"""What the button of a question says."""
PROMPTS: Mapping[str, str] = {
    "play": "Play cards that beat the table, or pass.",
    "give": "Give cards away.",
    "discard": "Throw cards away.",
    "name": "Name ranks.",
    "ask": "Ask for cards.",
    "throw": "Choose rock, paper or scissors.",
    "accept": "Does the effect of your play take place?",
}

TurnDocument = Mapping[str, Any]


class CardChoice(NamedTuple):
    """A card of the person's. open: can it be in an answer at all? chosen: was it chosen before?"""

    name: str
    open: bool
    chosen: bool


class ListedAnswer(NamedTuple):
    """An answer that can be taken by its number. cards: what it takes from the hand, for the script
    that narrows the choice."""

    number: int
    words: str
    cards: str


class TurnForm(NamedTuple):
    """What a person is asked. verb: of the button, "" where buttons are all there is to it; more:
    are there answers that are not listed? least, most: of cards, ranks or wishes."""

    turn: str
    kind: str
    prompt: str
    verb: str
    cards: tuple[CardChoice, ...]
    listed: tuple[ListedAnswer, ...]
    more: bool
    may_pass: bool
    least: int
    most: int
    ranks: tuple[tuple[str, bool], ...]
    wishes: tuple[str, ...]
    remaining_s: int
    bank_s: int


def question(turn: TurnDocument, words: Sequence[str], kept: Form) -> TurnForm:
    """The form of a turn. words: of its legal answers, in order; kept: what was sent before and was
    refused."""
    kind, must, legal = turn["kind"], turn["must"] or {}, turn.get("legal", [])
    listed = [
        ListedAnswer(index, words[index], " ".join(entry.get("cards", ())))
        for index, entry in enumerate(legal)
        if PASS not in entry
    ]
    return TurnForm(
        turn=turn["turn"],
        kind=kind,
        prompt=_prompt(kind, must, turn),
        verb=VERBS.get(kind, ""),
        cards=tuple(_cards(turn, kept)) if kind in ("play", "give", "discard") else (),
        listed=tuple(listed[:MOST_LISTED]),
        more=bool(turn.get("legal_more", True)) or len(listed) > MOST_LISTED,
        may_pass=any(PASS in entry for entry in legal) or ("legal" not in turn and kind == "play"),
        least=must.get("min", 0),
        most=must.get("max", 0),
        ranks=tuple(_ranks(turn, must, kept)) if kind == "name" else (),
        wishes=tuple(_wishes()) if kind == "ask" else (),
        remaining_s=turn["remaining_ms"] // 1000,
        bank_s=turn["bank_ms"] // 1000,
    )


def _prompt(kind: str, must: Mapping[str, Any], turn: TurnDocument) -> str:
    if kind == "play" and turn["pile"] is None:
        return "You lead: play any cards that go together."
    prompt = PROMPTS.get(kind, "Choose an answer.")
    least, most = must.get("min"), must.get("max")
    if kind in ("throw", "accept", "play") or most is None:
        return prompt
    count = f"{most}" if least == most else f"{least} to {most}"
    to = f" To {turn['players'][must['to']]['name']}." if "to" in must else ""
    return f"{prompt} How many: {count}.{to}"


def _cards(turn: TurnDocument, kept: Form) -> Iterable[CardChoice]:
    """The cards held; those that are owed are chosen already."""
    owed = (turn["must"] or {}).get("owed", [])
    chosen = Counter(kept.get(CARDS, owed))
    allowed = _allowed(turn)
    for name in by_rank(turn["held"]):
        is_chosen = chosen[name] > 0
        chosen[name] -= is_chosen
        yield CardChoice(name, allowed is None or name in allowed, is_chosen)


def by_rank(names: Iterable[str]) -> list[str]:
    """Cards as people hold them: the 3s first, jokers last."""
    return sorted(names, key=lambda name: (name == JOKER, RANKS.find(name[1]), SUITS.find(name[0])))


def _allowed(turn: TurnDocument) -> Collection[str] | None:
    """The cards that occur in any answer; None where not all answers are known."""
    if turn["must"] and "from" in turn["must"]:
        return frozenset(turn["must"]["from"])
    if turn.get("legal_more", True):
        return None
    return frozenset(card for entry in turn["legal"] for card in entry.get("cards", ()))


def _ranks(turn: TurnDocument, must: Mapping[str, Any], kept: Form) -> Iterable[tuple[str, bool]]:
    """The ranks that may be named: all, or those of some cards; with what was chosen before."""
    known = {card[1] for card in must.get("from", ()) if card != JOKER}
    chosen = kept.get(RANK, ())
    return ((rank, rank in chosen) for rank in RANKS if not known or rank in known)


def _wishes() -> Iterable[str]:
    """What can be asked for: a rank, a joker, or a card."""
    yield from (*RANKS, JOKER)
    yield from (f"{suit}{rank}" for suit in SUITS for rank in RANKS)


def read_answer(kind: str, form: Form) -> dict[str, Any]:
    """What a person answers to a question of this kind. Raises BadInput where it is nothing yet."""
    if CHOICE in form:
        number = whole_number(CHOICE, form[CHOICE][0], "the number of a listed answer")
        return {"choice": number}
    if PASS in form:
        return {"pass": True}
    if SHAPE in form:
        return {"throw": form[SHAPE][0]}
    if YES in form:
        return {"accept": form[YES][0] == "yes"}
    if kind == "name":
        return {"name": list(form.get(RANK, ()))}
    if kind == "ask":
        return {"ask": [wish for wish in form.get(WISH, ()) if wish]}
    cards = list(form.get(CARDS, ()))
    if not cards and kind == "play":
        raise BadInput("cards", "none", "at least one card, or a pass")
    return {"cards": cards}
