-- @store sample
-- A store of the tests: small, with a history of three versions and methods that use every word
-- of the grammar.
-- @version 3
-- @mark user_version
-- @time iso
-- @durability full
-- @pragma foreign_keys = ON

-- Permanent. Shelves of things. Version 3 made the table anew, with room and the check.
CREATE TABLE shelves (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    name      TEXT    NOT NULL UNIQUE CHECK (length(name) > 0),
    room      TEXT,               -- NULL: nobody knows
    moves     INTEGER NOT NULL DEFAULT 0
);

-- Permanent. The things. They go with their shelf.
CREATE TABLE items (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    shelf_id   INTEGER NOT NULL REFERENCES shelves(id) ON DELETE CASCADE,
    label      TEXT    NOT NULL,
    uuid       TEXT,              -- since version 2
    kind       TEXT    NOT NULL DEFAULT 'box',
    amount     INTEGER NOT NULL DEFAULT 1,
    weight     REAL,
    fragile    INTEGER NOT NULL DEFAULT 0,
    attributes TEXT    NOT NULL DEFAULT '{}',  -- JSON
    tags       TEXT    NOT NULL DEFAULT '[]',  -- a text that holds JSON
    picture    BLOB,
    made_at    TEXT,
    lifetime   REAL,              -- seconds
    note       TEXT
);
CREATE UNIQUE INDEX idx_items_label ON items(shelf_id, label);

-- What the steps leave behind: one row each. A step that ran twice would fail here.
CREATE TABLE steps (
    version   INTEGER PRIMARY KEY
);

-- Made by the step to version 2, large enough to take a while. Empty in a fresh store.
CREATE TABLE history (
    number    INTEGER PRIMARY KEY,
    text      TEXT    NOT NULL
);
