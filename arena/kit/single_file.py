"""The kit as one module that needs `requests` only: for who cannot or does not want to install.

Every definition stands there as it stands in the arena, comments included; only the lines are left
out that import one module of the kit into another. A module that others use by its name, such as
`cards`, becomes a namespace of its names. No name may have two meanings in two modules.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache

import arena
from arena.kit.sources import KitModule, our_imports, sources

SINGLE_FILE = "arena_client.py"
HEAD = '''"""The kit for bots of Daifugō Arena {version}, in one file.

    from arena_client import Bot, run

    class Careful(Bot):
        def play(self, turn):
            return turn.lowest() or turn.pass_()

    if __name__ == "__main__":
        run(Careful())

It needs Python 3.11 or newer and `requests`, and has all that `arena.client` has. It was made from
the arena's own sources: do not change it, fetch a new one. Apache License 2.0.
"""

from __future__ import annotations'''


class ClashError(Exception):
    """Two modules of the kit give one name two meanings."""


@cache
def single_file() -> str:
    """The text of `arena_client.py`. Raises ClashError."""
    return join(sources())


def join(modules: Sequence[KitModule]) -> str:
    """Modules as one, each after those that it imports. Raises ClashError."""
    lines = _imports(modules)
    meanings = {name: line for line in lines for name in _defined(ast.parse(line).body[0])}
    parts = [HEAD.format(version=arena.__version__) + "\n\n" + "\n".join(lines)]
    for source in modules:
        parts += _section(source, meanings)
        parts += _namespaces(source, modules)
    return "\n\n\n".join(parts) + "\n"


def _imports(modules: Sequence[KitModule]) -> list[str]:
    """What the modules import that is not ours: whole modules first."""
    whole: set[str] = set()
    parts: dict[str, set[str]] = {"types": {"SimpleNamespace"}}
    for node in (node for source in modules for node in source.tree.body):
        if isinstance(node, ast.Import):
            whole |= {ast.unparse(alias) for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not any(our_imports(node)):
            parts.setdefault(str(node.module), set()).update(map(ast.unparse, node.names))
    parts.pop("__future__", None)
    return [
        *(f"import {name}" for name in sorted(whole)),
        *(f"from {module} import {', '.join(sorted(parts[module]))}" for module in sorted(parts)),
    ]


def _section(source: KitModule, meanings: dict[str, str]) -> Iterator[str]:
    """The statements of a module, below a line that names it."""
    texts = [text for node, text in _statements(source) if _is_new(node, text, meanings)]
    if texts:
        body = "\n".join(texts).strip("\n")
        yield f"# {source.name}: {source.says}\n\n{body}"


def _statements(source: KitModule) -> Iterator[tuple[ast.stmt, str]]:
    """The statements of a module, each with its text and that between it and the one before; not
    the docstring, nor what is imported."""
    lines, end = source.text.splitlines(), 0
    for at, node in enumerate(source.tree.body):
        start, end = end, node.end_lineno or end
        docstring = at == 0 and isinstance(node, ast.Expr)
        if not docstring and not isinstance(node, ast.Import | ast.ImportFrom):
            yield node, "\n".join(lines[start:end])


def _is_new(node: ast.stmt, text: str, meanings: dict[str, str]) -> bool:
    """Does a statement say something that no other has said? Raises ClashError."""
    names = _defined(node)
    known = {meanings[name] for name in names if name in meanings}
    if known - {text.strip()}:
        raise ClashError(
            f"{', '.join(names)} is {known} in one module, {text.strip()!r} in another"
        )
    meanings.update(dict.fromkeys(names, text.strip()))
    return not known


def _defined(node: ast.stmt) -> list[str]:
    """The names that a statement defines."""
    match node:
        case ast.FunctionDef(name) | ast.ClassDef(name):
            return [name]
        case ast.Assign(targets):
            return [each.id for each in targets if isinstance(each, ast.Name)]
        case ast.AnnAssign(ast.Name(name)):
            return [name]
        case ast.Import(aliases) | ast.ImportFrom(_, aliases):
            return [alias.asname or alias.name.partition(".")[0] for alias in aliases]
        case _:
            return []


def _namespaces(source: KitModule, modules: Sequence[KitModule]) -> Iterator[str]:
    """A module under the names by which others use it."""
    known_as = {
        each.known_as
        for node in (node for other in modules for node in other.tree.body)
        for each in our_imports(node)
        if each.module == source.name and not each.name
    }
    defined = [name for node, _ in _statements(source) for name in _defined(node)]
    members = ", ".join(f"{name}={name}" for name in defined if not name.startswith("_"))
    for name in sorted(known_as):
        yield f"{name} = SimpleNamespace({members})"
