"""Japanese: 「careful は9のペア（ハート、クラブ）を出した」."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from arena.narration.language import EXCHANGE, Detail, Language, Phrase, Speaker
from arena.rules import events as e
from arena.rules.cards import CODES, JOKER, JOKER_RANK, NATURAL, RANKS, SUITS, codes
from arena.rules.catalogue import Option
from arena.rules.commands import Accept, Answer, Ask, Discard, Give, Name, Pass, Play, Throw
from arena.rules.melds import Meld
from arena.rules.state import State
from arena.rules.view import View

RANK_WORDS = (
    *("3", "4", "5", "6", "7", "8", "9", "10"),
    *("ジャック", "クイーン", "キング", "エース", "2", "ジョーカー"),
)
SUIT_WORDS = ("スペード", "ハート", "ダイヤ", "クラブ")
COLOUR_WORDS = ("", "黒", "赤")
SHAPES = ("グー", "パー", "チョキ")
TITLES = {
    "king": "王",
    "daifugo": "大富豪",
    "dai_fugo": "大富豪",
    "very_rich": "大富豪",
    "fugo": "富豪",
    "millionaire": "富豪",
    "heimin": "平民",
    "commoner": "平民",
    "hinmin": "貧民",
    "poor": "貧民",
    "daihinmin": "大貧民",
    "dai_hinmin": "大貧民",
    "very_poor": "大貧民",
    "destitute": "大貧民",
    "slave": "奴隷",
}
CAUSES = {
    "timeout": "時間切れ",
    "illegal": "受け付けられない回答が続いた",
    "absent": "不在",
    "withdrawn": "辞退",
    "disqualified": "失格",
    "server": "サーバーの停止",
}


def card(name: str) -> str:
    """A card: ``"S3"`` is スペードの3."""
    if name == JOKER:
        return "ジョーカー"
    return f"{_suit(name)}の{_rank(name)}"


def cards(names: Iterable[str]) -> str:
    """Some cards."""
    return listed([card(name) for name in names])


def listed(words: Sequence[str]) -> str:
    """「AとB」「A、B、C」."""
    return ("と" if len(words) == 2 else "、").join(words)


def mask(held: int, size: int) -> str:
    """Cards, or only how many where they are hidden."""
    return cards(codes(held)) if held else f"{size}枚" if size else "なし"


def meld(play: Meld, *, detail: Detail) -> str:
    """A play."""
    if play.size == 1:
        return cards(play.codes)
    if play.kind == "set":
        return _set(play, detail=detail)
    if play.kind == "emperor":
        kind = "エンペラー"
    else:
        suit = SUIT_WORDS[SUITS.index(play.codes[0][0])] if play.cards & NATURAL else ""
        kind = f"{suit}の{play.size}枚階段" if suit else f"{play.size}枚階段"
    if detail is Detail.BRIEF:
        return f"{RANK_WORDS[play.low]}からの{kind}" if 0 <= play.low < JOKER_RANK else kind
    word = card if play.kind == "emperor" else _rank
    names = [word(name) for name in play.codes if name != JOKER]
    return f"{kind}（{'、'.join([*names, *_jokers(play, word)])}）"


def _set(play: Meld, *, detail: Detail) -> str:
    kind = f"{RANK_WORDS[play.low]}の" + ("ペア" if play.size == 2 else f"{play.size}枚組")
    if detail is Detail.BRIEF or play.low == JOKER_RANK:
        return kind
    suits = [_suit(name) for name in play.codes if name != JOKER]
    return f"{kind}（{'、'.join([*suits, *_jokers(play, _suit)])}）"


def _jokers(play: Meld, word: Callable[[str], str]) -> list[str]:
    """Each joker, with what it stands for where that matters."""
    roles = play.role_codes or (JOKER,) * play.jokers
    return [("" if role == JOKER else f"{word(role)}の代わりの") + "ジョーカー" for role in roles]


def _rank(name: str) -> str:
    return RANK_WORDS[RANKS.index(name[1])]


def _suit(name: str) -> str:
    return SUIT_WORDS[SUITS.index(name[0])]


def title(word: str | None) -> str:
    """A title in kanji; one of the organiser's own as it is."""
    return TITLES.get(word or "", (word or "").replace("_", " "))


def _seats(v: Speaker, seats: Iterable[int]) -> str:
    return "、".join(v.names[seat] for seat in seats)


def _dealt(v: Speaker, s: State, event: e.Dealt) -> str:
    counts = "、".join(f"{n} {count}枚" for n, count in zip(v.names, event.counts, strict=False))
    out = s.setup.blind.bit_count()
    blind = f"。{out}枚は除く" if out else ""
    return f"{v.names[event.dealer]} が配る：{counts}{blind}{_titled(v, event.titles)}"


def _titled(v: Speaker, titles: Sequence[str | None]) -> str:
    given = [f"{v.names[seat]} は{title(word)}" for seat, word in enumerate(titles) if word]
    return f"。{'、'.join(given)}" if given else ""


def _question(v: Speaker, q: e.Question) -> str:
    count = f"{q.most}枚" if q.most in (q.least, 1) else f"{q.most}枚まで"
    to = v.names[q.to] if q.to >= 0 else ""
    what = {
        "give": f" {to} に{count}{'渡す' if q.least else '渡してもよい'}",
        "discard": f"{count}捨てる" if q.least else f"{count}捨ててもよい",
        "name": f"数字を{q.most}つ指定する",
        "ask": f" {to} に{count}求めてもよい",
        "throw": "じゃんけんの手を選ぶ",
        "accept": "受けるかどうかを決める",
    }[q.kind]
    return f"{v.names[q.seat]} は{what}"


def _wish(wish: tuple[int, int | None]) -> str:
    rank, suit = wish
    if rank == JOKER_RANK or suit is None:
        return RANK_WORDS[rank]
    return card(CODES[rank * 4 + suit])


def _named(v: Speaker, s: State, event: e.Named) -> str:
    named = "、".join(RANK_WORDS[rank] for rank in event.ranks)
    return f"{v.names[event.seat]} は{f'{named}を指定した' if named else '何も指定しない'}"


def _wished(v: Speaker, s: State, event: e.Wished) -> str:
    wishes = "、".join(map(_wish, event.wishes))
    if not wishes:
        return f"{v.names[event.seat]} は {v.names[event.to]} に何も求めない"
    return f"{v.names[event.seat]} は {v.names[event.to]} に{wishes}を求めた"


def _handed(v: Speaker, event: e.Gave | e.Promised, verb: str) -> str:
    if not event.size:
        return f"{v.names[event.seat]} は {v.names[event.to]} に何も渡さない"
    what = mask(event.cards, event.size)
    link = "を" if event.cards else ""
    return f"{v.names[event.seat]} は {v.names[event.to]} に{what}{link}{verb}"


def _discarded(v: Speaker, s: State, event: e.Discarded) -> str:
    if not event.size:
        return f"{v.names[event.seat]} は何も捨てない"
    link = "を" if event.cards else ""
    return f"{v.names[event.seat]} は{mask(event.cards, event.size)}{link}捨てた"


def _thrown(v: Speaker, s: State, event: e.Thrown) -> str:
    shape = "手" if event.shape < 0 else SHAPES[event.shape]
    return f"{v.names[event.seat]} は{shape}を選んだ"


def _shown(v: Speaker, s: State, event: e.Shown) -> str:
    shapes = [f"{v.names[p]} {SHAPES[shape]}" for p, shape in enumerate(event.shapes) if shape >= 0]
    left = f"{_seats(v, event.seats)} {'の勝ち' if len(event.seats) == 1 else 'が残る'}"
    left = "あいこ" if len(event.seats) == len(shapes) else left
    return f"じゃんけん：{'、'.join(shapes)}。{left}"


def _to_move(v: Speaker, s: State, event: e.ToMove) -> str:
    if s.trick and not event.by:
        return ""
    return f"{v.names[event.seat]} の番" if s.trick else f"{v.names[event.seat]} が親"


def _played(v: Speaker, s: State, event: e.Played) -> str:
    left = s.held[event.seat].bit_count()
    rest = f"。残り{left}枚" if v.detail is Detail.FULL and left else ""
    return f"{v.names[event.seat]} は{meld(event.meld, detail=v.detail)}を出した{rest}"


def _passed(v: Speaker, s: State, event: e.Passed) -> str:
    barred = "。場が流れるまで出せない" if event.barred and v.detail is Detail.FULL else ""
    return f"{v.names[event.seat]} はパス{barred}"


def _reversed(v: Speaker, s: State, event: e.Reversed) -> str:
    if event.scope == "pending":
        return "次に場が流れたら強さが逆になる" if event.on else "次の革命は取り消された"
    until = "場が流れるまで" if event.scope == "trick" else ""
    if s.order_reversed:
        return f"{until}強さが逆になった。3が2より強い"
    return f"{until}強さが元に戻った"


def _suit_lock(value: int) -> str:
    suits = [SUIT_WORDS[i] for i in range(4) for _ in range(value >> 4 * i & 15)]
    return f"{listed(suits)}{'の' if len(suits) > 1 else ''}縛り"


def _rank_limit(value: int) -> str:
    return f"{'、'.join(RANK_WORDS[rank] for rank in range(13) if value >> rank & 1)}しか出せない"


def _marked(v: Speaker, s: State, event: e.Marked) -> str:
    match event.name:
        case "colour_lock":
            return f"{COLOUR_WORDS[event.value]}縛り" if event.value else "色の縛りが解けた"
        case "rank_limit":
            return _rank_limit(event.value)
        case "revolutions":
            return f"この回{event.value}度目の革命"
        case "suit_lock":
            return _suit_lock(event.value) if event.value else "縛りが解けた"
        case "number_lock":
            return "次の数字しか出せない" if event.value else "数字の縛りが解けた"
        case "skipped" if event.value:
            seats = [seat for seat in range(s.players) if event.value >> seat & 1]
            return f"返されなければ {_seats(v, seats)} が飛ばされる"
        case "revolution_stays":
            return "この回はもう革命できない"
        case "must_show" if event.value:
            return f"最初は{card(CODES[event.value - 1])}を含めて出す"
    return ""


def _fell(v: Speaker, s: State, event: e.Fell) -> str:
    place = 1 + s.setup.before.index(event.seat)
    last = "最下位" if len(s.fallen) == 1 else "下から2番目"
    end = "。続けて打つ" if event.stays else f"、{last}になる"
    falls = "都落ち" if place == 1 else "転落"
    return f"前回{place}位の {v.names[event.seat]} は{falls}{end}"


def _ended(v: Speaker, s: State, event: e.Ended) -> str:
    titles = (*v.titles, *[None] * len(event.places))
    places = [
        f"{place + 1}位 {v.names[seat]}" + (f"（{title(titles[place])}）" if titles[place] else "")
        for place, seat in enumerate(event.places)
    ]
    return f"終了：{'、'.join(places)}"


PHRASES: dict[type, Phrase] = {
    e.Dealt: _dealt,
    e.Retitled: lambda v, s, event: f"身分が逆になる{_titled(v, event.titles)}",
    e.Swapped: lambda v, s, event: (
        f"{v.names[event.seat]} と {v.names[event.to]} は手札をすべて交換した"
    ),
    e.Asked: lambda v, s, event: "。".join(_question(v, q) for q in event.questions),
    e.Wished: _wished,
    e.Promised: lambda v, s, event: _handed(v, event, "渡すために伏せた"),
    e.Gave: lambda v, s, event: _handed(v, event, "渡した"),
    e.Discarded: _discarded,
    e.Named: _named,
    e.Thrown: _thrown,
    e.Shown: _shown,
    e.Accepted: lambda v, s, event: (
        f"{v.names[event.seat]} は{'受けた' if event.yes else '断った'}"
    ),
    e.Took: lambda v, s, event: (
        f"{v.names[event.seat]} は場から{mask(event.cards, event.size)}を拾った"
    ),
    e.ToMove: _to_move,
    e.Played: _played,
    e.Passed: _passed,
    e.Skipped: lambda v, s, event: f"{_seats(v, event.seats)} は飛ばされた",
    e.Reversed: _reversed,
    e.Turned: lambda v, s, event: "時計回り" if event.direction > 0 else "反時計回り",
    e.Marked: _marked,
    e.Cleared: lambda v, s, event: "場が流れた",
    e.Freed: lambda v, s, event: "全員がまた出せる",
    e.Out: lambda v, s, event: f"{v.names[event.seat]} は{len(s.out)}番目に上がった",
    e.Fouled: lambda v, s, event: f"{v.names[event.seat]} は反則上がり",
    e.Fell: _fell,
    e.Expired: lambda v, s, event: (
        f"審判が {v.names[event.seat]} の代わりに答えた：{CAUSES[event.cause]}"
    ),
    e.Ended: _ended,
}


def sentence(phrase: str, option: Option | None) -> str:
    """A phrase after the name of the rule that made it happen, unless it says that itself."""
    kanji = option.kanji if option is not None and option.name != EXCHANGE else ""
    return f"{phrase}。" if kanji in phrase else f"{kanji}：{phrase}。"


def position(v: Speaker, view: View, hands: Sequence[int]) -> list[str]:
    """How things stand: the pile, whose turn it is, what is in force, and each seat."""
    if view.pile is None:
        pile = "場には何もない。"
    else:
        pile = f"場：{v.names[view.owner]} の{meld(view.pile, detail=Detail.NORMAL)}。"
    turn = [f"{v.names[view.to_move]} の番。"] if view.to_move >= 0 else []
    active = in_force(view)
    rules = [f"効いているルール：{'、'.join(active)}。"] if active else []
    seats = [_seat_line(v, view, seat, held) for seat, held in enumerate(hands)]
    return [pile, *turn, *rules, *seats]


def answer(choice: Answer | Meld) -> str:
    """What one may answer."""
    match choice:
        case Meld():
            return meld(choice, detail=Detail.NORMAL)
        case Give(cards=held):
            return f"{cards(codes(held))}を渡す" if held else "何も渡さない"
        case Discard(cards=held):
            return f"{cards(codes(held))}を捨てる" if held else "何も捨てない"
        case Name(ranks=named):
            written = "、".join(RANK_WORDS[rank] for rank in named)
            return f"{written}を指定する" if named else "何も指定しない"
        case Ask(wishes=wishes):
            return f"{'、'.join(map(_wish, wishes))}を求める" if wishes else "何も求めない"
        case Throw(shape=shape):
            return SHAPES[shape]
        case Accept(yes=yes):
            return "受ける" if yes else "断る"
        case Play():
            return cards(codes(choice.cards))
        case Pass():
            return "パス"


def in_force(view: View) -> list[str]:
    """What is in force besides the usual, in phrases."""
    rules = ["強さは逆"] if view.order_reversed else []
    rules += ["次に場が流れたら革命"] if view.pending else []
    rules += ["反時計回り"] if view.direction < 0 else []
    rules += [_suit_lock(view.suit_lock)] if view.suit_lock else []
    rules += ["次の数字しか出せない"] if view.number_lock else []
    rules += [f"{COLOUR_WORDS[view.colour_lock]}縛り"] if view.colour_lock else []
    return rules + ([_rank_limit(view.rank_limit)] if view.rank_limit else [])


def _seat_line(v: Speaker, view: View, seat: int, held: int) -> str:
    name, place = v.names[seat], view.places[seat]
    if place is not None:
        return f"{name}：{place}位。"
    passed = "、パスした" if view.passed[seat] else ""
    shown = f"：{cards(codes(held))}" if held else ""
    return f"{name}：{view.counts[seat]}枚{passed}{shown}。"


JAPANESE = Language("ja", PHRASES, sentence, position, answer, in_force, card, title, "")
