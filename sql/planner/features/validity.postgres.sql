-- @probe stele_validity
CREATE TABLE stele_validity (
    fact_id       BIGINT PRIMARY KEY,
    valid_from    TEXT COLLATE "C",
    superseded_by BIGINT,
    superseded_at TEXT COLLATE "C"
);
