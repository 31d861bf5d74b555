-- Transcripts: what coding agents wrote about their sessions, taken in as conversations.

-- @method conversation.import_transcripts  one  admin
-- Take in transcripts of coding agents. Files are known again: what was read before is not read
-- again, what has grown is read from there on, and nothing is written twice. It can be stopped at any point
-- and called again. Secrets are removed from every text before it is stored. A directory with a file
-- .stele-ignore in it, or a project with one in its working directory, is left alone; so is a session
-- that was deleted here.
-- @param  paths        text[] = []      files and directories; none: where the agents keep them
-- @param  harness      text optional    only of this agent, such as claude-code
-- @param  except_harnesses  text[] = []   not of these agents
-- @param  home         text optional    the user's home directory, where the agents keep theirs
-- @param  environment  json? = null     an object: variables that move those places, such as CLAUDE_CONFIG_DIR
-- @param  ignore       text[] = []      files, directories or projects to leave alone; an asterisk stands for anything
-- @param  since        time optional    only files changed since then
-- @param  dry_run      bool = false     read, but write nothing
-- @param  again        bool = false     read everything anew, and make sessions again that were deleted
-- @param  capture      bool = true      also into the capture store: segments of the sessions, and their tool calls
-- @param  into_foreign bool = false     also into a store outside the home, which another program may own
-- @result files        int    transcripts found
-- @result unchanged    int    of them as they were the last time
-- @result ignored      int    of them left alone, with the sessions of ignored projects
-- @result unfinished   int    of them ending in the middle of a line, which is read when it is complete
-- @result sessions     int    sessions that are new
-- @result messages     int    messages that are new
-- @result updated      int    messages that were told anew and differ
-- @result aside        int    records that say nothing for a conversation
-- @result redacted     int    secrets removed
-- @result bad          int    records that could not be read
-- @result removed      int    sessions that were deleted here and stay so
-- @result bytes        int    bytes read
-- @result problems     json   the first bad places, texts such as "file:line: why"
-- @native st_conversation_import_transcripts outside

-- @method conversation.watch_transcripts  one  admin
-- Take in transcripts as import_transcripts does, and then what is appended to them, as it comes, until it
-- is stopped or the time is over.
-- @param  paths        text[] = []          as in import_transcripts
-- @param  harness      text optional        as in import_transcripts
-- @param  except_harnesses  text[] = []   as in import_transcripts
-- @param  home         text optional        as in import_transcripts
-- @param  environment  json? = null         as in import_transcripts
-- @param  ignore       text[] = []          as in import_transcripts
-- @param  since        time optional        as in import_transcripts
-- @param  dry_run      bool = false         as in import_transcripts
-- @param  again        bool = false         as in import_transcripts, at the start
-- @param  capture      bool = true          as in import_transcripts
-- @param  into_foreign bool = false         as in import_transcripts
-- @param  duration     duration optional    how long; absent: until it is stopped
-- @param  poll         bool = false         look at the files from time to time, where the system tells of no changes
-- @result files        int    transcripts found
-- @result unchanged    int    of them as they were the last time
-- @result ignored      int    of them left alone, with the sessions of ignored projects
-- @result unfinished   int    of them ending in the middle of a line, which is read when it is complete
-- @result sessions     int    sessions that are new
-- @result messages     int    messages that are new
-- @result updated      int    messages that were told anew and differ
-- @result aside        int    records that say nothing for a conversation
-- @result redacted     int    secrets removed
-- @result bad          int    records that could not be read
-- @result removed      int    sessions that were deleted here and stay so
-- @result bytes        int    bytes read
-- @result problems     json   the first bad places, texts such as "file:line: why"
-- @native st_conversation_watch_transcripts outside

-- @method conversation.list_harnesses  many  read
-- The agents and programs whose transcripts can be taken in.
-- @result harness    text   its name here, such as claude-code: the source of its sessions
-- @result program    text   its name for people
-- @result roots      json   where it keeps its transcripts, below the home directory or $VARIABLE
-- @result variables  json   the names of the variables that move them
-- @result resume     text?  the command that goes on with a session; {id} stands for its id
-- @native st_conversation_list_harnesses

-- @method conversation.list_transcripts  many  read
-- The transcripts that were taken in, by their paths, and how far.
-- @param  harness        text optional           only of this agent
-- @param  limit          int(1..100000) = 1000   at most this many
-- @param  offset         int(0..) = 0            leave out so many first
-- @result harness        text   whose it is
-- @result path           text   the file
-- @result session_id     text?  its session, the first if there are several
-- @result size           int    its size when it was last read
-- @result consumed       int    bytes that need not be read again
-- @result records        int    lines in these
-- @result bad            int    records that could not be read
-- @result aside          int    records that say nothing for a conversation
-- @result problem        text?  the last thing that was wrong with it
-- @result unfinished     bool   it ends in the middle of a line
-- @result first_read_at  time   when it was first read
-- @result last_read_at   time   when it was last read
SELECT t.harness, t.path, t.session_id, t.size, t.consumed, t.records, t.bad, t.aside, t.problem,
       t.unfinished <> 0 AS unfinished, t.first_read_at, t.last_read_at
  FROM (SELECT f.*, (SELECT o.session_id FROM stele_origin AS o WHERE o.transcript = f.id   -- @has transcripts
                      ORDER BY o.number LIMIT 1) AS session_id                              -- @has transcripts
          FROM stele_transcript AS f) AS t                                                  -- @has transcripts
  FROM (SELECT '' AS harness, '' AS path, CAST(NULL AS TEXT) AS session_id, CAST(0 AS BIGINT) AS size,   -- @lacks transcripts
               CAST(0 AS BIGINT) AS consumed, CAST(0 AS BIGINT) AS records, CAST(0 AS BIGINT) AS bad,    -- @lacks transcripts
               CAST(0 AS BIGINT) AS aside, CAST(NULL AS TEXT) AS problem, 0 AS unfinished,               -- @lacks transcripts
               CAST(0 AS DOUBLE PRECISION) AS first_read_at, CAST(0 AS DOUBLE PRECISION) AS last_read_at   -- @lacks transcripts
         WHERE 1 = 0) AS t                                                                               -- @lacks transcripts
 WHERE 1 = 1
   AND t.harness = :harness                                                                 -- @if harness
 ORDER BY t.path LIMIT :limit OFFSET :offset;

-- @method conversation.count_transcripts  one  read
-- How much was taken in from transcripts so far.
-- @result transcripts  int   files
-- @result bytes        int   bytes of them that need not be read again
-- @result records      int   lines in these
-- @result bad          int   records that could not be read
-- @result aside        int   records that say nothing for a conversation
SELECT CAST(COUNT(*) AS BIGINT) AS transcripts, CAST(COALESCE(SUM(t.consumed), 0) AS BIGINT) AS bytes,
       CAST(COALESCE(SUM(t.records), 0) AS BIGINT) AS records, CAST(COALESCE(SUM(t.bad), 0) AS BIGINT) AS bad,
       CAST(COALESCE(SUM(t.aside), 0) AS BIGINT) AS aside
  FROM stele_transcript AS t                                                              -- @has transcripts
  FROM (SELECT 0 AS consumed, 0 AS records, 0 AS bad, 0 AS aside WHERE 1 = 0) AS t        -- @lacks transcripts
;

-- @method conversation.get_origin  one  read
-- Where a session came from; null if it was not taken from a transcript.
-- @param  session_id         text   which session
-- @result session_id         text   the session
-- @result harness            text   the agent it was with, such as claude-code
-- @result native_id          text   its id there
-- @result path               text?  the transcript
-- @result cwd                text?  where it worked
-- @result branch             text?  on which branch of git
-- @result version            text?  of the agent program
-- @result agent              text?  name of a sub-agent
-- @result link               text?  why it has a parent: subagent, compaction, resume or fork
-- @result parent_native_id   text?  the parent's id there
-- @result parent_session_id  text?  the parent, if it is here
SELECT o.session_id, o.harness, o.native AS native_id, o.path, o.cwd, o.branch, o.version, o.agent, o.link,
       o.parent AS parent_native_id, o.parent_session_id
  FROM (SELECT n.*, t.path, p.session_id AS parent_session_id                              -- @has transcripts
          FROM stele_origin AS n LEFT JOIN stele_transcript AS t ON t.id = n.transcript    -- @has transcripts
               LEFT JOIN stele_origin AS p ON p.harness = n.harness AND p.native = n.parent   -- @has transcripts
         WHERE n.session_id = :session_id) AS o                                            -- @has transcripts
  FROM (SELECT :session_id AS session_id, '' AS harness, '' AS native, CAST(NULL AS TEXT) AS path,   -- @lacks transcripts
               CAST(NULL AS TEXT) AS cwd, CAST(NULL AS TEXT) AS branch, CAST(NULL AS TEXT) AS version,   -- @lacks transcripts
               CAST(NULL AS TEXT) AS agent, CAST(NULL AS TEXT) AS link, CAST(NULL AS TEXT) AS parent,    -- @lacks transcripts
               CAST(NULL AS TEXT) AS parent_session_id WHERE 1 = 0) AS o                             -- @lacks transcripts
 ORDER BY o.native LIMIT 1;

-- @method conversation.list_message_usage  many  read
-- What the messages of a session took, as far as its transcript tells: of each request to a model, told at the
-- message that it ended with.
-- @param  session_id          text                   which session
-- @param  after               int = 0                only messages numbered above this
-- @param  limit               int(1..100000) = 1000  at most this many
-- @http GET /v1/sessions/{session_id}/usage
-- @result message_id          int    the message
-- @result input_tokens        int    tokens read
-- @result output_tokens       int    tokens written
-- @result cache_read_tokens   int    tokens read from a cache
-- @result cache_write_tokens  int    tokens written to a cache
-- @result reasoning_tokens    int    tokens of reasoning
-- @result cost_usd            real?  the cost, where it is told
SELECT l.message AS message_id, CAST(SUM(u.input) AS BIGINT) AS input_tokens, CAST(SUM(u.output) AS BIGINT) AS output_tokens,
       CAST(SUM(u.cache_read) AS BIGINT) AS cache_read_tokens, CAST(SUM(u.cache_write) AS BIGINT) AS cache_write_tokens,
       CAST(SUM(u.reasoning) AS BIGINT) AS reasoning_tokens, NULLIF(SUM(u.cost), 0) AS cost_usd
  FROM stele_origin AS o JOIN stele_message_usage AS l ON l.session = o.number           -- @has message_usage
       JOIN stele_usage AS u ON u.session = l.session AND u.key = l.key                  -- @has message_usage
 WHERE o.session_id = :session_id AND l.message > :after                                 -- @has message_usage
  FROM (SELECT m.id AS message FROM messages AS m                                        -- @lacks message_usage
         WHERE m.session_id = :session_id AND m.id > :after AND FALSE) AS l,             -- @lacks message_usage
       (SELECT 0 AS input, 0 AS output, 0 AS cache_read, 0 AS cache_write, 0 AS reasoning,                    -- @lacks message_usage
               CAST(0 AS DOUBLE PRECISION) AS cost) AS u                                 -- @lacks message_usage
 GROUP BY l.message ORDER BY message_id LIMIT :limit;

-- ---- Files ----

-- @method conversation.find_transcript  one  read  private
-- What is known of a file.
-- @param  path      text   the file
-- @result id        int    its number
-- @result harness   text   whose it is
-- @result device    int    the device
-- @result inode     int    the inode
-- @result size      int    its size when it was last read
-- @result modified  int    its time then
-- @result consumed  int    bytes that need not be read again
-- @result records   int    lines in these
-- @result checked   int    hash of some of these
-- @result state     text?  what its reader remembers
-- @feature transcripts
SELECT id, harness, device, inode, size, modified, consumed, records, checked, state
  FROM stele_transcript WHERE path = :path;

-- @method conversation.find_moved_transcript  many  read  private
-- Files that were read under another name.
-- @param  device  int    the device
-- @param  inode   int    the inode
-- @param  path    text   the name it has now
-- @result id      int    its number
-- @result path    text   the name it had
-- @feature transcripts
SELECT id, path FROM stele_transcript
 WHERE inode = :inode AND device = :device AND path <> :path ORDER BY id;

-- @method conversation.move_transcript  none  write  private
-- A file has another name.
-- @param  id    int    its number
-- @param  path  text   the name it has now
-- @feature transcripts
UPDATE stele_transcript SET path = :path WHERE id = :id;

-- @method conversation.add_transcript  one  write  private
-- A file that is not known yet.
-- @param  harness  text   whose it is
-- @param  path     text   the file
-- @param  now      real   the present time
-- @result id       int    its number
-- @feature transcripts
INSERT INTO stele_transcript (harness, path, device, inode, size, modified, consumed, records, checked, bad, aside,
                              unfinished, first_read_at, last_read_at)
VALUES (:harness, :path, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, :now, :now)
ON CONFLICT (path) DO UPDATE SET harness = excluded.harness
RETURNING id;

-- @method conversation.mark_transcript  none  write  private
-- How far a file was read.
-- @param  id        int             its number
-- @param  device    int             the device
-- @param  inode     int             the inode
-- @param  size      int             its size
-- @param  modified  int             its time
-- @param  consumed  int             bytes that need not be read again
-- @param  records   int             lines in these
-- @param  checked   int             hash of some of these
-- @param  state     text?           what its reader remembers
-- @param  bad       int             so many more records could not be read
-- @param  aside     int             so many more say nothing
-- @param  anew      int             1: it was read from its start
-- @param  problem   text?           the last thing that was wrong
-- @param  unfinished int            1: it ends in the middle of a line
-- @param  now       real            the present time
-- @feature transcripts
UPDATE stele_transcript
   SET device = :device, inode = :inode, size = :size, modified = :modified, consumed = :consumed, records = :records,
       checked = :checked, state = :state,
       bad = :bad + CASE WHEN :anew = 1 THEN 0 ELSE bad END,
       aside = :aside + CASE WHEN :anew = 1 THEN 0 ELSE aside END,
       problem = CASE WHEN :anew = 1 OR :problem IS NOT NULL THEN :problem ELSE problem END,
       unfinished = :unfinished, last_read_at = :now
 WHERE id = :id;

-- ---- Sessions ----

-- @method conversation.find_origin  one  read  private
-- A session by its own id, and whether it is still here.
-- @param  harness     text   whose it is
-- @param  native      text   its id there
-- @result number      int    its number
-- @result session_id  text?  its id here; null: it has none yet
-- @result here        bool   it is here, and has not been deleted
-- @result begun       bool   it has a message
-- @result last_at     real?  time of its latest message
-- @result copied      int    messages that repeat the parent's; -1: no more
-- @result parent      text?  the parent's id there
-- @result given       text?  the title it was given
-- @result title       text?  the title it has
-- @feature transcripts
SELECT o.number, o.session_id, s.id IS NOT NULL AS here, o.first_key IS NOT NULL AS begun, s.ended_at AS last_at,
       o.copied, o.parent, o.title AS given, s.title
  FROM stele_origin AS o LEFT JOIN sessions AS s ON s.id = o.session_id
 WHERE o.harness = :harness AND o.native = :native;

-- @method conversation.find_copied_origin  one  read  private
-- The first session that begins with a message.
-- @param  harness    text   whose it is
-- @param  first_key  int    the message
-- @param  native     text   not this session
-- @result native     text   its id there
-- @feature transcripts
SELECT native FROM stele_origin
 WHERE first_key = :first_key AND harness = :harness AND native <> :native ORDER BY number LIMIT 1;

-- @method conversation.add_origin  one  write  private
-- A session that is not known yet.
-- @param  harness     text    whose it is
-- @param  native      text    its id there
-- @param  transcript  int?    the file
-- @result number      int     its number
-- @feature transcripts
INSERT INTO stele_origin (harness, native, transcript) VALUES (:harness, :native, :transcript) RETURNING number;

-- @method conversation.name_origin  none  write  private
-- The id that a session has here.
-- @param  number      int     its number
-- @param  session_id  text    its id here
-- @feature transcripts
UPDATE stele_origin SET session_id = :session_id WHERE number = :number;

-- @method conversation.forget_records  none  write  private
-- What is known of the records of a session that was deleted.
-- @param  session  int   its number
-- @feature transcripts
DELETE FROM stele_record WHERE session = :session;
DELETE FROM stele_usage WHERE session = :session;
UPDATE stele_origin SET title = NULL, first_key = NULL, copied = -1 WHERE number = :session;

-- @method conversation.tell_origin  none  write  private
-- Facts about a session; what is null stays as it is.
-- @param  number     int     its number
-- @param  cwd        text?   where it works
-- @param  branch     text?   on which branch of git
-- @param  version    text?   of the agent program
-- @param  agent      text?   name of a sub-agent
-- @param  link       text?   why it has a parent
-- @param  parent     text?   the parent's id there
-- @param  title      text?   the title it was given
-- @param  copied     int?    messages that repeat the parent's
-- @feature transcripts
UPDATE stele_origin
   SET cwd = COALESCE(:cwd, cwd), branch = COALESCE(:branch, branch), version = COALESCE(:version, version),
       agent = COALESCE(:agent, agent), link = COALESCE(:link, link), parent = COALESCE(:parent, parent),
       title = COALESCE(:title, title), copied = COALESCE(:copied, copied)
 WHERE number = :number;

-- @method conversation.begin_origin  none  write  private
-- A session has its first message.
-- @param  number     int     its number
-- @param  first_key  int     the message
-- @feature transcripts
UPDATE stele_origin SET first_key = :first_key WHERE number = :number;

-- @method conversation.take_session  none  write  private
-- A session that is new here.
-- @param  session_id     text    its id
-- @param  source         text    the agent it was with
-- @param  started_at     real    when it started
INSERT INTO sessions (id, source, started_at) VALUES (:session_id, :source, :started_at);

-- @method conversation.tell_session  none  write  private
-- Facts and counts of a session: what is null stays as it is, counts are added.
-- @param  session_id     text    its id
-- @param  model          text?   the model
-- @param  system_prompt  text?   the system prompt
-- @param  title          text?   its title
-- @param  started_at     real?   when it started
-- @param  last_at        real?   its latest message
-- @param  messages       int     messages more
-- @param  calls          int     tool calls more
-- @param  requests       int     requests to a model more
-- @param  input          int     tokens read
-- @param  output         int     tokens written
-- @param  cache_read     int     tokens read from a cache
-- @param  cache_write    int     tokens written to a cache
-- @param  reasoning      int     tokens of reasoning
-- @param  cost           real?   cost more
UPDATE sessions
   SET model = COALESCE(:model, model), system_prompt = COALESCE(:system_prompt, system_prompt),
       title = COALESCE(:title, title), started_at = COALESCE(:started_at, started_at),
       ended_at = CASE WHEN :last_at IS NULL OR :last_at < ended_at THEN ended_at ELSE :last_at END,
       end_reason = CASE WHEN :last_at IS NULL THEN end_reason ELSE COALESCE(end_reason, 'transcript') END,
       message_count = COALESCE(message_count, 0) + :messages, tool_call_count = COALESCE(tool_call_count, 0) + :calls,
       api_call_count = COALESCE(api_call_count, 0) + :requests, input_tokens = COALESCE(input_tokens, 0) + :input,
       output_tokens = COALESCE(output_tokens, 0) + :output,
       cache_read_tokens = COALESCE(cache_read_tokens, 0) + :cache_read,
       cache_write_tokens = COALESCE(cache_write_tokens, 0) + :cache_write,
       reasoning_tokens = COALESCE(reasoning_tokens, 0) + :reasoning,
       estimated_cost_usd = CASE WHEN :cost IS NULL THEN estimated_cost_usd
                                 ELSE COALESCE(estimated_cost_usd, 0) + :cost END
 WHERE id = :session_id;

-- @method conversation.link_session  none  write  private
-- A session has a parent, if that is here.
-- @param  session_id  text   the session
-- @param  harness     text   whose it is
-- @param  parent      text   the parent's id there
-- @feature transcripts
UPDATE sessions
   SET parent_session_id = (SELECT s.id FROM stele_origin AS o JOIN sessions AS s ON s.id = o.session_id
                             WHERE o.harness = :harness AND o.native = :parent AND s.id <> :session_id)
 WHERE id = :session_id AND parent_session_id IS NULL;

-- @method conversation.link_children  none  write  private
-- A session is new: those whose parent it is get it.
-- @param  session_id  text   the session
-- @param  harness     text   whose it is
-- @param  native      text   its id there
-- @feature transcripts
UPDATE sessions SET parent_session_id = :session_id
 WHERE parent_session_id IS NULL AND id <> :session_id
   AND id IN (SELECT o.session_id FROM stele_origin AS o WHERE o.harness = :harness AND o.parent = :native);

-- ---- Messages ----

-- @method conversation.find_record  one  read  private
-- The message that a record became.
-- @param  session  int   its session
-- @param  key      int   its key
-- @result message  int   the message; 0: none
-- @result content  int   hash of what was written
-- @feature transcripts
SELECT message, content FROM stele_record WHERE session = :session AND key = :key;

-- @method conversation.count_records  one  read  private
-- How many records of a session are known.
-- @param  harness  text   whose it is
-- @param  native   text   its id there
-- @result records  int    how many
-- @feature transcripts
SELECT COUNT(*) AS records FROM stele_origin AS o JOIN stele_record AS r ON r.session = o.number
 WHERE o.harness = :harness AND o.native = :native;

-- @method conversation.has_record  one  read  private
-- Is a record known in a session?
-- @param  harness  text   whose it is
-- @param  native   text   its id there
-- @param  key      int    the record
-- @result found    int    1
-- @feature transcripts
SELECT 1 AS found
  FROM stele_origin AS o JOIN stele_record AS r ON r.session = o.number AND r.key = :key
 WHERE o.harness = :harness AND o.native = :native;

-- @method conversation.add_record  none  write  private
-- A record and the message it became.
-- @param  session  int   its session
-- @param  key      int   its key
-- @param  message  int   the message
-- @param  content  int   hash of what was written
-- @feature transcripts
INSERT INTO stele_record (session, key, message, content) VALUES (:session, :key, :message, :content)
ON CONFLICT (session, key) DO UPDATE SET message = excluded.message, content = excluded.content;

-- @method conversation.take_message  one  write  private
-- A message that is new.
-- @param  session_id     text    its session
-- @param  role           text    who speaks
-- @param  content        text?   what is said
-- @param  tool_call_id   text?   the call it answers
-- @param  tool_calls     text?   the calls it asks for
-- @param  tool_name      text?   the tool that answers
-- @param  timestamp      real    when it was said
-- @param  finish_reason  text?   why the model stopped
-- @param  reasoning      text?   reasoning
-- @result id             int     its number
INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp, finish_reason, reasoning)
VALUES (:session_id, :role, :content, :tool_call_id, :tool_calls, :tool_name, :timestamp, :finish_reason, :reasoning)
RETURNING id;

-- @method conversation.retake_message  none  write  private
-- A message that was told anew.
-- @param  id             int     its number
-- @param  role           text    who speaks
-- @param  content        text?   what is said
-- @param  tool_call_id   text?   the call it answers
-- @param  tool_calls     text?   the calls it asks for
-- @param  tool_name      text?   the tool that answers
-- @param  timestamp      real    when it was said
-- @param  finish_reason  text?   why the model stopped
-- @param  reasoning      text?   reasoning
UPDATE messages
   SET role = :role, content = :content, tool_call_id = :tool_call_id, tool_calls = :tool_calls,
       tool_name = :tool_name, timestamp = :timestamp, finish_reason = :finish_reason, reasoning = :reasoning
 WHERE id = :id;

-- @method conversation.get_tool_calls  one  read  private
-- The calls that a message asks for.
-- @param  id          int     the message
-- @result tool_calls  text?   the calls
SELECT tool_calls FROM messages WHERE id = :id;

-- @method conversation.withdraw_turns  none  write  private
-- Take the last turns of a session back, up to a message.
-- @param  session_id  text   the session
-- @param  upto        int    the last message that was there
-- @param  count       int    so many turns of the user
-- @feature rewind
UPDATE messages SET active = 0
 WHERE session_id = :session_id AND active = 1 AND id <= :upto
   AND id >= (SELECT MIN(t.id) FROM (SELECT m.id FROM messages AS m
                                      WHERE m.session_id = :session_id AND m.role = 'user' AND m.active = 1
                                        AND m.id <= :upto
                                      ORDER BY m.id DESC LIMIT :count) AS t);

-- ---- Usage ----

-- @method conversation.find_usage  one  read  private
-- What a request took, as it was last told.
-- @param  session      int    its session
-- @param  key          int    its key
-- @result input        int    tokens read
-- @result output       int    tokens written
-- @result cache_read   int    tokens read from a cache
-- @result cache_write  int    tokens written to a cache
-- @result reasoning    int    tokens of reasoning
-- @result cost         real   cost
-- @feature transcripts
SELECT input, output, cache_read, cache_write, reasoning, cost FROM stele_usage
 WHERE session = :session AND key = :key;

-- @method conversation.put_usage  none  write  private
-- What a request took.
-- @param  session      int    its session
-- @param  key          int    its key
-- @param  input        int    tokens read
-- @param  output       int    tokens written
-- @param  cache_read   int    tokens read from a cache
-- @param  cache_write  int    tokens written to a cache
-- @param  reasoning    int    tokens of reasoning
-- @param  cost         real   cost
-- @feature transcripts
INSERT INTO stele_usage (session, key, input, output, cache_read, cache_write, reasoning, cost)
VALUES (:session, :key, :input, :output, :cache_read, :cache_write, :reasoning, :cost)
ON CONFLICT (session, key) DO UPDATE
   SET input = excluded.input, output = excluded.output, cache_read = excluded.cache_read,
       cache_write = excluded.cache_write, reasoning = excluded.reasoning, cost = excluded.cost;

-- @method conversation.link_usage  none  write  private
-- The message that a request ended with.
-- @param  session  int    the request's session
-- @param  key      int    its key
-- @param  message  int    the message
-- @feature message_usage
INSERT INTO stele_message_usage (session, key, message) VALUES (:session, :key, :message)
ON CONFLICT (session, key) DO UPDATE SET message = excluded.message;

-- ---- Titles that name another session's message ----

-- @method conversation.put_far_title  none  write  private
-- Keep a title until its message is found.
-- @param  harness  text   whose it is
-- @param  key      int    the message
-- @param  title    text   the title
-- @feature transcripts
INSERT INTO stele_title (harness, key, title, given) VALUES (:harness, :key, :title, 2)
ON CONFLICT (harness, key) DO UPDATE SET title = excluded.title, given = 2 WHERE stele_title.title <> excluded.title;

-- @method conversation.wake_far_title  none  write  private
-- A message came that a title may be waiting for.
-- @param  harness  text   whose it is
-- @param  key      int    the message
-- @feature transcripts
UPDATE stele_title SET given = 2 WHERE harness = :harness AND key = :key AND given = 0;

-- @method conversation.list_far_titles  many  read  private
-- The messages that titles wait for.
-- @result key         int    the message
-- @result due         bool   it is to be looked for
-- @feature transcripts
SELECT key, given = 2 AS due FROM stele_title WHERE given <> 1 ORDER BY key;

-- @method conversation.find_far_titles  many  read  private
-- Titles that are to be looked for, and the sessions that have their messages. Looks at every record that is known.
-- @param  keys        int[]   the messages
-- @result harness     text    whose it is
-- @result key         int     the message
-- @result title       text    the title
-- @result session_id  text    the session
-- @result number      int     its number
-- @feature transcripts
SELECT t.harness, t.key, t.title, o.session_id, o.number
  FROM stele_record AS r JOIN stele_origin AS o ON o.number = r.session
       JOIN stele_title AS t ON t.harness = o.harness AND t.key = r.key
       JOIN sessions AS s ON s.id = o.session_id
 WHERE r.key IN :keys AND t.given = 2 AND s.title IS NULL
 ORDER BY o.number;

-- @method conversation.settle_far_title  none  write  private
-- A title found its session.
-- @param  harness  text   whose it is
-- @param  key      int    the message
-- @feature transcripts
UPDATE stele_title SET given = 1 WHERE harness = :harness AND key = :key;

-- @method conversation.rest_far_titles  none  write  private
-- All titles have been looked for.
-- @feature transcripts
UPDATE stele_title SET given = 0 WHERE given = 2;
