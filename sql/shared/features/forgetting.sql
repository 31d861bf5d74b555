-- @probe stele_forgotten
-- Which rows are being forgotten: empty outside the transaction that does it.
CREATE TABLE stele_forgetting (
    place TEXT NOT NULL,  -- their table; with a dot behind it: they stay, without the text
    key   TEXT NOT NULL,  -- what tells them apart there
    PRIMARY KEY (place, key)
);
-- Permanent. That something was forgotten, never what.
CREATE TABLE stele_forgotten (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    forgotten_at REAL NOT NULL,     -- epoch seconds
    criteria     TEXT NOT NULL,     -- by what kind of criterion, with commas between them: session, text
    rows         INTEGER NOT NULL,  -- how many rows went,
    redacted     INTEGER NOT NULL,  -- and from how many a text was taken
    proven_at    REAL               -- when nothing of it was found any more; NULL: that was not shown yet
);
