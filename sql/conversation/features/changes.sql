-- @probe stele_change
-- @derived
-- For the search index: which messages were changed or deleted since. New ones need no note, because
-- ids only grow. Not made in a file that carries the original's own search tables. The column active
-- comes with the feature rewind, before or after.
CREATE TABLE stele_change (
    seq  INTEGER PRIMARY KEY AUTOINCREMENT,
    id   INTEGER NOT NULL                   -- the message
);
CREATE TRIGGER stele_change_update AFTER UPDATE OF session_id, role, content, tool_name, tool_calls, timestamp, active ON messages
BEGIN
    INSERT INTO stele_change (id) VALUES (old.id);
END;
CREATE TRIGGER stele_change_delete AFTER DELETE ON messages
BEGIN
    INSERT INTO stele_change (id) VALUES (old.id);
END;

-- @undo
DROP TRIGGER IF EXISTS stele_change_update;
DROP TRIGGER IF EXISTS stele_change_delete;
DROP TABLE IF EXISTS stele_change;
