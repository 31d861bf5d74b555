-- @probe sessions.archived
-- Sessions that were put away: hidden from lists, kept. The column of later versions of the format.
ALTER TABLE sessions ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
