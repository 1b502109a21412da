"""From a line of text to a position: each field is read and checked, and then all of them together.

Whatever is wrong is said in one line, with the field and the column where it stands. The deal, the
piles and the numbers are checked by `arena.game.checks`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple, NoReturn, TypeVar

from arena.errors import BadInput
from arena.game.asking import with_own_ways
from arena.game.checks import check_hand, check_question, check_trick
from arena.game.consistency import ASKED_BY, MARKS, may_ask
from arena.game.notation import FIELDS, NONE, PLACE_LETTERS, VERSION
from arena.game.places import JOKER_KIND, FaceDown, Whereabouts, copy_of, kind_of
from arena.game.position import Position
from arena.rules import EMPTY, Ruleset, State, compile_ruleset
from arena.rules.answers import EXCHANGE
from arena.rules.cards import IDS, JOKER, JOKER_RANK, RANKS, mask_of
from arena.rules.commands import Lots
from arena.rules.events import Due, Pending, Played, Promised, Question
from arena.rules.opening import titles_of
from arena.rules.state import Setup

PICKS = ("any", "up_to", "held", "highest", "unless_clear")
ORDERS = ("revolution", "trick", "pending")
UNKNOWN = re.compile(r"(\d{1,3})(?:\(([^()]*)\))?(?:!(.*))?")
QUESTION = re.compile(r"(\d)\.([a-z]+)\.([a-z_]+)\.(\d{1,2})\.(\d{1,2})(?:>(\d))?")
PENDING = re.compile(r"(\d)\.([a-z]+)\.([a-z_]+)\.(\d{1,2})\.([a-z_]+)(?:>(\d))?")
PLAY = re.compile(r"(\d):([A-Z2-9]+)(?:=([A-Z2-9]+))?")
WHERE = re.compile(r"([A-Z2-9]+)@([0-9hb]+)(?::(\d{1,2}))?")
PROMISE = re.compile(r"(\d)>(\d):(?:(\d{1,2})|([A-Z2-9]+))")
DUE_NAMES = frozenset(Due._fields) - {"seat"}
T = TypeVar("T")
NOBODY: tuple[int, ...] = ()
NO_QUESTIONS: tuple[Question, ...] = ()
NO_QUEUE: tuple[Pending, ...] = ()


class LineField(NamedTuple):
    """A part of the line. field: its name; text; column: where it begins, from 1."""

    field: str
    text: str
    column: int

    def split(self, mark: str) -> list[LineField]:
        """Its parts between marks."""
        parts, column = [], self.column
        for text in self.text.split(mark):
            parts.append(LineField(self.field, text, column))
            column += len(text) + len(mark)
        return parts

    def at(self, offset: int, text: str) -> LineField:
        """A part of it."""
        return LineField(self.field, text, self.column + offset)

    def wrong(self, expected: str) -> NoReturn:
        """Raise `BadInput` for it."""
        raise BadInput(f"{self.field} in column {self.column}", self.text, expected)

    def match(self, pattern: re.Pattern[str], form: str) -> re.Match[str]:
        """Its match with a pattern."""
        found = pattern.fullmatch(self.text)
        return found or self.wrong(form)

    def group(self, match: re.Match[str], number: int) -> LineField:
        """A group of its match."""
        return self.at(match.start(number), match[number])


def read_position(text: str) -> Position:
    """See `Position.parse`."""
    if not isinstance(text, str):
        raise BadInput("position", text, "a line of text")
    line = text.strip("\n")
    ruleset, fields = _fields(line)
    return LineReader(ruleset, fields, len(line) + 1).position()


def _fields(line: str) -> tuple[LineField, dict[str, LineField]]:
    """The ruleset and the other fields of a line."""
    head, *rest = LineField("position", line, 1).split(" ")
    if head.text != VERSION:
        head.wrong(f"{VERSION} at the beginning of the line")
    if not rest:
        LineField("ruleset", "", len(line) + 1).wrong("a ruleset such as pagat+kakumei")
    fields: dict[str, LineField] = {}
    for part in rest[1:]:
        name, equals, value = part.text.partition("=")
        if not equals or not value:
            part.wrong("fields such as held=S3S4/9/10/8, with one blank between two")
        if name not in FIELDS:
            part.at(0, name).wrong("one of " + ", ".join(FIELDS))
        if name in fields:
            part.at(0, name).wrong("each field once")
        fields[name] = LineField(name, value, part.column + len(name) + 1)
    return rest[0]._replace(field="ruleset"), fields


class LineReader:
    """The fields of a line on their way to a position. end: the column after the last one."""

    def __init__(self, ruleset: LineField, fields: dict[str, LineField], end: int) -> None:
        self.fields = fields
        self.end = end
        self.ruleset = ruleset
        try:
            self.rules: Ruleset = compile_ruleset(ruleset.text)
        except BadInput as error:
            thing = f"ruleset in column {ruleset.column}: {error.thing}"
            raise BadInput(thing, error.value, error.expected) from error
        self.players = self.rules.players
        self.free = mask_of(self.rules.deck)
        whose = self.needed("seat", "the seat whose knowledge it is, or all")
        self.seat = None if whose.text == "all" else self.one_seat(whose)

    def needed(self, name: str, what: str) -> LineField:
        """A field that has to be there."""
        return self.fields.get(name) or LineField(name, "", self.end).wrong(f"{name}=, {what}")

    def read(self, name: str, read: Callable[[LineField], T], default: T) -> T:
        """A field, or what it is where it is left out."""
        part = self.fields.get(name)
        return default if part is None else read(part)

    def one_seat(self, part: LineField) -> int:
        """A seat."""
        if len(part.text) != 1 or not "0" <= part.text < str(self.players):
            part.wrong(f"a seat from 0 to {self.players - 1}")
        return int(part.text)

    def seats_in_turn(self, part: LineField) -> tuple[int, ...]:
        """Seats, one digit each, some of them perhaps again and again."""
        return tuple(self.one_seat(part.at(i, digit)) for i, digit in enumerate(part.text))

    def seats(self, part: LineField) -> tuple[int, ...]:
        """Different seats, one digit each."""
        seats = self.seats_in_turn(part)
        for i, seat in enumerate(seats):
            if seat in seats[:i]:
                part.at(i, part.text[i]).wrong("each seat once")
        return seats

    def all_seats(self, part: LineField) -> tuple[int, ...]:
        """All seats in some order."""
        if len(part.text) != self.players:
            part.wrong(f"the {self.players} seats")
        return self.seats(part)

    def mask(self, part: LineField) -> int:
        """Seats as a mask."""
        return sum(1 << seat for seat in self.seats(part))

    def number(self, part: LineField) -> int:
        """A whole number."""
        if not re.fullmatch(r"\d{1,5}", part.text):
            part.wrong("a whole number")
        return int(part.text)

    def codes(self, part: LineField) -> list[LineField]:
        """The codes of cards one after the other."""
        if part.text == NONE:
            return []
        codes = [part.at(i, part.text[i : i + 2]) for i in range(0, len(part.text), 2)]
        for code in codes:
            if code.text not in IDS:
                code.wrong("a suit S H D C and a rank 3-9 T J Q K A 2, or JK")
        return codes

    def cards(self, part: LineField) -> int:
        """Cards that are nowhere else, as copies of their own."""
        taken = 0
        for code in self.codes(part):
            copy = copy_of(IDS[code.text], self.free)
            if not copy:
                number = sum(kind_of(card) == IDS[code.text] for card in self.rules.deck)
                code.wrong(f"each card as often as the pack has it ({number})")
            self.free &= ~copy
            taken |= copy
        return taken

    def kinds(self, part: LineField) -> int:
        """Kinds of cards, between full stops."""
        found = 0
        for each in part.split("."):
            if each.text == JOKER:
                found |= JOKER_KIND
            elif each.text in RANKS and len(each.text) == 1:
                found |= 0b1111 << 4 * RANKS.index(each.text)
            elif each.text in IDS:
                found |= 1 << IDS[each.text]
            else:
                each.wrong("ranks and cards with full stops between them")
        return found

    def unknown(self, part: LineField) -> tuple[int, int, int]:
        """How many cards, those that are known, and the kinds of which the others are none."""
        found = part.match(UNKNOWN, "a number of cards such as 9, 9(S3D4) or 9!A.2")
        known = self.cards(part.group(found, 2)) if found[2] else 0
        never = self.kinds(part.group(found, 3)) if found[3] else 0
        if int(found[1]) < known.bit_count():
            part.wrong("at least as many cards as are known")
        return int(found[1]), known, never

    def held(self) -> tuple[list[int], list[int], list[int]]:
        """Numbers, cards and excluded kinds by seat."""
        field = self.needed("held", "the cards of each seat")
        parts = field.split("/")
        if len(parts) != self.players:
            field.wrong(f"the cards of {self.players} seats with / between them")
        rows = []
        for seat, part in enumerate(parts):
            if self.seat in (None, seat):
                cards = self.cards(part)
                rows.append((cards.bit_count(), cards, 0))
            else:
                rows.append(self.unknown(part))
        counts, held, never = (list(column) for column in zip(*rows, strict=True))
        return counts, held, never

    def trick(self, part: LineField) -> tuple[Played, ...]:
        """The plays on the table, each of them one that the rules know."""
        trick: list[Played] = []
        for each in part.split("/"):
            found = each.match(PLAY, "plays such as 2:S5H5, or 2:S5JK=S6 for what a joker is")
            self.one_seat(each.group(found, 1))
            cards = sum(1 << c for c in self._canonical(each.group(found, 2)))
            roles = self.codes(each.group(found, 3)) if found[3] else []
            wanted = tuple(IDS[code.text] for code in roles)
            readings = [m for m in self.rules.shapes.readings(cards) if m.roles == wanted]
            if not readings:
                each.wrong("a meld that the ruleset knows")
            trick.append(Played(int(found[1]), readings[0]))
            check_trick(self.rules, trick, each.wrong)
        return tuple(trick)

    def _canonical(self, part: LineField) -> list[int]:
        """The ids of cards by their first copies; no more of them than the pack has."""
        left, found = mask_of(self.rules.deck), []
        for code in self.codes(part):
            copy = copy_of(IDS[code.text], left)
            if not copy:
                code.wrong("each card as often as the pack has it")
            left &= ~copy
            found.append(copy.bit_length() - 1)
        return found

    def table(self, trick: tuple[Played, ...]) -> int:
        """The cards of the trick that are still on the table."""
        part = self.fields.get("taken")
        taken = [code.text for code in self.codes(part)] if part else []
        table = 0
        for played in trick:
            for code in played.meld.codes:
                if code in taken:
                    taken.remove(code)
                    continue
                where = self.fields["trick"]
                table |= self.cards(where.at(max(0, where.text.find(code)), code))
        if taken and part:
            part.wrong("cards of the trick")
        return table

    def marks(self, part: LineField) -> dict[str, int]:
        """The memory of rules, by name."""
        marks: dict[str, int] = {}
        for each in part.split(","):
            name, _, text = each.text.partition(":")
            if name not in MARKS[part.field]:
                each.at(0, name).wrong("one of " + ", ".join(MARKS[part.field]))
            value, most = each.at(len(name) + 1, text), MARKS[part.field][name]
            marks[name] = self.number(value)
            if marks[name] > most:
                value.wrong(f"{name} from 0 to {most}")
        return marks

    def order(self, part: LineField) -> list[str]:
        """What reverses the order."""
        words = part.text.split("+")
        if not set(words) <= set(ORDERS):
            part.wrong("some of " + ", ".join(ORDERS) + " with + between them")
        return words

    def direction(self, part: LineField) -> int:
        """The direction of play."""
        if part.text not in ("cw", "ccw"):
            part.wrong("cw or ccw")
        return 1 if part.text == "cw" else -1

    def question(self, part: LineField) -> Question:
        """A question that waits for a seat."""
        found = part.match(QUESTION, "a question such as 0.give.exchange.1.1>3")
        seat = self.one_seat(part.group(found, 1))
        if found[2] not in ASKED_BY:
            part.group(found, 2).wrong("one of " + ", ".join(ASKED_BY))
        self.rule(part.group(found, 3), found[2])
        to = self.one_seat(part.group(found, 6)) if found[6] else -1
        return Question(seat, found[2], found[3], int(found[4]), int(found[5]), to=to)

    def pending(self, part: LineField) -> Pending:
        """A question that will be asked later."""
        found = part.match(PENDING, "a question such as 0.give.exchange.1.highest>3")
        seat = self.one_seat(part.group(found, 1))
        if found[2] not in ASKED_BY or found[5] not in PICKS:
            part.wrong(f"a kind of {', '.join(ASKED_BY)} and a pick of {', '.join(PICKS)}")
        self.rule(part.group(found, 3), found[2])
        to = self.one_seat(part.group(found, 6)) if found[6] else -1
        return Pending(seat, found[2], found[3], int(found[4]), to, found[5])

    def rule(self, part: LineField, kind: str) -> None:
        """Refuse what is no rule of the ruleset that asks so. kind: of the question."""
        if not may_ask(self.rules, kind, part.text):
            part.wrong(f"a rule that asks to {kind} and is on: {' or '.join(ASKED_BY[kind])}")

    def due(self, part: LineField) -> Due:
        """What follows the questions."""
        seat, *more = part.split(",")
        values: dict[str, object] = {}
        for each in more:
            name, _, value = each.text.partition(":")
            if name not in DUE_NAMES or not value:
                each.wrong("members of " + ", ".join(sorted(DUE_NAMES)))
            if name in ("skips", "lead"):
                number = self.number(each.at(len(name) + 1, value))
                values[name] = number if name == "skips" else bool(number)
            else:
                values[name] = value
        return Due(self.one_seat(seat))._replace(**values)  # type: ignore[arg-type]

    def wish(self, part: LineField) -> tuple[int, int | None]:
        """A card that was asked for."""
        if part.text == JOKER:
            return JOKER_RANK, None
        if len(part.text) == 1 and part.text in RANKS:
            return RANKS.index(part.text), None
        [card] = [IDS[code.text] for code in self.codes(part)] if len(part.text) == 2 else [-1]
        return (card // 4, card % 4) if card >= 0 else part.wrong("a rank, a card or JK")

    def wishes(self, part: LineField) -> tuple[tuple[int, tuple[tuple[int, int | None], ...]], ...]:
        """What was asked of whom."""
        found = []
        for each in part.split("/"):
            giver = self.one_seat(each.at(0, each.text[:1]))
            asked = each.at(2, each.text[2:])
            wanted = [] if asked.text == NONE else asked.split(".")
            found.append((giver, tuple(self.wish(one) for one in wanted)))
        return tuple(found)

    def promise(self, part: LineField) -> Promised:
        """Cards laid aside for another seat; they are still held."""
        found = part.match(PROMISE, "cards laid aside such as 3>0:S2 or 3>0:1")
        seat, to = (self.one_seat(part.group(found, n)) for n in (1, 2))
        if found[3]:
            return Promised(seat, to, 0, int(found[3]), EXCHANGE)
        cards = mask_of(self._canonical(part.group(found, 4)))
        return Promised(seat, to, cards, cards.bit_count(), EXCHANGE)

    def thrown(self, part: LineField) -> tuple[int, ...]:
        """Shapes of janken by seat."""
        if not re.fullmatch(rf"[012-]{{{self.players}}}", part.text):
            part.wrong("0 rock, 1 paper, 2 scissors or - for each seat")
        return tuple(-1 if shape == NONE else int(shape) for shape in part.text)

    def whereabouts(self, part: LineField) -> tuple[Whereabouts, ...]:
        """What is known of some cards."""
        numbers = {letter: place for place, letter in PLACE_LETTERS.items()}
        found = []
        for each in part.split("/"):
            match = each.match(WHERE, "cards and where they may be, such as S3H4@2h:1")
            places = tuple(
                numbers[letter] if letter in numbers else self.one_seat(each.at(0, letter))
                for letter in match[2]
            )
            cards, least = self.cards(each.group(match, 1)), int(match[3] or 0)
            if least > cards.bit_count():
                each.group(match, 3).wrong(f"at most {cards.bit_count()}, the number of cards")
            found.append(Whereabouts(cards, places, least))
        return tuple(found)

    def batches(self, part: LineField) -> tuple[int, tuple[FaceDown, ...]]:
        """What has left the game face down: the cards that are known, and the others."""
        if self.seat is None:
            return self.cards(part), ()
        known, batches = 0, []
        for each in part.split("/"):
            count, cards, never = self.unknown(each)
            known |= cards
            if count > cards.bit_count():
                batches.append(FaceDown(count - cards.bit_count(), never))
        return known, tuple(batches)

    def position(self) -> Position:
        """The position, when all of it goes together."""
        counts, held, never = self.held()
        state = self.state(held)
        hidden: tuple[int, tuple[FaceDown, ...]] = (0, ())
        known, batches = self.read("hidden", self.batches, hidden)
        where = self.read("where", self.whereabouts, tuple[Whereabouts, ...]())
        rest = self.free if self.seat is None else 0
        setup = state.setup._replace(blind=state.setup.blind | rest)
        state = state.changed(gone=state.gone | known, setup=setup)
        position = Position(
            self.ruleset.text,
            self.rules,
            self.seat,
            state,
            tuple(counts),
            tuple(never) if self.seat is not None else (),
            batches,
            where,
        )
        self.check(position)
        return replace(position, state=with_own_ways(self.rules, state, self.seat))

    def check(self, position: Position) -> None:
        """Refuse what does not go together."""
        check_hand(position, lambda name: self.fields.get(name) or LineField(name, "", self.end))
        for question, part in zip(
            position.state.questions,
            self.read("asked", lambda p: p.split("/"), list[LineField]()),
            strict=True,
        ):
            check_question(position, question, part.wrong)

    def state(self, held: list[int]) -> State:
        """What the line says of the state."""
        read = self.read
        trick = read("trick", self.trick, tuple[Played, ...]())
        table, gone = self.table(trick), read("gone", self.cards, 0)
        order = read("order", self.order, list[str]())
        passed, barred, acted = (read(name, self.mask, 0) for name in ("passed", "barred", "acted"))
        out, fouled, fallen, dropped = (
            read(name, self.seats, NOBODY) for name in ("out", "fouled", "fallen", "dropped")
        )
        away = {*out, *fouled, *dropped}
        return EMPTY.changed(
            held=tuple(held),
            to_move=read("move", self.one_seat, -1),
            questions=read(
                "asked", lambda p: tuple(map(self.question, p.split("/"))), NO_QUESTIONS
            ),
            places=read("places", self.all_seats, NOBODY),
            trick=trick,
            table=table,
            gone=gone,
            cleared=gone,
            revolution="revolution" in order,
            jack="trick" in order,
            pending="pending" in order,
            direction=read("direction", self.direction, 1),
            passed=passed,
            barred=barred,
            acted=acted,
            idle=read("idle", self.number, 0),
            lead_passes=read("lead_passes", self.seats_in_turn, NOBODY),
            trick_marks=read("trick_marks", self.marks, dict[str, int]()),
            hand_marks=read("hand_marks", self.marks, dict[str, int]()),
            queue=read("queue", lambda p: tuple(map(self.pending, p.split("/"))), NO_QUEUE),
            due=read("due", self.due, None),
            out=out,
            fouled=fouled,
            fallen=fallen,
            active=sum(1 << seat for seat in range(self.players) if seat not in away),
            setup=self.setup(),
        )

    def setup(self) -> Setup:
        """What the line says of what was before the first lead."""
        read = self.read
        before = read("before", self.all_seats, NOBODY)
        return Setup(
            dealer=self.one_seat(self.needed("dealer", "the seat that dealt")),
            blind=read("blind", self.cards, 0),
            before=before,
            titles=titles_of(self.rules.table.titles, before, self.players),
            wishes=read("wishes", self.wishes, ()),
            promised=read("promised", lambda p: tuple(map(self.promise, p.split("/"))), ()),
            thrown=read("thrown", self.thrown, ()),
            contenders=read("contenders", self.seats, ()),
            lots=Lots(
                leader=read("leader", self.all_seats, ()),
                idle=read("idle_order", self.all_seats, ()),
            ),
        )
