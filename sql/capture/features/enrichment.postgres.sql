-- @probe stele_enrichment
CREATE TABLE stele_enrichment (
    id        BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    paused_at BIGINT NOT NULL,
    reason    TEXT COLLATE "C" NOT NULL
);
