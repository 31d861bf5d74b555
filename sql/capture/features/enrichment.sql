-- @probe stele_enrichment
-- Permanent. Whether learning is paused: then there is one row.
CREATE TABLE stele_enrichment (
    id        INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    paused_at INTEGER NOT NULL,
    reason    TEXT NOT NULL
);
