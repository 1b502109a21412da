"""Digests: is the root over the heads of a record the one that the arena has signed?

A digest covers the ended hands of all tables of its first rounds, and of some tables more. The
leaves are taken as they come, in the order of the file, and nothing of them is kept. Pure; a digest
may come from anybody, so whatever is wrong is a finding or BadInput.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from arena.documents import Document
from arena.errors import BadInput
from arena.proofs.chain import HASH_BYTES
from arena.proofs.merkle import GrowingTree
from arena.proofs.signatures import PUBLIC_KEY, SIGNATURE, is_signed, is_signed_document
from arena.records.checks import hex_text, short, text, texts, whole
from arena.records.clock_checks import SLACK_MS

DIGEST = "daifugo-arena/digest/1"
SIGNATURE_BYTES = 64
KEY_BYTES = 32
MOST_TABLES = 1_000_000


class Digest(NamedTuple):
    """What a digest says. key: that it is signed with, empty without a signature. source: what it
    is called in findings."""

    source: str
    session: str
    commitment: str
    tables: int
    hands: int
    rounds: int
    further: frozenset[str]
    root: str
    at_ms: int
    key: str


def read_digest(document: Document, source: str) -> Digest:
    """A digest. Raises BadInput for one that is malformed, or whose signature does not fit."""
    if document.get("format") != DIGEST:
        raise BadInput(f"{source}: format", short(document.get("format")), DIGEST)
    digest = Digest(
        source,
        text(document, "session"),
        hex_text(document, "secret_commitment", size=32),
        whole("tables", document.get("tables")),
        whole("hands", document.get("hands")),
        whole("rounds", document.get("rounds")),
        frozenset(texts(document, "further", most=MOST_TABLES)),
        hex_text(document, "root", size=HASH_BYTES),
        whole("at_ms", document.get("at_ms")),
        _key(document),
    )
    if digest.key and not is_signed_document(document):
        raise BadInput(f"{source}: signature", short(document[SIGNATURE]), "one that fits it")
    return digest


def _key(document: Document) -> str:
    """The public key of a signed document, empty if it is not signed. Raises BadInput."""
    if document.get(SIGNATURE) is None and document.get(PUBLIC_KEY) is None:
        return ""
    hex_text(document, SIGNATURE, size=SIGNATURE_BYTES)
    return hex_text(document, PUBLIC_KEY, size=KEY_BYTES)


class DigestCheck:
    """Whether the hands that a digest covers lead to its root."""

    def __init__(self, digest: Digest) -> None:
        self.digest = digest
        self._tree = GrowingTree()
        self._tables = 0
        self._last = ""
        self._at_ms = 0

    def hand(self, table: str, round_: int, *, head: bytes, at_ms: int) -> None:
        """The next hand of the file."""
        if round_ <= self.digest.rounds or table in self.digest.further:
            self._tree.add(head)
            self._tables += table != self._last
            self._last = table
            self._at_ms = max(self._at_ms, at_ms)

    def end(self, *, hands: int | None, rounds: int | None) -> Iterator[str]:
        """What is wrong, now that all hands are known. hands, rounds: how many it has to cover,
        None if that is not known."""
        digest = self.digest
        if rounds is not None and (digest.rounds != rounds or digest.further):
            yield f"{digest.source} is of {digest.rounds} rounds, of which {rounds} are over"
        if (digest.hands, digest.tables) != (self._tree.size, self._tables):
            yield (
                f"{digest.source} covers {digest.hands} hands at {digest.tables} tables, the file "
                f"has {self._tree.size} of them at {self._tables}"
            )
        elif digest.root != self._tree.root.hex():
            yield (
                f"{digest.source} has root {digest.root[:16]}..., from the file follows "
                f"{self._tree.root.hex()[:16]}...: this is not the record that was signed"
            )
        if hands is not None and digest.hands != hands:
            yield f"{digest.source} covers {digest.hands} hands, the session is over with {hands}"
        if digest.at_ms + SLACK_MS < self._at_ms:
            yield f"{digest.source} is older than the hands that it covers"


class RootCheck:
    """Whether a beginning of the file leads to a root of which no more is known."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._tree = GrowingTree()
        self.hands: int | None = None

    def hand(self, head: bytes) -> None:
        """The next hand of the file."""
        self._tree.add(head)

    def table(self) -> None:
        """A table has come to its end."""
        if self.hands is None and self._tree.root.hex() == self._root:
            self.hands = self._tree.size


def check_header_signature(document: Document, line: bytes) -> Iterator[str]:
    """Is the line of a header signed as it stands? What is wrong, if not."""
    key, signature = document.get(PUBLIC_KEY), document.get(SIGNATURE)
    if key is None and signature is None:
        return
    hex_text(document, PUBLIC_KEY, size=KEY_BYTES)
    hex_text(document, SIGNATURE, size=SIGNATURE_BYTES)
    if next(reversed(document)) != SIGNATURE:
        yield "the signature is not the last member of the header"
        return
    message = line[: line.rindex(b',"signature"')] + b"}"
    if not is_signed(message, str(signature), public_key=str(key)):
        yield "the signature does not fit the header: it was changed after it was signed"
