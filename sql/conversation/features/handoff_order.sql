-- @probe index stele_sessions_pending
-- Handoffs that wait are looked for again and again, and are few.
CREATE INDEX stele_sessions_pending ON sessions(started_at) WHERE handoff_state = 'pending';
