"""UECda: the wire protocol of the computer Daihinmin contest of the University of
Electro-Communications, version 20070, in which programs of some twenty years play.

    cells           cards and melds as cells of a table; pure
    codec           tables and integers as values, and a buffer that takes any bytes; pure
    wire_hand       a hand as its seat sees it, in the protocol's terms; a fold of events; pure
    seat            one connection as a state machine: events and bytes in, answers and bytes out
    greeting        the profile with which a client begins, and what it will be called; pure
    sockets         the connections themselves: whole messages in order, nobody holds up the others
    contest         a contest: one table in this process, with clients and house bots
    points          the contest's table of points; pure
    seat_feed       the events of a hand for one seat, put together from several sources; pure
    answering       a client's answers for the arena, and why the rules do not allow one; pure
    lanes           requests to an arena that nobody waits for
    keys            whose bot a client becomes: tokens
    arena_sessions  what is asked of an arena about sessions, tables and hands
    arena_player    a client as a bot of an arena
    fill_bot        a bot of the kit at a seat for which no client came
    party           who sits down together, and by which numbers
    table_hands     the hands that are played, and what their players share
    gateway         all clients that play in a running arena

and for a bot of the kit on somebody else's server:

    shadow          what a seat knows of a hand there, folded by our engine from its tables; pure
    spread          unseen cards over the other seats; pure
    repairs         what a table says otherwise than the shadow, and what mends it; pure
    client          one session as a state machine: bytes in, the bot is asked, bytes out
    client_connection   its connection

The first five open no socket and read no clock, so that a contest of its own and a gateway to an
arena serve the same seats. The rules are the preset `uecda`; this package has none of its own.
"""
