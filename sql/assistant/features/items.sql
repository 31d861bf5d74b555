-- @probe stele_item
-- Permanent. What agents keep under a key, for all of their conversations.
CREATE TABLE stele_item (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace  TEXT NOT NULL,   -- labels with periods between them: users.ada.preferences
    key        TEXT NOT NULL,
    value      TEXT NOT NULL,   -- JSON
    text       TEXT,            -- what of it is searched; NULL: all texts in the value; '': nothing
    ttl        REAL,            -- it stays for so many seconds after it was last written or asked for; NULL: for good
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    expires_at TEXT,            -- as if it were not there from then on
    UNIQUE (namespace, key)
);
CREATE INDEX stele_item_expires ON stele_item(expires_at) WHERE expires_at IS NOT NULL;
