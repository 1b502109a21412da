"""Apps for tests: what all of them have alike is made once and not again for each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NoReturn
from unittest import mock

import pytest
from werkzeug.routing import Rule

from arena.web import app
from arena.web.api.validation import Schemas, load_schemas


@cache
def schemas() -> Schemas:
    """The schemas, which nobody changes."""
    return load_schemas()


@contextmanager
def made_once() -> Iterator[None]:
    """Apps that are made meanwhile share schemas and documents, where their routes are equal.

    Nor do they have functions that build URLs: Werkzeug compiles two for each route, and the arena
    builds no URLs from them.
    """
    with (
        mock.patch.object(app, "load_schemas", schemas),
        mock.patch.object(app, "openapi_document", _openapi),
        mock.patch.object(app, "documents_of", _documents),
        mock.patch.object(Rule, "_compile_builder", _no_builder),
    ):
        yield


def _remembered(make: Callable[..., Any]) -> Callable[..., Any]:
    """A function that answers equal arguments, which need no hash, with the same value."""
    known: list[tuple[tuple[Any, ...], Any]] = []

    def remembered(*given: Any) -> Any:
        for arguments, value in known:
            if arguments == given:
                return value
        known.append((given, make(*given)))
        return known[-1][1]

    return remembered


_openapi, _documents = _remembered(app.openapi_document), _remembered(app.documents_of)


def _no_builder(*_: object) -> Callable[..., NoReturn]:
    return _builds_no_url


def _builds_no_url(*_: object) -> NoReturn:
    pytest.fail("the arena builds no URLs from its routes")
