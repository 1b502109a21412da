"""A client of the contest, written from its description and not from `arena.uecda`; it has neither
a socket nor a clock, so that a test can put it at either end of anything.
"""

from __future__ import annotations

import struct
from collections import deque
from itertools import combinations
from random import Random

from tests.uecda.model import JOKER, PACK, beats, read_play, strongest

GONE = object()
ALL = PACK | {JOKER}


def profile(name="probe", version=20070):
    """The first message."""
    cells = [0] * 120
    cells[0] = version
    cells[15 : 15 + len(name)] = map(ord, name)
    return struct.pack(">120I", *cells)


def table(rows=()):
    """Some rows as a message."""
    cells = [cell for row in rows for cell in row]
    return struct.pack(">120I", *cells, *[0] * (120 - len(cells)))


def rows_of(*marks):
    """Five rows with some cells: (row, column) for a card, (row, column, 2) for the joker."""
    rows = [[0] * 15 for _ in range(5)]
    for row, column, *joker in marks:
        rows[row][column] = joker[0] if joker else 1
    return rows


class Client:
    """One client. choose(client, rows, pile): the five rows with which it answers a turn, or bytes,
    None for silence; give(client, rows, count): those of the exchange.

    down, up: all bytes so far; ended: the end flag that said so, None before; waits: what for.
    """

    def __init__(self, name, choose, give=None):
        self.name, self.choose, self.give = name, choose, give or give_strongest
        self.down, self.up, self.ended = bytearray(), bytearray(), None
        self.number, self.hand = None, 0
        self._waiting = bytearray()
        self._sent = deque()
        self._life = self._live()
        self._wanted = next(self._life)

    def receive(self, data):
        """Take bytes; what is sent in return."""
        self.down += data
        self._waiting += data
        while self._wanted and len(self._waiting) >= self._wanted:
            message = bytes(self._waiting[: self._wanted])
            del self._waiting[: self._wanted]
            try:
                self._wanted = self._life.send(message)
            except StopIteration:
                self._wanted = 0
        return self.sent()

    def sent(self):
        """What is sent without being asked for."""
        data = b"".join(self._sent)
        self._sent.clear()
        self.up += data
        return data

    def _send(self, data):
        self._sent.append(data)

    def _answer(self, rows):
        """Send an answer, as bytes if it is none, or nothing."""
        if rows is not None:
            self._send(rows if isinstance(rows, bytes) else table(rows))

    def _live(self):
        self._send(profile(self.name))
        (self.number,) = struct.unpack(">I", (yield 4))
        flag = 1
        while flag == 1:
            self.hand += 1
            start = cells_of((yield 480))
            assert start[5][0] == 1, "a start table"
            if start[5][1]:
                self._answer(self.give(self, start, start[5][1]))
            pile, flag = None, 0
            while flag == 0:
                rows = cells_of((yield 480))
                assert rows[5][0] == 0, "a hand table"
                if rows[5][2]:
                    self._answer(self.choose(self, rows, None if rows[5][4] else pile))
                    self.flag = struct.unpack(">I", (yield 4))[0]
                pile = cells_of((yield 480))
                (flag,) = struct.unpack(">I", (yield 4))
        self.ended = flag


def cells_of(message):
    """Eight rows."""
    cells = struct.unpack(">120I", message)
    return [list(cells[15 * row : 15 * row + 15]) for row in range(8)]


def held_in(rows):
    """The cards of a hand."""
    cards = {(r, c) for r, c in PACK if rows[r][c]}
    return frozenset(cards | ({JOKER} if rows[4][1] == 2 else set()))


def give_strongest(client, rows, count):
    """The strongest cards, which is legal and foolish."""
    return hand_of(strongest(held_in(rows), count))


def hand_of(cards):
    """Cards as an exchange submission writes them."""
    return rows_of(*[(4, 1, 2) if card == JOKER else card for card in cards])


def plays(held, sizes=range(1, 16)):
    """Every meld of some sizes that some cards can be: the joker in every cell that it may take."""
    natural, joker = sorted(held - {JOKER}), JOKER in held
    groups = [
        cards
        for column in range(1, 14)
        for size in range(1, 5)
        for cards in combinations([card for card in natural if card[1] == column], size)
    ]
    yield from (list(cards) for cards in groups if len(cards) in sizes)
    if joker and 1 in sizes:
        yield [(0, 14, 2)]
    for cards in groups if joker else ():
        column, rows = cards[0][1], {row for row, _ in cards}
        free = [4] if len(cards) == 4 else [row for row in range(4) if row not in rows]
        if len(cards) + 1 in sizes:
            yield from ([*cards, (row, column, 2)] for row in free)
    for row, own in enumerate([{c for r, c in natural if r == row} for row in range(4)]):
        windows = ((low, high) for low in range(15) for high in range(low + 2, 15))
        for low, high in windows:
            if high - low + 1 in sizes and high - low - len(own) < 1:
                yield from runs(row, own, range(low, high + 1), joker=joker)


def runs(row, own, columns, *, joker):
    """A sequence over some columns, with the joker for what is missing, or for any card of it."""
    missing = [column for column in columns if column not in own]
    cells = [(row, column) for column in columns if column in own]
    if not missing:
        yield cells
        if joker:
            yield from (
                [*cells[:at], (*cells[at], 2), *cells[at + 1 :]] for at in range(len(cells))
            )
    elif joker and len(missing) == 1:
        yield [*cells, (row, missing[0], 2)]


def legal(rows, pile):
    """The plays that the model allows."""
    held = held_in(rows)
    laid = None if pile is None else read_play(pile, ALL)
    state = {"revolution": bool(rows[5][6]), "lock": bool(rows[5][7])}
    for marks in plays(held, (laid.size,) if laid else range(1, 16)):
        written = rows_of(*marks)
        play = read_play(written, held)
        if play is not None and beats(play, laid, **state):
            yield written


def lucky(seed, *, passes=0.1):
    """Plays anything legal, every other time of the largest, and passes now and then."""
    random = Random(seed)

    def choose(client, rows, pile):
        options = list(legal(rows, pile))
        if not options or random.random() < passes:
            return rows_of()
        if random.random() < 0.5:
            most = max(map(size_of, options))
            options = [rows for rows in options if size_of(rows) == most]
        return random.choice(options)

    return choose


def size_of(rows):
    """How many cards a play has."""
    return sum(1 for row in rows for cell in row if cell)


def wild(seed):
    """The same, but every third answer is against the rules, or is no play at all."""
    random, inner = Random(seed), lucky(seed)

    def choose(client, rows, pile):
        kind = random.randrange(9)
        if kind == 0:
            return rows_of((random.randrange(5), random.randrange(15), random.choice((1, 2, 7))))
        if kind == 1:
            return [[random.choice((0, 0, 0, 1, 2)) for _ in range(15)] for _ in range(8)]
        if kind == 2:
            return [row[:] for row in rows[:5]]  # everything that it holds
        return inner(client, rows, pile)

    return choose
