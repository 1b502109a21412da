"""Playing and watching in a terminal: `arena play`, `arena watch`, `arena replay`.

What is said comes from `arena.narration`, through the eyes of whoever reads; nothing here knows a
rule.
"""
