"""What classes of the compiled core tell its compiler; in pure Python it says nothing.

mypyc reads it out of the source, under the name that it has in a package which only comes with the
compiler. This module imports nothing of ours and is not compiled.
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
