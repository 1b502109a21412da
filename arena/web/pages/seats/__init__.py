"""Pages for people who play: choosing a table, accepting an invitation, and the seat itself."""
