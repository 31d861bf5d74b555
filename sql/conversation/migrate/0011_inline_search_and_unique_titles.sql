-- From any version 1 to 10, whose missing columns have been added before. One step: what version 10
-- built (a trigram table over content alone) version 11 would throw away and build again.

CREATE TABLE IF NOT EXISTS state_meta (
    key                   TEXT PRIMARY KEY,
    value                 TEXT
);

-- Titles became unique in version 4; an older file may have one twice. Then the oldest session keeps
-- it, and the later ones get the numbers that a lineage would have given them ("Fix it #2"), above
-- every number in use: no title is lost, and the title still finds the newest session.
UPDATE sessions
   SET title = again.title
  FROM (SELECT doubled.id, doubled.title || ' #' || (doubled.place - 1 + COALESCE(MAX(CAST(
                 substr(numbered.title, length(doubled.title) + 3) AS INTEGER)), 1)) AS title
          FROM (SELECT id, title, ROW_NUMBER() OVER (PARTITION BY title ORDER BY started_at, id) AS place
                  FROM sessions WHERE title IS NOT NULL) AS doubled
          LEFT JOIN sessions AS numbered
            ON substr(numbered.title, 1, length(doubled.title) + 2) = doubled.title || ' #'
           AND substr(numbered.title, length(doubled.title) + 3) GLOB '[0-9]*'
         WHERE doubled.place > 1
         GROUP BY doubled.id, doubled.title, doubled.place) AS again
 WHERE sessions.id = again.id;

CREATE INDEX IF NOT EXISTS idx_sessions_source ON sessions(source);
CREATE INDEX IF NOT EXISTS idx_sessions_parent ON sessions(parent_session_id);
CREATE INDEX IF NOT EXISTS idx_sessions_started ON sessions(started_at DESC);
CREATE INDEX IF NOT EXISTS idx_messages_session ON messages(session_id, timestamp);
CREATE UNIQUE INDEX IF NOT EXISTS idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL;

-- Both search tables, over content, tool_name and tool_calls, with the text inside. A trigger of an
-- older version must be gone before its table is: it would make every delete fail.
DROP TRIGGER IF EXISTS messages_fts_insert;
DROP TRIGGER IF EXISTS messages_fts_delete;
DROP TRIGGER IF EXISTS messages_fts_update;
DROP TRIGGER IF EXISTS messages_fts_trigram_insert;
DROP TRIGGER IF EXISTS messages_fts_trigram_delete;
DROP TRIGGER IF EXISTS messages_fts_trigram_update;
DROP TABLE IF EXISTS messages_fts;
DROP TABLE IF EXISTS messages_fts_trigram;

CREATE VIRTUAL TABLE messages_fts USING fts5(
    content
);

CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN
    INSERT INTO messages_fts(rowid, content) VALUES (
        new.id,
        COALESCE(new.content, '') || ' ' || COALESCE(new.tool_name, '') || ' ' || COALESCE(new.tool_calls, '')
    );
END;

CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages BEGIN
    DELETE FROM messages_fts WHERE rowid = old.id;
END;

CREATE TRIGGER messages_fts_update AFTER UPDATE ON messages BEGIN
    DELETE FROM messages_fts WHERE rowid = old.id;
    INSERT INTO messages_fts(rowid, content) VALUES (
        new.id,
        COALESCE(new.content, '') || ' ' || COALESCE(new.tool_name, '') || ' ' || COALESCE(new.tool_calls, '')
    );
END;

CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(
    content,
    tokenize='trigram'
);

CREATE TRIGGER messages_fts_trigram_insert AFTER INSERT ON messages BEGIN
    INSERT INTO messages_fts_trigram(rowid, content) VALUES (
        new.id,
        COALESCE(new.content, '') || ' ' || COALESCE(new.tool_name, '') || ' ' || COALESCE(new.tool_calls, '')
    );
END;

CREATE TRIGGER messages_fts_trigram_delete AFTER DELETE ON messages BEGIN
    DELETE FROM messages_fts_trigram WHERE rowid = old.id;
END;

CREATE TRIGGER messages_fts_trigram_update AFTER UPDATE ON messages BEGIN
    DELETE FROM messages_fts_trigram WHERE rowid = old.id;
    INSERT INTO messages_fts_trigram(rowid, content) VALUES (
        new.id,
        COALESCE(new.content, '') || ' ' || COALESCE(new.tool_name, '') || ' ' || COALESCE(new.tool_calls, '')
    );
END;

INSERT INTO messages_fts(rowid, content)
SELECT id, COALESCE(content, '') || ' ' || COALESCE(tool_name, '') || ' ' || COALESCE(tool_calls, '')
  FROM messages;

INSERT INTO messages_fts_trigram(rowid, content)
SELECT id, COALESCE(content, '') || ' ' || COALESCE(tool_name, '') || ' ' || COALESCE(tool_calls, '')
  FROM messages;
