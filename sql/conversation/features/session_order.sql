-- @probe index stele_messages_session_id
-- A session's messages in their order, without sorting them. The documented index goes by time.
CREATE INDEX stele_messages_session_id ON messages(session_id, id);
