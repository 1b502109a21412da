"""A person at a table of this process: a player that reads and types.

Reads only what its seat may know: events as `arena.narration` tells them to that seat, its own
view, its own menu. What it answers has been accepted by the rules before, so that a slip of the
fingers is no fault.
"""

from __future__ import annotations

from arena.cli.terminal.choices import Choices
from arena.cli.terminal.console import Console
from arena.cli.terminal.inquiries import about_rules
from arena.cli.terminal.phrases import PHRASES, WATCHING
from arena.cli.terminal.typed import Typed, read_typed
from arena.client.cards import sort_cards
from arena.errors import ArenaError, BadInput, Refused
from arena.match.tables import SeatView
from arena.narration.language import Detail, Language, Speaker
from arena.narration.sentences import (
    PUBLIC,
    Perspective,
    describe_position,
    narrate,
)
from arena.rules import EMPTY, State, decide, legal, see
from arena.rules.cards import codes
from arena.rules.commands import Answer
from arena.rules.options import OPTIONS
from arena.tournament.reporting.markup import printable
from arena.wire import read_answer

LISTED = {Detail.BRIEF: 0, Detail.NORMAL: 12, Detail.FULL: 4096}
"""How many answers are listed without being asked for."""
LAST = 10


class Left(Exception):
    """The person leaves the table. ended: because there is no more input."""

    def __init__(self, *, ended: bool) -> None:
        super().__init__()
        self.ended = ended


class Person:
    """A player whose answers are typed."""

    note = ""

    def __init__(self, console: Console, words: Language, detail: Detail) -> None:
        self._console = console
        self._words = words
        self._detail = detail
        self._phrases = PHRASES[words.code]
        self._hand = 0
        self._state = EMPTY
        self._sentences: list[str] = []

    def answer(self, look: SeatView, refused: ArenaError | None) -> Answer:
        """The answer to the question that waits. Raises Left."""
        self._read_events(look)
        self._show_turn(look)
        menu = legal(look.setting.rules, look.state, look.seat)
        choices = Choices(menu, self._words, _order(look.state))
        choices.show(self._console, most=LISTED[self._detail])
        while True:
            answer = self._answered(look, choices)
            if answer is not None:
                return answer

    def hand_over(self, look: SeatView) -> None:
        """The hand has ended: the rest of what happened, and the place."""
        self._read_events(look)
        place = look.state.places.index(look.seat) + 1
        title = self._words.title(look.setting.rules.table.titles[place - 1])
        phrase = self._phrases.place_titled if title else self._phrases.place
        text = phrase.format(place=place, of=look.state.players, title=title)
        self._console.line(text, "yellow")

    def _read_events(self, look: SeatView) -> None:
        """Say what has happened since the last time."""
        if look.hand != self._hand:
            self._hand, self._state, self._sentences = look.hand, EMPTY, []
            head = self._phrases.hand.format(number=look.hand, of=look.setting.hands)
            self._console.line(head, "yellow")
        new = look.events[self._state.seq :]
        reader = Perspective(look.seat)
        for each in narrate(
            self._words, self._speaker(look), new, reader=reader, state=self._state
        ):
            self._sentences.append(each.text)
            self._console.line(each.text)
            if each.seat not in (-1, look.seat):
                self._console.rest()
        self._state = look.state

    def _speaker(self, look: SeatView) -> Speaker:
        names = [printable(look.setting.bots[player]) for player in look.seating]
        return Speaker(names, look.setting.rules.table.titles, self._detail)

    def _position(self, look: SeatView, reader: Perspective) -> list[str]:
        """How things stand, as a reader may know it: a line for each seat comes last."""
        rules = look.setting.rules
        return describe_position(self._words, self._speaker(look), rules, look.state, reader=reader)

    def _show_turn(self, look: SeatView) -> None:
        """How things stand, as short as can be, and the cards that one holds."""
        console = self._console
        view = see(look.setting.rules, look.state, look.seat)
        names = self._speaker(look)
        if console.plain:
            console.line(self._phrases.your_turn)
        else:
            passed = f" ({WATCHING[self._words.code].passed})"
            counts = zip(names.names, view.counts, view.passed, strict=True)
            items = [f"{name} {n}{passed if out else ''}" for name, n, out in counts]
            for line in ("", *console.columns(items)):
                console.line(line)
        for line in self._words.position(names, view._replace(to_move=-1), ()):
            console.line(line)
        if view.pile is not None and not console.plain:
            console.line(f"  {console.cards(view.pile.codes)}")
        held = console.cards(sort_cards(codes(view.held), _order(look.state)))
        console.line(self._phrases.held.format(cards=held))

    def _answered(self, look: SeatView, choices: Choices) -> Answer | None:
        """What one line answers, if it does and the rules accept it. Raises Left."""
        text = self._console.read(self._phrases.answer)
        if text is None:
            raise Left(ended=True)
        question = look.state.question_for(look.seat)
        try:
            typed = read_typed(text, "play" if question is None else question.kind)
            if typed.word:
                self._inform(look, choices, typed)
                return None
            answer = self._meant(look, choices, typed)
            if answer is not None:
                decide(look.setting.rules, look.state, answer)
            return answer
        except BadInput as error:
            why = printable(str(error))
            self._console.line(self._phrases.not_read.format(why=why), "red")
        except Refused as error:
            self._explain(error)
        return None

    def _meant(self, look: SeatView, choices: Choices, typed: Typed) -> Answer | None:
        """The answer that was typed; None if it takes another line to say. Raises BadInput."""
        if typed.number is not None:
            return self._numbered(choices, typed.number)
        if typed.body is None:
            if choices.enter is None:
                choices.show(self._console, most=LISTED[Detail.NORMAL])
            return choices.enter
        readings = choices.readings(typed)
        if len(readings) > 1:
            choices.show_readings(self._console, readings)
            return None
        if readings:
            return choices.answer(readings[0])
        return read_answer(look.setting.rules, look.state, look.seat, typed.body)

    def _numbered(self, choices: Choices, number: int) -> Answer | None:
        if 1 <= number <= len(choices):
            return choices.answer(number)
        text = self._phrases.no_choice.format(number=number, last=len(choices))
        self._console.line(text, "red")
        return None

    def _explain(self, error: Refused) -> None:
        """A refusal: why, and the rule that it rests on with its statement."""
        phrases = self._phrases
        why = phrases.refused.get(error.reason, error.detail)
        self._console.line(phrases.not_allowed.format(why=why), "red")
        option = OPTIONS.get(error.rule)
        if option is not None:
            name = option.kanji if self._words.code == "ja" and option.kanji else option.name
            rests = ", ".join(option.rests)
            self._console.line(phrases.rule.format(name=name, says=option.says, rests=rests))

    def _inform(self, look: SeatView, choices: Choices, typed: Typed) -> None:
        """Do what a word asks for. Raises Left, BadInput."""
        match typed.word:
            case "quit":
                raise Left(ended=False)
            case "help":
                lines = list(self._phrases.help)
            case "hand":
                lines = [self._held(look.state, look.seat)]
            case "table":
                lines = self._position(look, Perspective(look.seat))
            case "counts":
                lines = self._position(look, PUBLIC)[-look.state.players :]
            case "trick":
                lines = self._trick(look)
            case "last":
                lines = self._sentences[-_count(typed.more) :]
            case "rules":
                lines = about_rules(look.setting.rules, typed.more)
            case _:
                choices.show(self._console, most=len(choices))
                return
        for line in lines or [self._phrases.nothing_yet]:
            self._console.line(line)

    def _held(self, state: State, seat: int) -> str:
        words, names = self._words, sort_cards(codes(state.held[seat]), _order(state))
        cards = ", ".join(f"{name} {words.card(name)}" for name in names)
        return self._phrases.held.format(cards=cards)

    def _trick(self, look: SeatView) -> list[str]:
        """What has been played since the lead."""
        phrase = self._words.phrases[type(look.state.trick[0])] if look.state.trick else None
        speaker = self._speaker(look)._replace(detail=Detail.NORMAL)
        if phrase is None:
            return []
        said = [phrase(speaker, look.state, played) for played in look.state.trick]
        return [self._words.sentence(text, None) for text in said]


def _order(state: State) -> str:
    return "reversed" if state.order_reversed else "normal"


def _count(text: str) -> int:
    """How many sentences are wanted. Raises BadInput."""
    if not text:
        return LAST
    if not text.isdecimal() or not int(text):
        raise BadInput("last", text, "a number of sentences")
    return int(text)
