"""`arena rate` on record files: models, pools, further tables, alerts, pictures."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from arena.cli.main import group
from arena.errors import BadInput
from arena.tournament.random_stream import RandomStream
from tests.cli.shell import check_shape
from tests.referee.table import Arena

BOTS = ("b-one", "b-two", "b-three", "b-four", "b-five", "b-six")
NAMES = ("貧民の星", "carol", "dave", "エリカ", "frank", "grace")


def record(table, number, *, fingerprint="f00d", size=4):
    """The members of a hand's record that ratings read."""
    lots = RandomStream(1, "hand", table, number)
    line_up = sorted(RandomStream(1, "table", table).shuffled(range(len(BOTS)))[:size])
    strength = [lots.below(1000) + 60 * bot for bot in line_up]
    places = sorted(range(size), key=lambda player: -strength[player])
    return {
        "format": "daifugo-arena/hand/1",
        "session": "s",
        "table": f"s-r01-t{table:02}",
        "hand": f"s-r01-t{table:02}-h{number:03}",
        "block": f"s-r01-t{table:02}",
        "fingerprint": fingerprint,
        "bots": [BOTS[bot] for bot in line_up],
        "players": [NAMES[bot] for bot in line_up],
        "seating": list(lots.shuffled(range(size))),
        "result": {
            "places": places,
            "finish": list(range(1, size + 1)),
            "faults": [],
            "forfeits": [],
        },
    }


@pytest.fixture
def cup(tmp_path):
    """Twenty tables of five hands; the last one is cut short."""
    lines = [record(table, number) for table in range(20) for number in range(5)][:-3]
    file = tmp_path / "cup.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def rate(*arguments):
    done = CliRunner().invoke(group, ["rate", *map(str, arguments)])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def test_further_tables_follow_the_standings_in_one_order(cup):
    plain = rate(cup)
    text = rate("--separation", "--cross", "--los", "--counts", cup)
    assert text.startswith(plain)
    parts = text.removeprefix(plain).split("\n\n")
    assert len(parts) == 4
    assert "/" in parts[1]
    assert "verdict" in parts[3]
    assert "%" not in rate("--cross", "--format", "csv", cup).splitlines()[-1]


def test_plackett_luce_is_rated_on_request_and_says_so(cup):
    assert "Plackett-Luce on whole hands" in rate("--model", "pl", cup)
    told = json.loads(rate("--model", "pl", "--json", cup))
    check_shape(told, "rate")
    assert told["model"] == "plackett_luce"
    assert "Bradley-Terry" in rate(cup)


def test_alerts_say_what_was_tested(cup):
    text = rate("--alerts", cup)
    assert "pairs that help each other: " in text
    assert "partial blocks: 1" in text
    told = json.loads(rate("--alerts", "--json", cup))
    check_shape(told, "rate")
    document = told["alerts"]
    assert document["partial_blocks"] == [{"block": "s-r01-t19", "hands": 2, "due": 5}]
    assert len(document["seats"]) == 6
    assert len(document["seat_effects"]) == 4


def test_a_history_needs_the_first_line_of_the_file(cup):
    with pytest.raises(BadInput, match="records of one session, with its first line"):
        rate("--history", cup)


@pytest.mark.slow
def test_a_history_follows_the_standings(tmp_path):
    arena = Arena()
    arena.session(5, schedule={"rounds": 3}, hands_per_table=1)
    arena.play()
    cup = tmp_path / "cup.jsonl"
    cup.write_text("".join(arena.referee.queries.records("cup", full=True)), encoding="utf-8")
    assert rate("--history", cup).startswith(rate(cup))
    assert "complete: 3 rounds." in rate("--history", cup)
    told = json.loads(rate("--history", "--json", cup))
    check_shape(told, "rate")
    assert [each["round"] for each in told["history"]["rounds"]] == [1, 2, 3]
    masked = rate("--history", "--pseudonyms", "--key", "class-key", cup)
    assert "bot-1" not in masked
    assert masked.count("complete: 3 rounds.") == 1


@pytest.mark.slow
def test_luck_is_taken_out_on_request_and_refused_where_the_mean_would_not_be_kept(tmp_path):
    def recorded(slug, **members):
        arena = Arena()
        arena.session(4, slug=slug, hands_per_table=1, **members)
        arena.play()
        file = tmp_path / f"{slug}.jsonl"
        file.write_text("".join(arena.referee.queries.records(slug, full=True)), encoding="utf-8")
        return file

    cup = recorded("cup", schedule={"rounds": 12})
    text = rate("--luck", cup)
    assert text.startswith(rate(cup))
    assert "Not the official number" in text
    told = json.loads(rate("--luck", "--json", cup))
    check_shape(told, "rate")
    assert [bot["hands"] for bot in told["luck"]["bots"]] == [12] * 4
    with pytest.raises(BadInput, match="line-ups of a swiss follow from results"):
        rate("--luck", recorded("swiss", schedule={"kind": "swiss", "rounds": 4}))
    with pytest.raises(BadInput, match="share their shuffles"):
        rate(
            "--luck",
            recorded("common", deals="common", deals_may_repeat=True, schedule={"rounds": 4}),
        )
    with pytest.raises(BadInput, match="4; expected 10 or more"):
        rate("--luck", recorded("few", schedule={"rounds": 4}))


def test_versions_of_a_bot_are_listed_with_what_each_has_gained(tmp_path):
    arena = Arena()
    arena.session(4, schedule={"rounds": 1}, hands_per_table=3)
    arena.play()
    text = "".join(arena.referee.queries.records("cup", full=True))
    for bot, called in (("bot-1", "otter"), ("bot-2", "otter@2")):
        text = text.replace(f'"{bot}"', f'"{called}"')
    text = text.replace('"owner":"otter@2"', '"owner":"otter"')
    cup = tmp_path / "cup.jsonl"
    cup.write_text(text, encoding="utf-8")
    (lineage,) = json.loads(rate("--versions", "--json", cup))["versions"]["lineages"]
    assert (lineage["name"], [each["version"] for each in lineage["versions"]]) == (
        *("otter", ["", "2"]),
    )
    check_shape(json.loads(rate("--versions", "--history", "--json", cup)), "rate")
    assert "better%" in rate("--versions", cup)
    with pytest.raises(BadInput, match="they say what is one"):
        rate("--versions", "--pseudonyms", "--key", "class-key", cup)


def test_a_picture_of_the_ratings_is_written(cup, tmp_path):
    rate("--plot", tmp_path / "cup.svg", cup)
    assert "貧民の星" in (tmp_path / "cup.svg").read_text(encoding="utf-8")
    with pytest.raises(BadInput, match=r"\.svg or \.png"):
        rate("--plot", tmp_path / "cup.pdf", cup)


def test_pools_are_refused_unless_each_is_asked_for_by_itself(cup, tmp_path):
    other = tmp_path / "other.jsonl"
    lines = [record(table, 1, fingerprint="beef") for table in range(30, 39)]
    other.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with pytest.raises(BadInput, match="--pools"):
        rate(cup, other)
    text = rate("--pools", cup, other)
    assert "pool beef/4" in text
    assert "pool f00d/4" in text
    told = json.loads(rate("--pools", "--json", cup, other))
    check_shape(told, "rate")
    assert [board["hands"] for board in told] == [9, 97]
    with pytest.raises(BadInput, match="one pool"):
        rate("--pools", "--plot", tmp_path / "x.svg", cup, other)


def test_casual_play_is_never_rated_and_one_line_says_so(cup, tmp_path):
    played = [{**record(0, number), "session": "play", "rated": False} for number in (1, 2, 3)]
    casual = tmp_path / "play-1.jsonl"
    casual.write_text("".join(json.dumps(line) + "\n" for line in played), encoding="utf-8")
    done = CliRunner().invoke(group, ["rate", str(cup), str(casual)])
    assert done.exit_code == 0
    assert done.stdout == rate(cup)
    assert done.stderr == "Note: 3 hands of casual play left out; it is never rated.\n"
    with pytest.raises(BadInput, match="3 hands of casual play'; expected hands that are rated"):
        rate(casual)
    casual.write_text(json.dumps({**played[0], "rated": "no"}), encoding="utf-8")
    with pytest.raises(BadInput, match="line 1: rated is 'no'; expected true or false"):
        rate(casual)


def test_the_order_of_files_does_not_change_a_byte(cup, tmp_path):
    lines = cup.read_text(encoding="utf-8").splitlines(keepends=True)
    for name, part in (("a", lines[:40]), ("b", lines[40:])):
        (tmp_path / name).write_text("".join(part), encoding="utf-8")
    one, other = tmp_path / "a", tmp_path / "b"
    assert rate("--alerts", one, other) == rate("--alerts", other, one) == rate("--alerts", cup)
