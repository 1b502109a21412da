"""Pages that were rendered, each with what it was rendered from: as long as that is the same, the
same bytes are sent, and to who has them already nothing but a 304.

To render a page takes several times as long as to find out what stands on it. This module may not
know any page.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Final

from arena.web.api.documents import Document, document_of

KEPT: Final = 64
"""Pages of one process."""


class KeptPages:
    """The pages that were asked for last."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, tuple[Any, Document]] = OrderedDict()
        self._lock = Lock()

    def page(
        self, key: Hashable, basis: object, *, media: str, render: Callable[[], bytes]
    ) -> Document:
        """The page of this key, rendered anew if its basis is not equal to that of the last time.

        basis: everything that the bytes depend on besides the key.
        """
        found = self._kept.get(key)
        if found is not None and found[0] == basis:
            return found[1]
        made = document_of(render(), media)
        with self._lock:
            self._kept[key] = basis, made
            self._kept.move_to_end(key)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return made
