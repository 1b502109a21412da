"""What fails where nobody catches it is one record of the log, and standard error stays empty."""

from __future__ import annotations

import io
import logging
import sys
import threading
from collections.abc import Iterator

import gevent
import pytest
from flask import Flask

from arena.settings import Settings
from arena.web.api.logs import configure
from arena.web.server import http_server
from arena.web.server.http_server import serve
from arena.web.server.tracebacks import tracebacks_in_log
from tests.web.server.test_fairness import in_a_loop_of_its_own
from tests.web.server.test_http_server import CLOSING, Running

TOKEN = "dfa_" + "s" * 43


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    stream = io.StringIO()
    configure(Settings(), stream)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)


def records(log: io.StringIO) -> list[str]:
    """Records begin at the margin; their traces are indented."""
    return [line for line in log.getvalue().splitlines() if not line.startswith(" ")]


def fail(token: str) -> None:
    raise ZeroDivisionError(f"with {token}")


def test_a_greenlet_that_fails(log: io.StringIO, capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> None:
        with tracebacks_in_log():
            gevent.spawn(fail, TOKEN).join()

    in_a_loop_of_its_own(work)
    [record] = records(log)
    assert "ERROR arena.web.server the greenlet fail failed" in record
    assert "  ZeroDivisionError: with dfa_…" in log.getvalue()
    assert TOKEN not in log.getvalue()
    assert capfd.readouterr().err == ""


def test_a_callback_of_the_loop_that_fails_for_whatever_context(
    log: io.StringIO, capfd: pytest.CaptureFixture[str]
) -> None:
    environ = {"HTTP_AUTHORIZATION": f"Bearer {TOKEN}", "PATH_INFO": "/secret"}

    def work() -> None:
        with tracebacks_in_log():
            try:
                fail("it")
            except ZeroDivisionError:
                gevent.get_hub().handle_error(environ, *sys.exc_info())
            gevent.get_hub().print_exception("a signal", None, None, None)

    in_a_loop_of_its_own(work)
    assert len(records(log)) == 2
    assert "something of type dict failed" in records(log)[0]
    assert "/secret" not in log.getvalue()
    assert capfd.readouterr().err == ""


def test_a_thread_that_fails(log: io.StringIO, capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> None:
        with tracebacks_in_log():
            thread = threading.Thread(target=fail, args=["it"], name="sweeper")
            thread.start()
            thread.join()

    in_a_loop_of_its_own(work)
    [record] = records(log)
    assert record.endswith("the thread sweeper failed")
    assert capfd.readouterr().err == ""


def test_an_error_that_cannot_be_raised(
    log: io.StringIO, capfd: pytest.CaptureFixture[str]
) -> None:
    class Failing:
        def __del__(self) -> None:
            fail(TOKEN)

    def work() -> None:
        with tracebacks_in_log():
            created = [Failing()]
            created.clear()

    in_a_loop_of_its_own(work)
    [record] = records(log)
    assert "an error that cannot be raised" in record
    assert TOKEN not in log.getvalue()
    assert capfd.readouterr().err == ""


def test_afterwards_everything_is_as_it_was() -> None:
    found: list[bool] = []

    def work() -> None:
        hooks, hub = (threading.excepthook, sys.unraisablehook), gevent.get_hub()
        with tracebacks_in_log():
            found.append("print_exception" in vars(hub))
        found.append("print_exception" in vars(hub))
        found.append((threading.excepthook, sys.unraisablehook) == hooks)

    in_a_loop_of_its_own(work)
    assert found == [True, False, True]


def test_a_fault_below_the_app_is_one_record(
    log: io.StringIO, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(environ: object, start_response: object) -> list[bytes]:
        return fail(TOKEN) or []

    running = Running(broken)
    assert running.raw(CLOSING).startswith(b"HTTP/1.1 500 ")
    running.stop()
    [record] = records(log)
    assert "a fault below the app" in record
    assert TOKEN not in log.getvalue()
    assert capfd.readouterr().err == ""


def test_a_server_that_serves_logs_so(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    """`serve` is what takes the tracebacks over, from before it listens until it has stopped."""

    class Stopped(Exception):
        pass

    def ready(_: str) -> None:
        found.append("print_exception" in vars(gevent.get_hub()))
        raise Stopped

    def work() -> None:
        with pytest.raises(Stopped):
            serve(
                app,
                "127.0.0.1",
                0,
                on_start=lambda: None,
                on_ready=ready,
                on_stop=lambda: None,
                drain_s=0,
            )
        found.append("print_exception" in vars(gevent.get_hub()))

    monkeypatch.setattr(http_server, "STOP_SIGNALS", ())
    monkeypatch.setattr(http_server, "tune_garbage_collection", lambda: None)
    found: list[bool] = []
    in_a_loop_of_its_own(work)
    assert found == [True, False]
