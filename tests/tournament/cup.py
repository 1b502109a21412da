"""One small session with everything a table of standings may have to show."""

from __future__ import annotations

from arena.tournament.pairing.schedules import round_robin, statistics
from arena.tournament.random_stream import RandomStream
from arena.tournament.results import HandResult, settle
from arena.tournament.standings import Entrant, Facts, compile_standings

POOL = "f00dcafe/4"
ENTRANTS = (
    Entrant("b0", "貧民の星", "山田", entry=0, points=3.5, move_ms=12.25),
    Entrant("b1", "carol|pipes", "carol", entry=1),
    Entrant("b2", "大富豪たろう・八切りの達人三世", "鈴木", entry=2),
    Entrant("b3", "革命家", "佐藤", entry=3),
    Entrant("b4", "=SUM(A1:A9)", "mallory", entry=4),
    Entrant("b5", "<b>bold</b>", "mallory", entry=5, withdrawn=True, hands_due=40),
    Entrant("b6", "ジョーカー使い", "高橋", entry=6),
    Entrant("b7", "無敵ボット", "伊藤", entry=7),
    Entrant("house", "house heuristic", "", entry=8),
    Entrant("late", "遅れて来た", "渡辺", entry=9),
    Entrant("gone", "早退", "中村", entry=10, withdrawn=True, hands_due=40),
    Entrant("absent", "来なかった", "小林", entry=11),
)
SCHEDULE = round_robin([f"owner {i}" for i in range(9)], 4, rounds=9, house=0, seed=2025)
FACTS = Facts(
    session="春の杯 2025",
    ruleset="nihon",
    fingerprint="f00dcafe",
    seats=4,
    schedule=SCHEDULE.kind,
    rounds=len(SCHEDULE.rounds),
    meetings=statistics(SCHEDULE)[:2],
    reseat_every=1,
    deals="fresh",
    commitment="sha256:" + "5e" * 32,
    version="0.1.0",
    partial_blocks=1,
)


def hands() -> list[HandResult]:
    """Five hands a table; the places are drawn by lot, better bots with better lots."""
    lots = RandomStream(2025, "cup")
    played = []
    for number, table in enumerate(SCHEDULE.tables):
        bots = [_bot(participant, number) for participant in table]
        mood = [lots.below(300) for _ in bots]
        for turn in range(5):
            luck = [lots.below(1000) + 60 * int(p) for p in table]
            score = [
                a + b + 9_000 * (bot == "b7") for a, b, bot in zip(luck, mood, bots, strict=True)
            ]
            places = [1 + sum(other > own for other in score) for own in score]
            faults = ("b3",) if "b3" in bots and turn == 4 and number % 3 == 0 else ()
            played.append(settle(bots, places, block=f"t{number}", pool=POOL, faults=faults))
    return played


def _bot(participant: int, table: int) -> str:
    """Participant 8 is a house bot, but for a latecomer and one who soon went."""
    if participant < 8:
        return f"b{participant}"
    return "late" if table > 14 else "gone" if table < 4 else "house"


STANDINGS = compile_standings(hands(), ENTRANTS, facts=FACTS, anchor="b2", anchor_blocks=5)
