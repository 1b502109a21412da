"""Record files over HTTP: from a file when a session is over, and the same bytes as without one."""

from __future__ import annotations

import errno
import gzip
import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from arena.queries.queries import Queries
from arena.settings import Settings
from arena.web.api.export_files import ExportFile
from tests.real import Real

pytestmark = pytest.mark.slow

PATH = "/api/v1/sessions/cup/records"
GZIP = {"Accept-Encoding": "gzip"}


def arena(folder: Path, **settings: Any) -> Real:
    chosen = {"requests_per_s": 0, "exports_folder": str(folder), **settings}
    return Real(settings=Settings(**chosen))


def finish(real: Real) -> None:
    while waiting := real.waiting():
        for number, turn in waiting:
            real.bots[number].post(f"/api/v1/turns/{turn['turn']}", json={"choice": 0})
        real.referee.sweep()


@pytest.fixture
def played(tmp_path: Path) -> Real:
    real = arena(tmp_path)
    real.session()
    finish(real)
    assert real.referee.queries.session("cup")["status"] == "finished"
    return real


def settled() -> None:
    for thread in threading.enumerate():
        if thread.name == "export":
            thread.join(20)


def written(real: Real, *, full: bool) -> bytes:
    """The records as the referee writes them, without any file."""
    return "".join(real.referee.queries.records("cup", full=full)).encode()


def test_the_bytes_are_the_same_with_and_without_a_file(played: Real) -> None:
    for caller, full in ((played.anybody, False), (played.organiser, True)):
        expected = written(played, full=full)
        first = caller.get(PATH, buffered=True)
        settled()
        again = caller.get(PATH, buffered=True)
        zipped = caller.get(PATH, buffered=True, headers=GZIP)
        assert first.data == again.data == expected
        assert gzip.decompress(zipped.data) == expected
        assert zipped.headers["Content-Encoding"] == "gzip"
        assert again.headers["Content-Length"] == str(len(expected))
        assert first.headers["ETag"] == again.headers["ETag"] != zipped.headers["ETag"]
        assert again.headers["Cache-Control"] == "private, no-cache"
        assert again.headers["Vary"] == "Accept-Encoding, Authorization"


def test_organisers_and_everybody_else_have_different_versions(played: Real) -> None:
    tags = {
        caller.get(PATH, buffered=True).headers["ETag"]
        for caller in (played.anybody, played.organiser)
    }
    assert len(tags) == 2


def test_a_file_is_written_once_and_read_from_then_on(
    played: Real, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = played.anybody.get(PATH, buffered=True).data
    settled()

    def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("the records were written again")

    monkeypatch.setattr(Queries, "records", never)
    assert played.anybody.get(PATH, buffered=True).data == expected


def test_another_process_gives_the_same_version_the_same_tag(played: Real, tmp_path: Path) -> None:
    other = Real(store=played.store, settings=Settings(exports_folder=str(tmp_path / "other")))
    assert (
        other.anybody.get(PATH, buffered=True).headers["ETag"]
        == played.anybody.get(PATH, buffered=True).headers["ETag"]
    )


def test_a_version_that_the_client_has_is_not_sent_again(played: Real) -> None:
    for headers in ({}, GZIP):
        tag = played.anybody.get(PATH, buffered=True, headers=headers).headers["ETag"]
        response = played.anybody.get(
            PATH, buffered=True, headers={**headers, "If-None-Match": f'"x", {tag}'}
        )
        assert (response.status_code, response.data) == (304, b"")
        assert response.headers["ETag"] == tag
        assert "Content-Length" not in response.headers
    assert (
        played.anybody.get(PATH, buffered=True, headers={"If-None-Match": '"x"'}).status_code == 200
    )


def test_a_part_of_a_file_can_be_had(played: Real) -> None:
    whole = played.anybody.get(PATH, buffered=True)
    settled()
    size = len(whole.data)
    headers = {"Range": "bytes=10-19", "If-Range": whole.headers["ETag"]}
    response = played.anybody.get(PATH, buffered=True, headers=headers)
    assert (response.status_code, response.data) == (206, whole.data[10:20])
    assert response.headers["Content-Range"] == f"bytes 10-19/{size}"
    assert response.headers["Content-Length"] == "10"
    tail = played.anybody.get(PATH, buffered=True, headers={"Range": f"bytes={size - 3}-"})
    assert (tail.status_code, tail.data) == (206, whole.data[-3:])
    other = played.anybody.get(PATH, buffered=True, headers={**headers, "If-Range": '"x"'})
    assert (other.status_code, other.data) == (200, whole.data)


def test_a_part_of_the_compressed_file_can_be_had(played: Real) -> None:
    whole = played.anybody.get(PATH, buffered=True, headers=GZIP)
    settled()
    response = played.anybody.get(PATH, buffered=True, headers={**GZIP, "Range": "bytes=-5"})
    assert (response.status_code, response.data) == (206, whole.data[-5:])


def test_a_range_of_which_nothing_is_there_is_a_problem(played: Real) -> None:
    size = len(played.anybody.get(PATH, buffered=True).data)
    settled()
    response = played.anybody.get(PATH, buffered=True, headers={"Range": f"bytes={size}-"})
    assert response.status_code == 416
    assert response.headers["Content-Range"] == f"bytes */{size}"
    assert response.json is not None
    assert response.json["code"] == "bad_range"
    assert played.anybody.get(PATH, buffered=True).status_code == 200, "its place was given back"


def test_a_session_that_is_played_has_no_version(tmp_path: Path) -> None:
    real = arena(tmp_path)
    real.session()
    for headers in ({}, GZIP, {"Range": "bytes=0-5"}):
        response = real.organiser.get(PATH, buffered=True, headers=headers)
        assert response.status_code == 200
        assert "ETag" not in response.headers
        assert response.data
    assert list(tmp_path.iterdir()) == []
    zipped = real.organiser.get(PATH, buffered=True, headers=GZIP)
    assert gzip.decompress(zipped.data) == written(real, full=True)


def test_nothing_is_served_from_a_file_while_results_are_embargoed(played: Real) -> None:
    tag = played.anybody.get(PATH, buffered=True).headers["ETag"]
    settled()
    assert played.organiser.post("/api/v1/sessions/cup/embargo", json={}).status_code == 200
    for headers in ({}, {"If-None-Match": tag}, {"Range": "bytes=0-5"}):
        assert played.anybody.get(PATH, buffered=True, headers=headers).status_code == 403
    assert played.organiser.get(PATH, buffered=True).data == written(played, full=True)
    assert played.organiser.post("/api/v1/sessions/cup/publish").status_code == 200
    assert played.anybody.get(PATH, buffered=True).data == written(played, full=False)


def test_an_embargo_that_ends_by_itself_ends_here_too(played: Real) -> None:
    until = "2027-01-15T09:00:00Z"
    played.organiser.post("/api/v1/sessions/cup/embargo", json={"until": until})
    assert played.anybody.get(PATH, buffered=True).status_code == 403
    before = played.organiser.get(PATH, buffered=True)
    played.clock.pass_ms(3_600_001)
    assert played.anybody.get(PATH, buffered=True).data == written(played, full=False)
    after = played.organiser.get(PATH, buffered=True)
    assert after.data == written(played, full=True)
    assert before.data == after.data, "organisers see no difference"


def test_what_is_decided_after_the_end_gives_another_version(tmp_path: Path) -> None:
    real = arena(tmp_path)
    real.session()
    real.organiser.post("/api/v1/sessions/cup/embargo", json={})
    finish(real)
    before = real.organiser.get(PATH, buffered=True)
    settled()
    void = real.organiser.post("/api/v1/tables/cup-r01-t01/void", json={"reason": "a mistake"})
    assert void.status_code == 200, void.text
    after = real.organiser.get(PATH, buffered=True)
    assert before.headers["ETag"] != after.headers["ETag"]
    assert b"a mistake" in after.data
    assert after.data == written(real, full=True)


def test_a_cancelled_session_is_sent_as_it_ended(tmp_path: Path) -> None:
    real = arena(tmp_path)
    real.session()
    real.organiser.post("/api/v1/sessions/cup/cancel")
    response = real.anybody.get(PATH, buffered=True)
    assert response.data == written(real, full=False)
    assert "ETag" in response.headers


def test_without_room_for_files_records_are_written_each_time(tmp_path: Path) -> None:
    real = arena(tmp_path, exports_mb=0)
    real.session()
    finish(real)
    response = real.anybody.get(PATH, buffered=True)
    assert response.data == written(real, full=False)
    assert "ETag" not in response.headers
    assert list(tmp_path.iterdir()) == []


def test_an_ended_session_is_exported_whole_though_the_disk_is_full(
    tmp_path: Path,
) -> None:
    resource = pytest.importorskip("resource", reason="this system sets no limits for files")
    real = arena(tmp_path)
    real.session()
    finish(real)
    expected = written(real, full=False)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(expected) // 2, before[1]))
    try:
        with suppress(BrokenPipeError):  # the first reader may have begun to read the file
            assert real.anybody.get(PATH, buffered=True).data == expected
        settled()
        for headers in ({}, GZIP):
            response = real.anybody.get(PATH, buffered=True, headers=headers)
            data = gzip.decompress(response.data) if headers else response.data
            assert (response.status_code, data) == (200, expected)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_file_that_cannot_be_opened_is_no_reason_to_fail(
    played: Real, monkeypatch: pytest.MonkeyPatch
) -> None:
    played.anybody.get(PATH, buffered=True)
    settled()

    def too_many(*_: Any, **__: Any) -> Any:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(ExportFile, "pieces", too_many)
    for headers in ({}, GZIP):
        response = played.anybody.get(PATH, buffered=True, headers=headers)
        data = gzip.decompress(response.data) if headers else response.data
        assert (response.status_code, data) == (200, written(played, full=False))


def test_the_head_of_a_part_is_that_of_the_whole(played: Real) -> None:
    whole = played.anybody.get(PATH, buffered=True)
    settled()
    for field in ("bytes=0-5", "bytes=999999999-"):
        head = played.anybody.head(PATH, buffered=True, headers={"Range": field})
        assert head.status_code == 200
        assert head.headers["Content-Length"] == str(len(whole.data))
        assert "Content-Range" not in head.headers


def test_a_caller_who_does_not_read_on_keeps_its_place_and_nobody_elses(played: Real) -> None:
    first = played.bots[0].get(PATH, buffered=False)
    assert played.bots[1].get(PATH, buffered=True).status_code == 200
    first.close()
    assert played.bots[0].get(PATH, buffered=True).status_code == 200


def test_bots_that_hold_every_place_keep_no_organiser_from_exporting(tmp_path: Path) -> None:
    real = arena(tmp_path, exports=2)
    real.session()
    held = [real.bots[number].get(PATH, buffered=False) for number in range(2)]
    assert real.organiser.get(PATH, buffered=True).data == written(real, full=True)
    for each in held:
        each.close()


def test_asking_for_the_head_leaves_no_place_taken(played: Real) -> None:
    for _ in range(6):
        assert played.anybody.head(PATH, buffered=True).status_code == 200
    settled()
    head = played.anybody.head(PATH, buffered=True)
    assert head.headers["Content-Length"] == str(len(played.anybody.get(PATH, buffered=True).data))
