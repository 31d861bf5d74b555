-- @probe stele_vectors
CREATE TABLE stele_vectors (
    collection TEXT COLLATE "C" NOT NULL,
    id         TEXT COLLATE "C" NOT NULL,
    model      TEXT COLLATE "C",
    dimension  BIGINT NOT NULL,
    vector     BYTEA NOT NULL,
    text_hash  BIGINT NOT NULL,
    PRIMARY KEY (collection, id)
);
