-- @probe messages.platform_message_id
ALTER TABLE messages ADD COLUMN platform_message_id TEXT COLLATE "C";
CREATE INDEX IF NOT EXISTS idx_messages_platform_msg_id
    ON messages(session_id, platform_message_id) WHERE platform_message_id IS NOT NULL;
