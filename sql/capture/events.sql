-- Commands of shells, and tool calls of agents. What comes twice in the same envelope is kept once.

-- @method capture.insert_event  one  write
-- Keep a command that ran, in the session of its terminal, which is made if it is not there; let it wait to be learned from; and note
-- that its source is well. A probe is kept, and nothing more: it does not wait, and no list shows it. Secrets are to be taken out before.
-- @param  timestamp         time = now         when it was sent, after the command had ended
-- @param  command           text               what ran; of a tool call, what the tool was told
-- @param  stdout            text? = null       what it said
-- @param  stderr            text? = null       what it complained of
-- @param  stdout_truncated  bool = false       whether some of stdout is missing
-- @param  stderr_truncated  bool = false       whether some of stderr is missing
-- @param  exit_code         int? = null        how it ended
-- @param  duration_ms       int(0..) = 0       how long it took
-- @param  cwd               text               in which directory
-- @param  hostname          text               on which machine
-- @param  shell             text               in which shell
-- @param  git_repo          text? = null       the directory's repository,
-- @param  git_branch        text? = null       its branch,
-- @param  git_commit        text? = null       its commit,
-- @param  git_dirty         bool? = null       and whether it held changes
-- @param  envelope_id       text? = null       of the envelope it came in: what comes in the same one again is a duplicate
-- @param  tool_name         text? = null       of a tool call
-- @param  redaction_count   int(0..) = 0       secrets that were taken out
-- @param  probe_tag         text? = null       of a probe
-- @param  now               time = now         when it came in
-- @param  terminal          text               the session's UUID, as the shell knows it
-- @param  username          text = ""          whose session it is, if it is new
-- @param  harness           text(claude-code|opencode|codex|cursor) = "claude-code"   of a tool call: whose
-- @param  env               json = {}          the environment: an object of texts. Only harmless names are kept
-- @result id                int                the event's number
-- @result duplicate         bool               whether it was there already
-- @native st_capture_insert_event

-- @method capture.insert_events  one  write
-- Keep many events, all or none.
-- @param  events      capture.insert_event[]   the events
-- @result inserted    int                      how many were new
-- @result duplicates  int                      how many were there already
-- @native st_capture_insert_events

-- @method capture.find_event  one  read  private
-- The event that came in an envelope.
-- @param  envelope_id  text   which envelope
-- @result id           int    the event's number
SELECT id FROM events WHERE envelope_id = :envelope_id;

-- @method capture.write_event  one  write  private
-- Keep an event. Its parameters begin as those of insert_event do.
-- @param  timestamp         time           when it was sent, after the command had ended
-- @param  command           text           what ran; of a tool call, what the tool was told
-- @param  stdout            text?          what it said
-- @param  stderr            text?          what it complained of
-- @param  stdout_truncated  bool           whether some of stdout is missing
-- @param  stderr_truncated  bool           whether some of stderr is missing
-- @param  exit_code         int?           how it ended
-- @param  duration_ms       int            how long it took
-- @param  cwd               text           in which directory
-- @param  hostname          text           on which machine
-- @param  shell             text           in which shell
-- @param  git_repo          text?          the directory's repository,
-- @param  git_branch        text?          its branch,
-- @param  git_commit        text?          its commit,
-- @param  git_dirty         bool?          and whether it held changes
-- @param  envelope_id       text?          of the envelope it came in: what comes in the same one again is a duplicate
-- @param  tool_name         text?          of a tool call
-- @param  redaction_count   int            secrets that were taken out
-- @param  probe_tag         text?          of a probe
-- @param  now               time           when it came in
-- @param  session_id        int    the session's number
-- @param  env_snapshot_id   int?   what was kept of the environment
-- @param  source_kind       text   where it came from
-- @result id                int    the event's number; no row if its envelope is known
INSERT INTO events (timestamp, command, stdout, stderr, stdout_truncated, stderr_truncated, exit_code, duration_ms, cwd, hostname, shell,
                    git_repo, git_branch, git_commit, git_dirty, envelope_id, tool_name, redaction_count, probe_tag, created_at,
                    session_id, env_snapshot_id, source_kind)
VALUES (:timestamp, :command, :stdout, :stderr, :stdout_truncated, :stderr_truncated, :exit_code, :duration_ms, :cwd, :hostname, :shell,
        :git_repo, :git_branch, :git_commit, :git_dirty, :envelope_id, :tool_name, :redaction_count, :probe_tag, :now,
        :session_id, :env_snapshot_id, :source_kind)
ON CONFLICT (envelope_id) WHERE envelope_id IS NOT NULL DO NOTHING
RETURNING id;

-- @method capture.put_env_snapshot  one  write  private
-- Keep an environment once.
-- @param  content_hash  text   SHA-256 of env_json
-- @param  env_json      text   JSON object with sorted names
-- @param  now           time   when it came in
-- @result id            int    its number
INSERT INTO env_snapshots (content_hash, env_json, created_at) VALUES (:content_hash, :env_json, :now)
ON CONFLICT (content_hash) DO UPDATE SET content_hash = excluded.content_hash
RETURNING id;

-- @method capture.enqueue_event  none  write  private
-- Let an event wait to be learned from.
-- @param  id   int    which event
-- @param  now  time   since when
INSERT INTO enrichment_queue (event_id, created_at, updated_at) VALUES (:id, :now, :now)
ON CONFLICT (event_id) DO NOTHING;

-- @method capture.get_events  many  read
-- Commands that ran, the newest first, without probes.
-- @param  session_id        int optional        in this session
-- @param  since             time optional       at this time or later
-- @param  project           text optional       whose directory or repository holds this text
-- @param  limit             int(1..1000) = 50   at most this many
-- @result id                int                 the event's number
-- @result session_id        int                 its session's number
-- @result timestamp         time                when it was sent
-- @result source_kind       text                shell, claude-tool, codex-tool, ...
-- @result tool_name         text?               of a tool call
-- @result command           text                what ran
-- @result stdout            text?               what it said
-- @result stderr            text?               what it complained of
-- @result stdout_truncated  bool?               whether some of stdout is missing
-- @result stderr_truncated  bool?               whether some of stderr is missing
-- @result exit_code         int?                how it ended
-- @result duration_ms       int                 how long it took
-- @result cwd               text                in which directory
-- @result hostname          text                on which machine
-- @result shell             text                in which shell
-- @result git_repo          text?               the directory's repository,
-- @result git_branch        text?               its branch,
-- @result git_commit        text?               its commit,
-- @result git_dirty         bool?               and whether it held changes
-- @result env               jsontext?           what was kept of its environment
-- @result redaction_count   int                 secrets that were taken out
-- @result enriched          bool                whether it has been learned from
SELECT events.id, session_id, timestamp, source_kind, tool_name, command, stdout, stderr, stdout_truncated, stderr_truncated,
       exit_code, duration_ms, cwd, hostname, shell, git_repo, git_branch, git_commit, git_dirty, env_snapshots.env_json AS env,
       redaction_count, enriched
  FROM events LEFT JOIN env_snapshots ON env_snapshots.id = events.env_snapshot_id
 WHERE probe_tag IS NULL
   AND session_id = :session_id                                                        -- @if session_id
   AND timestamp >= :since                                                             -- @if since
   AND (instr(cwd, :project) > 0 OR instr(git_repo, :project) > 0)                     -- @if project @for sqlite
   AND (strpos(cwd, :project) > 0 OR strpos(git_repo, :project) > 0)                   -- @if project @for postgres
 ORDER BY timestamp DESC, events.id DESC LIMIT :limit;

-- @method capture.list_projects  many  read
-- Where work was done, the latest first: repositories, and directories outside of any. Probes do not count.
-- @param  limit      int(1..1000) = 50   at most this many
-- @result project    text                the repository, or the directory
-- @result events     int                 commands that ran there
-- @result segments   int                 segments of agents' sessions there
-- @result last_seen  time                when something happened there last
SELECT project, COUNT(event) AS events, COUNT(segment) AS segments, MAX(seen) AS last_seen
  FROM (SELECT COALESCE(git_repo, cwd) AS project, id AS event, NULL AS segment, timestamp AS seen
          FROM events WHERE probe_tag IS NULL
        UNION ALL
        SELECT cwd, NULL, id, end_time FROM agentic_sessions WHERE probe_tag IS NULL) AS work
 WHERE project <> ''
 GROUP BY project
 ORDER BY last_seen DESC, project LIMIT :limit;

-- @method capture.search_events  many  read
-- Commands, segments of agents' sessions, and pages in which a text stands, whatever its case; the newest first, without probes.
-- @param  query       text                what to look for, character by character
-- @param  source      text(all|shell|claude|browser) = "all"   where: claude stands for every agent's segments, shell for tool calls too
-- @param  since       time optional       at this time or later
-- @param  project     text optional       whose directory or repository holds this text; pages have none
-- @param  branch      text optional       on this branch; pages have none
-- @param  limit       int(1..1000) = 20   at most this many
-- @result id          int                 its number among the commands, segments or pages
-- @result source      text                shell, claude-tool, ...; the agent of a segment; browser
-- @result timestamp   time                when; of a segment, when it began
-- @result summary     text                the command; what a segment says; a page's title
-- @result cwd         text                in which directory; of a page, its address
-- @result detail      text?               what the command said; a segment's prompts; a page's text
-- @result git_branch  text?               on which branch
-- @native st_capture_search_events

-- @method capture.scan_events  many  read  private
-- What search_events may find, in its order.
-- @param  source      text           where: claude stands for every agent's segments, shell for tool calls too
-- @param  since       time optional  at this time or later
-- @param  project     text optional  whose directory or repository holds this text; pages have none
-- @param  branch      text optional  on this branch; pages have none
-- @param  pattern     text optional   of LIKE: what the text would match if both are ASCII
-- @results capture.search_events
SELECT id, source, timestamp, summary, cwd, detail, git_branch
  FROM (SELECT id, 'shell' AS kind, source_kind AS source, timestamp, command AS summary, cwd, COALESCE(stdout, stderr) AS detail, git_branch,
               git_repo AS project
          FROM events WHERE probe_tag IS NULL
        UNION ALL
        SELECT id, 'claude', harness, start_time, summary_text, cwd, user_prompts_json, git_branch, project_dir
          FROM agentic_sessions WHERE probe_tag IS NULL
        UNION ALL
        SELECT id, 'browser', 'browser', timestamp, COALESCE(title, ''), url, extracted_text, NULL, NULL
          FROM browser_events WHERE probe_tag IS NULL) AS seen
 WHERE (kind = :source OR :source = 'all')
   AND timestamp >= :since                                                                                      -- @if since
   AND kind <> 'browser' AND (instr(cwd, :project) > 0 OR instr(project, :project) > 0)                         -- @if project @for sqlite
   AND kind <> 'browser' AND (strpos(cwd, :project) > 0 OR strpos(project, :project) > 0)                       -- @if project @for postgres
   AND git_branch = :branch                                                                                     -- @if branch
   AND (summary ~ '[^\x01-\x7f]' OR cwd ~ '[^\x01-\x7f]' OR detail ~ '[^\x01-\x7f]'                             -- @if pattern @for postgres
        OR lower(summary) LIKE :pattern ESCAPE '\' OR lower(cwd) LIKE :pattern ESCAPE '\'                       -- @if pattern @for postgres
        OR lower(detail) LIKE :pattern ESCAPE '\')                                                              -- @if pattern @for postgres
 ORDER BY timestamp DESC, source, id DESC;
