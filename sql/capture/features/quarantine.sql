-- @probe stele_quarantine
-- Permanent. Rows that referred to a row that was not there, put aside when the file was migrated or repaired.
CREATE TABLE stele_quarantine (
    id             INTEGER PRIMARY KEY,
    "table"        TEXT NOT NULL,      -- where the row was
    row            TEXT NOT NULL,      -- the row: JSON object; bytes, which JSON has not, as X'...'
    reason         TEXT NOT NULL,      -- what it referred to
    quarantined_at INTEGER NOT NULL
);
