-- @probe messages.active
ALTER TABLE messages ADD COLUMN active BIGINT NOT NULL DEFAULT 1;
ALTER TABLE sessions ADD COLUMN rewind_count BIGINT NOT NULL DEFAULT 0;
CREATE INDEX IF NOT EXISTS idx_messages_session_active ON messages(session_id, active, timestamp);
