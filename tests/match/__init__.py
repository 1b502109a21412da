"""Tests of matches in this process."""
