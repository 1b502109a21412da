"""The picture of the viewer in the README: a moment of a hand that sample bots played, as SVG.

    python -m tests.manual.picture        draws it

Words, seats and cards are those that the viewer's page gets; the picture has its own colours for
light and dark, so it looks right on any page.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from arena.client import Turn
from arena.narration.sentences import ABOVE, language
from arena.session.recorded_hand import RecordedHand, read_recorded_hand
from arena.web.pages.board import Board, CardFace, SeatBox, faces
from arena.web.pages.moments import HandMoment, Line, narrator
from sample_bots.heuristic import Heuristic
from tests.manual.pages import ROOT
from tests.real import Real

PICTURE = ROOT / "arena" / "manual" / "viewer.svg"
RULES = {"preset": "pagat", "patches": ["kakumei", "hachi_giri", "shibari"]}
NAMES = ("otter", "heron", "tanuki", "crane")
MOST_STEPS = 6_000
WIDTH, HEIGHT = 880, 420
FELT = (20, 60, 560, 340)
PLACES = {"s": (300, 318), "w": (118, 190), "n": (300, 84), "e": (482, 190)}
PILE = (300, 190)
LOG_LINES = 16
STYLE = """
.paper{fill:#faf8f2}.felt{fill:#e8efe5;stroke:#bccbb6}.box{fill:none;stroke:#ddd5c5}
text{fill:#1f1d1a;font:15px system-ui,"Noto Sans JP","Noto Sans CJK JP",sans-serif}
.soft{fill:#645e54;font-size:13px}.name{font-weight:650}.accent{fill:#a9301b;font-weight:650}
.now{fill:#a9301b;fill-opacity:.13}.chip{fill:none;stroke:#a9301b}
.card{fill:#fff;stroke:#00000040}.face{font-weight:650}
.S{fill:#1f1d1a}.H{fill:#b02a1a}.D{fill:#1a5599}.C{fill:#24623f}.J{fill:#1f1d1a}
@media(prefers-color-scheme:dark){.paper{fill:#15181d}.felt{fill:#1a2620;stroke:#35493e}
.box{stroke:#343a43}text{fill:#ebe7df}.soft{fill:#aaa498}.accent{fill:#f08a70}.chip{stroke:#f08a70}
.now{fill:#f08a70}.card{fill:#f6f2e9}.S,.J{fill:#1f1d1a}.H{fill:#b02a1a}.D{fill:#1a5599}
.C{fill:#24623f}}
"""


def played_hands() -> Iterator[RecordedHand]:
    """The hands of a session of four sample bots, always the same."""
    real = Real()
    real.session(4, ruleset=RULES, hands_per_table=24)
    bot = Heuristic()
    for _ in range(MOST_STEPS):
        waiting = real.waiting()
        if not waiting:
            break
        for number, turn in waiting:
            answer = real.bots[number].post(
                f"/api/v1/turns/{turn['turn']}", json=bot.answer(Turn(turn))
            )
            assert answer.status_code == 200, answer.text
    for hand in real.organiser.get("/api/v1/tables/cup-r01-t01").get_json()["hands"]:
        record = real.organiser.get(f"/api/v1/hands/{hand['hand']}/record").get_json()
        yield read_recorded_hand(record)._replace(names=NAMES)


def chosen() -> tuple[RecordedHand, Sequence[Line], HandMoment]:
    """A hand and a moment of it in which much can be seen, with the lines around it."""
    for hand in played_hands():
        moments = list(
            narrator(language("en"), hand.names, hand.rules, reader=ABOVE).moments(hand.steps)
        )
        for number, moment in enumerate(moments):
            board = moment.board
            small = all(seat.size <= 9 for seat in board.seats)
            if len(board.in_force) > 1 and board.pile and board.under and small:
                return (
                    hand,
                    [each.line for each in moments[max(0, number - 7) : number + 1]],
                    moment,
                )
    raise AssertionError("nothing happens in these hands")


def draw() -> str:
    """The picture."""
    hand, lines, moment = chosen()
    cards = faces(language("en"), hand.rules)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(_summary(moment.board))}</title>",
        f"<style>{STYLE.replace(chr(10), '')}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}" rx="12"/>',
        *_chips([*moment.board.in_force, f"hand {hand.number}", f"trick {moment.line.trick}"]),
        '<rect class="felt" x="{}" y="{}" width="{}" height="{}" rx="18"/>'.format(*FELT),
        *_pile(moment.board, cards),
        *(part for seat in moment.board.seats for part in _seat(seat, cards)),
        *_log(lines),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _summary(board: Board) -> str:
    return f"The viewer: {', '.join(board.in_force)}; {board.owner} has played last"


def _text(x: float, y: float, said: str, *, kind: str = "", middle: bool = False) -> str:
    marks = f' class="{kind}"' if kind else ""
    marks += ' text-anchor="middle"' if middle else ""
    return f'<text x="{x:g}" y="{y:g}"{marks}>{escape(said)}</text>'


def _chips(words: Sequence[str]) -> Iterator[str]:
    x = FELT[0]
    for number, word in enumerate(words):
        width = 26 + 7.2 * len(word)
        last = number >= len(words) - 2
        yield (
            f'<rect class="{"box" if last else "chip"}" x="{x:g}" y="20" width="{width:g}" '
            f'height="26" rx="13"/>'
        )
        yield _text(x + width / 2, 38, word, kind="soft" if last else "soft accent", middle=True)
        x += width + 10


def _cards(
    x: float, y: float, names: Sequence[str], cards: Mapping[str, CardFace], *, big: bool = False
) -> Iterator[str]:
    """Cards in a row with its middle at x; big ones do not overlap."""
    width, height, step = (44, 60, 50) if big else (26, 36, 19)
    left = x - (step * (len(names) - 1) + width) / 2
    for number, name in enumerate(names):
        face, at = cards[name], left + step * number
        size = 18 if big else 12
        yield f'<rect class="card" x="{at:g}" y="{y}" width="{width}" height="{height}" rx="4"/>'
        for said, line in ((face.rank, 1), (face.pip, 2)):
            yield (
                f'<text class="face {face.suit}" style="font-size:{size}px" x="{at + 4:g}" '
                f'y="{y + size * line * 1.1:g}">{said}</text>'
            )


def _pile(board: Board, cards: Mapping[str, CardFace]) -> Iterator[str]:
    x, y = PILE
    yield '<g opacity=".4">'
    yield from _cards(x, y - 26, board.under, cards)
    yield "</g>"
    yield from _cards(x, y + 18, board.pile, cards, big=True)
    yield _text(x, y + 98, f"played by {board.owner}", kind="soft", middle=True)


def _seat(seat: SeatBox, cards: Mapping[str, CardFace]) -> Iterator[str]:
    x, y = PLACES[seat.area]
    title = f"{seat.title} · " if seat.title else ""
    yield _text(x, y, title + seat.name, kind="accent" if seat.to_move else "name", middle=True)
    yield from _cards(x, y + 8, seat.cards, cards)
    said = f"place {seat.place}" if seat.place else f"{seat.size} card{'s' * (seat.size != 1)}"
    said += " · passed" * seat.passed + " · to play" * seat.to_move
    yield _text(x, y + 62 if seat.cards else y + 22, said, kind="soft", middle=True)


def _log(lines: Sequence[Line]) -> Iterator[str]:
    """The last lines that there is room for; that of the moment is marked."""
    x, y, width, height = 600, FELT[1], WIDTH - 620, FELT[3]
    yield f'<rect class="box" x="{x}" y="{y}" width="{width}" height="{height}" rx="10"/>'
    wrapped = [textwrap.wrap(line.text, 30) for line in lines]
    while sum(map(len, wrapped)) > LOG_LINES:
        del wrapped[0]
    at = y + 26.0
    for number, parts in enumerate(wrapped, start=1):
        if number == len(wrapped):
            yield (
                f'<rect class="now" x="{x + 6}" y="{at - 16:g}" width="{width - 12}" '
                f'height="{20 * len(parts) + 4}" rx="4"/>'
            )
        for part in parts:
            yield _text(x + 14, at, part)
            at += 20


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
