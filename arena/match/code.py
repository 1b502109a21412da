"""The code of a bot as a digest, so that nobody plays another bot under the same name.

All files count that the bot's module imports, directly or through others, as far as they are its
owner's: the standard library, installed packages and the arena itself are left out. Files that a
bot reads while it plays do not count, for nobody knows which they are. Nothing is imported here.
"""

from __future__ import annotations

import ast
import shlex
import sys
import sysconfig
from collections.abc import Iterator
from hashlib import sha256
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

from arena import resources

OURS = ("arena", "arena_client", resources.SAMPLE_BOTS)
INSTALLED = tuple(
    Path(sysconfig.get_path(name)).resolve()
    for name in ("stdlib", "platstdlib", "purelib", "platlib")
)


def code_digest(source: str) -> str:
    """The digest of a bot's code, from `module:Class` with its flags; in hexadecimal digits.

    It is the same on every machine with the same files, whatever their folder and line ends.
    """
    module = shlex.split(source)[0].partition(":")[0]
    whole = sha256()
    for name, file in sorted(_files(module).items()):
        content = file.read_bytes().replace(b"\r\n", b"\n")
        whole.update(f"{name} {len(content)}\n".encode())
        whole.update(content)
    return whole.hexdigest()


def _files(module: str) -> dict[str, Path]:
    """The files of a module and of all that it imports, by the names of modules."""
    known: dict[str, Path] = {}
    looked_at: set[str] = set()
    left = [module]
    while left:
        name = left.pop()
        if name in looked_at:
            continue
        looked_at.add(name)
        file = _file(name)
        if file is not None:
            known[name] = file
            left += _imports(name, file)
        left += [name.rpartition(".")[0]] if "." in name else []
    return known


def _file(name: str) -> Path | None:
    """The file of a module, if it is its owner's or a sample bot."""
    own = resources.sample_bot(name)
    if own is not None:
        return own
    top = name.partition(".")[0]
    if top in OURS or top in sys.stdlib_module_names:
        return None
    spec = _spec(name)
    if spec is None or not spec.has_location or spec.origin is None:
        return None
    file = Path(spec.origin).resolve()
    installed = any(file.is_relative_to(folder) for folder in INSTALLED)
    return file if file.is_file() and not installed else None


def _spec(name: str) -> ModuleSpec | None:
    """Where a module would be imported from, without importing its packages."""
    spec, places = None, None
    whole = ""
    for part in name.split("."):
        whole = f"{whole}.{part}".lstrip(".")
        spec = PathFinder.find_spec(whole, places)
        if spec is None:
            return None
        places = list(spec.submodule_search_locations or ())
    return spec


def _imports(name: str, file: Path) -> Iterator[str]:
    """The modules that a file may import; some names are no modules, which does no harm."""
    if file.suffix != ".py":
        return
    try:
        tree = ast.parse(file.read_bytes())
    except SyntaxError:  # it cannot be imported either
        return
    package = name if file.stem == "__init__" else name.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*(above if node.level else ()), *filter(None, [node.module])])
            if base:
                yield base
                yield from (f"{base}.{alias.name}" for alias in node.names if alias.name != "*")
