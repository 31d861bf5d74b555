-- @stores documents
-- What the search index of a store needs to follow its sources.

-- @method *.document_changes  many  read  private
-- What was noted after a change, in its order.
-- @param  after  int    only changes with a greater number
-- @param  limit  int    at most this many
-- @result change int    its number
-- @result kind   text   of what kind
-- @result id     text?  its key
-- @result stamp  int    by which the change is known again
-- @feature documents
SELECT seq AS change, kind, id,
       stamp                                                                -- @for sqlite
       CAST(0 AS BIGINT) AS stamp                                           -- @for postgres
  FROM stele_document_change WHERE seq > :after ORDER BY seq LIMIT :limit;

-- @method *.document_backlog  one  read  private
-- How many changes an index lacks; counting stops at a thousand.
-- @param  after    int   the last change in it
-- @result changes  int   how many came after it
SELECT COUNT(*) AS changes FROM (SELECT seq
  FROM stele_document_change                                                -- @has documents
  FROM (SELECT CAST(0 AS BIGINT) AS seq) AS c                               -- @lacks documents
 WHERE seq > :after ORDER BY seq LIMIT 1000) AS c;

-- @method *.document_origin  one  read  private
-- What shows whether an index was made from this store.
-- @param  after   int    the last change in it
-- @result noted   int    the last number that a change was given
-- @result next    int?   the first change that is not in it
-- @result stamp   int?   of the last change in it; null: it is not noted any more, or never was
-- @result newest  int?   the stamp of the last change that was noted
-- @feature documents
-- @for sqlite
SELECT COALESCE((SELECT MAX(seq) FROM stele_document_change), 0) AS noted,
       (SELECT MIN(seq) FROM stele_document_change WHERE seq > :after) AS next,
       (SELECT stamp FROM stele_document_change WHERE seq = :after) AS stamp,
       (SELECT stamp FROM stele_document_change ORDER BY seq DESC LIMIT 1) AS newest;
-- @for postgres
SELECT COALESCE((SELECT MAX(seq) FROM stele_document_change), 0) AS noted,
       (SELECT MIN(seq) FROM stele_document_change WHERE seq > :after) AS next,
       CAST(0 AS BIGINT) AS stamp, CAST(0 AS BIGINT) AS newest;
-- @for both

-- @method *.document_oldest_change  one  read  private
-- The oldest change that is still noted.
-- @result oldest  int?   its number
SELECT MIN(seq) AS oldest
  FROM stele_document_change                                                -- @has documents
  FROM (SELECT CAST(NULL AS BIGINT) AS seq) AS c                            -- @lacks documents
;

-- @method *.document_trim  none  write  private
-- Strike out the oldest noted changes.
-- @param  upto   int   the last of them
-- @feature documents
DELETE FROM stele_document_change WHERE seq <= :upto;

-- ---- PostgreSQL keeps its index in the store itself ----

-- @method *.document_put  none  write  private
-- Put the tokens of a document into the index.
-- @param  kind     text    of what kind
-- @param  id       text    its key
-- @param  tokens   text    a tsvector
-- @param  lost     bool    some phrases may not be found in it
-- @param  cut      bool    some words are not in it
-- @param  time     real    when, in epoch seconds
-- @param  project  text?   where
-- @param  session  text?   of which session
-- @param  role     text?   who
-- @feature documents
-- @only postgres
INSERT INTO stele_document (kind, id, tokens, lost, cut, time, project, session, role)
VALUES (:kind, :id, CAST(:tokens AS tsvector), :lost, :cut, :time, :project, :session, :role)
ON CONFLICT (kind, id) DO UPDATE SET tokens = excluded.tokens, lost = excluded.lost, cut = excluded.cut, time = excluded.time,
       project = excluded.project, session = excluded.session, role = excluded.role;

-- @method *.document_forget  none  write  private
-- Take a document out of the index.
-- @param  kind   text   of what kind
-- @param  id     text   its key
-- @feature documents
-- @only postgres
DELETE FROM stele_document WHERE kind = :kind AND id = :id;

-- @method *.document_done  none  write  private
-- Strike out the noted changes that are in the index now.
-- @param  changes  int[]   their numbers
-- @feature documents
DELETE FROM stele_document_change WHERE seq IN :changes;

-- @method *.document_note  none  write  private
-- Note a document, as if it had been changed.
-- @param  kind   text   of what kind
-- @param  id     text   its key
-- @feature documents
INSERT INTO stele_document_change (kind, id) VALUES (:kind, :id);

-- @method *.document_clear  none  write  private
-- Throw the index away.
-- @feature documents
-- @only postgres
DELETE FROM stele_document;

-- @method *.document_find  many  read  private
-- Documents whose tokens match, best first.
-- @param  query     text              a tsquery
-- @param  loose     text              one that finds at least as much, for rows that lost something
-- @param  kinds     text[] optional   only these kinds
-- @param  roles     text[] optional   only these roles
-- @param  sessions  text[] optional   only of these sessions
-- @param  projects  text[] optional   only of these projects
-- @param  since     real optional     from this time on, in epoch seconds
-- @param  until     real optional     before this time
-- @param  newest    bool optional     newest first
-- @param  oldest    bool optional     oldest first
-- @param  limit     int               at most this many
-- @result kind      text              of what kind
-- @result id        text              its key
-- @result score     real              greater is better
-- @result time      real              when, in epoch seconds
-- @result lost      bool              to be looked up in the row itself
-- @feature documents
-- @only postgres
SELECT d.kind, d.id, CAST(ts_rank(d.tokens, CAST(:query AS tsquery), 1) AS DOUBLE PRECISION) AS score, d.time,
       d.lost OR d.cut AS lost
  FROM stele_document AS d
 WHERE (d.tokens @@ CAST(:query AS tsquery) OR (d.lost AND d.tokens @@ CAST(:loose AS tsquery)) OR d.cut)
   AND d.kind IN :kinds                                                     -- @if kinds
   AND d.role IN :roles                                                     -- @if roles
   AND d.session IN :sessions                                               -- @if sessions
   AND d.project IN :projects                                               -- @if projects
   AND d.time >= :since                                                     -- @if since
   AND d.time < :until                                                      -- @if until
 ORDER BY
       CASE WHEN :newest THEN d.time END DESC NULLS LAST,                   -- @if newest
       CASE WHEN :oldest THEN d.time END ASC NULLS LAST,                    -- @if oldest
       score DESC, d.kind, d.id
 LIMIT :limit;

-- @method *.document_list  many  read  private
-- Documents by time, newest first.
-- @param  kinds     text[] optional   only these kinds
-- @param  roles     text[] optional   only these roles
-- @param  sessions  text[] optional   only of these sessions
-- @param  projects  text[] optional   only of these projects
-- @param  since     real optional     from this time on, in epoch seconds
-- @param  until     real optional     before this time
-- @param  oldest    bool optional     oldest first
-- @param  limit     int               at most this many
-- @result kind      text              of what kind
-- @result id        text              its key
-- @result time      real              when, in epoch seconds
-- @feature documents
-- @only postgres
SELECT d.kind, d.id, d.time FROM stele_document AS d
 WHERE TRUE
   AND d.kind IN :kinds                                                     -- @if kinds
   AND d.role IN :roles                                                     -- @if roles
   AND d.session IN :sessions                                               -- @if sessions
   AND d.project IN :projects                                               -- @if projects
   AND d.time >= :since                                                     -- @if since
   AND d.time < :until                                                      -- @if until
 ORDER BY
       CASE WHEN :oldest THEN d.time END,                                   -- @if oldest
       d.time DESC, d.kind, d.id
 LIMIT :limit;
