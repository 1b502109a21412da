"""`arena match`: the command, matches of Python classes, matches over HTTP."""
