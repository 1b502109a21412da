"""Matches: bots against each other in this process, without HTTP, a store or a clock.

    tables          one table, hand by hand: deals, seats, questions, results
    kit             a bot of the client kit as a player of such a table
    local           blocks of tables through any `concurrent.futures` executor, and the match itself
    workers         such an executor: processes of this machine that end when nobody wants them

For A/B tests and for measuring: the same rules, seatings, random deals and consequences of faults
as in a session, but for the clock, and nothing is recorded. It may not talk to an arena.
"""
