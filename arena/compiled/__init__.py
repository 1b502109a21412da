"""The compiled core: which modules mypyc translates, how that is built, and which core runs.

The sources are the same for both; a compiled core is only used where it was made from the very
sources that lie beside it. `modules` and `choice` are read at each start and import nothing of
ours; `backend` and `building` are for pip alone.
"""
