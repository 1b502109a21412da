"""Commands on positions: hands at one moment, as lines of text."""
