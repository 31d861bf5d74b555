-- @probe messages.platform_message_id
-- The number that the platform (Telegram, Discord) gave a message. The column and the index of version 12.
ALTER TABLE messages ADD COLUMN platform_message_id TEXT;
CREATE INDEX IF NOT EXISTS idx_messages_platform_msg_id
    ON messages(session_id, platform_message_id) WHERE platform_message_id IS NOT NULL;
