"""The JSON Schemas (2020-12) of everything that the arena sends and receives; data only."""
