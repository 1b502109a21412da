"""Matches: bots against each other in this process, without HTTP, a store or a clock.

    tables          one table, hand by hand: deals, seats, questions, results
    kit             a bot of the client kit as a player of such a table
    local           a match, and one block of it
    attempts        one try at a block, in whatever process
    matches         blocks through any `concurrent.futures` executor, until there is a verdict
    repeating       what was lost on the way is done again
    workers         such an executor: processes of this machine that end when nobody wants them
    executors       others, by name, and fresh ones where one has broken
    journal         the blocks of a match in a file, so that it can go on

For A/B tests and for measuring: the same rules, seatings, random deals and consequences of faults
as in a session, but for the clock, and nothing is recorded. It may not talk to an arena.
"""
