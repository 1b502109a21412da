"""`arena debug`: a bot is asked again at each of its turns of a recorded hand."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from arena.cli.documents import opened
from arena.cli.launching import confinement, sandbox_option
from arena.cli.narrated import find_hand, recorded_hand_options, seat_of_bot
from arena.cli.remote import json_option, print_json
from arena.cli.workshop.asked import asked_bot
from arena.confinement.limits import Limits
from arena.documents import Document
from arena.errors import BadInput
from arena.tournament.reporting.markup import printable

if TYPE_CHECKING:
    from arena.asking import GivenTurn, TurnReply
    from arena.rules.commands import Answer
    from arena.session.recorded_hand import RecordedHand

NOBODY = "nothing: the referee has answered"


@click.command(
    epilog="""Examples:

    arena debug cup.jsonl --hand 3 --seat alice --bot "python bot.py"

    arena debug cup.jsonl --hand 3 --seat alice --bot bot:Alice --local --at 5

Exit codes: 0 the bot answers as recorded, 1 it does not, 2 the command or the record is wrong.
"""
)
@recorded_hand_options
@click.option("--bot", required=True, metavar="COMMAND", help="Starts the bot that is asked.")
@click.option("--local", is_flag=True, help="COMMAND is module:Class, asked without HTTP.")
@click.option("--at", "moment", type=click.IntRange(1), metavar="N", help="Only its turn N.")
@click.option("--all", "everything", is_flag=True, help="Go on after a turn that differs.")
@click.option(
    "--seconds",
    type=click.FloatRange(0.1, 3_600),
    default=5.0,
    show_default=True,
    help="Time for one answer (not with --local).",
)
@sandbox_option
@json_option
def command(
    file: Path,
    wanted: str | None,
    seat_of: str | None,
    bot: str,
    local: bool,
    moment: int | None,
    everything: bool,
    seconds: float,
    sandbox: str,
    as_json: bool,
) -> int:
    """Ask a bot again at the turns of a recorded hand, and stop where it answers otherwise.

    --seat is the bot of the record whose turns they are. The bot that is asked gets the turns as
    they were, with the events before them; what it answers changes nothing, so each turn stands as
    it was recorded. A turn that differs is shown in words, as a position, and with the request.
    """
    from arena.records.reading import lines_of
    from arena.session.recorded_hand import read_recorded_hand

    with opened(file) as lines:
        document = find_hand(lines_of(lines), wanted)
    replay = read_recorded_hand(document)
    if seat_of is None:
        names = ", ".join(map(printable, replay.names))
        raise BadInput("--seat", None, f"the bot whose turns they are: one of {names}")
    seat = seat_of_bot(replay, seat_of)
    turns = _chosen(list(_turns(document, replay, seat)), moment, seat_of)
    chosen = confinement(Limits(), "never" if local else sandbox)
    session = {"ruleset": {"options": document["ruleset"]}, "seats": len(replay.names)}
    answered: list[Reanswered] = []
    with asked_bot(bot, session, seconds, chosen, local) as asker:
        for turn in turns:
            answered.append(Reanswered(turn, asker.ask(turn.given)))
            if not answered[-1].same and not everything:
                break
    if as_json:
        print_json([each.document() for each in answered])
    else:
        for each in answered:
            click.echo("\n".join(each.lines()))
        same = sum(each.same for each in answered)
        left = len(turns) - len(answered)
        rest = f"; {left} not asked, see --all" if left else ""
        click.echo(f"{same} of {len(answered)} turns as recorded{rest}")
    return 0 if all(each.same for each in answered) else 1


class RecordedTurn(NamedTuple):
    """A turn of a record. number: of this bot in this hand, from 1; event: the number of the first
    event that followed; answer: None where the referee has answered."""

    number: int
    event: int
    given: GivenTurn
    answer: Answer | None
    charged_ms: int | None
    note: str


class Reanswered(NamedTuple):
    """A turn, and what the bot made of it now."""

    turn: RecordedTurn
    reply: TurnReply

    @property
    def same(self) -> bool:
        """Is it what was recorded? Roles of jokers count where both name them."""
        from dataclasses import replace

        from arena.rules.commands import Play

        now, then = self.reply.answer, self.turn.answer
        if isinstance(now, Play) and isinstance(then, Play) and None in (now.roles, then.roles):
            now, then = replace(now, roles=None), replace(then, roles=None)
        return now is not None and now == then and not self.reply.refused

    @property
    def said(self) -> str:
        """What the bot answered now, or why it has not."""
        if self.reply.refused:
            bad = self.reply.refused[0]
            return f"refused {json.dumps(bad.body, ensure_ascii=False)}: {bad.why}"
        return self.reply.trouble if self.reply.answer is None else _shown(self.reply.answer)

    @property
    def recorded(self) -> str:
        """What was answered then."""
        return NOBODY if self.turn.answer is None else _shown(self.turn.answer)

    def document(self) -> Document:
        """As JSON."""
        turn = self.turn
        return {
            "turn": turn.number,
            "event": turn.event,
            "same": self.same,
            "recorded": self.recorded,
            "answered": self.said,
            "ms": None if self.reply.ms is None else round(self.reply.ms),
            "charged_ms": turn.charged_ms,
            "note": turn.note or None,
            "position": self._position(),
            "document": self._turn_document(),
        }

    def lines(self) -> Iterator[str]:
        """For people: a line if it is the same, else all that helps."""
        turn = self.turn
        charged = "" if turn.charged_ms is None else f" in {turn.charged_ms} ms"
        if self.same:
            yield f"turn {turn.number:>2}  {self.recorded}{charged}, as recorded"
            return
        yield f"turn {turn.number:>2}  at event {turn.event}"
        yield ""
        from arena.text.describing import turn_in_words

        yield turn_in_words(self._turn_document()).rstrip()
        yield ""
        yield f"recorded  {self.recorded}{charged}"
        if turn.note:
            yield f"note      {printable(turn.note)}"
        yield f"answered  {printable(self.said)}"
        yield f"position  {self._position()}"
        if self.reply.body is not None:
            yield f"request   {self._request(self.reply.body)}"
        yield ""

    def _position(self) -> str:
        from arena.game import Position

        given = self.turn.given
        return str(Position.of_events(given.rules, given.events, seat=given.seat))

    def _turn_document(self) -> Document:
        """The turn as the bot was sent it, but for ids and clock."""
        given, names = self.turn.given, self.turn.given.players
        fields = given.fields(list(zip(names, names, strict=True)), hints=True)
        return {"turn": f"turn-{self.turn.number}", "seat": given.seat, **fields}

    def _request(self, body: Any) -> str:
        """The answer as a line for a shell. The turn is to be filled in."""
        sent = shlex.quote(json.dumps(body, ensure_ascii=False))
        token = shlex.quote("Authorization: Bearer ") + '"$ARENA_TOKEN"'
        kind = shlex.quote("Content-Type: application/json")
        return f'curl "$ARENA_URL/api/v1/turns/TURN" -H {token} -H {kind} -d {sent}'


def _turns(document: Document, replay: RecordedHand, seat: int) -> Iterator[RecordedTurn]:
    """The turns of a seat, in order, each with all that was before it. Raises `BadInput`."""
    from arena.asking import GivenTurn
    from arena.rules import EMPTY, evolve
    from arena.rules.commands import Deal, Expire
    from arena.wire import read_command

    state, events, number, since = EMPTY, list[Any](), 0, 0
    for step, written in zip(replay.steps, document["steps"], strict=True):
        given = read_command(written["command"])
        if not isinstance(given, Deal) and given.seat == seat:
            number += 1
            turn = GivenTurn(
                rules=replay.rules,
                state=state,
                seat=seat,
                events=tuple(events),
                since=since,
                hand=replay.number,
                players=replay.names,
            )
            answer = None if isinstance(given, Expire) else given
            yield RecordedTurn(number, step.first, turn, answer, step.charged_ms, step.note)
            since = len(events)
        events += step.events
        state = evolve(state, step.events)


def _chosen(turns: Sequence[RecordedTurn], moment: int | None, name: str) -> Sequence[RecordedTurn]:
    """All turns, or the one that is wanted, which then comes with all events. Raises `BadInput`."""
    if not turns:
        raise BadInput("--seat", name, "a bot that had a turn in this hand")
    if moment is None:
        return turns
    if moment > len(turns):
        raise BadInput("--at", moment, f"a turn of {name}, 1 to {len(turns)}")
    from dataclasses import replace

    turn = turns[moment - 1]
    return [turn._replace(given=replace(turn.given, since=0))]


def _shown(answer: Answer) -> str:
    """An answer in few words."""
    from arena.wire import write_command
    from arena.wire.short_answers import shortened

    document = write_command(answer)
    kind = document.pop("type")
    del document["seat"]
    return "pass" if kind == "pass" else shortened(document)
