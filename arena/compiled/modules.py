"""Which modules are compiled, where their files lie, and what the sources amount to.

Nothing else of the arena is imported: this is read before anything, and by the build.
"""

from __future__ import annotations

import os
from pathlib import Path

MODULES = (
    *(
        f"arena.rules.{name}"
        for name in (
            *("admit", "answers", "cards", "commands", "decide", "events", "evolve", "idle"),
            *("legal", "melds", "memo", "opening", "play", "questions", "ruleset", "shapes"),
            *("state", "turns", "view", "wiring"),
        )
    ),
    *(
        f"arena.rules.options.{name}"
        for name in (
            *("answering", "clearing", "completing", "deck", "discards", "equality", "exchange"),
            *("finishing", "forms", "instant_wins", "leading", "limits", "locks", "reversals"),
            *("robbing", "seats", "titles", "tricks", "turning"),
        )
    ),
    "arena.game.hand_state",
    *(f"arena.wire.{name}" for name in ("commands", "events", "turns", "values")),
)
"""What a decision and a play-out pass through. Packages themselves, and what is read once (the
catalogue of options, presets, their patches), stay as they are; so do the errors, which a process
sends to another, and mypyc would leave them without what `pickle` needs."""
FILES = ("errors.py", "documents.py", "compiled/classes.py")
FOLDERS = ("rules", "rules/options", "game", "text", "wire")
"""What of `arena/` the compiled code rests on: these files, and all modules in these folders. Of
those that are not compiled it has constants and types in it."""
LIBRARY = "core_"
"""How the name of the one library begins in which all the code is; beside each source lies a small
module that only opens it."""


def file_of(package: Path, module: str, suffix: str) -> Path:
    """The file of a module. package: the folder `arena`; suffix: ".py", or of an extension."""
    parent = package.joinpath(*module.split(".")[1:])
    return parent.with_name(parent.name + suffix)


def digest_of(package: Path) -> str:
    """What the sources amount to, and the list of those that are compiled: 16 hexadecimal digits,
    others for other names or contents."""
    from hashlib import sha256  # only where a compiled core lies: 3 ms of a start

    amount = sha256(" ".join(MODULES).encode())
    for name in sorted(_sources(package)):
        with open(package / name, "rb") as file:
            body = file.read()
        amount.update(f"{name} {len(body)}\n".encode())
        amount.update(body)
    return amount.hexdigest()[:16]


def _sources(package: Path) -> list[str]:
    names = [(folder, os.listdir(package / folder)) for folder in FOLDERS]
    inside = [f"{folder}/{name}" for folder, all_ in names for name in all_ if name.endswith(".py")]
    return [*FILES, *inside]


def library_of(digest: str) -> str:
    """The name of the library that is made from the sources of this digest."""
    return f"{LIBRARY}{digest}__mypyc"
