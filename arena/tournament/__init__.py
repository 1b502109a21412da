"""The tournament: schedules, seatings, results, ratings, standings, tests of superiority.

Pure and deterministic: values in, values out, every choice drawn from a seed. Nothing here may
read a clock, a file or a generator of the system, and nothing knows the rules of the game; it
imports the standard library, NumPy, tabulate and `arena.errors` only.

A session's way through it:

    pairing.schedules.round_robin    who meets whom; also gauntlet, swiss, ladder, finals, mixed
    pairing.descriptions.describe    how even that is, before it starts
    pairing.seatings.seating         who sits where, hand by hand
    results.settle, forfeit          what a hand counts for
    ratings.rate                     numbers and their errors (models.rate_by: by other models)
    standings.compile_standings      from hands to rows
    alerts.alerts                    what an organiser should look at
    sprt.sprt                        is one bot better than another, evaluated after every block
    reporting.layouts.render         from rows to text
    reporting.documents              from rows to JSON
    reporting.reports                cross-table, likelihood of superiority, separation list
    reporting.pictures.svg           ratings with intervals
"""
