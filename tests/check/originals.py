"""Files of the five systems that Stele grew out of, where those keep them and as they write them: for the commands of
docs/migration.md."""

import os
import sqlite3

from assistant import older
from capture_store import versions
from conversation import original as hermes
from planner import original as kiso

TELEMETRY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "sql", "telemetry", "schema.sql")


def make(home):
    """One of each below a user's home directory."""
    make_hermes(_at(home, ".hermes/state.db"))
    versions.make(_at(home, ".local/share/hippo/hippo.db"), 12)
    make_hassette(_at(home, ".local/share/hassette/hassette.db"))
    older.make(_at(home, "kwasi.db"))
    make_kiso(_at(home, ".kiso/instances/main/store.db"))


def _at(home, path):
    path = os.path.join(home, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


def make_hermes(path):
    """A file of version 10, whose program has gone on to 11 since."""
    hermes.make(path, 10)
    said = [("user", "Fix the Docker build"), ("assistant", "The cache was stale.")]
    with hermes.connect(path) as db:
        hermes.insert(db, "sessions", id="docker-1", source="cli", title="Docker", started_at=1_772_000_000.0, message_count=len(said))
        for role, content in said:
            hermes.insert(db, "messages", session_id="docker-1", role=role, content=content, timestamp=1_772_000_001.0)
        db.commit()


def make_hassette(path):
    """The tables as the program ships them: it calls the start of a run execution_start_ts."""
    with open(TELEMETRY, encoding="utf-8") as file:
        schema = file.read().replace("execution_start_dtme", "execution_start_ts")
    db = sqlite3.connect(path)
    db.executescript(schema)
    db.executescript("""
INSERT INTO sessions (id, started_at, last_heartbeat_at, status) VALUES (1, 1772000000, 1772000300, 'running');
INSERT INTO listeners (id, app_key, instance_index, handler_method, topic, first_registered_at, last_registered_at, source_location)
  VALUES (1, 'kitchen', 0, 'on_light', 'light.on', 1772000000, 1772000000, 'kitchen.py:42');
INSERT INTO handler_invocations (listener_id, session_id, execution_start_ts, duration_ms, status)
  VALUES (1, 1, 1772000100, 12.5, 'error');
""")
    db.close()


def make_kiso(path):
    kiso.make(path)
    with kiso.opened(path) as db:
        db.executescript("""
INSERT INTO sessions (session, connector) VALUES ('dev', 'discord');
INSERT INTO messages (session, user, role, content) VALUES ('dev', 'marco', 'user', 'deploy the app');
INSERT INTO plans (session, message_id, goal) VALUES ('dev', 1, 'Deploy');
INSERT INTO tasks (plan_id, session, type, detail, status) VALUES (1, 'dev', 'exec', 'build it', 'running');
INSERT INTO facts (content, source, session) VALUES ('The app is deployed with make', 'curator', 'dev');
""")
