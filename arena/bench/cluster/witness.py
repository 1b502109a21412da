"""What PostgreSQL itself has seen: triggers note every move of a lease, and every step that another
referee wrote than the home of its session.

A transaction that is rolled back leaves no note, so a note of a step means that a write of an old
epoch was accepted. Referees are told apart by the `application_name` of their connections.
"""

from __future__ import annotations

from typing import NamedTuple

from arena.bench.cluster.postgres import PostgresServer

TRIGGERS = """
CREATE TABLE bench_moves (
    at_ms BIGINT NOT NULL, session_id TEXT NOT NULL, home TEXT, epoch BIGINT NOT NULL
);
CREATE TABLE bench_stale (hand_id TEXT, seq BIGINT, writer TEXT, home TEXT);
CREATE FUNCTION bench_now() RETURNS BIGINT LANGUAGE sql AS
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT';
CREATE FUNCTION bench_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO bench_moves VALUES (bench_now(), OLD.session_id, NULL, OLD.epoch);
    ELSE
        INSERT INTO bench_moves VALUES (bench_now(), NEW.session_id, NEW.home, NEW.epoch);
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION bench_step() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO bench_stale
    SELECT w.hand_id, w.seq, split_part(current_setting('application_name'), ' ', 1), l.home
    FROM written w LEFT JOIN leases l
        ON l.session_id = regexp_replace(w.hand_id, '-r[0-9]+-t[0-9]+[a-z]*-h[0-9]+$', '')
    WHERE l.home IS DISTINCT FROM split_part(current_setting('application_name'), ' ', 1);
    RETURN NULL;
END $$;
CREATE TRIGGER bench_move AFTER INSERT OR UPDATE OR DELETE ON leases
    FOR EACH ROW EXECUTE FUNCTION bench_move();
CREATE TRIGGER bench_step AFTER INSERT ON steps
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION bench_step();
"""


class Move(NamedTuple):
    """A lease as it was written. home: None when it was given up for good."""

    at_ms: int
    session: str
    home: str | None
    epoch: int


class StaleStep(NamedTuple):
    """A step that was written by a referee that was not the home of its session."""

    hand: str
    seq: int
    writer: str
    home: str | None


class Witness:
    """The notes of one schema. Installed when the tables of the store are there."""

    def __init__(self, server: PostgresServer, url: str) -> None:
        self._server = server
        self._url = url
        server.execute(TRIGGERS, url)

    def homes(self) -> dict[str, str]:
        """The home of each session in play."""
        return dict(self._server.execute("SELECT session_id, home FROM leases", self._url))

    def moves(self) -> list[Move]:
        """All of them, in order of time."""
        sql = "SELECT at_ms, session_id, home, epoch FROM bench_moves ORDER BY at_ms, epoch"
        return [Move(*row) for row in self._server.execute(sql, self._url)]

    def stale(self) -> list[StaleStep]:
        """Steps that should have been refused."""
        sql = "SELECT hand_id, seq, writer, home FROM bench_stale"
        return [StaleStep(*row) for row in self._server.execute(sql, self._url)]
