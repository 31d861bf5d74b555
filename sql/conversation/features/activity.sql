-- @probe stele_activity
-- @derived
-- @many 300 sessions
-- When each session was last active: a list by activity would otherwise look at the messages of every session. To note it
-- at every message would cost as much as an index more. So it is noted for all messages since the last time, at every
-- 128th, and whoever reads asks the messages of those sessions that have got some since.
CREATE TABLE stele_activity (
    session_id  TEXT PRIMARY KEY,
    latest      REAL NOT NULL               -- the greatest timestamp of its messages up to that of stele_activity_end
) WITHOUT ROWID;
-- One row.
CREATE TABLE stele_activity_end (
    message     INTEGER NOT NULL            -- the last message that was counted in
);
INSERT INTO stele_activity (session_id, latest) SELECT session_id, MAX(timestamp) FROM messages GROUP BY session_id;
INSERT INTO stele_activity_end (message) SELECT COALESCE(MAX(id), 0) FROM messages;
-- What is done at every message is short, and the rest apart: a trigger that does nothing takes as long as the memory that it could need.
-- A message whose id is not a new one, as a copy may bring it, was not waited for.
CREATE TRIGGER stele_activity_insert AFTER INSERT ON messages
    WHEN new.id % 128 = 0 OR new.id <= (SELECT message FROM stele_activity_end)
BEGIN
    UPDATE stele_activity_end SET message = new.id WHERE message < new.id;
    DELETE FROM stele_activity WHERE session_id = new.session_id AND latest < new.timestamp;
END;
CREATE TRIGGER stele_activity_count AFTER UPDATE ON stele_activity_end
BEGIN
    INSERT INTO stele_activity (session_id, latest)
    SELECT t.session_id, (SELECT MAX(m.timestamp) FROM messages AS m WHERE m.session_id = t.session_id)
      FROM (SELECT DISTINCT n.session_id FROM messages AS n NOT INDEXED WHERE n.id > old.message) AS t
     WHERE TRUE
    ON CONFLICT (session_id) DO UPDATE SET latest = excluded.latest;
END;
-- A session that is not in the table is asked for its messages.
CREATE TRIGGER stele_activity_delete AFTER DELETE ON messages
BEGIN
    DELETE FROM stele_activity WHERE session_id = old.session_id AND latest <= old.timestamp;
END;
CREATE TRIGGER stele_activity_update AFTER UPDATE OF session_id, timestamp ON messages
BEGIN
    DELETE FROM stele_activity WHERE session_id IN (old.session_id, new.session_id);
END;

-- @undo
DROP TRIGGER IF EXISTS stele_activity_insert;
DROP TRIGGER IF EXISTS stele_activity_count;
DROP TRIGGER IF EXISTS stele_activity_delete;
DROP TRIGGER IF EXISTS stele_activity_update;
DROP TABLE IF EXISTS stele_activity;
DROP TABLE IF EXISTS stele_activity_end;
