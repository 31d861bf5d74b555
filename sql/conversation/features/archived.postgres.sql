-- @probe sessions.archived
ALTER TABLE sessions ADD COLUMN archived BIGINT NOT NULL DEFAULT 0;
