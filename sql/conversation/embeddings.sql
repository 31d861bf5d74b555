-- Messages by meaning, where no index file tells what is to be filtered by.

-- @method conversation.embedding_scan  many  read  private
-- All vectors of messages that are there, and that a filter allows.
-- @param  dimension  int               how many numbers they have
-- @param  kinds      text[] optional   only rows of these kinds
-- @param  roles      text[] optional   only these roles
-- @param  sessions   text[] optional   only of these sessions
-- @param  projects   text[] optional   only of these projects
-- @param  since      time optional     from this time on
-- @param  until      time optional     before this time
-- @result number     int               its number
-- @result kind       text              the source of its row
-- @result id         text              its key
-- @result vector     blob              it
-- @feature embeddings
SELECT e.number, e.kind, e.id, e.vector
  FROM stele_embeddings AS e
  JOIN messages AS m ON m.id = CAST(e.id AS INTEGER)                        -- @for sqlite
  JOIN messages AS m ON m.id = CAST(e.id AS BIGINT)                         -- @for postgres
 WHERE e.dimension = :dimension AND e.kind = 'message'
   AND m.active = 1                                                         -- @has rewind
   AND e.kind IN :kinds                                                     -- @if kinds
   AND m.role IN :roles                                                     -- @if roles
   AND m.session_id IN :sessions                                            -- @if sessions
   AND m.session_id IN (SELECT o.session_id FROM stele_origin AS o WHERE o.cwd IN :projects)   -- @if projects @has transcripts
   AND m.role IN :projects AND FALSE                                        -- @if projects @lacks transcripts
   AND m.timestamp >= :since                                                -- @if since
   AND m.timestamp < :until                                                 -- @if until
;

-- @method conversation.embedding_nearest  many  read  private
-- The nearest vectors of messages that are there, by the index of pgvector.
-- @param  dimension  int    how many numbers they have
-- @param  vector     text   what they are near to, as a JSON array
-- @param  most       int    at most this many, if all their messages are there
-- @result number     int    its number
-- @result kind       text   the source of its row
-- @result id         text   its key
-- @result vector     blob   it
-- @feature halfvecs
-- @only postgres
SELECT e.number, e.kind, e.id, e.vector
  FROM stele_nearest(:vector, :dimension, :most) AS n
  JOIN stele_embeddings AS e ON e.number = n.found
  JOIN messages AS m ON m.id = CAST(e.id AS BIGINT)
 WHERE e.kind = 'message'
   AND m.active = 1                                                         -- @has rewind
;
