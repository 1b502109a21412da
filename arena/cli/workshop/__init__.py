"""Commands for who makes bots: positions, the kit, and tests of a bot."""
