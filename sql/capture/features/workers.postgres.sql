-- @probe stele_workers
CREATE TABLE stele_workers (
    worker  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    expects BIGINT NOT NULL,
    seen_at BIGINT NOT NULL
);
