"""Commands that steer a running arena over HTTP: sessions, bots, tokens, audit."""
