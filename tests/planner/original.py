"""The program that the planner's format comes from, as far as Stele meets it: the tables it makes, as they are
documented and as it ships them, and what it writes into them.

Everything here goes through Python's own SQLite, in another process than Stele.
"""

import contextlib
import sqlite3

TABLES = ["facts", "facts_archive", "learnings", "messages", "pending", "plans", "sessions", "tasks"]
SEARCH = ["kiso_facts_fts", "kiso_facts_fts_config", "kiso_facts_fts_data", "kiso_facts_fts_docsize", "kiso_facts_fts_idx"]

DOCUMENTED = """
CREATE TABLE sessions (session TEXT PRIMARY KEY, connector TEXT, webhook TEXT, description TEXT, summary TEXT DEFAULT '',
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP, updated_at DATETIME DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, user TEXT, role TEXT NOT NULL,
    content TEXT NOT NULL, trusted BOOLEAN DEFAULT 1, processed BOOLEAN DEFAULT 0, timestamp DATETIME DEFAULT CURRENT_TIMESTAMP);
CREATE INDEX idx_messages_session ON messages(session, id);
CREATE INDEX idx_messages_unprocessed ON messages(processed) WHERE processed = 0;
CREATE TABLE plans (id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, message_id INTEGER NOT NULL,
    parent_id INTEGER, goal TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'running', total_input_tokens INTEGER NOT NULL DEFAULT 0,
    total_output_tokens INTEGER NOT NULL DEFAULT 0, model TEXT, llm_calls TEXT, created_at DATETIME DEFAULT CURRENT_TIMESTAMP);
CREATE INDEX idx_plans_session ON plans(session, id);
CREATE TABLE tasks (id INTEGER PRIMARY KEY AUTOINCREMENT, plan_id INTEGER NOT NULL, session TEXT NOT NULL, type TEXT NOT NULL,
    detail TEXT NOT NULL, skill TEXT, args TEXT, expect TEXT, command TEXT, status TEXT NOT NULL DEFAULT 'pending', substatus TEXT,
    output TEXT, stderr TEXT, retry_count INTEGER NOT NULL DEFAULT 0, review_verdict TEXT, review_reason TEXT, review_learning TEXT,
    input_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL DEFAULT 0, llm_calls TEXT,
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP, updated_at DATETIME DEFAULT CURRENT_TIMESTAMP);
CREATE INDEX idx_tasks_plan ON tasks(plan_id, id);
CREATE INDEX idx_tasks_session ON tasks(session, id);
CREATE INDEX idx_tasks_status ON tasks(session, status);
CREATE TABLE facts (id INTEGER PRIMARY KEY AUTOINCREMENT, content TEXT NOT NULL, source TEXT NOT NULL, session TEXT,
    category TEXT DEFAULT 'general', confidence REAL DEFAULT 1.0, last_used TEXT, use_count INTEGER DEFAULT 0,
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE facts_archive (id INTEGER PRIMARY KEY AUTOINCREMENT, original_id INTEGER, content TEXT NOT NULL,
    source TEXT NOT NULL, session TEXT, category TEXT DEFAULT 'general', confidence REAL DEFAULT 0.0, last_used TEXT,
    use_count INTEGER DEFAULT 0, archived_at DATETIME DEFAULT CURRENT_TIMESTAMP, created_at TEXT);
CREATE TABLE learnings (id INTEGER PRIMARY KEY AUTOINCREMENT, content TEXT NOT NULL, session TEXT NOT NULL, user TEXT,
    status TEXT NOT NULL DEFAULT 'pending', created_at DATETIME DEFAULT CURRENT_TIMESTAMP);
CREATE INDEX idx_learnings_status ON learnings(status) WHERE status = 'pending';
CREATE TABLE pending (id INTEGER PRIMARY KEY AUTOINCREMENT, content TEXT NOT NULL, scope TEXT NOT NULL, source TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'open', created_at DATETIME DEFAULT CURRENT_TIMESTAMP);
CREATE INDEX idx_pending_scope ON pending(scope, status);
"""

# The shipped program also has this, and updates the table of words at every update of a fact.
SHIPPED = DOCUMENTED + """
CREATE VIRTUAL TABLE kiso_facts_fts USING fts5(content, content='facts', content_rowid='id');
CREATE TRIGGER facts_fts_insert AFTER INSERT ON facts BEGIN
    INSERT INTO kiso_facts_fts(rowid, content) VALUES (new.id, new.content); END;
CREATE TRIGGER facts_fts_delete AFTER DELETE ON facts BEGIN
    INSERT INTO kiso_facts_fts(kiso_facts_fts, rowid, content) VALUES ('delete', old.id, old.content); END;
CREATE TRIGGER facts_fts_update AFTER UPDATE ON facts BEGIN
    INSERT INTO kiso_facts_fts(kiso_facts_fts, rowid, content) VALUES ('delete', old.id, old.content);
    INSERT INTO kiso_facts_fts(rowid, content) VALUES (new.id, new.content); END;
"""


@contextlib.contextmanager
def opened(path):
    """As the original opens a file: what is done in the block is committed."""
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA journal_mode = WAL")
        yield db


def make(path, tables=SHIPPED):
    with opened(path) as db:
        db.executescript(tables)


def tables(path):
    with opened(path) as db:
        return sorted(row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'sqlite_sequence'"))


def definitions(path):
    """Every index and trigger, and every table with its columns: (kind, name, what it is)."""
    with opened(path) as db:
        found = [(kind, name, " ".join(sql.split())) for kind, name, sql in db.execute(
            "SELECT type, name, sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND sql IS NOT NULL")]
        for name in TABLES:
            found += [("column", f"{name}.{row[1]}", row[2:]) for row in db.execute(f"PRAGMA table_info({name})")]
        return sorted(found, key=str)


def search(path, words):
    """As the original searches: numbers of facts."""
    with opened(path) as db:
        return [row[0] for row in db.execute(
            "SELECT f.id FROM facts f JOIN kiso_facts_fts s ON s.rowid = f.id WHERE kiso_facts_fts MATCH ? ORDER BY f.id", (words,))]
