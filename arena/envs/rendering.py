"""An episode in text: what has happened of late, and how things stand."""

from __future__ import annotations

from arena.envs.episode import Episode
from arena.errors import BadInput
from arena.narration.english import ENGLISH
from arena.narration.language import Speaker
from arena.narration.sentences import ABOVE, Perspective, describe_position, narrate
from arena.rules import EMPTY, evolve

MODES = ("human", "ansi")


def check_mode(render_mode: str | None) -> None:
    """Raises BadInput."""
    if render_mode is not None and render_mode not in MODES:
        raise BadInput("render_mode", render_mode, " or ".join(MODES))


def as_text(episode: Episode, *, player: int | None, since: int) -> str:
    """Lines of text as a player may know them; None: all cards are shown. since: the first event
    of the hand that is told."""
    if not episode.events:
        return "Nothing has been dealt: reset comes first."
    reader = ABOVE if player is None else Perspective(episode.seating.index(player))
    names = [f"player_{number}" for number in episode.seating]
    speaker = Speaker(names, episode.rules.table.titles)
    before = evolve(EMPTY, episode.events[:since])
    latest = episode.events[since:]
    said = narrate(ENGLISH, speaker, latest, reader=reader, state=before)
    head = f"Hand {episode.hand} of {episode.hands}"
    stands = describe_position(ENGLISH, speaker, episode.rules, episode.state, reader=reader)
    return "\n".join([head, *(sentence.text for sentence in said), *stands])
