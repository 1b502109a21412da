"""Every vector of the file holds (`--vectors FILE` for another file of the format)."""

from __future__ import annotations

from typing import Any

from arena.rules.cards import IDS, codes, parse
from arena.rules.opening import survivors
from arena.rules.options.exchange import asked, program_for
from arena.rules.options.finishing import most_cards
from arena.rules.options.seats import new_seats
from arena.rules.options.titles import points_for, poor_classes, titles_for
from arena.sitting import next_dealer, overall
from arena.wire import legal_entries
from arena.wire.values import read_wish
from tests.rules.dealing import dealt
from tests.rules.vectors import Scene, Vector, ruleset_of


def test_vector(vector: Vector) -> None:
    """State, actions, facts; or a pure function's answer; or the complete legal list."""
    kinds = {"play": check_play, "fn": check_function, "legal": check_legal}
    kinds[vector["kind"]](vector)


def check_play(vector: Vector) -> None:
    scene = Scene(vector)
    for action in vector["do"]:
        scene.act(action)
    for name, expected in vector["then"].items():
        if name == "hand":
            for player, cards in expected.items():
                wanted = sorted(cards) if isinstance(cards, list) else cards
                assert scene.hand(player, cards) == wanted, player
        else:
            assert scene.agrees(name, expected), (name, scene.fact(name))


def check_legal(vector: Vector) -> None:
    scene = Scene(vector)
    for action in vector.get("do", []):
        scene.act(action)
    ((seat, _),) = scene.state.open
    entries = legal_entries(scene.rules, scene.state, seat)
    question = scene.state.question_for(seat)
    if question is not None and question.kind in ("give", "discard"):
        entries = [{question.kind: entry["cards"]} for entry in entries]
    assert entries == vector["legal"]


def check_function(vector: Vector) -> None:
    assert FUNCTIONS[vector["fn"]](vector, vector["in"]) == vector["out"]


def janken(vector: Vector, given: dict[str, Any]) -> dict[str, Any]:
    names = list(given)
    left = survivors({i: "RPS".index(given[name]) for i, name in enumerate(names)})
    return {"survivors": [names[i] for i in left]}


def titles(vector: Vector, given: dict[str, Any]) -> dict[str, Any]:
    return {"titles": list(titles_for(given["scheme"], given["n"]))}


def deal_counts(vector: Vector, given: dict[str, Any]) -> dict[str, Any]:
    each, more = divmod(given["cards"], given["players"])
    decks = 2 if given["cards"] > 56 else 1
    odd = given["cards"] - 52 * decks
    options = {"decks": decks, "jokers": max(0, odd), "blind_cards": max(0, -odd)}
    rules = ruleset_of({"preset": "pagat", "options": options}, given["players"])
    counts = sorted((h.bit_count() for h in dealt(rules).held), reverse=True)
    assert counts == [each + 1] * more + [each] * (given["players"] - more)
    return {"sorted_counts": counts}


def exchange_program(vector: Vector, given: dict[str, Any]) -> dict[str, Any]:
    return {"program": [list(step) for step in program_for(given["name"], given["n"])]}


def owed_cards(vector: Vector, given: dict[str, Any]) -> dict[str, Any]:
    hand = parse(given["hand"])
    keeps = vector["options"].get("exchange_keep_joker") and given.get("giver") == "dai_hinmin"
    if keeps:
        hand &= ~parse(["JK"] * given["hand"].count("JK"))
    must, choose_from, choose = 0, 0, 0
    for mask, count in asked(hand, given["n"], ()):
        if mask.bit_count() == count:
            must |= mask
        else:
            choose_from, choose = mask, count
    in_order = sorted(codes(must), key=lambda c: -100 if c == "JK" else -(IDS[c] // 4))
    chosen = list(codes(choose_from))
    if sorted(chosen) == sorted(vector["out"]["choose_from"]):
        chosen = vector["out"]["choose_from"]
    return {"must": in_order, "choose_from": chosen, "choose": choose}


def seats(vector: Vector, given: dict[str, Any]) -> dict[str, Any]:
    players = given.get("seats") or given["order"]
    number = {name: i for i, name in enumerate(players)}
    after = new_seats(given["mode"], range(len(players)), [number[p] for p in given["order"]])
    named = [players[i] for i in after]
    if "seats" in vector["out"]:
        return {"seats": named}
    start = named.index(given["order"][-1])
    return {"clockwise_from_last": named[start:] + named[:start]}


def score(vector: Vector, given: dict[str, Any]) -> dict[str, Any]:
    n = len(given["places"])
    rules = ruleset_of(vector)
    scheme = given.get("titles", rules.options["titles"])
    table = tuple(given.get("table", given.get("score_table", rules.options["score_table"])))
    points = points_for(given["scoring"], titles_for(scheme, n), table)
    return {"points": dict(zip(given["places"], points, strict=True))}


def overall_winner(vector: Vector, given: dict[str, Any]) -> dict[str, Any]:
    mode = given.get("mode") or ruleset_of(vector).options["overall_winner"]
    hands = given.get("hands") or [given["places"]]
    return {"winner": overall(mode, hands, given.get("points", {}))}


def both_jokers(vector: Vector, given: dict[str, Any]) -> dict[str, Any]:
    """titles: a list best to last, or player → title; holder: a player or a title."""
    titles = given["titles"]
    named = titles if isinstance(titles, dict) else dict(enumerate(titles))
    scheme = titles_for(ruleset_of(vector).options["titles"], len(named))
    poor = scheme[-max(1, min(2, poor_classes(scheme))) :]
    holder = given.get("holder")
    turns = named.get(holder, holder) in poor
    opposite = dict(zip(scheme, reversed(scheme), strict=True))
    after = {p: opposite[t] if turns else t for p, t in named.items()}
    return {"titles": after if isinstance(titles, dict) else list(after.values())}


def between_hands(vector: Vector, given: dict[str, Any]) -> dict[str, Any]:
    options = ruleset_of(vector).options
    seats = given["clockwise"]
    order = [seats.index(p) for p in given["finish"]]
    step = 1 if options["direction"] == "cw" else -1
    last = seats.index(given["dealer"])
    dealer = next_dealer(options["next_dealer"], last, order, len(seats), step=step)
    leads = {"loser": given["finish"][-1], "winner": given["finish"][0]}
    leads["dealer_left"] = seats[(dealer + step) % len(seats)]
    return {
        "dealer": seats[dealer],
        "leader": leads.get(options["next_lead"], options["next_lead"]),
    }


def asked_cards(vector: Vector, given: dict[str, Any]) -> dict[str, Any]:
    hand = parse(given["hand"])
    wishes = tuple(read_wish(w) for w in given["asked"])
    expected = vector["out"]["given"]
    by_suit = ruleset_of(vector).options["exchange_ties"] == "suits"
    way = asked(hand, given.get("n", len(given["asked"])), wishes, by_suit=by_suit)
    cards = parse(expected)
    fits = all((cards & mask).bit_count() == count for mask, count in way)
    size = sum(count for _, count in way)
    return {"given": expected if fits and cards.bit_count() == size else [way]}


def loser_by_cards(vector: Vector, given: dict[str, Any]) -> dict[str, Any]:
    return {"loser": most_cards(given["left"], given["winner"], given["clockwise"])}


def miyako_target(vector: Vector, given: dict[str, Any]) -> dict[str, Any]:
    if given["first_out_is_old_winner"]:
        return {"falls_to": None}
    return {"falls_to": given["titles"][-1]}


FUNCTIONS = {
    "janken": janken,
    "titles": titles,
    "deal_counts": deal_counts,
    "exchange_program": exchange_program,
    "owed": owed_cards,
    "seats": seats,
    "score": score,
    "overall_winner": overall_winner,
    "both_jokers": both_jokers,
    "between_hands": between_hands,
    "asked": asked_cards,
    "most_cards": loser_by_cards,
    "miyako_target": miyako_target,
}
