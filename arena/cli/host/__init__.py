"""Commands on the referee's own host: they run it, or open its database."""
