-- Entities may be domains and environment variables: the CHECK of an older table refuses them.
DROP TABLE IF EXISTS entities_new;
CREATE TABLE entities_new (
    id         INTEGER PRIMARY KEY,
    type       TEXT NOT NULL CHECK (type IN ('project', 'file', 'tool', 'service', 'repo', 'host', 'person', 'concept', 'domain', 'env_var')),
    name       TEXT NOT NULL,
    canonical  TEXT,
    metadata   TEXT,
    first_seen INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000),
    last_seen  INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000),
    created_at INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000),
    UNIQUE (type, canonical)
);
INSERT INTO entities_new (id, type, name, canonical, metadata, first_seen, last_seen, created_at)
SELECT id, type, name, canonical, metadata, first_seen, last_seen, created_at FROM entities;
DROP TABLE entities;
ALTER TABLE entities_new RENAME TO entities;
