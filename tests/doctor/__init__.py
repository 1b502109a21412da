"""The doctor, tried with bots that have a fault each."""

from __future__ import annotations
