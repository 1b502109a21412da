"""Pages for people, as HTML."""
