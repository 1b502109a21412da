"""The hands of a script, played: one seat by the bot at the referee, the others by the script."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from arena import sitting
from arena.asking import GivenTurn, TurnReply
from arena.asking.referee import AskingReferee
from arena.errors import ArenaError, BadInput
from arena.match.kit import KitPlayer
from arena.match.local import make_bot
from arena.match.tables import Player, SeatView, TableSetup, play_hands, shuffle
from arena.mock.script import MockScript, ScriptedHand
from arena.rules import Ruleset, decide
from arena.rules.cards import CODES, NATURAL
from arena.rules.commands import Answer, Deal, Lots, Play
from arena.session.deals import renumbered
from arena.wire import read_answer, write_command
from arena.wire.short_answers import short_answer, shortened


class UnplayableScript(ArenaError):
    """The script says what the rules forbid at that moment. No `BadInput`, for those are refused
    answers while a hand is played."""


class MockTurn(NamedTuple):
    """A turn of the bot. given: what it answered, or what came of it; expected: None where the
    script does not say; refused: how many answers before it."""

    turn: int
    given: str
    expected: str | None
    refused: int
    ms: float | None

    @property
    def as_expected(self) -> bool:
        """Is it what the script expects, if that expects anything?"""
        return self.expected is None or self.given == self.expected


@dataclass
class HandReport:
    """What a hand came to. places: names, best to last; missing: expected answers that were never
    asked for."""

    number: int
    turns: list[MockTurn] = field(default_factory=list)
    places: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def good(self) -> bool:
        """Did the bot answer every turn itself, and as expected?"""
        answered = all(turn.ms is not None and not turn.refused for turn in self.turns)
        return answered and not self.missing and all(turn.as_expected for turn in self.turns)


class MockTable:
    """Plays a script with the bot of a referee. check: called while the bot is waited for; what it
    raises ends the play."""

    def __init__(
        self, script: MockScript, referee: AskingReferee, check: Callable[[], None]
    ) -> None:
        self._script = script
        rules = script.rules
        names = [f"other-{n}" for n in range(1, rules.players)]
        names.insert(script.seat, referee.name)
        self._setting = TableSetup(
            rules,
            block="mock",
            pool=f"{rules.fingerprint}/{rules.players}",
            bots=tuple(names),
            hands=len(script.hands),
            seed=script.seed,
            shuffles="mock",
            seats="mock",
        )
        self._bot = AskedPlayer(script, referee, check)
        others = OthersOfScript(script)
        self._players: list[Player] = [
            self._bot if player == script.seat else others.player(self._setting, player)
            for player in range(rules.players)
        ]

    def play(self) -> Iterator[HandReport]:
        """Play hand by hand. Raises `UnplayableScript` where the script says what the rules forbid,
        and `BadInput` for more cards than a seat gets."""
        dealing = ScriptedDeals(self._script, self._setting)
        hands = play_hands(self._setting, self._players, dealing)
        for number, played in enumerate(hands, start=1):
            yield self._bot.reported(number, played.result.bots)


class ScriptedDeals:
    """Everybody sits where the script has them, and gets the cards that it names; the rest of the
    pack is dealt by its seed."""

    def __init__(self, script: MockScript, setting: TableSetup) -> None:
        self._script, self._setting = script, setting

    def seats(self, number: int) -> tuple[int, ...]:
        """Player by seat: all keep their seats."""
        return tuple(range(self._script.rules.players))

    def deal(
        self, carried: sitting.Sitting, order: tuple[int, ...], number: int
    ) -> tuple[tuple[int, ...], Deal]:
        """The deck, and the deal of it."""
        rules, hand = self._script.rules, self._script.hands[number - 1]
        deck, lots = shuffle(rules, self._setting.seed, "mock", number)
        deal = sitting.next_deal(rules, carried, order, deck=deck, lots=lots)
        if hand.dealer is not None:
            deal = deal._replace(dealer=hand.dealer)
        if hand.leader is not None:
            deal = deal._replace(lots=_lots_for(hand.leader, deal.lots))
        stacked = renumbered(_stacked(rules, deal, hand, f"hand {number}"))
        return stacked, deal._replace(deck=stacked)


def _lots_for(leader: int, lots: Lots) -> Lots:
    """Lots by which this seat leads: it is drawn first, and wins a janken that nobody is asked
    for, with rock against scissors."""
    drawn = sorted(lots.leader, key=lambda seat: seat != leader)
    throw = tuple(0 if seat == leader else 2 for seat in range(len(lots.leader)))
    return lots._replace(leader=tuple(drawn), throws=(throw, *lots.throws[1:]))


def _stacked(rules: Ruleset, deal: Deal, hand: ScriptedHand, where: str) -> tuple[int, ...]:
    """The deck in such an order that each seat is dealt its cards of the script."""
    rest = list(deal.deck)
    named = {seat: [_taken(rest, name) for name in cards] for seat, cards in hand.deal.items()}
    blind = _blind(rest, rules.deal.blind, where)
    step, seat = rules.play.direction, rules.deal.start(deal, rules.players, rules.play.direction)
    order = []
    for at in range(len(deal.deck) - len(blind)):
        order.append((seat + step * at) % rules.players)
    for who, cards in named.items():
        if len(cards) > order.count(who):
            expected = f"at most {order.count(who)} cards for this seat"
            raise BadInput(f"{where}: deal of seat {who}", len(cards), expected)
    missing = {who: order.count(who) - len(named.get(who, [])) for who in set(order)}
    packets = {
        who: [*named.get(who, []), *(rest.pop(0) for _ in range(missing[who]))] for who in missing
    }
    return (*(packets[who].pop(0) for who in order), *blind)


def _blind(rest: list[int], count: int, where: str) -> list[int]:
    """The cards that are taken out unseen, of those that no seat was given."""
    natural = [card for card in rest if NATURAL >> card & 1]
    if len(natural) < count:
        expected = f"{count} cards left, which are taken out unseen"
        raise BadInput(f"{where}: deal", f"{len(natural)} cards left", expected)
    blind = natural[len(natural) - count :]
    for card in blind:
        rest.remove(card)
    return blind


def _taken(rest: list[int], name: str) -> int:
    card = next(card for card in rest if CODES[card] == name)
    rest.remove(card)
    return card


class OthersOfScript:
    """The other seats: their answers stand in the script in the order of their turns."""

    def __init__(self, script: MockScript) -> None:
        self._script = script
        self._hand = 0
        self._next = 0

    def player(self, setting: TableSetup, player: int) -> OtherPlayer:
        """The player of one of the other seats."""
        usual = KitPlayer(make_bot(self._script.others), setting, name=setting.bots[player])
        return OtherPlayer(self, usual)

    def next_answer(self, look: SeatView) -> Answer | None:
        """What the script says to the turn that is asked; None if it says nothing."""
        if look.hand != self._hand:
            self._hand, self._next = look.hand, 0
        answers = self._script.hands[look.hand - 1].answers
        if self._next >= len(answers):
            return None
        text = answers[self._next]
        self._next += 1
        return _legal(look, text, f"hand {look.hand}: answers, number {self._next}")


class OtherPlayer:
    """One of the other seats. usual: who answers where the script says nothing."""

    note = ""

    def __init__(self, others: OthersOfScript, usual: KitPlayer) -> None:
        self._others, self._usual = others, usual

    def answer(self, look: SeatView, refused: ArenaError | None) -> Answer | None:
        """The answer of the script, or the usual one."""
        scripted = self._others.next_answer(look)
        return self._usual.answer(look, refused) if scripted is None else scripted

    def hand_over(self, look: SeatView) -> None:
        """Nothing to remember."""


class AskedPlayer:
    """The bot, which is asked over HTTP."""

    note = ""

    def __init__(
        self, script: MockScript, referee: AskingReferee, check: Callable[[], None]
    ) -> None:
        self._script, self._referee, self._check = script, referee, check
        self._report = HandReport(0)
        self._seen = 0

    def answer(self, look: SeatView, refused: ArenaError | None) -> Answer | None:
        """What the bot answers; None if it does not in time, or its budget is spent."""
        if look.hand != self._report.number:
            self._report, self._seen = HandReport(look.hand), 0
        expect = self._script.hands[look.hand - 1].expect
        number = len(self._report.turns) + 1
        where = f"hand {look.hand}: expect, number {number}"
        expected = _legal(look, expect[number - 1], where) if number <= len(expect) else None
        reply = self._referee.ask(_given(look, self._seen), self._check)
        self._seen = len(look.events)
        self._report.turns.append(_mock_turn(number, reply, expected))
        return reply.answer

    def hand_over(self, look: SeatView) -> None:
        """Let the bot read the whole hand."""
        self._referee.end_hand(_given(look, 0))

    def reported(self, number: int, places: Sequence[str]) -> HandReport:
        """What the hand that has ended came to."""
        report = self._report if self._report.number == number else HandReport(number)
        expect = self._script.hands[number - 1].expect
        report.places, report.missing = tuple(places), expect[len(report.turns) :]
        return report


def _given(look: SeatView, since: int) -> GivenTurn:
    names = [look.setting.bots[player] for player in look.seating]
    return GivenTurn(
        rules=look.setting.rules,
        state=look.state,
        seat=look.seat,
        events=tuple(look.events),
        since=since,
        hand=look.hand,
        players=names,
    )


def _mock_turn(number: int, reply: TurnReply, expected: Answer | None) -> MockTurn:
    """How a turn went. An answer that means the same as the expected one is written as that."""
    said = None if expected is None else _shown(expected)
    given = reply.trouble if reply.answer is None else _shown(reply.answer)
    if said is not None and _same(reply.answer, expected):
        given = said
    return MockTurn(number, given, said, len(reply.refused), reply.ms)


def _same(answer: Answer | None, expected: Answer | None) -> bool:
    """Is it this answer? Where no roles of jokers are expected, any will do."""
    if isinstance(answer, Play) and isinstance(expected, Play) and expected.roles is None:
        return answer.cards == expected.cards
    return answer == expected


def _legal(look: SeatView, text: str, where: str) -> Answer:
    """An answer of the script. Raises `UnplayableScript` if the seat may not give it."""
    rules, state = look.setting.rules, look.state
    try:
        answer = read_answer(rules, state, look.seat, short_answer(text))
        decide(rules, state, answer)
    except ArenaError as error:
        reason = " ".join(str(error).split())
        expected = f"what seat {look.seat} may answer ({reason})"
        raise UnplayableScript(str(BadInput(where, text, expected))) from error
    return answer


def _shown(answer: Answer) -> str:
    """An answer in few words."""
    document = write_command(answer)
    kind = document.pop("type")
    del document["seat"]
    return "pass" if kind == "pass" else shortened(document)
