"""An organiser's life from the command line: freeze, embargo, publish, void, replay, the log."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from werkzeug.serving import make_server

from arena.cli.main import group
from arena.cli.organise.alerts import when_read
from arena.client import ArenaProblem
from arena.errors import BadInput, Forbidden
from tests.real import Real
from tests.web.api.test_results import play
from tests.web.conftest import with_token

pytestmark = pytest.mark.slow

MEMBERS = {"seats": 4, "schedule": {"rounds": 2}}


class Desk:
    """A real arena behind a socket, and the commands of its organiser, of a bot, of anybody."""

    def __init__(self, real: Real, url: str) -> None:
        self.real = real
        self.url = url
        self.token = token_of(real.organiser)

    def run(self, *words: str, token: str | None = None) -> str:
        environ = {"ARENA_URL": self.url, "ARENA_ADMIN_TOKEN": token, "ARENA_TOKEN": None}
        done = CliRunner().invoke(group, words, env=environ)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code == 0, done.output
        return done.stdout

    def admin(self, *words: str) -> str:
        return self.run(*words, token=self.token)


def token_of(client: object) -> str:
    header: str = client.environ_base["HTTP_AUTHORIZATION"]  # type: ignore[attr-defined]
    return header.removeprefix("Bearer ")


@pytest.fixture
def desk() -> Iterator[Desk]:
    real = Real()
    real.session(5, **MEMBERS, board="pseudonymous")
    play(real, at_most=60)
    server = make_server("127.0.0.1", 0, real.app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield Desk(real, f"http://127.0.0.1:{server.server_port}")
    server.shutdown()
    thread.join(10)
    server.server_close()


def test_results_are_frozen_embargoed_and_published(desk: Desk) -> None:
    assert "results   frozen" in desk.admin("session", "freeze", "cup")
    desk.admin("session", "publish", "cup")
    until = "2027-06-30T18:00:00Z"
    told = desk.admin("session", "embargo", "cup", "--until", until)
    assert "results   embargoed until 2027-06-30T18:00:00.000Z" in told
    with pytest.raises(ArenaProblem, match="embargoed until 2027-06-30"):
        desk.run("standings", "cup")
    assert "Spring cup" in desk.admin("standings", "cup")
    view = json.loads(desk.admin("session", "publish", "cup", "--json"))
    assert view["publication"]["results"] == "live"
    assert "Spring cup" in desk.run("standings", "cup")


def test_bots_are_put_into_divisions_and_ranked_there(desk: Desk) -> None:
    body = {"divisions": [{"id": "students", "name": "Students"}]}
    assert desk.real.organiser.patch("/api/v1/sessions/cup", json=body).status_code == 200
    words = ("session", "divide", "cup")
    said = desk.admin(*words, "bot-1", desk.real.ids[1], "--division", "students")
    assert "2 bots of cup now in division students" in said
    text = desk.admin("standings", "cup", "--division", "students")
    assert "division Students: 2 of 5 bots" in text
    assert "bot-3" not in text
    own = desk.run("standings", "cup", "--division", "students")
    assert "2 of 5 bots" in own
    assert "bot-1" not in own
    assert "now in no division" in desk.admin(*words, "bot-1", "--none")
    with pytest.raises(BadInput, match="--none instead"):
        desk.admin(*words, "bot-1")
    with pytest.raises(ArenaProblem, match="expected one of students"):
        desk.admin(*words, "bot-1", "--division", "guests")
    with pytest.raises(ArenaProblem, match="division is 'guests'; expected one of students"):
        desk.run("standings", "cup", "--division", "guests")


def test_a_table_is_made_void_and_played_again(desk: Desk) -> None:
    table = "cup-r01-t01"
    told = desk.admin("session", "void", table, "--reason", "power cut", "--replay", "--yes")
    assert told == f"{table} is void\n{table} is played again as {table}b\n"
    listed = desk.run("session", "tables", "cup")
    assert "power cut" in listed
    assert "bot-" not in listed
    assert "bot-1" in desk.admin("session", "tables", "cup")
    statuses = {
        t["table"]: t["status"] for t in json.loads(desk.run("session", "tables", "cup", "--json"))
    }
    assert statuses[table] == "void"
    desk.admin("session", "void", f"{table}b", "--reason", "again", "--yes")
    assert desk.admin("session", "replay", f"{table}b").endswith(f"as {table}c\n")


@pytest.mark.parametrize(
    "words", [("cancel", "cup"), ("void", "cup-r01-t01", "--reason", "power cut")]
)
def test_what_cannot_be_undone_is_asked_about(desk: Desk, words: tuple[str, ...]) -> None:
    with pytest.raises(Forbidden, match="this needs --yes"):
        desk.admin("session", *words)
    assert desk.real.referee.queries.session("cup")["status"] != "cancelled"


def test_who_is_there_is_seen_before_the_start_and_by_staff_later(desk: Desk) -> None:
    desk.real.organiser.post("/api/v1/sessions", json={"name": "Next", "slug": "next"})
    for name in ("early", "late"):
        made = desk.real.anybody.post("/api/v1/bots", json={"name": name, "owner": name}).json
        assert made is not None
        client = with_token(desk.real.app, made["token"])
        desk.admin("session", "open", "next") if name == "early" else None
        assert client.put("/api/v1/sessions/next/entry").status_code == 200
        if name == "early":
            client.get("/api/v1/turns", headers={"User-Agent": "my\x7fbot/2"})
    early, late = json.loads(desk.run("session", "bots", "next", "--json"))
    assert (early["connected"], early["client"]) == (True, "my\ufffdbot/2")
    assert (late["connected"], late["last_seen"], late["client"]) == (False, None, None)
    lines = desk.run("session", "bots", "next").splitlines()
    assert lines[2].split()[-4:-2] == ["entered", "yes"]
    assert lines[3].split()[-2:] == ["no", "never"]
    assert (
        "2, 4 at a table, 10 hands in a row; 1 connected now"
        in desk.real.anybody.get("/sessions/next").text
    )
    with pytest.raises(Forbidden, match="1 bot has never been here: late"):
        desk.admin("session", "start", "next")


def test_who_is_there_is_told_to_nobody_else_while_hands_are_played(desk: Desk) -> None:
    everybody = json.loads(desk.run("session", "bots", "cup", "--json"))
    staff = json.loads(desk.admin("session", "bots", "cup", "--json"))
    assert all("last_seen" not in entry for entry in everybody)
    assert all("last_seen" in entry for entry in staff)


def test_the_next_step_stands_below_a_session_for_people_only(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "next.json").write_text('{"name": "Next", "slug": "next"}')
    created = desk.admin("session", "create", str(tmp_path / "next.json"))
    assert created.splitlines()[-1] == "Next: arena session open next   (lets bots enter)"
    opened = desk.admin("session", "open", "next").splitlines()[-1]
    assert opened.startswith("Next: arena session start next   (when the bots are in; ")
    assert "Next:" not in desk.admin("session", "close", "next", "--json")


def test_before_it_begins_a_session_says_how_long_and_how_exact_it_will_be(
    desk: Desk, tmp_path: Path
) -> None:
    text = '{"name": "Next", "slug": "next", "seats": 3, "anchor": "bot-1"}'
    (tmp_path / "next.json").write_text(text)
    desk.admin("session", "create", str(tmp_path / "next.json"), "--open")
    for number in (1, 2, 3):
        desk.admin("session", "add", "next", f"bot-{number}")
    expected = desk.admin("session", "forecast", "next")
    assert "will take" in expected
    assert "ratings        ± " in expected
    assert "Warning: The anchor bot-1 will play 2 blocks" in expected
    document = json.loads(desk.admin("session", "forecast", "next", "--json"))
    assert document["bots"] == 3
    started = desk.admin("session", "start", "next", "--anyway")
    assert expected in started
    assert "running" in started


def test_the_audit_log_says_who_did_what_and_when(desk: Desk) -> None:
    desk.admin("session", "freeze", "cup")
    desk.admin("session", "void", "cup-r01-t01", "--reason", "power cut", "--yes")
    told = desk.admin("session", "audit", "cup").splitlines()
    assert "table.void" in told[2]
    assert "reason power cut" in told[2]
    assert "results.freeze" in told[3]
    entries = json.loads(desk.admin("session", "audit", "--json", "--limit", "2"))
    assert [entry["action"] for entry in entries] == ["table.void", "results.freeze"]
    assert desk.admin("session", "audit", "none").count("\n") == 2
    (entry,) = json.loads(desk.admin("session", "audit", "cup", "--json", "--limit", "1"))
    assert entry["action"] == "table.void"


def test_the_audit_log_says_in_words_what_was_changed_and_for_whom(desk: Desk) -> None:
    desk.admin("session", "rename", "cup", "Summer cup")
    renamed = desk.admin("session", "audit", "cup", "--limit", "1").splitlines()[2]
    assert renamed.endswith("session cup, name Spring cup -> Summer cup")
    assert "{" not in desk.admin("session", "audit", "cup")


def test_the_audit_log_has_reasons_names_beside_ids_and_filters(desk: Desk) -> None:
    reason = ("--reason", "plays for two", "--yes")
    desk.admin("session", "disqualify", "cup", "bot-2", *reason)
    desk.admin("session", "cancel", "cup", "--reason", "fire alarm", "--yes")
    cancelled, disqualified = desk.admin("session", "audit", "cup", "--limit", "2").splitlines()[2:]
    assert cancelled.endswith("session cup, reason fire alarm")
    assert "organiser (b-" in disqualified
    assert "session cup, bot bot-2 (b-" in disqualified
    assert disqualified.endswith("reason plays for two")
    by_bots = json.loads(desk.admin("session", "audit", "--by", "bots", "--json"))
    assert {entry["actor_kind"] for entry in by_bots} <= {"bot", "house"}
    entries = json.loads(desk.admin("session", "audit", "--action", "entry.dis", "--json"))
    assert [entry["action"] for entry in entries] == ["entry.disqualified"]
    assert json.loads(desk.admin("session", "audit", "--who", "nobody", "--json")) == []
    assert json.loads(desk.admin("session", "audit", "--who", "organiser", "--json")) != []
    standings = desk.admin("standings", "cup")
    assert "‡ disqualified" in standings


def test_the_audit_of_a_session_is_found_behind_that_of_others(desk: Desk) -> None:
    desk.admin("session", "freeze", "cup")
    desk.real.organiser.post("/api/v1/sessions", json={"name": "Other", "slug": "other"})
    (newest,) = json.loads(desk.admin("session", "audit", "cup", "--json", "--limit", "1"))
    assert newest["action"] == "results.freeze"


def test_standings_come_with_further_tables_from_a_running_arena(desk: Desk) -> None:
    play(desk.real)
    text = desk.run("standings", "cup", "--cross", "--counts", "--los", "--separation")
    assert "complete: " in desk.run("standings", "cup", "--history")
    assert "rounds" in json.loads(desk.run("standings", "cup", "--history", "--json"))["history"]
    assert text.count("\n\n") >= 6
    assert "verdict" in text
    documents = json.loads(desk.run("standings", "cup", "--json", "--cross", "--separation"))
    assert list(documents) == ["standings", "crosstable", "separations"]
    assert json.loads(desk.run("standings", "cup", "--json"))["session"] == "Spring cup"
    with pytest.raises(ArenaProblem):
        desk.run("standings", "cup", "--alerts")
    assert "not verdicts" in desk.admin("standings", "cup", "--alerts")


def test_alerts_by_moves_are_printed_for_organisers(desk: Desk) -> None:
    play(desk.real)
    text = desk.admin("session", "alerts", "cup", "--wait")
    assert "moves that favour another bot: " in text
    told = json.loads(desk.admin("session", "alerts", "cup", "--json"))
    assert (told["moves_hands"], told["moves_hands_unread"]) == (4, 0)
    with pytest.raises(ArenaProblem, match="scope 'view'"):
        desk.run("session", "alerts", "cup", token=token_of(desk.real.bots[0]))


def test_who_waits_for_moves_is_told_how_many_are_missing_and_not_kept_for_ever(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def asked(*read: int) -> list[dict[str, int]]:
        return [{"moves_hands": hands, "moves_hands_unread": 5 - hands} for hands in read]

    answers = iter(asked(0, 2, 5))
    rests: list[float] = []
    assert when_read(next(answers), lambda: next(answers), rest=rests.append) == asked(5)[0]
    assert rests == [2.0, 2.0]
    assert "3 hands are still to be read" in capsys.readouterr().err
    stuck = when_read(asked(3)[0], lambda: asked(3)[0], rest=rests.append)
    assert stuck == asked(3)[0]
    assert len(rests) == 7


def test_each_sees_the_board_that_is_meant_for_it(desk: Desk, tmp_path: Path) -> None:
    play(desk.real)
    own = desk.real.bots[0].get("/api/v1/sessions/cup/standings").json
    assert own is not None
    mine = desk.run("standings", "cup", token=token_of(desk.real.bots[0]))
    assert f"Your bot is {own['own']}." in mine
    assert "bot-1" not in mine
    assert "bot-1" in desk.admin("standings", "cup")
    assert "bot-1" not in desk.admin("standings", "cup", "--public")
    desk.run("standings", "cup", "--plot", str(tmp_path / "cup.svg"))
    assert own["own"] in (tmp_path / "cup.svg").read_text(encoding="utf-8")
    with pytest.raises(BadInput, match=r"\.svg; for \.png"):
        desk.run("standings", "cup", "--plot", str(tmp_path / "cup.png"))


def test_staff_can_write_down_who_is_who(desk: Desk) -> None:
    lines = desk.admin("roster", "export", "cup").splitlines()
    assert lines[0].endswith(",pseudonym")
    called = {line.split(",")[0]: line.split(",")[-1] for line in lines[1:]}
    own = desk.real.bots[2].get("/api/v1/sessions/cup/standings").json
    assert own is not None
    assert called["bot-3"] == own["own"]
    public = desk.run("roster", "export", "cup")
    assert "bot-" not in public
    assert "pseudonym" not in public


def test_records_of_either_board_give_its_standings(desk: Desk, tmp_path: Path) -> None:
    table = "cup-r01-t01"
    desk.admin("session", "void", table, "--reason", "power cut", "--replay", "--yes")
    play(desk.real)
    for token in (None, desk.token):
        file = tmp_path / "cup.jsonl"
        if token:
            desk.run("session", "records", "cup", "-o", str(file), token=token)
        else:
            file.write_bytes(desk.real.anybody.get("/api/v1/sessions/cup/records").data)
        shown = desk.run("standings", "cup", token=token)
        assert desk.run("rate", str(file)) == shown
        document = json.loads(desk.run("standings", "cup", "--json", token=token))
        assert json.loads(desk.run("rate", "--json", str(file))) == document
        assert "all good" in desk.run("verify", str(file))


def test_a_session_is_renamed_hidden_edited_and_deleted(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "plate.toml"
    file.write_text('name = "Plate"\nslug = "plate"\nseats = 4\n', encoding="utf-8")
    desk.admin("session", "create", str(file), "--open")
    assert desk.admin("session", "rename", "plate", "Bowl") == "plate is called Bowl\n"
    file.write_text('name = "Bowl"\nseats = 5\n[clock]\nmove_ms = 900\n', encoding="utf-8")
    assert "seats" in desk.admin("session", "edit", "plate", str(file))
    assert desk.admin("session", "edit", "plate", str(file)) == "plate: nothing has changed\n"
    assert "no public list" in desk.admin("session", "hide", "plate")
    assert "plate" not in desk.run("session", "list")
    assert "open, hidden" in desk.admin("session", "list")
    assert "open, hidden" in desk.run("session", "status", "plate")
    assert "listed for everybody" in desk.admin("session", "unhide", "plate")
    assert "plate" in desk.run("session", "list")
    with pytest.raises(ArenaProblem, match="cancel it"):
        desk.admin("session", "delete", "cup", "--yes")
    with pytest.raises(Forbidden, match="--yes"):
        desk.admin("session", "delete", "plate")
    assert desk.admin("session", "delete", "plate", "--yes") == "plate is deleted\n"
    assert "plate" not in desk.admin("session", "list")
    assert "session.delete" in desk.admin("session", "audit", "plate")


def test_times_are_read_from_a_file_moved_and_counted_down(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "plate.toml"
    file.write_text('name = "Plate"\nslug = "plate"\nopens = 2097-06-30T18:00:00\n')
    with pytest.raises(ArenaProblem, match=r"opens is '2097-06-30T18:00:00'.*with its offset"):
        desk.admin("session", "create", str(file))
    file.write_text('name = "Plate"\nslug = "plate"\nopens = 2097-06-30T18:00:00+02:00\n')
    result = desk.admin("session", "create", str(file))
    assert re.search(r"opens +2097-06-30T16:00:00.000Z  \(in \d+ days \d+ h\)", result)
    assert re.search(r"plate +created +opens in \d+ days", desk.run("session", "list"))
    moved = desk.admin("session", "times", "plate", "--starts", "2098-01-01T00:00:00Z")
    assert moved == "plate starts 2098-01-01T00:00:00.000Z\n"
    assert "not by itself" in desk.admin("session", "times", "plate", "--opens", "never")
    view = json.loads(desk.run("session", "status", "plate", "--json"))
    assert (view["opens"], [each["what"] for each in view["times"]]) == (None, ["starts"])
    with pytest.raises(BadInput, match="--freezes"):
        desk.admin("session", "times", "plate")
