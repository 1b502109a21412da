"""The shadow of a hand on somebody else's UECda server: its messages, folded by our engine.

The protocol says less than our engine knows: no passes, no events, and of the hands only one's own.
So the engine plays along, with the unseen cards spread over the others by their counts; whenever
somebody plays, the cards are spread anew so that he holds what he plays. Which cards the shadow
gives to others means nothing, and what a bot is shown depends on none of them: `events` are those
that the seat may know, and of the state a turn document shows the seat's own cards and the counts.

Each hand table is compared with the shadow; what differs is mended and named. Pure: no bytes, no
sockets, no bot.

One thing a rich player does not learn: which of his cards are the tribute. So in his log the deal
shows the cards with which he begins, tribute included, and the gift itself only its size.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_

from arena.errors import BadInput, Refused
from arena.rules import EMPTY, Ruleset, State, decide, evolve, redact
from arena.rules.admit import intended
from arena.rules.cards import IDS
from arena.rules.commands import Answer, Give, Lots, Pass, Play
from arena.rules.events import Dealt, Discarded, Ended, Event, Gave, Out, Played, Question
from arena.rules.opening import begin_play, exchange_steps, titles_of
from arena.uecda.cells import CARD_CELLS, NOTHING, read_play, strongest
from arena.uecda.codec import PLAYERS, HandTable, RosterRow, StartTable
from arena.uecda.repairs import CHECKS, TableSeen
from arena.uecda.spread import NOTHING_KNOWN, KnownCards, spread
from arena.uecda.wire_hand import GIFTS

LEADING_CARD = 1 << IDS["D3"]
MOST_DEALT = 11
DRAWN = "max_idle_passes"
"""By this rule a hand ends in an order that the server draws and does not tell."""
ANY_ORDER = tuple(range(PLAYERS))


class Shadow:
    """One hand. player: the number of the seat's player on the wire; order: of all card ids, in
    which unseen cards are spread (for tests: it must not matter).

    events: of the hand, as the seat may know them. state: of the shadow, in which only the cards of
    `seat` are true. seating: player by seat. finish: players, best to last, as far as is known.
    """

    def __init__(
        self, rules: Ruleset, player: int, start: StartTable, *, order: Sequence[int] = ()
    ) -> None:
        roster = start.roster
        self.rules = rules
        self.seating = roster.seats
        self.seat = roster.seats.index(player)
        self.events: list[Event] = []
        self.state: State = EMPTY
        self.finish: tuple[int, ...] = ()
        self._order = tuple(order or rules.deck)
        self._start = start
        self._before = _by_class(roster)
        self._own = start.cards
        self._counts = self._dealt_counts()
        self._exchanges = self._may_exchange()
        self._is_rich = self._exchanges and bool(start.give)
        self._own_gift = 0
        self._cells = NOTHING
        self._mover = -1

    # The opening

    def ask(self) -> bool:
        """Go on to the question which cards the seat gives. False where there is none that fits the
        classes: then nobody can be asked."""
        if not self._is_rich:
            return False
        self._begin(NOTHING_KNOWN)
        while self.state.question_for(self.seat) is None:
            self._exchange(self.state.questions[0], None)
        return True

    def give(self, cards: int) -> None:
        """The seat has given these cards; what follows from it shows with the first hand table."""
        self._own_gift = cards

    def _begin(self, at: Mapping[int, int]) -> None:
        """The deal. at: cards that are known to be at a seat."""
        start, counts = self._start, self._counts
        if self._is_rich:
            self._own = start.cards & ~strongest(start.cards, start.give)
        known = KnownCards(self.seat, self._own, counts, at=at)
        first = self._before[0] if self._before else _first_dealt(counts)
        dealt = Dealt(
            (first - 1) % PLAYERS,
            spread(self._order, known),
            counts,
            0,
            self._before,
            titles_of(self.rules.table.titles, self._before, PLAYERS),
            Lots(ANY_ORDER, ANY_ORDER, ANY_ORDER, ANY_ORDER),
        )
        self._take((dealt,))
        steps = tuple(exchange_steps(self.rules, self.state)) if self._exchanges else ()
        self._take(begin_play(self.rules, self.state, steps))

    def _dealt_counts(self) -> tuple[int, ...]:
        """The counts before the tribute, by seat: some servers send those after it."""
        counts = self._by_seat(self._start.roster)
        if self._before and counts[self._before[0]] > MOST_DEALT:
            for place, gift in enumerate(GIFTS[:2]):
                counts[self._before[place]] -= gift
                counts[self._before[-1 - place]] += gift
        return tuple(counts)

    def _may_exchange(self) -> bool:
        """Is this a hand in which cards are given as by the rules, and not only said to be?"""
        usual = [MOST_DEALT - 1] * 2 + [MOST_DEALT] * 3
        if not self._before or sorted(self._counts) != usual:
            return False
        give = self._start.give
        holds = self._counts[self.seat] + give
        return give == GIFTS[self._before.index(self.seat)] and self._own.bit_count() == holds

    def _exchange(self, question: Question, table: HandTable | None) -> None:
        """The next gift. table: the first hand table, if it is there: it says who has the card that
        leads, and what a poor seat has got."""
        giver, to = question.seat, question.to
        got = table.cards & ~self._own if table and to == self.seat and not self._is_rich else 0
        at = {} if table is None else self._leads(table, but=got)
        if got.bit_count() == question.least:
            at[giver] = at.get(giver, 0) | got
        self._arrange(at)
        gift = self._gift(question, got)
        if giver != self.seat:  # it was asked when the shadow gave it other cards
            asked = question._replace(ways=(((gift, question.least),),))
            self.state = self.state.changed(questions=(asked,))
        self._step(Give(giver, gift))
        if giver == self.seat:
            self._own &= ~gift
        elif to == self.seat:
            self._own = self._start.cards if self._is_rich else self._own | gift

    def _gift(self, question: Question, got: int) -> int:
        """What is given, as far as it is known; else the strongest, as if it were a tribute."""
        if question.seat == self.seat and self._is_rich:
            return self._own_gift
        if got.bit_count() == question.least:
            return got
        return strongest(self.state.held[question.seat], question.least)

    def _leads(self, table: HandTable, *, but: int = 0) -> dict[int, int]:
        """Where the card is that leads the hand, unless this seat has it or gets it."""
        hidden, leader = LEADING_CARD & ~self._own & ~but, self.seating.index(table.player)
        return {leader: hidden} if hidden and leader != self.seat else {}

    # Turns

    def before(self, table: HandTable) -> tuple[str, ...]:
        """A turn begins. The names of what the table said otherwise than the shadow did."""
        if not self.events:
            self._begin(self._leads(table))
        while self.state.questions:
            self._exchange(self.state.questions[0], table)
        if table.situation.empty:
            self._cells = NOTHING
        self._mover = self.seating.index(table.player)
        return self._mend(table)

    def _mend(self, table: HandTable) -> tuple[str, ...]:
        counts = tuple(self._by_seat(table.roster))
        seen = TableSeen(self._mover, table.cards, counts, table.situation, self._last_play())
        differing = []
        for check in CHECKS:
            repair = check(self.state, seen)
            if repair is not None:
                self.state = self.state.changed(**repair.fields)
                self._take(repair.events)
                differing.append(repair.what)
        if self.state.held[self.seat] != table.cards or counts != _counts(self.state):
            differing.append("cards")
            self._own = table.cards
            self._arrange(NOTHING_KNOWN, counts)
        return tuple(differing)

    def _last_play(self) -> Played | None:
        """The play that the last field table showed, of whom nobody knows any more."""
        if self._cells == NOTHING:
            return None
        try:
            play = read_play(self._cells, self._mover)
        except BadInput:
            return None
        return self._laid(play) if isinstance(play, Play) else None

    def after(self, cells: Sequence[int], answer: Answer | None = None) -> str:
        """A turn is over. cells: of the field table; answer: the seat's own, as it was accepted.

        The name of what the rules do not allow, "" for nothing.
        """
        shown = tuple(cells[:CARD_CELLS])
        before, self._cells = self._cells, shown
        if answer is None:
            try:
                answer = Pass(self._mover) if shown == before else read_play(shown, self._mover)
            except BadInput:
                return "play"
        if isinstance(answer, Play):
            if answer.seat != self.seat:
                self._arrange({answer.seat: answer.cards})
            else:
                self._own &= ~answer.cards
        try:
            self._step(answer)
        except Refused:
            self._force(answer)
            return "play"
        return ""

    def _force(self, answer: Answer) -> None:
        """A play that the server has accepted against our rules: it has been made all the same. Who
        is next, and what it has brought about, the next hand table says."""
        if not isinstance(answer, Play):
            return
        laid: Event | None = self._laid(answer)
        if laid is None:  # thrown down beside the rules: shown, and out of the game
            size = answer.cards.bit_count()
            laid = Discarded(answer.seat, answer.cards, size, True)
        self._take((laid,))
        if not self.state.held[answer.seat] and self.state.active >> answer.seat & 1:
            self._take((Out(answer.seat),))
        self.state = self.state.changed(to_move=-1)

    def _laid(self, play: Play) -> Played | None:
        """The meld that a play would be, whether or not it is legal."""
        melds = intended(self.rules, self.state.pile, play.cards, play.roles)
        return Played(play.seat, melds[0]) if melds else None

    # The end

    def end(self) -> str:
        """The server says that the hand is over. The name of what differs, "" for nothing."""
        s = self.state
        left = [seat for seat in range(PLAYERS) if s.active >> seat & 1]
        if s.places and not self._is_drawn:
            self.finish = self._players(s.places)
            return ""
        self.finish = self._players(s.out)
        if s.places:
            return ""
        if len(left) == 1:
            self._take((Ended((*s.out, *left)),))
            self.finish = self._players(self.state.places)
        return "end"

    @property
    def _is_drawn(self) -> bool:
        """Has the hand ended in an order that only the server knows?"""
        return self.state.idle >= (self.rules.play.max_idle or PLAYERS**2)

    def settle(self, roster: RosterRow) -> str:
        """The next hand has begun, whose classes are the places in this one, unless they were
        reset. The name of what differs, "" for nothing."""
        by_class = tuple(sorted(range(PLAYERS), key=lambda player: roster.classes[player]))
        if sorted(roster.classes) != [*range(PLAYERS)] or by_class == self.finish:
            return ""
        is_known = len(self.finish) == PLAYERS
        self.finish = by_class
        if not is_known:
            places = tuple(map(self.seating.index, by_class))
            self.events.append(Ended(places, DRAWN if self._is_drawn else ""))
        return "places" if is_known else ""

    def _players(self, seats: Iterable[int]) -> tuple[int, ...]:
        return tuple(self.seating[seat] for seat in seats)

    # The engine

    def _step(self, answer: Answer) -> None:
        self._take(decide(self.rules, self.state, answer))

    def _take(self, events: Iterable[Event]) -> None:
        """These things have happened."""
        events = tuple(events)
        self.state = evolve(self.state, events)
        hidden = [e for e in events if isinstance(e, Ended) and e.by == DRAWN]
        self.events += [self._known(event) for event in events if event not in hidden]

    def _known(self, event: Event) -> Event:
        """An event as the seat may know it."""
        if isinstance(event, Dealt):
            hands = [0] * PLAYERS
            hands[self.seat] = self._start.cards
            event = replace(event, hands=tuple(hands))
        elif isinstance(event, Gave) and event.to == self.seat and self._is_rich:
            event = replace(event, cards=0)
        return redact(event, self.seat)

    def _arrange(self, at: Mapping[int, int], counts: Sequence[int] = ()) -> None:
        """Spread what is not known anew. at: cards that are known to be at a seat."""
        s = self.state
        placed = reduce(or_, at.values(), 0)
        known = KnownCards(
            self.seat, self._own, counts or _counts(s), s.table & ~placed, s.gone & ~placed, at
        )
        held = spread(self._order, known)
        gone = s.gone & ~reduce(or_, held, 0)
        self.state = s.changed(held=held, table=known.table, gone=gone, cleared=s.cleared & gone)

    def _by_seat(self, roster: RosterRow) -> list[int]:
        """Counts of cards by seat."""
        return [roster.counts[player] for player in roster.seats]


def _counts(state: State) -> tuple[int, ...]:
    return tuple(map(int.bit_count, state.held))


def _by_class(roster: RosterRow) -> tuple[int, ...]:
    """The seats from daifugo to daihinmin; empty where there are no classes."""
    classes = [roster.classes[player] for player in roster.seats]
    if sorted(classes) != [*range(PLAYERS)]:
        return ()
    return tuple(sorted(range(PLAYERS), key=classes.__getitem__))


def _first_dealt(counts: Sequence[int]) -> int:
    """The seat that was dealt to first: from it on one has 11, 11, 11, 10, 10 cards; else 0."""
    turned = [[*counts[at:], *counts[:at]] for at in range(PLAYERS)]
    usual = [MOST_DEALT] * 3 + [MOST_DEALT - 1] * 2
    return turned.index(usual) if usual in turned else 0
