"""Digests: one hash over all hands of a session at tables that are closed, signed by the arena.

The leaves of a Merkle tree are the heads of the hands in playing order (`arena.proofs`). A digest
has ids of tables and counts, and heads are hashes with a secret salt, so it tells nothing that is
withheld; it is shown to everybody at any time. At most KEPT sessions are known. One with much to
read is read in the background for those who have asked for something else; who asks for the digest
itself waits for it. It writes nothing.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Mapping
from functools import partial
from typing import Any

from arena.clock import instant
from arena.documents import Document
from arena.errors import ArenaError, Conflict, Unavailable
from arena.proofs.merkle import leaf_hash
from arena.proofs.signatures import PUBLIC_KEY, SIGNATURE, Signer
from arena.queries.digest_tree import DigestTree
from arena.queries.heads import stored_head
from arena.referee.context import Sources
from arena.session.deals import secret_commitment
from arena.statuses import TABLE_OPEN
from arena.store.port import SessionRow
from arena.store.reading import hand_row, session_row, table_row

KEPT = 16
FEW = 500
"""Hands that are read while somebody waits who has asked for something else."""
LOG = logging.getLogger("arena.queries")


class Digests:
    """The digests that one process knows."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, str], DigestTree] = OrderedDict()
        self._thread: threading.Thread | None = None
        self._closed = False

    def digest(self, sources: Sources, session: str) -> Document:
        """The signed digest of a session by now. Raises NotFound."""
        row = session_row(sources.store, session)
        known = self._tree(row)
        with known.lock:
            known.refresh(sources, row)
            return signed(known.document, sources.signer)

    def brief(self, sources: Sources, row: SessionRow) -> Document | None:
        """``{"tables", "hands", "rounds", "root", "at", "public_key"}`` for those who ask for
        something else: as it was known last while it is computed; None while nothing is known."""
        known = self._tree(row)
        if sources.long_work.is_paced and self._unread(sources, row, known) > FEW:
            self._begin(sources, row)
        elif known.lock.acquire(blocking=False):
            try:
                known.refresh(sources, row)
            finally:
                known.lock.release()
        document = known.document
        return brief(document, sources.signer) if document else None

    def proof(self, sources: Sources, hand: str) -> Document:
        """That a hand is in the digest: ``{"session", "hand", "head", "index", "size", "proof",
        "digest"}``. Raises NotFound; Conflict while its table is played."""
        row = hand_row(sources.store, hand)
        table = table_row(sources.store, row.table)
        if table.status in TABLE_OPEN:
            message = f"its table {table.id} is played still; once it is closed, the digest has it"
            raise Conflict(hand, message)
        head = stored_head(sources, table, hand=row)
        stored = session_row(sources.store, table.session)
        known = self._tree(stored)
        with known.lock:
            known.refresh(sources, stored)
            index = known.first[table.id] + row.number - 1
            if known.tree.leaf(index) != leaf_hash(head):
                raise Unavailable(f"the log of {hand} is not the one that the digest covers")
            return {
                "session": table.session,
                "hand": hand,
                "head": head.hex(),
                "index": index,
                "size": known.tree.size,
                "proof": [each.hex() for each in known.tree.proof(index)],
                "digest": signed(known.document, sources.signer),
            }

    def close(self) -> None:
        """Read no more; returns when nothing is being read in the background."""
        with self._lock:
            self._closed, thread = True, self._thread
        if thread is not None:
            thread.join()

    def _tree(self, row: SessionRow) -> DigestTree:
        """What is kept of a session; of two of one name, the first of which was deleted, each has
        its own."""
        with self._lock:
            key = row.id, secret_commitment(row.secret)
            known = self._known.setdefault(key, DigestTree(lambda: not self._closed))
            self._known.move_to_end(key)
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
            return known

    def _unread(self, sources: Sources, row: SessionRow, known: DigestTree) -> int:
        """About how many hands are to be read."""
        tables = known.unread(sources.store.table_counts(row.id))
        return tables * sources.in_play.session_of(row).config.hands_per_table if tables else 0

    def _begin(self, sources: Sources, row: SessionRow) -> None:
        """Read a session in the background, if nothing is being read there."""
        with self._lock:
            if not self._closed and self._thread is None:
                work = partial(self._work, sources, row)
                self._thread = threading.Thread(target=work, name="digests", daemon=True)
                self._thread.start()

    def _work(self, sources: Sources, row: SessionRow) -> None:
        """At a thread's top: whatever goes wrong is logged, and tried again for who asks again."""
        known = self._tree(row)
        try:
            with known.lock:
                known.refresh(sources, row)
        except ArenaError as error:
            if not self._closed:
                LOG.warning("digest of %s: %s; tried again when somebody asks", row.id, error)
        except Exception:
            LOG.exception("the digest of %s cannot be computed", row.id)
        finally:
            self._thread = None


def brief_line(digest: Mapping[str, Any] | None) -> tuple[str, ...]:
    """A line below standings that names the digest by now; none where it is not known."""
    if digest is None:
        return ()
    hands, tables, key = digest["hands"], digest["tables"], digest["public_key"]
    over = f"{hands} hand{'s'[: hands != 1]} at {tables} table{'s'[: tables != 1]}"
    by = f"signed with key {key}" if key else "not signed"
    return (f"digest {digest['root']} over {over}, {by}",)


def signed(document: Document, signer: Signer | None) -> Document:
    """A digest with its signature; both members are null in an arena without a key."""
    if signer is None:
        return {**document, PUBLIC_KEY: None, SIGNATURE: None}
    return signer.signed(document)


def brief(digest: Mapping[str, Any], signer: Signer | None) -> Document:
    """What is said of a digest beside other things."""
    return {
        **{name: digest[name] for name in ("tables", "hands", "rounds", "root")},
        "at": instant(digest["at_ms"]) if digest["hands"] else None,
        "public_key": None if signer is None else signer.public_key,
    }
