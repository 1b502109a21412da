"""Exports: record files on their way out, as the caller may have them and asks for them.

A session that is over is sent from a file, which has a version (`ETag`), ranges and a compressed
twin; one that is played is written while it is sent. What is in a file, and who may have it, is
decided by the referee; how much at a time, and what it costs, in `arena.web.api.sending`.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from arena.errors import ArenaError
from arena.pacing import Pacer
from arena.web.api.export_files import LOG, MEGABYTE, PIECE, ExportFiles, Kept, folder_for
from arena.web.api.problems import Code, Problem
from arena.web.api.ranges import asks_for_part, is_known, part, takes_gzip
from arena.web.api.sending import Room, Sending

if TYPE_CHECKING:
    from arena.application import Referee
    from arena.settings import Settings

LEVEL: Final = 6
GZIP_WINDOW: Final = 31
"""Of zlib: the longest window, with the head and the tail of gzip. The head holds no time."""


class Wish(NamedTuple):
    """What a caller wants. full: as organisers may have it. mark: of the version, None of a session
    that may still change."""

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

    def __init__(self, referee: Referee, settings: Settings, *, room: Room | None = None) -> None:
        self._referee = referee
        self._room = room or Room(settings.exports, monotonic=referee.pacer.monotonic)
        self._files = ExportFiles(
            lambda: folder_for(settings.exports_folder, settings.database),
            most=settings.exports_mb * MEGABYTE,
            at_once=2 * settings.exports,
            monotonic=referee.pacer.monotonic,
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
        mark = self._referee.records_mark(session, full=staff)
        wish = Wish(session, staff, takes_gzip(environ), mark)
        headers = {
            "Content-Disposition": f'attachment; filename="{session}.jsonl"',
            "Vary": "Accept-Encoding, Authorization",
        }
        if mark is not None and is_known(environ, wish.tag):
            return Export(None, 304, headers | _version(wish))
        if wish.zipped:
            headers["Content-Encoding"] = "gzip"
        place = self._room.enter(caller, staff=staff, address=address)
        try:
            source = self._source(environ, wish)
        except BaseException:
            place.leave()
            raise
        body = Sending(source.pieces, place=place, charge=charge, pacer=self._referee.pacer)
        return Export(body, source.status, {**headers, **source.headers})

    def _source(self, environ: Mapping[str, Any], wish: Wish) -> ExportSource:
        """A file, if the session is over and it can be kept; else lines that are written now."""
        if wish.mark is not None:
            try:
                kept = self._kept(wish)
                if kept is not None:
                    return _from_file(kept, environ, wish)
            except OSError as error:  # it was dropped meanwhile, or too many files are open
                LOG.info("a record file of %s could not be opened: %s", wish.session, error)
        lines = self._lines(wish)
        return ExportSource(_packed(lines, self._referee.pacer) if wish.zipped else lines, 200, {})

    def _kept(self, wish: Wish) -> Kept | None:
        """The file of a session that is over, as it is sent; None if it cannot be kept."""
        plain = self._files.get(f"{wish.mark}.jsonl")
        holds = partial(self._holds, wish)
        if plain is None:
            plain = self._files.make(f"{wish.mark}.jsonl", partial(self._lines, wish), good=holds)
        if plain is None or not wish.zipped:
            return plain
        packed = self._files.get(f"{wish.mark}.gz")
        if packed is None:
            pieces = partial(_packed, plain.pieces(), self._referee.pacer)
            packed = self._files.make(f"{wish.mark}.gz", pieces, good=holds)
        return packed

    def _holds(self, wish: Wish) -> bool:
        """Is it still so that these are the session's records?"""
        with suppress(ArenaError):
            return self._referee.records_mark(wish.session, full=wish.full) == wish.mark
        return False

    def _lines(self, wish: Wish) -> Iterator[bytes]:
        """The lines of a session; the first is made now, so that what is wrong is known."""
        lines = self._referee.records(wish.session, full=wish.full)
        return _ended(next(lines, ""), lines)


def _from_file(kept: Kept, environ: Mapping[str, Any], wish: Wish) -> ExportSource:
    """All of a file, or the range that is asked for of one that is whole. Raises Problem."""
    headers = _version(wish)
    if not kept.whole:
        return ExportSource(kept.pieces(), 200, headers)
    if not asks_for_part(environ, wish.tag):
        headers["Content-Length"] = str(kept.size)
        return ExportSource(kept.pieces(0, kept.size), 200, headers)
    wanted = part(environ, kept.size)
    if wanted is None:
        told = f"The file has {kept.size} bytes; nothing of the range is there."
        there = {"Content-Range": f"bytes */{kept.size}"}
        raise Problem(Code.BAD_RANGE, told, headers=there)
    headers["Content-Length"] = str(wanted.end - wanted.first)
    headers["Content-Range"] = f"bytes {wanted.first}-{wanted.end - 1}/{kept.size}"
    return ExportSource(kept.pieces(*wanted), 206, headers)


def _version(wish: Wish) -> dict[str, str]:
    """What tells of the version of a file. It may be kept, but has to be asked after each time."""
    return {"ETag": wish.tag, "Accept-Ranges": "bytes", "Cache-Control": "private, no-cache"}


def _ended(first: str, lines: Iterable[str]) -> Iterator[bytes]:
    """The lines as bytes, each with its line end."""
    yield first.rstrip("\n").encode() + b"\n"
    for line in lines:
        yield line.rstrip("\n").encode() + b"\n"


def _packed(pieces: Iterator[bytes], pacer: Pacer) -> Iterator[bytes]:
    """The pieces in gzip's form, compressed little by little."""
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP_WINDOW)
    work = pacer.work()
    work.stop()
    for piece in pieces:
        for at in range(0, len(piece), PIECE // 2):
            work.go_on()
            packed = packer.compress(piece[at : at + PIECE // 2])
            work.pause()
            work.stop()
            if packed:
                yield packed
    yield packer.flush()
