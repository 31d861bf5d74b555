-- @probe stele_removed_nodes
-- Permanent. Nodes that are gone, for whatever was made from them elsewhere and could not be reached: knowledge_vectors,
-- which only programs with sqlite-vec can write, and indexes that are brought up to date later.
CREATE TABLE stele_removed_nodes (
    node_id    INTEGER NOT NULL PRIMARY KEY,
    uuid       TEXT NOT NULL,
    removed_at INTEGER NOT NULL
);
