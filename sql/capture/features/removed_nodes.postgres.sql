-- @probe stele_removed_nodes
CREATE TABLE stele_removed_nodes (
    node_id    BIGINT NOT NULL PRIMARY KEY,
    uuid       TEXT COLLATE "C" NOT NULL,
    removed_at BIGINT NOT NULL
);
