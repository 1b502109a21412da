"""The HTTP API as a Flask app: routes, problems, limits, documents. It knows no sockets."""
