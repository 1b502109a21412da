"""A hand in sentences, English or Japanese, for people who read or listen.

One generator for every place that says in words what happened: it reads events and the state they
are folded into, and knows no rule. `narrate` gives a sentence for each event that says something,
`describe_position` says how things stand.
"""
