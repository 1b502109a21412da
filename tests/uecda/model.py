"""A model of the contest's wire, written from its description and not from `arena.uecda`: it reads
the five streams of a session, works out what every cell has to be, and says what is otherwise.

It has the rules of the contest once more, in their shortest form, as a second opinion.
"""

from __future__ import annotations

import struct
from collections import Counter
from dataclasses import dataclass, field
from itertools import product

SPADE_3, DIAMOND_3 = (0, 1), (2, 1)
JOKER = "joker"
PACK = frozenset(product(range(4), range(1, 14)))
RESET_EVERY, RESEAT_EVERY, MOST_PASSES = 100, 3, 20


class Stream:
    """The bytes of one direction of a connection. ends: where the messages that were read end;
    kinds: what they were."""

    def __init__(self, data):
        self.data, self.at, self.ends, self.kinds = bytes(data), 0, set(), []

    def table(self, kind="table"):
        self.kinds.append(kind)
        cells = struct.unpack_from(">120I", self.data, self.at)
        self.at += 480
        self.ends.add(self.at)
        return [list(cells[15 * row : 15 * row + 15]) for row in range(8)]

    def integer(self):
        self.kinds.append("integer")
        (number,) = struct.unpack_from(">I", self.data, self.at)
        self.at += 4
        self.ends.add(self.at)
        return number

    @property
    def rest(self):
        return len(self.data) - self.at


@dataclass(frozen=True)
class Laid:
    """A play: what it is, the columns it covers, its suits as bits, and how it was written."""

    kind: str
    columns: tuple
    mask: int
    size: int
    rows: tuple

    @property
    def is_joker(self):
        return self.kind == "joker"

    @property
    def is_spade_3(self):
        return self.size == 1 and not self.is_joker and self.rows[0][1] == 1

    @property
    def cuts(self):
        return not self.is_joker and 6 in self.columns

    @property
    def reverses(self):
        return self.size >= (5 if self.kind == "sequence" else 4)


def read_play(rows, held):
    """The play that five rows are, whatever lies on the table; None if they are none."""
    marked = [(r, c, v) for r, row in enumerate(rows[:5]) for c, v in enumerate(row) if v]
    cards = [(r, c) for r, c, v in marked if v == 1]
    jokers = [(r, c) for r, c, v in marked if v == 2]
    if len(cards) + len(jokers) != len(marked) or len(jokers) > 1:
        return None
    if any(card not in held for card in cards) or (jokers and JOKER not in held):
        return None
    written = tuple(map(tuple, rows[:5]))
    if not cards:
        row, _ = jokers[0]
        return Laid("joker", (), 0, 1, written) if row < 4 else None
    columns = sorted({c for _, c in cards + jokers})
    if jokers and jokers[0][0] == 4:
        if len(cards) == 4 and len(columns) == 1:
            return Laid("group", tuple(columns), 31, 5, written)
        return None
    cells = cards + jokers
    mask = sum(1 << row for row in {r for r, _ in cells})
    if len(columns) == 1:
        return Laid("group", tuple(columns), mask, len(cells), written)
    in_a_row = columns == list(range(columns[0], columns[0] + len(columns)))
    if in_a_row and mask in (1, 2, 4, 8) and len(columns) == len(cells) >= 3:
        return Laid("sequence", tuple(columns), mask, len(cells), written)
    return None


def beats(play, pile, *, revolution, lock):
    """May a play be laid on a pile?"""
    if pile is None:
        return True
    if pile.is_joker:
        return play.is_spade_3
    if play.is_joker:
        return pile.size == 1
    if play.kind != pile.kind or play.size != pile.size or (lock and play.mask != pile.mask):
        return False
    if revolution:
        return play.columns[-1] < pile.columns[0]
    return play.columns[0] > pile.columns[-1]


def strongest(held, count):
    """The cards that are given as tribute."""
    order = [JOKER] if JOKER in held else []
    order += sorted(held - {JOKER}, key=lambda card: (-card[1], card[0]))
    return frozenset(order[:count])


def hand_rows(held):
    """Five rows with the cards of a hand."""
    rows = [[int((r, c) in held) for c in range(15)] for r in range(4)] + [[0] * 15]
    if JOKER in held:
        rows[4][1] = 2
    return rows


def given(rows, held, count):
    """The cards that an exchange submission gives: the strongest if it is not in order."""
    marked = [(r, c, v) for r, row in enumerate(rows[:5]) for c, v in enumerate(row) if v]
    cards = {JOKER if v == 2 else (r, c) for r, c, v in marked}
    good = all(v in (1, 2) for _, _, v in marked) and len(marked) == len(cards) == count
    return frozenset(cards) if good and cards <= held else strongest(held, count)


@dataclass
class Report:
    """What a session was, and what was otherwise than it has to be."""

    hands: int = 0
    turns: int = 0
    refused: Counter = field(default_factory=Counter)
    points: Counter = field(default_factory=Counter)
    finishes: list = field(default_factory=list)
    mismatches: list = field(default_factory=list)


class Model:
    """Follows five pairs of streams. reference: the contest's own server, whose class cells drift,
    which sends back what stands in cells without a meaning, and which lets the loopholes be."""

    def __init__(self, down, up, *, hands=None, reference=False, reset_every=RESET_EVERY):
        self.down = [Stream(data) for data in down]
        self.up = [Stream(data) for data in up]
        self.hands, self.reference, self.reset_every = hands, reference, reset_every
        self.report, self.seen = Report(), Counter()
        self.places, self.seats = [], []

    def run(self):
        """Follow a whole session."""
        for player in range(5):
            profile = self.up[player].table()
            self.same(profile[0][0], 20070, f"version of player {player}")
            self.same(self.down[player].integer(), player, f"number of player {player}")
        while self.hand():
            pass
        for player in range(5):
            self.same(self.down[player].rest, 0, f"bytes after the end for player {player}")
        if self.hands is not None:
            self.same(self.report.hands, self.hands, "hands")
        return self.report

    def same(self, value, expected, what):
        if value != expected:
            place = f"hand {self.report.hands} turn {self.report.turns}"
            self.report.mismatches.append(f"{place}: {what} is {value}, expected {expected}")

    def table(self, player, cells, state, roster, what):
        """The next table of a player, compared cell by cell."""
        got = self.down[player].table(what)
        wanted = [*map(list, cells), state, roster, [0] * 15]
        if self.reference:
            got[5][8:], got[7] = [0] * 7, [0] * 15
            if what != "start table":
                got[6][5:10] = roster[5:10]
        for row, (have, want) in enumerate(zip(got, wanted, strict=True)):
            self.same(have, list(want), f"{what} of player {player}, row {row},")

    def hand(self):
        """Follow one hand. Is there another one?"""
        self.report.hands += 1
        self.deal()
        self.exchange()
        return self.play()

    def deal(self):
        number = self.report.hands
        starts = [Stream(s.data[s.at : s.at + 480]).table() for s in self.down]
        reset = (number - 1) % self.reset_every == 0
        seats = starts[0][6][10:]
        self.same(sorted(seats), [0, 1, 2, 3, 4], "seats")
        if number > 1 and (number - 1) % RESEAT_EVERY:
            self.same(seats, self.seats, "seats")
        self.seats = seats
        self.classes = [0] * 5 if reset else [self.places.index(p) for p in range(5)]
        counts = starts[0][6][:5]
        order = [counts[player] for player in seats]
        turned = [order[at:] + order[:at] for at in range(5)]
        self.same([11, 11, 11, 10, 10] in turned, True, "cards dealt")
        if not reset:
            first = seats.index(self.places[0])
            self.same(turned[first], [11, 11, 11, 10, 10], "cards dealt, from the daifugo")
        self.held = [self.shown(rows) for rows in starts]
        gives = [0 if reset else (2, 1, 0, 0, 0)[c] for c in self.classes]
        self.gives = gives
        roster = [*counts, *self.classes, *seats]
        for player in range(5):
            state = [1, gives[player], 0, 6, *[0] * 11]
            self.table(player, hand_rows(self.held[player]), state, roster, "start table")
        if not reset:
            rich, poor = self.places[:2], self.places[:2:-1]
            for giver, to, count in zip(poor, rich, (2, 1), strict=True):
                tribute = strongest(self.held[giver], count)
                self.same(tribute <= self.held[to], True, f"tribute of player {giver} received")
                self.held[giver] = self.held[giver] - tribute
                self.same(len(self.held[giver]), counts[giver] - count, f"cards of player {giver}")
        self.same(sum(map(len, self.held)), 53, "cards in all")
        self.same(frozenset().union(*self.held), PACK | {JOKER}, "the pack")

    def shown(self, rows):
        cards = {(r, c) for r, c in PACK if rows[r][c]}
        return frozenset(cards | ({JOKER} if rows[4][1] == 2 else set()))

    def exchange(self):
        if not any(self.gives):
            return
        for place in (0, 1):
            giver, to = self.places[place], self.places[4 - place]
            rows = self.up[giver].table()
            cards = given(rows, self.held[giver], self.gives[giver])
            self.seen["exchange"] += 1
            self.held[giver] -= cards
            self.held[to] |= cards

    def play(self):
        self.revolution = self.lock = False
        self.pile, self.owner, self.passed, self.out, self.idle = None, None, set(), [], 0
        mover = next(p for p in range(5) if DIAMOND_3 in self.held[p])
        self.owner = mover
        while True:
            self.report.turns += 1
            flag, mover = self.turn(mover)
            if flag == 0:
                continue
            self.places = self.out
            self.report.finishes.append(tuple(self.out))
            for place, player in enumerate(self.out):
                self.report.points[player] += 5 - place
            return flag == 1

    def state(self, *, own, player):
        empty, lock = int(self.pile is None), int(self.lock)
        return [0, 0, own, player, empty, 0, int(self.revolution), lock, *[0] * 7]

    def roster(self):
        return [*map(len, self.held), *self.classes, *self.seats]

    def turn(self, mover):
        for player in range(5):
            rows, own = hand_rows(self.held[player]), int(player == mover)
            state = self.state(own=own, player=mover)
            self.table(player, rows, state, self.roster(), "hand table")
        rows = self.up[mover].table()
        play, clears = self.judge(mover, rows)
        meant = any(v in (1, 2) for row in rows[:5] for v in row)
        self.report.refused[mover] += meant and play is None
        accepted = play is not None or (self.pile is None and not meant)
        self.same(self.down[mover].integer(), 9 if accepted else 8, f"flag of player {mover}")
        self.idle = 0 if play else self.idle + 1
        shown = self.pile.rows if self.pile else [[0] * 15] * 5
        for player in range(5):
            state = self.state(own=0, player=mover)
            self.table(player, shown, state, self.roster(), "field table")
        following = self.following(mover, clears=clears)
        over = len(self.out) == 5 or self.idle == MOST_PASSES
        flags = {self.down[player].integer() for player in range(5)}
        self.same(len(flags), 1, "end flags, of different values,")
        flag = min(flags)
        self.same(flag in (1, 2) if over else flag == 0, True, f"end flag {flag} in order")
        if over and len(self.out) < 5:
            self.out = self.drawn(flag)
        return flag, following

    def judge(self, mover, rows):
        """Apply a submission: the play, None for a pass; and does it clear the trick?"""
        play = None
        if any(v in (1, 2) for row in rows[:5] for v in row):
            play = read_play(rows, self.held[mover])
        if play is None or not beats(play, self.pile, revolution=self.revolution, lock=self.lock):
            self.passed.add(mover)
            return None, False
        before = self.pile
        cells = {(r, c) for r in range(4) for c in range(15) if rows[r][c] == 1}
        joker = {JOKER} if any(2 in row for row in rows[:5]) else set()
        self.held[mover] = self.held[mover] - cells - joker
        self.revolution ^= play.reverses
        if play.is_joker:
            self.lock = False
        elif before is not None and not before.is_joker and before.mask == play.mask:
            self.lock = True
        self.seen.update(
            {
                "revolution": play.reverses,
                "lock": self.lock,
                "eight": play.cuts,
                "joker": bool(joker) and not play.is_joker,
                "lone joker": play.is_joker,
                "spade 3": bool(before and before.is_joker),
                "five": play.mask == 31,
            }
        )
        self.pile, self.owner = play, mover
        if not self.held[mover]:
            self.out.append(mover)
            if len(self.out) == 4:
                self.out += [player for player in range(5) if player not in self.out]
        return play, play.cuts or bool(before and before.is_joker)

    def following(self, mover, *, clears):
        """Whose turn is next, after the clear if there is one."""
        holding = {player for player in range(5) if self.held[player]}
        if clears or self.passed >= holding:
            self.pile, self.lock, self.passed = None, False, set()
            mover = self.owner
            if mover not in holding:
                mover = self.next_seat(mover, holding)
            self.owner = mover
            return mover
        return self.next_seat(mover, holding - self.passed)

    def next_seat(self, player, among):
        at = self.seats.index(player)
        order = [self.seats[(at + step) % 5] for step in range(1, 6)]
        return next((each for each in order if each in among), player)

    def drawn(self, flag):
        """After 20 passes in a row the rest are ranked at random: the next classes say how."""
        left = [player for player in range(5) if player not in self.out]
        reset = self.report.hands % self.reset_every == 0
        if flag == 2 or reset:
            return self.out + left
        stream = self.down[0]
        classes = Stream(stream.data[stream.at : stream.at + 480]).table()[6][5:10]
        return sorted(range(5), key=lambda player: classes[player])


def check(down, up, **more):
    """Follow the streams of a session: five down, five up."""
    return Model(down, up, **more).run()
