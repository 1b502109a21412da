"""The compiled core is built: Python to C by mypyc, C to extension modules, as many at a time as
there are processors. What was built is kept in `build/` until the sources change.

Runs in pip's build environment, with mypy and setuptools; the arena itself never imports it.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from setuptools import Distribution, Extension
from setuptools.command.build_ext import build_ext
from setuptools.errors import CCompilerError, ExecError, PlatformError

from arena.compiled.modules import LIBRARY, MODULES, digest_of, file_of, library_of

VARIABLE = "ARENA_COMPILE"
REQUIRES = "mypy[mypyc]>=2.4,<2.6"
"""Bounded: what is compiled is only as good as its compiler, and its internals are used."""
OPTIMISATION = "3"
PROBE = "#include <Python.h>\nint arena_probe(void) { return PY_MAJOR_VERSION; }\n"
EXTENSIONS = (".so", ".pyd")


class Unbuildable(SystemExit):
    """The core cannot be built here; the text is all that pip shows."""


class ParallelBuild(build_ext):
    """Compiles the C files of one extension side by side, too, and not only the extensions."""

    def build_extensions(self) -> None:
        """Build them all."""
        compile_all = self.compiler.compile

        def compile_side_by_side(sources: list[str], *rest: Any, **more: Any) -> list[str]:
            with ThreadPoolExecutor(_processors()) as pool:
                parts = pool.map(lambda source: compile_all([source], *rest, **more), sources)
                return [file for part in parts for file in part]

        self.compiler.compile = compile_side_by_side
        super().build_extensions()


def wanted(environ: dict[str, str] | os._Environ[str] = os.environ) -> bool:
    """Does the caller of pip ask for a compiled core? Ends the build if the value is no answer."""
    value = environ.get(VARIABLE, "")
    if value not in ("", "0", "1"):
        raise Unbuildable(f"{VARIABLE} is {value!r}; expected 1 (compile the core) or 0")
    return value == "1"


def check_compiler() -> None:
    """End the build with one line where C cannot be compiled against this Python."""
    if sys.implementation.name != "cpython":
        raise Unbuildable(f"{VARIABLE}=1 needs CPython; this is {sys.implementation.name}")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.c")
        source.write_text(PROBE, encoding="ascii")
        logging.disable(logging.INFO)  # the command line of the compiler
        try:
            _run([Extension("arena_probe", [str(source)])], Path(folder))
        except (CCompilerError, ExecError, PlatformError, OSError) as error:
            raise Unbuildable(
                f"{VARIABLE}=1 needs a C compiler and the headers of Python (on Debian: apt-get "
                f"install gcc python3-dev), and there is none that works ({_one_line(error)}); "
                f"without {VARIABLE} the arena is installed in pure Python"
            ) from None
        finally:
            logging.disable(logging.NOTSET)


def build(root: Path) -> dict[str, Path]:
    """The files of the compiled core of a checkout: module -> file, the library first.

    root: the folder of `pyproject.toml`. They are in `build/`; those of other sources are removed.
    """
    digest = digest_of(root / "arena")
    place = root / "build" / f"core-{digest}-{_tag()}"
    if not place.is_dir():
        for old in (root / "build").glob(f"core-*-{_tag()}*"):
            shutil.rmtree(old)
        made = place.with_name(place.name + ".part")
        _translate_and_compile(root, library_of(digest), made)
        (made / "lib").rename(place)
        shutil.rmtree(made)
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    names = (f"arena.{library_of(digest)}", *MODULES)
    return {name: file_of(place / "arena", name, suffix) for name in names}


def _translate_and_compile(root: Path, library: str, made: Path) -> None:
    """Build everything below `made`; the extension modules are in `lib` in the end."""
    try:
        from mypyc.build import mypycify
    except ImportError as error:
        raise Unbuildable(f"{VARIABLE}=1 needs {REQUIRES} ({error})") from None
    sources = [str(file_of(Path("arena"), name, ".py")) for name in MODULES]
    extensions = mypycify(
        ["--config-file=", *sources],
        group_name=f"arena.{library.removesuffix('__mypyc')}",
        multi_file=True,  # so that the C files can be compiled side by side
        opt_level=OPTIMISATION,
        debug_level="0",
        target_dir=str(made / "c"),
    )
    for extension in extensions:
        # The headers lie beside the library's own place, the C files do not.
        extension.include_dirs.append(str(made / "c" / "arena"))
        if os.name == "posix":  # a warning of a newer compiler is no fault of who installs this
            extension.extra_compile_args.append("-Wno-error")
            # Modules of the library call each other directly: 5 to 9 % more hands in a second.
            extension.extra_compile_args.append("-fvisibility=hidden")
    _run(extensions, made)


def _run(extensions: Sequence[Extension], folder: Path) -> None:
    """Build extensions into `folder/lib`."""
    builder = ParallelBuild(Distribution({"name": "core", "ext_modules": list(extensions)}))
    builder.build_lib = str(folder / "lib")
    builder.build_temp = str(folder / "temp")
    builder.parallel = _processors()
    builder.ensure_finalized()
    builder.run()


def put_beside(root: Path, files: dict[str, Path]) -> None:
    """Put the modules of a compiled core beside their sources, and take others away."""
    remove(root)
    for name, file in files.items():  # the library first: without the rest it counts as not whole
        shutil.copy(file, root.joinpath(*name.split(".")[:-1]))


def remove(root: Path) -> None:
    """Take all compiled modules away from beside their sources, of any Python and any version."""
    found = [file for file in (root / "arena").rglob("*") if file.suffix in EXTENSIONS]
    # The library last: it says that there may be others.
    for file in sorted(found, key=lambda file: file.name.startswith(LIBRARY)):
        file.unlink()


def _tag() -> str:
    """Of this Python, on this machine, with this compiler of Python."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        translator = version("mypy")
    except PackageNotFoundError:
        translator = "none"
    return f"{sys.implementation.cache_tag}-{sysconfig.get_platform()}-mypy{translator}"


def _processors() -> int:
    return os.cpu_count() or 1


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
