-- @probe stele_activity
-- @derived
-- @many 300 sessions
-- When each session was last active. Ids are committed out of order here, so that it is noted at every message, in a row
-- with room beside it and no other index: it stays where it is.
CREATE TABLE stele_activity (
    session_id  TEXT COLLATE "C" PRIMARY KEY,
    latest      DOUBLE PRECISION            -- the greatest timestamp of its messages; NULL until the end of a transaction: ask them
) WITH (fillfactor = 50);
-- A transaction that writes many messages of a session would leave as many old rows, and step over all of them each time: the second one
-- makes it unknown, and the end of the transaction known again.
CREATE FUNCTION stele_note_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO stele_activity AS a (session_id, latest) VALUES (new.session_id, new.timestamp)
    ON CONFLICT (session_id) DO UPDATE
       SET latest = CASE WHEN a.xmin = CAST(pg_current_xact_id() AS xid) THEN NULL ELSE EXCLUDED.latest END
     WHERE a.latest < EXCLUDED.latest;
    RETURN NULL;
END $$;
CREATE FUNCTION stele_settle_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM stele_activity WHERE session_id = new.session_id AND latest IS NULL;
    IF FOUND THEN
        INSERT INTO stele_activity (session_id, latest)
        SELECT session_id, MAX(timestamp) FROM messages WHERE session_id = new.session_id GROUP BY session_id;
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER stele_activity_settle AFTER UPDATE ON stele_activity DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (new.latest IS NULL) EXECUTE FUNCTION stele_settle_activity();
-- Where the latest is gone, the messages that are left are asked. Writes are serializable: none comes meanwhile.
CREATE FUNCTION stele_correct_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM stele_activity WHERE session_id = old.session_id AND latest <= old.timestamp;
    IF FOUND THEN
        INSERT INTO stele_activity (session_id, latest)
        SELECT session_id, MAX(timestamp) FROM messages WHERE session_id = old.session_id GROUP BY session_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER stele_activity_insert AFTER INSERT ON messages FOR EACH ROW EXECUTE FUNCTION stele_note_activity();
CREATE TRIGGER stele_activity_delete AFTER DELETE ON messages FOR EACH ROW EXECUTE FUNCTION stele_correct_activity();
-- In this order, which is that of their names: a session may have lost its latest message to another.
CREATE TRIGGER stele_activity_update_from AFTER UPDATE ON messages FOR EACH ROW
    WHEN (old.session_id <> new.session_id OR old.timestamp <> new.timestamp) EXECUTE FUNCTION stele_correct_activity();
CREATE TRIGGER stele_activity_update_to AFTER UPDATE ON messages FOR EACH ROW
    WHEN (old.session_id <> new.session_id OR old.timestamp <> new.timestamp) EXECUTE FUNCTION stele_note_activity();
INSERT INTO stele_activity (session_id, latest) SELECT session_id, MAX(timestamp) FROM messages GROUP BY session_id;
