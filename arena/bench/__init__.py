"""Measurements: the engine alone, the parts of a move, and a referee under load.

Every figure stands beside a baseline that was measured in the same run, because machines differ and
have neighbours; the ratio is what can be compared. Nothing here is imported by the arena itself.
"""
