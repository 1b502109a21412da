"""Exports: record files on their way out, as the caller may have them and asks for them.

A session that is over is sent from a file, which has a version (`ETag`), ranges and a compressed
twin; one that is played is written while it is sent. What is in a file, and who may have it, is
decided by the referee; how much at a time, and what it costs, in `arena.web.api.sending`.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from arena.errors import ArenaError
from arena.pacing import Pacer
from arena.web.api.compression import packed
from arena.web.api.export_files import LOG, MEGABYTE, ExportFile, ExportFiles, folder_for
from arena.web.api.negotiation import takes_gzip
from arena.web.api.problems import Code, Problem
from arena.web.api.ranges import is_known, requested_range, wants_range
from arena.web.api.sending import ExportBody, ExportSlots

if TYPE_CHECKING:
    from arena.queries.queries import Queries
    from arena.settings import Settings


class ExportRequest(NamedTuple):
    """What a caller asks for. full: as organisers may have it. mark: of the version, None of a
    session that may still change."""

    session: str
    full: bool
    zipped: bool
    mark: str | None

    @property
    def tag(self) -> str:
        """A strong tag; that of the compressed file depends on what compresses it too."""
        return (
            f'"{self.mark}-{zlib.ZLIB_RUNTIME_VERSION}-gzip"' if self.zipped else f'"{self.mark}"'
        )


class Export(NamedTuple):
    """A record file on its way out: its bytes (None if the client has them already), the HTTP
    status, and the headers that describe them."""

    pieces: Iterator[bytes] | None
    status: int
    headers: Mapping[str, str]


class ExportSource(NamedTuple):
    """Where the bytes of an export come from, and what its head says of them."""

    pieces: Iterator[bytes]
    status: int
    headers: Mapping[str, str]


class Exports:
    """All exports of one process."""

    def __init__(
        self, queries: Queries, settings: Settings, *, slots: ExportSlots | None = None
    ) -> None:
        self._queries = queries
        self._slots = slots or ExportSlots(
            settings.exports, monotonic=queries.long_work.exports.monotonic
        )
        self._files = ExportFiles(
            lambda: folder_for(settings.exports_folder, settings.database),
            most=settings.exports_mb * MEGABYTE,
            at_once=2 * settings.exports,
            monotonic=queries.long_work.exports.monotonic,
        )

    def open(
        self,
        session: str,
        *,
        caller: str | None,
        staff: bool,
        environ: Mapping[str, Any],
        address: str,
        charge: Callable[[float], float],
    ) -> Export:
        """The records of a session as the caller may have them. Raises Problem, ArenaError.

        caller: an id, None without a token. environ: of WSGI, for conditions, ranges and codings.
        charge: takes units from the bucket of the caller; the seconds until there is enough again.
        """
        mark = self._queries.records_mark(session, full=staff)
        request = ExportRequest(session, staff, takes_gzip(environ), mark)
        headers = {
            "Content-Disposition": f'attachment; filename="{session}.jsonl"',
            "Vary": "Accept-Encoding, Authorization",
        }
        if mark is not None and is_known(environ, request.tag):
            return Export(None, 304, headers | _version(request))
        if request.zipped:
            headers["Content-Encoding"] = "gzip"
        slot = self._slots.enter(caller, staff=staff, address=address)
        try:
            source = self._source(environ, request)
        except BaseException:
            slot.leave()
            raise
        body = ExportBody(
            source.pieces, slot=slot, charge=charge, pacer=self._queries.long_work.exports
        )
        return Export(body, source.status, {**headers, **source.headers})

    def _source(self, environ: Mapping[str, Any], request: ExportRequest) -> ExportSource:
        """A file, if the session is over and it can be kept; else lines that are written now."""
        if request.mark is not None:
            try:
                file = self._file(request)
                if file is not None:
                    return _from_file(file, environ, request)
            except OSError as error:  # it was dropped meanwhile, or too many files are open
                LOG.info("a record file of %s could not be opened: %s", request.session, error)
        lines = self._lines(request)
        return ExportSource(
            _packed(lines, self._queries.long_work.exports) if request.zipped else lines, 200, {}
        )

    def _file(self, request: ExportRequest) -> ExportFile | None:
        """The file of a session that is over, as it is sent; None if it cannot be kept."""
        plain = self._files.get(f"{request.mark}.jsonl")
        holds = partial(self._holds, request)
        if plain is None:
            plain = self._files.make(
                f"{request.mark}.jsonl", partial(self._lines, request), good=holds
            )
        if plain is None or not request.zipped:
            return plain
        zipped = self._files.get(f"{request.mark}.gz")
        if zipped is None:
            pieces = partial(_packed, plain.pieces(), self._queries.long_work.exports)
            zipped = self._files.make(f"{request.mark}.gz", pieces, good=holds)
        return zipped

    def _holds(self, request: ExportRequest) -> bool:
        """Is it still so that these are the session's records?"""
        with suppress(ArenaError):
            return self._queries.records_mark(request.session, full=request.full) == request.mark
        return False

    def _lines(self, request: ExportRequest) -> Iterator[bytes]:
        """The lines of a session; the first is written now, so that an error is raised now."""
        lines = self._queries.records(request.session, full=request.full)
        return (line.rstrip("\n").encode() + b"\n" for line in chain([next(lines, "")], lines))


def _from_file(
    file: ExportFile, environ: Mapping[str, Any], request: ExportRequest
) -> ExportSource:
    """All of a file, or the range that is asked for of one that is whole. Raises Problem."""
    headers = _version(request)
    if not file.whole:
        return ExportSource(file.pieces(), 200, headers)
    if not wants_range(environ, request.tag):
        headers["Content-Length"] = str(file.size)
        return ExportSource(file.pieces(0, file.size), 200, headers)
    wanted = requested_range(environ, file.size)
    if wanted is None:
        detail = f"The file has {file.size} bytes; nothing of the range is there."
        there = {"Content-Range": f"bytes */{file.size}"}
        raise Problem(Code.BAD_RANGE, detail, headers=there)
    headers["Content-Length"] = str(wanted.end - wanted.first)
    headers["Content-Range"] = f"bytes {wanted.first}-{wanted.end - 1}/{file.size}"
    return ExportSource(file.pieces(*wanted), 206, headers)


def _version(request: ExportRequest) -> dict[str, str]:
    """The headers for the version of a file. It may be cached, but has to be revalidated."""
    return {"ETag": request.tag, "Accept-Ranges": "bytes", "Cache-Control": "private, no-cache"}


def _packed(pieces: Iterator[bytes], pacer: Pacer) -> Iterator[bytes]:
    """The pieces in gzip's form, compressed little by little."""
    work = pacer.work()
    work.stop()
    return packed(pieces, work)
