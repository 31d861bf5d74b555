-- @probe stele_claims
CREATE TABLE stele_claims (
    queue        TEXT COLLATE "C" NOT NULL,
    ticket       BIGINT NOT NULL,
    token        TEXT COLLATE "C" NOT NULL,
    worker       TEXT COLLATE "C" NOT NULL,
    claimed_at   BIGINT NOT NULL,
    source_id    BIGINT NOT NULL,
    content_hash TEXT COLLATE "C",
    position     BIGINT NOT NULL,
    PRIMARY KEY (queue, ticket, token)
);
