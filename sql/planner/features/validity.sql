-- @probe stele_validity
-- Permanent. What is known of a fact beyond what its own row can say.
CREATE TABLE stele_validity (
    fact_id       INTEGER PRIMARY KEY,  -- whose; numbers of facts are never used again
    valid_from    TEXT,                 -- since when it is so
    superseded_by INTEGER,              -- the fact that has replaced it: it is no longer told
    superseded_at TEXT
);
