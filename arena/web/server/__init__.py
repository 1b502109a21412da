"""The HTTP server: gevent, connections, heads and bodies. It knows no route."""
