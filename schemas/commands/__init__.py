"""The JSON Schemas (2020-12) of what commands print with `--json`; data only."""
