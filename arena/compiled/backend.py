"""What pip builds the arena with (PEP 517, PEP 660): setuptools, with a compiled core on request.

`ARENA_COMPILE=1` in pip's environment asks for the compiled core. A wheel then has it inside and is
tagged for this Python and platform; an editable installation gets it beside the sources. Without it
everything is as setuptools does it, no compiler is needed, and an editable installation loses a
compiled core that it had: the command that installs says what is installed.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import setuptools
from setuptools import Extension, build_meta
from setuptools.build_meta import (
    build_sdist,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)
from setuptools.command.build_ext import build_ext

from arena.compiled import building

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

Options = dict[str, Any] | None


def get_requires_for_build_wheel(config_settings: Options = None) -> list[str]:
    """What a wheel is built with, besides setuptools."""
    return [*_translator(), *build_meta.get_requires_for_build_wheel(config_settings)]


def get_requires_for_build_editable(config_settings: Options = None) -> list[str]:
    """What an editable installation is built with, besides setuptools."""
    return [*_translator(), *build_meta.get_requires_for_build_editable(config_settings)]


def build_wheel(
    wheel_directory: str, config_settings: Options = None, metadata_directory: str | None = None
) -> str:
    """Build a wheel, of any platform or with a compiled core of this one; its name."""
    if not building.wanted():
        return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
    building.check_compiler()
    backend = WithCore(building.build(Path.cwd()))
    return backend.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Options = None, metadata_directory: str | None = None
) -> str:
    """Build what an editable installation needs, and put a compiled core beside the sources or take
    it away from there; its name."""
    root = Path.cwd()
    if building.wanted():
        building.check_compiler()
        building.put_beside(root, building.build(root))
    else:
        building.remove(root)
    return build_meta.build_editable(wheel_directory, config_settings, metadata_directory)


def _translator() -> list[str]:
    if not building.wanted():
        return []
    building.check_compiler()  # before anything is fetched for nothing
    return [building.REQUIRES]


class WithCore(build_meta._BuildMetaBackend):
    """setuptools, told that there are extension modules: those of a compiled core."""

    def __init__(self, files: dict[str, Path]) -> None:
        self._files = files

    def run_setup(self, setup_script: str = "setup.py") -> None:
        """What setuptools does where there is no `setup.py`, with the extension modules."""
        files = self._files

        class Built(build_ext):
            """Takes files that are there already for what it would build."""

            def build_extension(self, ext: Extension) -> None:
                """Copy one to where it is expected."""
                target = Path(self.get_ext_fullpath(ext.name))
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(files[ext.name], target)

        for earlier in Path("build").glob("lib.*"):  # a library of other sources would be packed
            shutil.rmtree(earlier)
        extensions = [Extension(name, []) for name in files]
        setuptools.setup(ext_modules=extensions, cmdclass={"build_ext": Built})
