"""Sessions: what of a record holds of a session as a whole, line after line.

The lines themselves have been checked (`tables`); here is what ties them together: their number and
order, the digest, the rounds that follow from results. Nothing is kept of a hand but its result,
and that only where rounds were drawn from results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from arena.documents import Document
from arena.errors import ArenaError
from arena.records.checks import as_object, short
from arena.records.chunks import Chunk, ChunkResult, LineResult
from arena.records.closing import Closing, GivenDigest, SessionFacts, closing_of
from arena.records.completeness import Completeness
from arena.records.digest_checks import (
    Digest,
    DigestCheck,
    RootCheck,
    check_header_signature,
    read_digest,
)
from arena.records.findings import Finding, in_short
from arena.records.headings import KnownSession, check_session, read_session
from arena.records.reading import read_line
from arena.records.receipts import ReceiptFile
from arena.records.redrawing import check_draws
from arena.statuses import BoardNames, HandStatus
from arena.tournament.results import HandResult

OWN = "the digest in the header"
NO_HEADER = "there is no header with a signature, and a key was asked for"


class KnownBeside:
    """What somebody knows of a session beside its record: see `verify.Verifier`."""

    def __init__(
        self,
        key: str | None,
        digests: tuple[Digest, ...],
        roots: tuple[str, ...],
        receipts: ReceiptFile,
    ) -> None:
        self.key = key
        self.digests = digests
        self.roots = roots
        self.receipts = receipts
        self._used: set[int] = set()
        self._fitted: set[str] = set()

    def use_receipts(self, lines: tuple[int, ...]) -> None:
        """These receipts are of hands of the record."""
        self._used.update(lines)

    def fit(self, of: Digest | str) -> None:
        """There is a session of which this is a digest."""
        self._fitted.add(of if isinstance(of, str) else of.source)

    def left_over(self) -> Iterator[str]:
        """What was given and is of nothing in the file."""
        for receipt in self.receipts:
            if receipt.line not in self._used:
                yield (
                    f"receipt of line {receipt.line}, from {receipt.arena}: hand {receipt.hand} of "
                    f"session {receipt.session} is not in the record"
                )
        for digest in self.digests:
            if digest.source not in self._fitted:
                yield f"{digest.source} is of session {digest.session}, which is not in the record"
        for root in self.roots:
            if root not in self._fitted:
                yield (
                    f"no beginning of the record leads to digest {root[:16]}...: if it was "
                    "published while tables were playing, give all of the digest, as it was sent"
                )


class SessionCheck:
    """One session of a file. line: that of its header, None without one."""

    def __init__(self, line: bytes | None, wanted: KnownBeside) -> None:
        self._line = line
        self._wanted = wanted
        self._document: Document = {}
        self._known: KnownSession | None = None
        self._order = Completeness(None)
        self._done: Counter[str] = Counter()
        self._digests: list[DigestCheck] = []
        self._roots = list(map(RootCheck, wanted.roots))
        self._own: Digest | None = None
        self._results: dict[str, list[HandResult]] = {}
        self._shared: dict[object, HandResult] = {}
        self._lines = self._heads = 0
        self._findings = 0
        self._whole, self._version = True, 2
        self._drawn = ""
        self._signed = self._scheduled = self._covered = False
        self._given: list[GivenDigest] = []
        self.name = ""
        self.notes: list[str] = []

    @property
    def hands(self) -> int:
        """How many hands there are with their logs."""
        return self._done["hands"]

    @property
    def has_secret(self) -> bool:
        """Is the secret known?"""
        return self._known is not None and self._known.keys is not None

    @property
    def is_empty(self) -> bool:
        """Is there neither a header nor a hand?"""
        return self._line is None and not self._lines

    def is_other(self, chunk: Chunk) -> bool:
        """Without a header: are these lines of another session?"""
        return self._line is None and chunk.session != self.name

    def begin(self, begun: set[tuple[str, str]]) -> Iterator[str]:
        """Read the header. begun: sessions that the file has had before."""
        assert self._line is not None
        try:
            self._document = read_line(self._line)
            self._known = known = read_session(self._document)
            self.name, self._version = known.session, known.version
            self._order = Completeness(known)
            yield from self._counted(self._header(known, begun))
        except ArenaError as error:
            self._findings += 1
            self._whole = False
            yield f"cannot be read: {in_short(error)}"

    def begin_bare(self, chunk: Chunk, begun: set[tuple[str, str]]) -> Iterator[str]:
        """Lines without a header begin."""
        self.name = chunk.session
        self._digests = [DigestCheck(each) for each in self._wanted.digests if self._is_of(each)]
        yield from self._counted(self._again(begun, ""))
        if self._wanted.key is not None:
            yield from self._counted(iter([NO_HEADER]))
        yield from self._counted(self._signed_otherwise())

    def _counted(self, findings: Iterator[str]) -> Iterator[str]:
        for what in findings:
            self._findings += 1
            yield what

    def _again(self, begun: set[tuple[str, str]], commitment: str) -> Iterator[str]:
        if (self.name, commitment) in begun:
            yield f"session {self.name!r} is in the file twice"
        begun.add((self.name, commitment))

    def _header(self, known: KnownSession, begun: set[tuple[str, str]]) -> Iterator[str]:
        document = self._document
        yield from self._again(begun, document["secret_commitment"])
        findings, notes = check_session(document, known)
        self.notes += notes
        has_keys = known.schedule is not None and known.keys is not None
        self._scheduled = has_keys and not findings and not notes
        yield from findings
        if known.version > 1:
            yield from self._signatures(document)
        elif self._wanted.key is not None:
            yield "version 1 of the format has no signatures, and a key was asked for"
        self._digests = [DigestCheck(each) for each in self._wanted.digests if self._is_of(each)]
        yield from self._signed_otherwise()
        if self._own is not None:
            self._digests.append(DigestCheck(self._own))

    def _signed_otherwise(self) -> Iterator[str]:
        """Are digests that were given signed with the key that was asked for?"""
        wanted = self._wanted.key
        for digest in (check.digest for check in self._digests):
            if wanted is not None and not digest.key:
                yield f"{digest.source} is not signed, and a key was asked for"
            elif wanted is not None and digest.key != wanted:
                yield f"{digest.source} is signed with key {digest.key}, asked for was {wanted}"

    def _is_of(self, digest: Digest) -> bool:
        """Is a digest of this session?"""
        commitment = self._document.get("secret_commitment", digest.commitment)
        fits = digest.session == self.name and digest.commitment == commitment
        if fits:
            self._wanted.fit(digest)
        return fits

    def _signatures(self, document: Document) -> Iterator[str]:
        assert self._line is not None
        line = self._line.rstrip(b"\r\n")
        wrong = list(check_header_signature(document, line))
        yield from wrong
        key, wanted = document.get("public_key"), self._wanted.key
        self._signed = key is not None and not wrong
        if document.get("digest") is not None:
            self._own = digest = read_digest(as_object("digest", document["digest"]), OWN)
            if digest.session != self.name or digest.commitment != document["secret_commitment"]:
                yield "the digest in the header is of another session"
            if digest.key != (key or ""):
                yield "the digest in the header is signed with another key than the header"
        if wanted is not None and key is None:
            yield "the header is not signed, and a key was asked for"
        elif wanted is not None and key != wanted:
            yield f"the header is signed with key {key}, asked for was {wanted}"

    def spoiled(self) -> None:
        """A line could not be read that is of no table."""
        self._lines += 1
        self._findings += 1
        self._whole = False

    def chunk(self, chunk: Chunk, result: ChunkResult) -> Iterator[Finding]:
        """The next lines."""
        if chunk.first:
            self._end_table()
        if self._known is None or chunk.session == self.name:
            if chunk.first:
                found = self._counted(self._order.table(chunk.table))
                yield from (Finding(chunk.number, what) for what in found)
            self._order.state(result.state)
        self._done.update(result.done)
        for number, line in enumerate(result.lines, start=chunk.number):
            self._findings += len(line.findings)
            yield from (Finding(number, what) for what in line.findings)
            self._take(chunk.table, line)

    def _take(self, table: str, line: LineResult) -> None:
        self._lines += 1
        self._wanted.use_receipts(line.receipts)
        self._whole = self._whole and not line.findings and line.status != ""
        if line.head is not None:
            self._heads += 1
            for digest in self._digests:
                digest.hand(table, line.round, head=line.head, at_ms=line.at_ms)
            for root in self._roots:
                root.hand(line.head)
        elif line.status:
            self._version = 1
        if line.result is not None:
            known = self._shared.setdefault(line.result, line.result)
            self._results.setdefault(table, []).append(known)
        elif line.status != HandStatus.VOID:
            self._whole = False

    def _end_table(self) -> None:
        for root in self._roots:
            root.table()

    def end(self) -> Iterator[str]:
        """The session ends here: is anything missing?"""
        yield from self._counted(self._ended())

    def _ended(self) -> Iterator[str]:
        self._end_table()
        known = self._known
        if known is not None and known.hands and not self._lines:
            yield (
                f"the header of session {short(self.name)!r} says {known.hands} hands, and none "
                "follows: cut off, or were two files merged?"
            )
            return
        yield from self._order.end()
        over = self._heads if known is not None and self._order.claims else None
        for digest in self._digests:
            own = digest.digest is self._own
            begun = known.begun if known is not None and over is not None else None
            wrong = list(digest.end(hands=over if own else None, rounds=begun if own else None))
            self._covered = self._covered or (own and not wrong)
            if not own and not wrong:
                given = digest.digest
                self._given.append(GivenDigest(given.source, given.hands, given.key))
            yield from wrong
        for root, check in zip(self._wanted.roots, self._roots, strict=True):
            if check.hands is not None:
                self._wanted.fit(root)
                self._given.append(GivenDigest(f"digest {root[:16]}...", check.hands, ""))
        yield from self._redrawn()
        if known is not None and known.hands != self._lines:
            why = "cut off?" if self._lines < known.hands else "were lines added?"
            yield f"the header says {known.hands} hands, there are {self._lines}: {why}"

    def _redrawn(self) -> Iterator[str]:
        """Do rounds follow from the results before them?"""
        schedule = None if self._known is None else self._known.schedule
        if schedule is None or not schedule.programme.draws:
            return
        self._drawn = "unknown"
        if not self._whole or schedule.plan.board != BoardNames.NAMED:
            return
        self._drawn = "checked"
        try:
            yield from check_draws(schedule, self._results)
        except ArenaError as error:
            yield f"the rounds cannot be drawn again: {in_short(error)}"

    @property
    def closing(self) -> Closing:
        """What was proved, and what not."""
        own, order = self._own, self._order
        covered = own if self._covered else None
        key = str(self._document.get("public_key") or "")
        return closing_of(
            SessionFacts(
                self._known,
                self._done,
                complete=order.claims and not order.unknown and not self._findings,
                tables=order.tables,
                unknown=order.unknown,
                scheduled=self._scheduled,
                given=tuple(self._given),
                heads=self._heads,
                digest=covered,
                digest_is_wrong=own is not None and covered is None,
                header_signed=self._signed,
                key=key if own is None or own.key else "",
                trusted=bool(key) and key == self._wanted.key,
                drawn=self._drawn,
                notes=tuple(self.notes),
                version=self._version,
                with_receipts=bool(self._wanted.receipts.by_hand),
            )
        )
