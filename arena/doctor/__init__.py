"""The doctor: tries a bot in any language against a referee of its own, and says what to change.

A *scene* is one session with one process of the bot. It has *phases*, each with one *trouble*. What
came over the wire is the *evidence*; *checks* are functions of it. Nothing here knows how a bot is
written: it is judged by its requests alone.
"""

from __future__ import annotations
