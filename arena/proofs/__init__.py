"""What makes a record evidence: hash chains of logs, Merkle trees, shared chance, signatures.

Pure functions of their arguments; nothing here knows a store, a clock, a session or the rules.
"""
