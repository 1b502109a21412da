"""Small tables in card notation: before, moves, after; in the words of the vector files."""

from __future__ import annotations

from typing import Any

from arena.rules import legal
from tests.rules.vectors import Scene


def table(
    options: dict[str, Any], hands: str, laid: str = "", *, preset: str = "pagat", **state: Any
) -> Scene:
    """A table. hands: ``"A S3 S4 / B H5"``; laid: plays on the table, ``"A S4 H4, C D7 JK as S7"``.

    The first player is to move unless `turn` says otherwise; other members as in the vector files.
    """
    cards = {name: names for name, *names in (hand.split() for hand in hands.split("/"))}
    players = state.pop("players", list(cards))
    given = {"players": players, "hands": cards, "table": [action(p, "cards") for p in moves(laid)]}
    given["turn"] = players[0]
    return Scene({"preset": preset, "options": options, "state": given | state})


def moves(text: str) -> list[str]:
    return [move.strip() for move in text.split(",") if move.strip()]


def action(text: str, kind: str = "play") -> dict[str, Any]:
    """``"A S3"``, ``"A JK S4 as S3"``, ``"A pass"``, ``"A give S3"``, ``"A name 5"``,
    ``"A accepts"``, ``"A declines"``."""
    move, _, reason = text.partition("!")
    plain, _, roles = move.partition(" as ")
    by, *words = plain.split()
    if words and words[0] in ("accepts", "declines"):
        done_: dict[str, Any] = {"by": by, "accept": words[0] == "accepts"}
        return done_ | ({"illegal": reason.strip()} if reason else {})
    if words and words[0] in ("pass", "give", "discard", "name"):
        kind, *words = words
    done: dict[str, Any] = {"by": by, kind: True if kind == "pass" else words}
    if roles:
        done["as"] = roles.split()
    if reason:
        done["illegal"] = reason.strip()
    return done


def after(scene: Scene, does: str) -> Scene:
    """The table after some moves; ``"A S3 !too_low"`` has to be refused for that reason."""
    for move in moves(does):
        scene.act(action(move))
    return scene


def holds(scene: Scene, **facts: Any) -> None:
    """These facts hold now; hands are given as ``hand_A="S3 S4"``."""
    for name, expected in facts.items():
        if name.startswith("hand_"):
            player = name.removeprefix("hand_")
            assert scene.hand(player, []) == sorted(expected.split()), name
        else:
            assert scene.agrees(name, expected), (name, scene.fact(name), expected)


def listed(scene: Scene) -> list[str]:
    """The plays that are legal for whose turn it is, in canonical order."""
    menu = legal(scene.rules, scene.state, scene.state.to_move)
    return [" ".join(meld.codes) for meld in menu.melds]
