"""What classes of the compiled core tell its compiler; in pure Python it says nothing.

mypyc reads it out of the source, under the name that it has in a package which only comes with the
compiler. This module imports nothing of ours and is not compiled.

acyclic: no object of the class can be part of a cycle of references, for it only refers to what was
there before it; so the garbage collector need not know of it. free_list_len: the memory of the last
one that went is kept for the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr
else:

    def mypyc_attr(**attributes: object):
        """Leave a class as it is."""
        return lambda cls: cls


__all__ = ["mypyc_attr"]
