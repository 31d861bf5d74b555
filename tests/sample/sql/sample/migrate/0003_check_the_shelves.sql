-- SQLite cannot add a check to a table: it is made anew. Things refer to shelves and must survive it.
-- Fails where a shelf has no name.
CREATE TABLE shelves_new (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    name      TEXT    NOT NULL UNIQUE CHECK (length(name) > 0),
    room      TEXT,
    moves     INTEGER NOT NULL DEFAULT 0
);
INSERT INTO shelves_new (id, name) SELECT id, name FROM shelves;
DROP TABLE shelves;
ALTER TABLE shelves_new RENAME TO shelves;
INSERT INTO steps VALUES (3);
