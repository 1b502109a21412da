"""What the program itself says at a table, in English and in Japanese.

What happens in the game is said by `arena.narration`; here is only what stands around it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from arena.errors import Reason


class Phrases(NamedTuple):
    """One language. Members with braces are completed by `str.format`; refused: by reason, where
    the text of the refusal itself is in another language."""

    hand: str
    your_turn: str
    held: str
    choices: str
    more: str
    enter_passes: str
    enter_only: str
    answer: str
    no_choice: str
    several: str
    not_read: str
    not_allowed: str
    rule: str
    nothing_yet: str
    next_hand: str
    place: str
    place_titled: str
    places: str
    left: str
    ended: str
    seed: str
    show: str
    replay: str
    help: tuple[str, ...]
    refused: Mapping[Reason, str]


ENGLISH = Phrases(
    hand="Hand {number} of {of}.",
    your_turn="Your turn.",
    held="Your cards: {cards}.",
    choices="You may answer, by number or in cards:",
    more="And {count} more: type moves.",
    enter_passes="Enter alone passes.",
    enter_only="Enter alone takes the only answer.",
    answer="Your answer (? for help): ",
    no_choice="There is no answer {number}; the last one is {last}.",
    several="These cards can be played in several ways. Take one by its number:",
    not_read="That was not understood: {why}. Type ? for help.",
    not_allowed="Not allowed: {why}.",
    rule="The rule is {name}: {says} It rests on {rests}.",
    nothing_yet="Nothing yet.",
    next_hand="Enter for the next hand, quit to leave: ",
    place="Your place: {place} of {of}.",
    place_titled="Your place: {place} of {of}, {title}.",
    places="Your places, hand by hand: {places}.",
    left="You have left the table.",
    ended="The input has ended, so the hand stays unfinished.",
    seed="Same cards again: --seed {seed}",
    show="Read it again:    arena show {file} --hand {position}",
    replay="Watch it again:   arena replay {file} --hand {position}",
    help=(
        "Type the cards you play, such as S4 H4, or the number of an answer in the list.",
        "A card is its suit S H D C and its rank 3-9 T J Q K A 2. The joker is JK.",
        "Say what a joker stands for with as: S4 S5 JK as S6.",
        "pass, or Enter alone, passes. Ranks are named as name T Q, cards asked for as ask A JK.",
        "hand: your cards in words. moves: all you may answer. trick: what lies on the table.",
        "table: how things stand. counts: cards of each player. last 20: the last 20 sentences.",
        "rules: the rules of this game. rules NAME: one rule. quit: leave the table.",
    ),
    refused={},
)

JAPANESE = Phrases(
    hand="第{number}ゲーム（全{of}ゲーム）。",
    your_turn="あなたの番です。",
    held="手札：{cards}。",
    choices="番号かカードで答えてください。",
    more="ほかに{count}通り。moves ですべて表示します。",
    enter_passes="Enter だけでパス。",
    enter_only="Enter だけで、ただ一つの答えを選びます。",
    answer="答え（? でヘルプ）：",
    no_choice="{number}番はありません。最後は{last}番です。",
    several="このカードの出し方は一つではありません。番号で選んでください。",
    not_read="読み取れませんでした：{why}。? でヘルプ。",
    not_allowed="できません：{why}。",
    rule="ルール {name}：{says} 根拠：{rests}。",
    nothing_yet="まだ何もありません。",
    next_hand="Enter で次のゲーム、quit で終了：",
    place="{of}人中{place}位でした。",
    place_titled="{of}人中{place}位、{title}でした。",
    places="ゲームごとの順位：{places}。",
    left="席を立ちました。",
    ended="入力が終わったので、ゲームは途中で終わりました。",
    seed="同じカードでもう一度：--seed {seed}",
    show="文章で読む：  arena show {file} --hand {position} --language ja",
    replay="もう一度見る：arena replay {file} --hand {position} --language ja",
    help=(
        "出すカード（例：S4 H4）か、選択肢の番号を入力してください。",
        "カードはスート S H D C と数字 3-9 T J Q K A 2 で書きます。ジョーカーは JK です。",
        "ジョーカーの代わりは as で書きます：S4 S5 JK as S6。",
        "pass か Enter だけでパス。数字の指定は name T Q、カードを求めるには ask A JK。",
        "hand：手札。moves：すべての選択肢。trick：場に出たカード。",
        "table：今の状況。counts：枚数。last 20：最近の20文。",
        "rules：このゲームのルール。rules 名前：一つのルール。quit：席を立つ。",
    ),
    refused={
        Reason.HAND_OVER: "ゲームは終わっています",
        Reason.CHOICE_PENDING: "先に質問に答えてください",
        Reason.NO_CHOICE: "質問はありません",
        Reason.NOT_YOUR_TURN: "あなたの番ではありません",
        Reason.MUST_LEAD: "親はカードを出さなければなりません",
        Reason.NOT_IN_HAND: "手札にないカードです",
        Reason.PASSED_OUT: "パスしたので、場が流れるまで出せません",
        Reason.BAD_SHAPE: "その組み合わせは出せません",
        Reason.MUST_SHOW: "決められたカードを含めなければなりません",
        Reason.WRONG_KIND: "場のカードと種類か枚数が違います",
        Reason.TOO_LOW: "場のカードより強くありません",
        Reason.SUIT_LOCKED: "縛りのスートに合いません",
        Reason.NUMBER_LOCKED: "次の数字しか出せません",
        Reason.ANSWERS_ONLY: "それはほかのカードに返すときだけ出せます",
        Reason.FORBIDDEN_FINISH: "そのカードでは上がれません",
        Reason.TOO_MANY: "枚数が多すぎます",
        Reason.TOO_FEW: "枚数が足りません",
        Reason.NOT_OWED: "渡すべきカードではありません",
        Reason.BAD_NAME: "その数字は指定できません",
        Reason.UNCLEAR: "どの手か分かりません",
    },
)

PHRASES: Mapping[str, Phrases] = {"en": ENGLISH, "ja": JAPANESE}


class Watching(NamedTuple):
    """What stands around a hand that is watched."""

    waiting: str
    hand: str
    place: str
    passed: str
    live: str
    paused: str
    playing: str
    behind: str
    hidden: str
    page: str
    keys: str


WATCHING: Mapping[str, Watching] = {
    "en": Watching(
        waiting="Waiting for a hand.",
        hand="hand {number} of {of}",
        place="place {place}",
        passed="passed",
        live="LIVE",
        paused="paused",
        playing="playing at {speed}x",
        behind="{count} behind",
        hidden="What happens here is shown when the tables with the same cards have ended.",
        page="On a page: {page}",
        keys="space pause  ←/→ step  n/p notable  PgUp/PgDn hand  End live  </> speed  q quit",
    ),
    "ja": Watching(
        waiting="ゲームを待っています。",
        hand="第{number}ゲーム（全{of}）",
        place="{place}位",
        passed="パス",
        live="ライブ",
        paused="一時停止",
        playing="再生 {speed}倍",
        behind="{count}個前",
        hidden="同じカードの卓が終わってから表示されます。",
        page="ページ：{page}",
        keys="space 停止  ←/→ 一歩  n/p 見どころ  PgUp/PgDn ゲーム  End ライブ  q 終了",
    ),
}
