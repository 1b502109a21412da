"""What fails where nobody catches it goes to the log, as one record with its indented traceback.

gevent writes such things to standard error by itself, with whatever the failing greenlet had to do
with: an environment with an Authorization field, for one. So does Python for threads and for
errors that cannot be raised. This module may not stop anything: what failed has failed.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import gevent
from gevent import Greenlet

LOG = logging.getLogger("arena.web.server")


@contextmanager
def tracebacks_in_log() -> Iterator[None]:
    """While this lasts, nothing of this thread's loop writes a traceback but by the log.

    `print_exception` of the hub may be set on the instance, as its `handle_error` documents; system
    errors (SystemExit, KeyboardInterrupt) still reach the main greenlet.
    """
    hub: Any = gevent.get_hub()
    before = threading.excepthook, sys.unraisablehook
    hub.print_exception = _greenlet_failed
    threading.excepthook, sys.unraisablehook = _thread_failed, _cannot_be_raised
    try:
        yield
    finally:
        threading.excepthook, sys.unraisablehook = before
        del hub.print_exception


def _greenlet_failed(
    context: object,
    kind: type[BaseException] | None,
    error: BaseException | None,
    trace: TracebackType | None,
) -> None:
    LOG.error("%s failed", _name(context), exc_info=_info(kind, error, trace))


def _thread_failed(args: threading.ExceptHookArgs) -> None:
    if args.exc_type is not SystemExit:
        name = args.thread.name if args.thread else "a thread"
        info = _info(args.exc_type, args.exc_value, args.exc_traceback)
        LOG.error("the thread %s failed", name, exc_info=info)


def _cannot_be_raised(args: sys.UnraisableHookArgs) -> None:
    info = _info(args.exc_type, args.exc_value, args.exc_traceback)
    LOG.error("an error that cannot be raised, in %s", _name(args.object), exc_info=info)


def _info(
    kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
) -> tuple[type[BaseException], BaseException, TracebackType | None] | None:
    return None if kind is None or error is None else (kind, error, trace)


def _name(context: object) -> str:
    """What failed, without anything that it was given to work with."""
    if isinstance(context, Greenlet):
        run = getattr(context, "_run", None)
        return f"the greenlet {getattr(run, '__qualname__', '')}".rstrip()
    return getattr(context, "__qualname__", f"something of type {type(context).__name__}")
