-- @probe stele_redaction
-- Permanent. How often each rule of redaction found something in what was stored.
CREATE TABLE stele_redaction (
    rule   TEXT PRIMARY KEY,
    count  BIGINT NOT NULL
);
