"""Work: the blocks of a match, played by workers on other machines that ask for them over HTTP.

    terms       the match and the result of a block as documents
    leases      which block is whose, until when
    host        an executor whose blocks are leased; answers the requests of workers
    worker      asks a host for blocks, plays them, and brings back what came of them

Workers only ever call out. Nothing but JSON travels, and no code: a worker plays its own copy of
the bots, and says so if that is another. This package may not count or judge anything.
"""
