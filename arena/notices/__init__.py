"""What owners and organisers are told: notices of bots, and signed messages to a session's address.

Both are written in the transaction of what they report, so that neither can be lost. No card is in
them, and of bots only what the public may see.
"""
