-- @probe sessions.handoff_state
-- The first files of version 11 have no handoff yet: its columns came without a new version.
ALTER TABLE sessions ADD COLUMN handoff_state TEXT;
ALTER TABLE sessions ADD COLUMN handoff_platform TEXT;
ALTER TABLE sessions ADD COLUMN handoff_error TEXT;
