-- What of this store may go after some time: see docs/retention.md. Facts fade into the archive by themselves; nothing is deleted
-- unless it is asked for.

-- @retain archived_facts facts_archive id int
-- Facts that faded, by the time they did.
-- @keep 365d off
-- @every 24h
-- @held archived_fact
SELECT f.id AS id, f.archived_at AS time FROM facts_archive AS f;

-- @retain messages messages id int
-- Messages that were worked on.
-- @keep 365d off
-- @every 24h
-- @held message
SELECT m.id AS id, m.timestamp AS time FROM messages AS m WHERE m.processed;
