"""The head of a request: its fields, read strictly, in the form in which the server asks for them.

gevent reads heads with the standard library's parser for e-mail, which takes a quarter of the time
of a short request and mends what it cannot read. Here nothing is mended: what RFC 9112 forbids (a
field that goes on in the next line, a space before the colon, a name that is none, a control
character) is refused. This module may not know what any field means.
"""

from __future__ import annotations

import re
from functools import lru_cache
from io import BufferedIOBase
from typing import Final

LONGEST_LINE: Final = 65_536
MOST_FIELDS: Final = 100
FIELD: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)\r?\n")


class Head(dict[str, str]):
    """Fields by name in lower case; a name that comes twice has its values joined by commas.

    Made for `gevent.pywsgi.WSGIHandler`, which asks for `status`, `typeheader` and `getheader`.
    """

    status = ""
    """What was wrong with it: nothing, for it would have been refused."""

    def get(self, name: str, default: str | None = None) -> str | None:  # type: ignore[override]
        """The value of a field, in whichever case its name is written."""
        return super().get(name.lower(), default)

    getheader = get

    @property
    def typeheader(self) -> str | None:
        """The media type of the body."""
        return self.get("content-type")

    def add(self, name: str, value: str) -> None:
        """One more field. Names with an underscore could pass for others, and are left out."""
        if "_" in name:
            return
        known = super().get(name)
        joint = "; " if name == "cookie" else ","
        self[name] = value if known is None else f"{known}{joint}{value}"


def read_head(file: BufferedIOBase) -> Head:
    """Read fields up to the empty line. Raises ValueError for what is no head of a request."""
    head = Head()
    for _ in range(MOST_FIELDS + 1):
        line = file.readline(LONGEST_LINE)
        if line in (b"\r\n", b"\n"):
            return head
        field = FIELD.fullmatch(line)
        if field is None:
            raise ValueError("a line of the head is no header field")
        name, value = field.groups()
        head.add(name.decode("latin-1").lower(), value.decode("latin-1").rstrip(" \t"))
    raise ValueError(f"the head has more than {MOST_FIELDS} fields")


@lru_cache(maxsize=256)
def environ_name(name: str) -> str:
    """The name of a field in a WSGI environment."""
    return "HTTP_" + name.replace("-", "_").upper()
