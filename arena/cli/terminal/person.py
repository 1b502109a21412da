"""A person at a table of this process: a player that reads and types.

Reads only what its seat may know: events as `arena.narration` tells them to that seat, its own
view, its own menu. What it answers has been accepted by the rules before, so that a slip of the
fingers is no fault.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.cli.terminal.console import Console
from arena.cli.terminal.entering import Typed, read_typed
from arena.cli.terminal.inquiries import about_rules
from arena.cli.terminal.phrases import PHRASES, WATCHING
from arena.client.cards import sort_cards
from arena.errors import ArenaError, BadInput, Refused
from arena.match.tables import SeatView
from arena.narration.language import Detail, Language, Speaker
from arena.narration.sentences import (
    PUBLIC,
    Perspective,
    describe_answers,
    describe_position,
    narrate,
)
from arena.rules import EMPTY, Menu, State, decide, legal, see
from arena.rules.cards import codes
from arena.rules.commands import Answer
from arena.rules.options import OPTIONS
from arena.tournament.reporting.markup import printable
from arena.wire import read_answer
from arena.wire.turns import menu_entries

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
        self._show_choices(menu, most=LISTED[self._detail])
        while True:
            answer = self._answered(look, menu)
            if answer is not None:
                return answer

    def hand_over(self, look: SeatView) -> None:
        """The hand has ended: the rest of what happened, and the place."""
        self._read_events(look)
        place = look.state.places.index(look.seat) + 1
        title = self._words.title(look.setting.rules.table.titles[place - 1])
        text = self._phrases.place.format(place=place, of=look.state.players, name=title or "-")
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

    # The turn

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

    def _show_choices(self, menu: Menu, *, most: int, only: Sequence[int] = ()) -> None:
        """Number and list what may be answered; only: these of it."""
        lines = self._choice_lines(menu)
        indexes = only or range(min(most, len(lines)))
        if len(indexes):
            self._console.line(self._phrases.several if only else self._phrases.choices)
        items = [f"{index + 1}: {lines[index]}" for index in indexes]
        for line in items if self._console.plain else self._console.columns(items):
            self._console.line(line)
        if not only and len(lines) > len(indexes):
            self._console.line(self._phrases.more.format(count=len(lines) - len(indexes)))
        if menu.may_pass and not only:
            self._console.line(self._phrases.enter_passes)

    def _choice_lines(self, menu: Menu) -> list[str]:
        """Each answer in a line: cards in notation, and in words where nothing is drawn."""
        words = describe_answers(self._words, menu)
        plain = self._console.plain
        lines = []
        for entry, text in zip(menu_entries(menu), words, strict=True):
            cards = self._console.cards(entry.get("cards", ()))
            if "as" in entry:
                cards += f" as {self._console.cards(entry['as'])}"
            lines.append(f"{cards}, {text}" if cards and plain else cards or text)
        return lines

    # What is typed

    def _answered(self, look: SeatView, menu: Menu) -> Answer | None:
        """What one line answers, if it does and the rules accept it. Raises Left."""
        text = self._console.read(self._phrases.answer)
        if text is None:
            raise Left(ended=True)
        question = look.state.question_for(look.seat)
        try:
            typed = read_typed(text, "play" if question is None else question.kind)
            if typed.word:
                self._inform(look, menu, typed)
                return None
            answer = self._meant(look, menu, typed)
            if answer is not None:
                decide(look.setting.rules, look.state, answer)
            return answer
        except BadInput as error:
            why = printable(str(error))
            self._console.line(self._phrases.not_read.format(why=why), "red")
        except Refused as error:
            self._explain(error)
        return None

    def _meant(self, look: SeatView, menu: Menu, typed: Typed) -> Answer | None:
        """The answer that was typed; None if it takes another line to say. Raises BadInput."""
        if typed.number is not None:
            return self._numbered(menu, typed.number)
        if typed.body is None:
            return self._nothing(menu)
        readings = _readings(menu, typed)
        if len(readings) > 1:
            self._show_choices(menu, most=0, only=readings)
            return None
        if readings:
            return menu.answer(readings[0])
        return read_answer(look.setting.rules, look.state, look.seat, typed.body)

    def _numbered(self, menu: Menu, number: int) -> Answer | None:
        if 1 <= number <= len(menu):
            return menu.answer(number - 1)
        self._console.line(self._phrases.no_choice.format(number=number, last=len(menu)), "red")
        return None

    def _nothing(self, menu: Menu) -> Answer | None:
        """Enter alone: a pass, or the only answer that there is."""
        if menu.may_pass or len(menu) == 1:
            return menu.answer(0)
        self._show_choices(menu, most=LISTED[Detail.NORMAL])
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

    # What is asked of the program

    def _inform(self, look: SeatView, menu: Menu, typed: Typed) -> None:
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
                self._show_choices(menu, most=len(menu))
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


def _readings(menu: Menu, typed: Typed) -> list[int]:
    """The answers of the menu that were meant: by cards, whatever their order, and by what jokers
    stand for if that was said."""
    body = typed.body or {}
    if "cards" not in body:
        return []
    wanted = sorted(body["cards"])
    roles = sorted(body["as"]) if "as" in body else None
    return [
        index
        for index, entry in enumerate(menu_entries(menu))
        if sorted(entry.get("cards", ("-",))) == wanted
        and (roles is None or sorted(entry.get("as", ())) == roles)
    ]
