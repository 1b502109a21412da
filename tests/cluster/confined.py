"""``python -m tests.cluster.confined ALLOWED COMMAND...``: a command with few system calls.

ALLOWED is a file of their names; any other fails with EPERM, as under systemd's SystemCallFilter.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import errno
import os
import sys
from pathlib import Path

ALLOW = 0x7FFF0000
REFUSE = 0x00050000 | errno.EPERM
UNKNOWN = -1


def confine(names: list[str]) -> None:
    """Refuse this process, and what comes of it, every other system call from now on."""
    place = ctypes.util.find_library("seccomp")
    if place is None:
        raise SystemExit("no libseccomp")
    library = ctypes.CDLL(place)
    library.seccomp_init.restype = ctypes.c_void_p
    numbers = (ctypes.c_uint32, ctypes.c_int, ctypes.c_uint)
    library.seccomp_rule_add.argtypes = (ctypes.c_void_p, *numbers)
    library.seccomp_load.argtypes = (ctypes.c_void_p,)
    filters = library.seccomp_init(REFUSE)
    for name in names:
        number = library.seccomp_syscall_resolve_name(name.encode())
        if number != UNKNOWN:
            library.seccomp_rule_add(filters, ALLOW, number, 0)
    if library.seccomp_load(filters):
        raise SystemExit("the filter cannot be loaded")


if __name__ == "__main__":
    confine(Path(sys.argv[1]).read_text().split())
    os.execvp(sys.argv[2], sys.argv[2:])
