-- What of this store may go after some time: see docs/retention.md.

-- @retain sessions sessions id text
-- Sessions that have ended, by the time of their start, with their messages.
-- @keep 90d off
-- @every 24h
-- @held session
-- @narrow source
-- @first messages session_id id
-- @loose sessions parent_session_id
SELECT s.id AS id, s.started_at AS time, s.source AS source FROM sessions AS s WHERE s.ended_at IS NOT NULL;
