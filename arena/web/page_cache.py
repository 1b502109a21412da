"""A cache of rendered pages, each with what it was rendered from: as long as that is the same, the
same bytes are sent, and only a 304 to a client that has them already.

Rendering a page takes several times as long as querying what it shows. This module may not
know any page.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any

from arena.web.api.documents import ServedDocument, document_of

MOST_PAGES = 64
"""Pages that are cached in one process."""


class PageCache:
    """The pages that were requested last."""

    def __init__(self) -> None:
        self._pages: OrderedDict[Hashable, tuple[Any, ServedDocument]] = OrderedDict()
        self._lock = Lock()

    def page(
        self, key: Hashable, basis: object, *, media: str, render: Callable[[], bytes]
    ) -> ServedDocument:
        """The page of this key, rendered anew if its basis is not equal to that of the last time.

        basis: everything that the bytes depend on besides the key.
        """
        entry = self._pages.get(key)
        if entry is not None and entry[0] == basis:
            return entry[1]
        page = document_of(render(), media)
        with self._lock:
            self._pages[key] = basis, page
            self._pages.move_to_end(key)
            while len(self._pages) > MOST_PAGES:
                self._pages.popitem(last=False)
        return page
