"""Bots to start from. Each is one file that can be copied, changed and run by itself."""
