"""A person plays: choosing a table, the turn as a form, and what happens meanwhile.

Works without script: every answer is a form, and a page that waits looks again by itself. What is
shown of the hand is what its seat may know; nothing here knows a rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, NamedTuple

import orjson

from arena.errors import (
    ArenaError,
    BadInput,
    Conflict,
    Forbidden,
    Gone,
    NotFound,
    Refused,
    TooMany,
)
from arena.narration.sentences import Perspective, describe_answers, language
from arena.queries.seats import HandAtTable, SeatAtTable
from arena.rules import legal, see
from arena.rules.catalogue import Option
from arena.rules.commands import Expire
from arena.rules.options import OPTIONS
from arena.session.hand_log import Step
from arena.session.names import turn_id
from arena.session.recorded_hand import RecordedStep
from arena.web.api.browser_forms import (
    FORM_TOKEN,
    SEAT_PATH,
    Form,
    check_form,
    first_text,
    form_token,
    new_cookie,
    seat_cookie,
)
from arena.web.api.endpoints import Endpoint, RateCost, Reply, Scope, View
from arena.web.api.middleware import FORM_POLICY
from arena.web.api.problems import Code, from_arena
from arena.web.api.queries import Param
from arena.web.api.services import Call
from arena.web.pages.board import Board, faces
from arena.web.pages.moments import Line, Narrator, Progress, narrator
from arena.web.pages.rendering import HTML, PAGE_COST, render_template
from arena.web.pages.seats.choosing import read_wishes, start_values
from arena.web.pages.seats.turn_form import TurnForm, by_rank, question, read_answer
from arena.web.pages.seats.wording import about, heading

AFTER = Param("after", "text", "What the page shows already; it waits for more.")
WAIT = Param("wait", "number", "Seconds to wait for more.", 0.0, most=25)
HEADERS = {FORM_POLICY[0]: FORM_POLICY[1], "Referrer-Policy": "same-origin"}
"""The pages of this module may send forms, to this arena only, and say where those come from."""
MEDIAS = ("text/html",)
TURN, KIND = "turn", "kind"
WORDS = language("en")
HOUR_S = 3_600


class Notice(NamedTuple):
    """What a person reads first. rule: the option that refuses something, None where it is not a
    rule's doing."""

    title: str
    text: str
    rule: Option | None = None


class Result(NamedTuple):
    """How a hand ended for the person. place: None where it was not counted."""

    hand: str
    number: int
    place: int | None


def seat_page(call: Call) -> Reply:
    """Play in the browser: choose a table, or see the one at which one sits.

    With `after`, what a page says of itself, it waits until there is something new, and answers 204
    if there is nothing.
    """
    if call.who is None:
        return _start_page(call)
    mark = call.query["after"]
    wait_ms = round(call.query["wait"] * 1000)
    seat, turns = call.referee.casual.at(call.caller, mark, wait_ms=wait_ms)
    if seat is None:
        return _start_page(call)
    if seat.mark == mark:
        return Reply(None, status=204, media="")
    return _seat_page(call, seat, turns)


def sit_down(call: Call) -> Reply:
    """Sit down at a new casual table, unless one sits at one already."""
    check_form(call.environ, call.body, needs_cookie=False)
    person = None if call.who is None else call.who.id
    if person is not None:
        seat, _ = call.referee.casual.at(person)
        if seat is not None and not seat.over and not seat.left:
            return to_seat()
    call.services.registrations.begin_table(call.address)
    try:
        seated = call.referee.casual.sit_down(read_wishes(call.body), person)
    except (BadInput, Conflict, TooMany) as error:
        notice = Notice("This cannot be played", str(error))
        return _start_page(call, call.body, notice, status=from_arena(error).status)
    return to_seat(_cookie(call, seated.token or seat_cookie(call.environ)))


def _cookie(call: Call, token: str) -> dict[str, str]:
    max_age_s = call.services.settings.casual_keep_h * HOUR_S
    return {"Set-Cookie": new_cookie(call.environ, token, max_age_s=max_age_s)}


def to_seat(headers: Mapping[str, str] | None = None) -> Reply:
    """The way back to the page, so that nothing is sent twice by a look at it."""
    return Reply(b"", status=303, media="", headers={"Location": SEAT_PATH, **(headers or {})})


def answer_at_seat(call: Call) -> Reply:
    """Answer a turn with the form of its page."""
    check_form(call.environ, call.body, needs_cookie=True)
    if call.who is None:
        return to_seat()
    form: Form = call.body
    turn, kind = first_text(form, TURN), first_text(form, KIND)
    try:
        call.referee.answer(call.caller, turn, read_answer(kind, form))
    except Refused as error:
        notice = Notice("Not allowed", error.detail, OPTIONS.get(error.rule))
        return _again(call, notice, error, kept=form)
    except BadInput as error:
        return _again(call, Notice("That is no answer", str(error)), error, kept=form)
    except (Gone, Conflict, NotFound, Forbidden) as error:
        return _again(call, Notice("That turn is over", error.detail), error, kept={})
    return to_seat()


def leave_seat(call: Call) -> Reply:
    """Leave the table: a casual one ends, at another the referee answers from now on."""
    check_form(call.environ, call.body, needs_cookie=True)
    if call.who is not None:
        seat, _ = call.referee.casual.at(call.caller)
        if seat is not None:
            call.referee.casual.leave(call.caller, seat.session.id)
    return to_seat()


def _again(call: Call, notice: Notice, error: ArenaError, *, kept: Form) -> Reply:
    """The page as it is now, with what was wrong, and with what had been chosen."""
    seat, turns = call.referee.casual.at(call.caller)
    status = from_arena(error).status
    if seat is None:
        return _start_page(call, notice=notice, status=status)
    return _seat_page(call, seat, turns, notice=notice, kept=kept, status=status)


def page_of_forms(template: str, values: Mapping[str, Any], status: int) -> Reply:
    body = render_template(template, values)
    return Reply(body, status=status, media=HTML, headers=HEADERS, credit=-PAGE_COST)


def _start_page(
    call: Call, kept: Form | None = None, notice: Notice | None = None, *, status: int = 200
) -> Reply:
    values = {
        "csrf": form_token(seat_cookie(call.environ)),
        "notice": notice,
        **start_values(call.referee.casual.strengths(), call.services.settings, kept or {}),
    }
    return page_of_forms("seat_start.html", values, status)


def _seat_page(
    call: Call,
    seat: SeatAtTable,
    turns: Sequence[Mapping[str, Any]],
    *,
    notice: Notice | None = None,
    kept: Form | None = None,
    status: int = 200,
) -> Reply:
    document = orjson.loads(seat.session.document)
    over = seat.over or seat.left
    hand = None if seat.hand is None else _hand_values(seat.hand, turns, kept or {}, over=over)
    asked = hand["question"] if hand else None
    wishes = {"name": [call.who.name if call.who else ""], **_as_before(document)}
    strengths, settings = call.referee.casual.strengths(), call.services.settings
    state = "over" if over else "turn" if asked else "waiting"
    values = {
        "csrf": form_token(seat_cookie(call.environ)),
        "csrf_name": FORM_TOKEN,
        "mark": seat.mark,
        "session": document,
        "session_id": seat.session.id,
        "casual": seat.casual,
        "state": state,
        "heading": heading(seat, state),
        "about": list(about(call, seat, state, document=document)),
        "results": [_result(seat, row) for row in seat.ended],
        "hands": document["hands_per_table"],
        "table": seat.table,
        "seat_hand": seat.hand,
        **(hand or {"board": None, "question": None}),
        **(start_values(strengths, settings, wishes) if over else {}),
    }
    values["notice"] = notice or values.get("fault")
    return page_of_forms("seat.html", values, status)


def _as_before(document: Mapping[str, Any]) -> dict[str, list[str]]:
    """The wishes of the table that is over, to play at one like it."""
    ruleset = document["ruleset"]
    return {
        "preset": [ruleset["preset"]],
        "patch": list(ruleset["patches"]),
        "players": [str(document["seats"])],
        "hands": [str(document["hands_per_table"])],
    }


def _result(seat: SeatAtTable, row: Any) -> Result:
    if row.result is None:
        return Result(row.id, row.number, None)
    result = orjson.loads(row.result)
    place = result["finish"][result["places"].index(seat.player)]
    return Result(row.id, row.number, place)


def _hand_values(
    hand: HandAtTable, turns: Sequence[Mapping[str, Any]], kept: Form, *, over: bool
) -> dict[str, Any]:
    """What is shown of a hand: the table, what is asked, and what has happened."""
    teller = narrator(WORDS, hand.names, hand.rules, reader=Perspective(hand.seat))
    steps = [RecordedStep(step.seq, step.at_ms, step.events, None) for step in hand.steps]
    lines = list(teller.lines(steps))
    asked = None if over else _question(hand, turns, kept)
    point = lines[-1][1] if lines else Progress()
    board = teller.board(point)
    own = next(box for box in board.seats if box.seat == hand.seat)
    past = [line for line, _ in lines]
    return {
        "lang": WORDS.code,
        "faces": faces(WORDS, hand.rules),
        "board": _without_own(board, hand.seat) if asked and asked.cards else board,
        "question": asked,
        "tricks": [(n, list(some)) for n, some in groupby(past, key=lambda line: line.trick)],
        "since": _last_answer(hand),
        "fault": None if hand.over or over else _fault(hand, past),
        "say": _said(teller, hand, board, by_rank(own.cards)),
    }


def _question(hand: HandAtTable, turns: Sequence[Mapping[str, Any]], kept: Form) -> TurnForm | None:
    """What is asked of the person now, None for nothing. The turn may have been over by the time
    the hand was looked at."""
    open_now = {turn_id(hand.id, since, seat) for seat, since in hand.state.open}
    turn = next((turn for turn in turns if turn["turn"] in open_now), None)
    if turn is None or hand.over:
        return None
    menu = legal(hand.rules, hand.state, hand.seat)
    return question(dict(turn), describe_answers(WORDS, menu), kept)


def _without_own(board: Board, seat: int) -> Board:
    """The board without the person's cards, which lie below it to be chosen."""
    boxes = (box._replace(cards=()) if box.seat == seat else box for box in board.seats)
    return board._replace(seats=tuple(boxes))


def _own_steps(hand: HandAtTable) -> list[Step]:
    """The steps that closed turns of this seat."""
    return [step for step in hand.steps if step.turn and step.meta["seat"] == hand.seat]


def _last_answer(hand: HandAtTable) -> int:
    """The number of the last event of the person's last turn; what is later is new."""
    own = _own_steps(hand)
    return own[-1].seq + len(own[-1].events) - 1 if own else -1


def _fault(hand: HandAtTable, lines: Sequence[Line]) -> Notice | None:
    """That the referee has answered the person's last turn, and how."""
    own = _own_steps(hand)
    if not own or not isinstance(own[-1].command, Expire):
        return None
    at = _last_answer(hand)
    return Notice("Answered for you", next((line.text for line in lines if line.at == at), ""))


def _said(teller: Narrator, hand: HandAtTable, board: Board, own: Sequence[str]) -> dict[str, str]:
    """What the keys of the page say, by key."""
    view = see(hand.rules, hand.state, hand.seat)
    hands = tuple(0 for _ in hand.names)
    position = WORDS.position(teller.speaker, view, hands)
    cards = [f"{at}: {WORDS.card(name)}" for at, name in enumerate(own, start=1)]
    return {
        "c": position[0],
        "h": f"Your cards: {', '.join(cards) or 'none'}.",
        "e": " ".join(position[-len(hands) :]),
        "r": f"In force: {', '.join(board.in_force) or 'the usual order'}.",
    }


def endpoints() -> tuple[Endpoint, ...]:
    """The routes for people who play."""
    stale = (
        *(Code.BAD_VALUE, Code.ILLEGAL, Code.CONFLICT, Code.DAMAGED, Code.TOO_LATE),
        Code.NOT_FOUND,
    )
    return (
        Endpoint(
            "GET",
            "/seat",
            seat_page,
            scope=Scope.SEAT,
            query=(AFTER, WAIT),
            codes=(Code.DAMAGED,),
            medias=MEDIAS,
            further=(204,),
        ),
        replace(
            _form("/seat", sit_down, (Code.BAD_VALUE, Code.CONFLICT)),
            rate_cost=RateCost.REGISTRATION,
        ),
        _form("/seat/answer", answer_at_seat, stale),
        _form("/seat/leave", leave_seat, (Code.NOT_FOUND,)),
    )


def _form(path: str, view: View, codes: tuple[Code, ...]) -> Endpoint:
    """The route of a form, which leads back to the page."""
    return Endpoint(
        "POST",
        path,
        view,
        scope=Scope.SEAT,
        form=True,
        status=303,
        codes=codes,
        medias=MEDIAS,
    )
