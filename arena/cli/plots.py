"""Pictures of ratings as files: SVG by ourselves, PNG by matplotlib if it is installed."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path
from typing import Any

from arena.errors import BadInput, Unavailable
from arena.tournament.reporting.pictures import RatingBar, bars, svg
from arena.tournament.standings import Standings

WIDE_FONTS = ("Noto Sans CJK JP", "Noto Sans JP", "IPAexGothic", "Hiragino Sans", "Yu Gothic")
"""Fonts with Japanese letters; the first that is installed is used."""
INCH = 0.28


def write_plot(standings: Standings, file: Path) -> None:
    """Write ratings with their 95 % intervals to a file ending in .svg or .png."""
    ending = file.suffix.lower()
    if ending not in (".svg", ".png"):
        raise BadInput("plot", str(file), "a file ending in .svg or .png")
    if ending == ".png" and importlib.util.find_spec("matplotlib") is None:
        wanted = "a file ending in .svg; for .png: pip install daifugo-arena[plot]"
        raise BadInput("plot", str(file), wanted)
    try:
        if ending == ".svg":
            file.write_text(svg(standings), encoding="utf-8")
        else:
            _write_png(standings, file)
    except OSError as error:
        raise Unavailable(f"{file} cannot be written: {error}") from error


def _write_png(standings: Standings, file: Path) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawn = [bar for group in bars(standings) for bar in group]
    figure = Figure(figsize=(8, 1.2 + INCH * max(3, len(drawn))), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for at, bar in enumerate(reversed(drawn)):
        _draw(axes, bar, at)
    axes.set_yticks(range(len(drawn)), [_plain(bar.name) for bar in reversed(drawn)], **_font())
    axes.set_xlabel("Elo, 95 %")
    axes.set_title(_plain(standings.facts.session), loc="left", **_font())
    axes.grid(axis="x", alpha=0.3)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing", category=UserWarning)
        figure.savefig(file, dpi=120, metadata={"Software": None})


def _draw(axes: Any, bar: RatingBar, at: int) -> None:
    look = {"color": "C0", "alpha": 1.0 if bar.sure else 0.5}
    for end in (bar.low, bar.high):
        if end is not None:
            axes.plot([bar.elo, end], [at, at], "-", **look)
            axes.plot([end], [at], "|", **look)
    axes.plot([bar.elo], [at], "o" if bar.low is not None and bar.high is not None else "D", **look)


def _plain(text: str) -> str:
    """The text without what matplotlib would take for mathematics."""
    return text.replace("$", r"\$")


def _font() -> dict[str, Any]:
    from matplotlib import font_manager

    installed = set(font_manager.get_font_names())
    installed_fonts = [font for font in WIDE_FONTS if font in installed]
    return {"fontfamily": [*installed_fonts, "DejaVu Sans"]}
