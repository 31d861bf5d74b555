-- @probe memory_files
-- Permanent. Notes of agents: text files below /memories. Directories are there because files are in them.
CREATE TABLE memory_files (
    path       TEXT PRIMARY KEY,   -- /memories/projects/stele.md
    content    TEXT NOT NULL,
    bytes      INTEGER NOT NULL,   -- of the content: lists need not read it
    created_at REAL NOT NULL,      -- epoch seconds
    updated_at REAL NOT NULL
);
