"""An arena of one's own in this process: real referee, real app, free ports of this machine.

For commands that try a bot: they see each request before the app does, and each answer before the
bot does. This package may not know what they try.
"""

from __future__ import annotations
