-- @probe stele_redaction
CREATE TABLE stele_redaction (
    rule   TEXT COLLATE "C" PRIMARY KEY,
    count  BIGINT NOT NULL
);
