-- How this store forgets: see docs/grammar.md.

-- @forget schema_version
-- The version of the format.
-- @nothing

-- @forget stele_origin
-- Where sessions came from. Of a session that is forgotten it stays, without anything that was said or named: else the session would be
-- taken in again.
-- @key int t.number
-- @redact harness, native
UPDATE stele_origin SET cwd = NULL, branch = NULL, agent = NULL, title = NULL
 WHERE session_id IN (SELECT f.key FROM stele_forgetting AS f WHERE f.place = 'sessions');

-- @forget sessions
-- Sessions.
-- @key text t.id
-- @session t.id
-- @project (SELECT o.cwd FROM stele_origin AS o WHERE o.session_id = t.id ORDER BY o.number LIMIT 1) @has transcripts
-- @source t.source
-- @time t.started_at
-- @ends COALESCE((SELECT MAX(m.timestamp) FROM messages AS m WHERE m.session_id = t.id), t.started_at)
-- @redact id
-- @detach sessions.parent_session_id

-- @forget messages
-- Messages.
-- @key int t.id
-- @session t.session_id
-- @project (SELECT o.cwd FROM stele_origin AS o WHERE o.session_id = t.session_id ORDER BY o.number LIMIT 1) @has transcripts
-- @source (SELECT s.source FROM sessions AS s WHERE s.id = t.session_id)
-- @time t.timestamp
-- @follows sessions t.session_id
-- @rebuild messages_fts, messages_fts_trigram
UPDATE sessions SET message_count = message_count - (SELECT COUNT(*) FROM messages AS m WHERE m.session_id = sessions.id
   AND m.id IN (SELECT CAST(f.key AS BIGINT) FROM stele_forgetting AS f WHERE f.place = 'messages'))
 WHERE id IN (SELECT m.session_id FROM messages AS m
               WHERE m.id IN (SELECT CAST(f.key AS BIGINT) FROM stele_forgetting AS f WHERE f.place = 'messages'));

-- @forget stele_activity
-- When sessions were last active. Triggers see to it as messages go.
-- @key text t.session_id
-- @session t.session_id
-- @redact session_id
-- @follows sessions t.session_id

-- @forget stele_activity_end
-- Up to which message that was noted.
-- @nothing

-- @forget state_meta
-- Notes of the store and its users.
-- @key text t.key

-- @forget compression_locks
-- Who is compressing a session.
-- @key text t.session_id
-- @session t.session_id
-- @follows sessions t.session_id

-- @forget stele_checkpoint
-- Where graphs of agents can go on.
-- @key text t.thread || '/' || t.namespace || '/' || t.checkpoint
-- @session t.thread
-- @time t.saved_at

-- @forget stele_checkpoint_value
-- What a channel of a graph held. A checkpoint without it cannot be gone on with.
-- @key text t.thread || '/' || t.namespace || '/' || t.channel || '/' || t.version
-- @session t.thread

-- @forget stele_checkpoint_write
-- What the tasks of a step wrote.
-- @key text t.thread || '/' || t.namespace || '/' || t.checkpoint || '/' || t.task || '/' || CAST(t.position AS TEXT)
-- @session t.thread

-- @forget stele_message_usage
-- Which message a request to a model ended with.
-- @nothing

-- @forget stele_record
-- Records of transcripts, told apart by hashes, so that they are not taken in again.
-- @nothing

-- @forget stele_usage
-- What requests to models took.
-- @nothing

-- @forget stele_redaction
-- How often each rule of redaction took something out.
-- @key text t.rule

-- @forget stele_title
-- Titles that transcripts give to sessions.
-- @key text t.harness || '/' || CAST(t.key AS TEXT)

-- @forget stele_transcript
-- How far transcripts were read.
-- @key int t.id
-- @redact harness, path

-- @forget stele_upkeep
-- What is done once a day.
-- @key text t.chore
