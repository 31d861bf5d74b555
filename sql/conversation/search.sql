-- Searching messages, and what the search index needs.

-- @method conversation.search_messages  many  read
-- Messages that match a query, best first. Words must all be there; "a phrase", OR, NOT and prefix*
-- mean what they say, and any other punctuation is none: no query is an error. Everything that was
-- written is found, by every process, as soon as it is written. Substrings are parts of words, of three
-- characters and more (onfig is in config), in what users and assistants said; shorter words are whole
-- ones, and of a phrase only the ends are open. By rank, the best of the newest five hundred messages that
-- may have them come first, then those of the next five hundred, and so on. By itself (auto) a search
-- looks for substrings when nothing has the words and none is in a phrase, and notes it. A question in
-- natural language is answered by messages with some of its words, in any of their forms (camping finds
-- camped), and by the messages next to these; words such as when and did are left out, and a name prefers
-- what was said under it (tool_name). Its hits are always sorted by rank.
-- @param  query            query               what to look for
-- @param  match            text(auto|words|substrings|question) = "auto"   whole words; parts of words; or the first, and only if nothing has them
--     the second; or what answers a question
-- @param  quick            bool = false        for somebody who is still typing: soon rather than whole. Where
--     very many messages match, a beginning of a word stands for the commonest words that begin so, and only the
--     newest messages are looked at, which is noted; nothing is looked for inside of words
-- @param  source_filter    text[] optional     only sessions of these sources
-- @param  exclude_sources  text[] optional     no sessions of these sources
-- @param  role_filter      text[] optional     only messages of these roles
-- @param  project_filter   text[] optional     only sessions of these projects: directories where they worked
-- @param  session          text optional       only messages of this session
-- @param  lineage          text optional       only messages of this session, its ancestors and descendants
-- @param  since            time optional       only messages from this time on
-- @param  until            time optional       only messages before this time
-- @param  sort             text(rank|newest|oldest) = "rank"   best, newest or oldest first
-- @param  limit            int(0..1000) = 20   at most this many
-- @param  offset           int(0..100000) = 0  leave out this many of the first
-- @http GET /v1/search
-- @result id               int     the message
-- @result session_id       text    its session
-- @result role             text    who said it
-- @result snippet          text    the part that matches, with three angle brackets before and after each match
-- @result timestamp        time    when it was said
-- @result tool_name        text?   the tool, of a tool's message
-- @result source           text    of the session
-- @result model            text?   of the session
-- @result session_started  time    of the session
-- @result context          json    up to three {role, content}: the message before, this one, the one after,
--     both cut to 200 characters
-- @result title            text?   of the session
-- @result project          text?   where the session worked
-- @feature session_order
-- @native st_conversation_search_messages outside

-- @method conversation.index_messages  one  admin
-- Bring the search index up to date now. A search does it by itself when it must; this is for idle
-- time. With rebuild the index is thrown away first. Search tables in the store itself (see reindex)
-- are always up to date, and can only be rebuilt.
-- @param  rebuild   bool = false   make it anew
-- @result indexed   int            messages that were indexed
-- @native st_conversation_index_messages outside

-- @method conversation.index_status  one  read
-- How far the search index is. Looking changes nothing.
-- @result form      text    stele (a file of its own), compatible (in the store, always up to date) or postgres
-- @result bytes     int?    size of its file; null if it has none, or none yet
-- @result missing   int     new and changed messages that are not in it; a search finds them all the same.
--     Counting stops at a thousand of each
-- @result problem   text?   why it cannot be read; the next search makes it anew
-- @native st_conversation_index_status

-- @method conversation.index_batch  many  read  private
-- The messages after one, for the index.
-- @param  after       int     only those with a greater id
-- @param  limit       int     at most this many
-- @result change      int     0: a new message
-- @result id          int     the message
-- @result session_id  text?   its session; null: it was deleted
-- @result role        text?   who said it
-- @result timestamp   time?   when
-- @result content     text?   what, as it is stored
-- @result tool_name   text?   the tool
-- @result tool_calls  text?   the calls, JSON
SELECT CAST(0 AS BIGINT) AS change, id, session_id, role, timestamp, content, tool_name, tool_calls
  FROM messages WHERE id > :after
   AND active = 1                                                           -- @has rewind
 ORDER BY id LIMIT :limit;

-- @method conversation.index_changes  many  read  private
-- The messages that were changed or deleted after a noted change, for the index.
-- @param  after       int     only changes with a greater number
-- @param  limit       int     at most this many
-- @result change      int     its number
-- @result id          int     the message
-- @result session_id  text?   its session; null: it was deleted
-- @result role        text?   who said it
-- @result timestamp   time?   when
-- @result content     text?   what, as it is stored
-- @result tool_name   text?   the tool
-- @result tool_calls  text?   the calls, JSON
SELECT c.seq AS change, c.id, m.session_id, m.role, m.timestamp, m.content, m.tool_name, m.tool_calls
  FROM stele_change AS c                                                    -- @has changes
  FROM (SELECT CAST(0 AS BIGINT) AS seq, CAST(0 AS BIGINT) AS id) AS c      -- @lacks changes
  LEFT JOIN messages AS m ON m.id = c.id
   AND m.active = 1                                                         -- @has rewind
 WHERE c.seq > :after ORDER BY c.seq LIMIT :limit;

-- @method conversation.index_backlog  one  read  private
-- How much the index lacks; counting stops at a thousand.
-- @param  after         int   the last message in it
-- @param  after_change  int   the last change in it
-- @result messages      int   new messages
-- @result changes       int   noted changes
SELECT (SELECT COUNT(*) FROM (SELECT id FROM messages WHERE id > :after
   AND active = 1                                                           -- @has rewind
 ORDER BY id LIMIT 1000) AS m) AS messages,
       (SELECT COUNT(*) FROM (SELECT seq FROM stele_change WHERE seq > :after_change ORDER BY seq LIMIT 1000) AS c) -- @has changes
       CAST(0 * :after_change AS BIGINT)                                    -- @lacks changes
       AS changes;

-- @method conversation.index_origin  one  read  private
-- What shows whether an index was made from this store.
-- @param  after         int     the last message in it
-- @param  after_change  int     the last change in it
-- @result given         int     the last number that a message was given
-- @result noted         int     the last number of a noted change
-- @result next          int?    the first change that is not in it
-- @result time          time?   of that last message
-- @for sqlite
SELECT MAX(COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'messages'), 0),
           COALESCE((SELECT MAX(id) FROM messages), 0)) AS given,
       COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'stele_change'), 0) AS noted,
       (SELECT MIN(seq) FROM stele_change WHERE seq > :after_change) AS next,  -- @has changes
       NULLIF(:after_change, :after_change) AS next,                           -- @lacks changes
       (SELECT timestamp FROM messages WHERE id = :after) AS time;
-- @for postgres
SELECT CAST(0 AS BIGINT) AS given, CAST(0 AS BIGINT) AS noted, NULLIF(:after_change, :after_change) AS next,
       (SELECT timestamp FROM messages WHERE id = :after) AS time;
-- @for both

-- @method conversation.index_oldest_change  one  read  private
-- The oldest change that is still noted.
-- @result oldest  int?   its number
SELECT MIN(seq) AS oldest
  FROM stele_change                                                         -- @has changes
  FROM (SELECT CAST(NULL AS BIGINT) AS seq) AS c                            -- @lacks changes
;

-- @method conversation.index_trim  none  write  private
-- Strike out the oldest noted changes.
-- @param  upto     int   the last of them
-- @feature changes
DELETE FROM stele_change WHERE seq <= :upto;

-- @method conversation.search_hits  many  read  private
-- Found messages with their sessions, in any order.
-- @param  ids              int[]   the messages
-- @result id               int     the message
-- @result session_id       text    its session
-- @result role             text    who said it
-- @result timestamp        time    when
-- @result content          text?   what, as it is stored
-- @result tool_name        text?   the tool
-- @result tool_calls       text?   the calls, JSON
-- @result source           text    of the session
-- @result model            text?   of the session
-- @result session_started  time    of the session
-- @result title            text?   of the session
-- @result project          text?   where the session worked
SELECT m.id, m.session_id, m.role, m.timestamp, m.content, m.tool_name, m.tool_calls, s.source, s.model,
       s.started_at AS session_started, s.title,
       (SELECT o.cwd FROM stele_origin AS o WHERE o.session_id = s.id ORDER BY o.number LIMIT 1) AS project  -- @has transcripts
       CAST(NULL AS TEXT) AS project                                        -- @lacks transcripts
  FROM messages AS m JOIN sessions AS s ON s.id = m.session_id WHERE m.id IN :ids
   AND m.active = 1                                                         -- @has rewind
;

-- @method conversation.search_neighbours  many  read  private
-- The message before each of some, and the one after, of the same session; in any order.
-- @param  ids        int[]   the messages
-- @result of         int     whose neighbour it is
-- @result id         int     the neighbour
-- @result role       text    who said it
-- @result content    text?   what, as it is stored
-- @result timestamp  time    when
-- @result tool_name  text?   the tool, or the name of the one who speaks
SELECT near.of, n.id, n.role, n.content, n.timestamp, n.tool_name
  FROM (SELECT m.id AS of, (SELECT b.id FROM messages AS b WHERE b.session_id = m.session_id AND b.id < m.id
                               AND b.active = 1                             -- @has rewind
                             ORDER BY b.id DESC LIMIT 1) AS id
          FROM messages AS m WHERE m.id IN :ids
        UNION ALL
        SELECT m.id, (SELECT a.id FROM messages AS a WHERE a.session_id = m.session_id AND a.id > m.id
                         AND a.active = 1                                   -- @has rewind
                       ORDER BY a.id LIMIT 1)
          FROM messages AS m WHERE m.id IN :ids) AS near
  JOIN messages AS n ON n.id = near.id;

-- @method conversation.search_scope  many  read  private
-- The sessions that a filter allows.
-- @param  source_filter    text[] optional   only these sources
-- @param  exclude_sources  text[] optional   none of these sources
-- @param  project_filter   text[] optional   only these projects
-- @param  session          text optional     only this session
-- @param  lineage          text optional     only this session, its ancestors and descendants
-- @result id               text              the session
WITH RECURSIVE up(id, parent, depth) AS (                                               -- @if lineage
  SELECT id, parent_session_id, 0 FROM sessions WHERE id = :lineage                     -- @if lineage
  UNION SELECT s.id, s.parent_session_id, depth + 1 FROM sessions AS s                  -- @if lineage
          JOIN up ON s.id = up.parent WHERE depth < 100),                               -- @if lineage
down(id, depth) AS (                                                                    -- @if lineage
  SELECT id, 0 FROM sessions WHERE id = :lineage                                        -- @if lineage
  UNION SELECT s.id, depth + 1 FROM sessions AS s                                       -- @if lineage
          JOIN down ON s.parent_session_id = down.id WHERE depth < 100)                 -- @if lineage
SELECT id FROM sessions WHERE TRUE
   AND source IN :source_filter                                                         -- @if source_filter
   AND source NOT IN :exclude_sources                                                   -- @if exclude_sources
   AND id IN (SELECT o.session_id FROM stele_origin AS o WHERE o.cwd IN :project_filter)   -- @if project_filter @has transcripts
   AND source IN :project_filter AND FALSE                                              -- @if project_filter @lacks transcripts
   AND id = :session                                                                    -- @if session
   AND (id IN (SELECT id FROM up) OR id IN (SELECT id FROM down))                       -- @if lineage
;

-- @method conversation.list_documents  many  read  private
-- Messages by time, newest first, where no index file tells it.
-- @param  roles     text[] optional   only these roles
-- @param  sessions  text[] optional   only these sessions
-- @param  since     time optional     from this time on
-- @param  until     time optional     before this time
-- @param  oldest    bool optional     oldest first
-- @param  limit     int               at most this many
-- @result id        int               the message
-- @result timestamp time              when it was said
SELECT id, timestamp FROM messages WHERE TRUE
   AND active = 1                                                              -- @has rewind
   AND role IN :roles                                                          -- @if roles
   AND session_id IN :sessions                                                 -- @if sessions
   AND timestamp >= :since                                                     -- @if since
   AND timestamp < :until                                                      -- @if until
 ORDER BY
       CASE WHEN :oldest THEN timestamp END,                                   -- @if oldest
       timestamp DESC, id LIMIT :limit;
