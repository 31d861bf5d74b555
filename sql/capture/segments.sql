-- Segments of agents' sessions. A segment grows while its session goes on: it is written again, and its content's hash tells
-- whether there is something new to learn.

-- @method capture.upsert_segment  one  write
-- Write a segment, new or grown. What tells which one it is stays as it was first written, and so does when it began; where the
-- session works is corrected for agents that tell it late (all but claude-code). If its content is not what was learned from last, it is
-- put into the queue: not while it is being processed, and not within five minutes of the last time. A probe, or a segment
-- without any message, call or prompt, never is.
-- @param  session_id            text                   the session, as its agent names it
-- @param  harness               text(claude-code|opencode|codex|cursor)   the agent
-- @param  segment_index         int(0..) = 0           which segment of the session
-- @param  model                 text = ""              which model
-- @param  agent                 text = ""              which agent of the harness
-- @param  project_dir           text                   the project, as the agent names it
-- @param  cwd                   text                   in which directory
-- @param  git_branch            text? = null           on which branch
-- @param  slug                  text = ""              its short name
-- @param  title                 text = ""              its title
-- @param  parent_session_id     text? = null           the session that started it
-- @param  is_subagent           bool = false           whether one did
-- @param  summary_text          text                   what happened
-- @param  tool_calls_json       jsontext? = null       the calls of tools, a list
-- @param  user_prompts_json     jsontext? = null       what the user said, a list
-- @param  source_file           text = ""              where it was read
-- @param  snapshot_diffs_json   jsontext? = null       what was changed
-- @param  commit_messages_json  jsontext = "[]"        what was committed, a list
-- @param  message_count         int(0..) = 0           how many messages it has
-- @param  token_count           int(0..) = 0           and how many tokens
-- @param  start_time            time                   when it began
-- @param  end_time              time                   when its last message came
-- @param  content_hash          text? = null           of its content; null: made of calls, prompts and assistant_texts
-- @param  probe_tag             text? = null           of a probe
-- @param  now                   time = now             when this is written
-- @param  assistant_texts       text[] = []            what the agent said; it is in the hash only
-- @result id                    int                    the segment's number
-- @result created               bool                   whether it is new
-- @result changed               bool                   whether its content is
-- @result enqueued              bool                   whether it was put into the queue
-- @native st_capture_upsert_segment

-- @method capture.look_segment  one  read  private
-- The content that a segment has.
-- @param  session_id     text    which session
-- @param  harness        text    of which agent
-- @param  segment_index  int     which segment of it
-- @result content_hash   text?   the hash of its content
SELECT content_hash FROM agentic_sessions
 WHERE session_id = :session_id AND harness = :harness AND segment_index = :segment_index;

-- @method capture.write_segment  one  write  private
-- Write a segment. Its parameters are those of upsert_segment, without the last.
-- @param  session_id            text           the session, as its agent names it
-- @param  harness               text           the agent
-- @param  segment_index         int            which segment of the session
-- @param  model                 text           which model
-- @param  agent                 text           which agent of the harness
-- @param  project_dir           text           the project, as the agent names it
-- @param  cwd                   text           in which directory
-- @param  git_branch            text?          on which branch
-- @param  slug                  text           its short name
-- @param  title                 text           its title
-- @param  parent_session_id     text?          the session that started it
-- @param  is_subagent           bool           whether one did
-- @param  summary_text          text           what happened
-- @param  tool_calls_json       jsontext?      the calls of tools, a list
-- @param  user_prompts_json     jsontext?      what the user said, a list
-- @param  source_file           text           where it was read
-- @param  snapshot_diffs_json   jsontext?      what was changed
-- @param  commit_messages_json  jsontext       what was committed, a list
-- @param  message_count         int            how many messages it has
-- @param  token_count           int            and how many tokens
-- @param  start_time            time           when it began
-- @param  end_time              time           when its last message came
-- @param  content_hash          text?          of its content; null: made of calls, prompts and assistant_texts
-- @param  probe_tag             text?          of a probe
-- @param  now                   time           when this is written
-- @result id                    int    the segment's number
INSERT INTO agentic_sessions (session_id, harness, segment_index, model, agent, project_dir, cwd, git_branch, slug, title,
                              parent_session_id, is_subagent, summary_text, tool_calls_json, user_prompts_json, source_file,
                              snapshot_diffs_json, commit_messages_json, message_count, token_count, start_time, end_time,
                              content_hash, probe_tag, created_at)
VALUES (:session_id, :harness, :segment_index, :model, :agent, :project_dir, :cwd, :git_branch, :slug, :title,
        :parent_session_id, :is_subagent, :summary_text, :tool_calls_json, :user_prompts_json, :source_file,
        COALESCE(:snapshot_diffs_json, 'null'), :commit_messages_json, :message_count, :token_count, :start_time, :end_time,
        :content_hash, :probe_tag, :now)
ON CONFLICT (session_id, harness, segment_index) DO UPDATE
   SET model = excluded.model, agent = excluded.agent, title = excluded.title, summary_text = excluded.summary_text,
       tool_calls_json = excluded.tool_calls_json, user_prompts_json = excluded.user_prompts_json,
       snapshot_diffs_json = excluded.snapshot_diffs_json, commit_messages_json = excluded.commit_messages_json,
       message_count = excluded.message_count, token_count = excluded.token_count, end_time = excluded.end_time,
       content_hash = excluded.content_hash,
       cwd = CASE excluded.harness WHEN 'claude-code' THEN agentic_sessions.cwd ELSE excluded.cwd END,
       project_dir = CASE excluded.harness WHEN 'claude-code' THEN agentic_sessions.project_dir ELSE excluded.project_dir END
RETURNING id;

-- @method capture.sweep_unqueued  one  write
-- Put segments into the queue whose content is not what was learned from last, and which do not wait: those whose change came
-- too early, or while they were processed, and was not told again. The longest unchanged come first.
-- @param  harness   text(claude-code|opencode|codex|cursor) optional   only of this agent
-- @param  limit     int(1..1000) = 10   at most this many
-- @param  now       time = now          when this is done
-- @result enqueued  int                 how many there were
-- @native st_capture_sweep_unqueued

-- @method capture.enqueue_segments  none  write  private
-- Put segments into the queue that belong there: the gate of upsert_segment and sweep_unqueued.
-- @param  id        int optional    only this one
-- @param  harness   text optional   only of this agent
-- @param  changed   bool optional   sent if the content has just changed: one that waits already has all its attempts again
-- @param  limit     int             at most this many
-- @param  now       time            when this is done
-- @result enqueued  int changed     how many there were
INSERT INTO agentic_enrichment_queue (session_id, enqueued_at, updated_at)
SELECT segment.id, :now, :now
  FROM agentic_sessions AS segment LEFT JOIN agentic_enrichment_queue AS ticket ON ticket.session_id = segment.id
 WHERE segment.probe_tag IS NULL
   AND segment.content_hash <> COALESCE(segment.last_enriched_content_hash, '')
   AND (segment.message_count > 0
        OR COALESCE(segment.tool_calls_json, '') NOT IN ('', '[]', 'null')
        OR COALESCE(segment.user_prompts_json, '') NOT IN ('', '[]', 'null'))
   AND (ticket.status IS NULL OR ticket.status IN ('done', 'failed', 'skipped')
        OR ticket.status = 'pending' AND :changed            -- @if changed
       )
   AND (ticket.updated_at IS NULL OR ticket.updated_at <= :now - 300000)
   AND segment.id = :id                                      -- @if id
   AND segment.harness = :harness                            -- @if harness
 ORDER BY segment.end_time, segment.id LIMIT :limit
ON CONFLICT (session_id) DO UPDATE
   SET status = 'pending', retry_count = 0, error_message = NULL, locked_at = NULL, locked_by = NULL, updated_at = excluded.updated_at
 WHERE agentic_enrichment_queue.status <> 'processing';

-- @method capture.get_segments  many  read
-- Segments of agents' sessions, the newest first, without probes.
-- @param  session_id            text optional       of this session, as its agent names it
-- @param  harness               text(claude-code|opencode|codex|cursor) optional   of this agent
-- @param  since                 time optional       that began at this time or later
-- @param  project               text optional       whose directory or project holds this text
-- @param  limit                 int(1..1000) = 50   at most this many
-- @result id                    int                 the segment's number
-- @result session_id            text                the session, as its agent names it
-- @result harness               text                the agent
-- @result segment_index         int                 which segment of the session
-- @result model                 text                which model
-- @result agent                 text?               which agent of the harness
-- @result project_dir           text                the project, as the agent names it
-- @result cwd                   text                in which directory
-- @result git_branch            text?               on which branch
-- @result title                 text?               its title
-- @result parent_session_id     text?               the session that started it
-- @result is_subagent           bool                whether one did
-- @result summary_text          text                what happened
-- @result tool_calls_json       jsontext?           the calls of tools
-- @result user_prompts_json     jsontext?           what the user said
-- @result source_file           text?               where it was read
-- @result message_count         int                 how many messages it has
-- @result token_count           int                 and how many tokens
-- @result start_time            time                when it began
-- @result end_time              time                when its last message came
-- @result content_hash          text?               the hash of its content
-- @result enriched              bool                whether it has been learned from
SELECT id, session_id, harness, segment_index, model, agent, project_dir, cwd, git_branch, title, parent_session_id, is_subagent,
       summary_text, tool_calls_json, user_prompts_json, source_file, message_count, token_count, start_time, end_time, content_hash,
       enriched
  FROM agentic_sessions
 WHERE probe_tag IS NULL
   AND session_id = :session_id                                                        -- @if session_id
   AND harness = :harness                                                              -- @if harness
   AND start_time >= :since                                                            -- @if since
   AND (instr(cwd, :project) > 0 OR instr(project_dir, :project) > 0)                  -- @if project @for sqlite
   AND (strpos(cwd, :project) > 0 OR strpos(project_dir, :project) > 0)                -- @if project @for postgres
 ORDER BY start_time DESC, id DESC LIMIT :limit;
