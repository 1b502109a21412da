"""Problems as pages: what a browser gets where a program gets problem+json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.web.api.problems import TABLE, Code
from arena.web.pages.rendering import render_template


def problem_page(problem: Mapping[str, Any]) -> bytes:
    """A problem's document as a page, for a browser."""
    advice = TABLE[Code(problem["code"])].advice
    return render_template("problem.html", {"problem": problem, "advice": advice})
