-- @store server
-- What the server keeps for itself: who may call it.
-- @version 1
-- @mark shape
-- @time seconds
-- @durability full
-- @pragma foreign_keys = ON

-- Permanent. One row per bearer token. The token itself is told once, to whoever made it, and is kept
-- nowhere: what is here cannot be used to call the server.
CREATE TABLE server_tokens (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    name         TEXT NOT NULL,         -- whose it is, for people
    prefix       TEXT NOT NULL,         -- how it begins, to tell it from others
    hash         TEXT NOT NULL UNIQUE,  -- SHA-256 of all of it, in hexadecimal digits
    scopes       TEXT NOT NULL,         -- a JSON array: ["conversation:read", "*:admin"]
    created_at   REAL NOT NULL,         -- epoch seconds
    expires_at   REAL,                  -- not valid from then on; NULL: no end
    last_used_at REAL,                  -- about: written at most once a minute
    revoked_at   REAL                   -- not valid since then; NULL: not revoked
);
