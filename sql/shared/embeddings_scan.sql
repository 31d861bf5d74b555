-- @stores documents
-- Where the database itself keeps what rows are filtered by.

-- @method *.embedding_scan  many  read  private
-- All vectors of rows that are there, and that a filter allows.
-- @param  dimension  int               how many numbers they have
-- @param  kinds      text[] optional   only rows of these kinds
-- @param  roles      text[] optional   only these roles
-- @param  sessions   text[] optional   only of these sessions
-- @param  projects   text[] optional   only of these projects
-- @param  since      real optional     from this time on, in epoch seconds
-- @param  until      real optional     before this time
-- @result number     int               its number
-- @result kind       text              the source of its row
-- @result id         text              its key
-- @result vector     blob              it
-- @feature documents
-- @feature embeddings
-- @only postgres
SELECT e.number, e.kind, e.id, e.vector
  FROM stele_embeddings AS e JOIN stele_document AS d ON d.kind = e.kind AND d.id = e.id
 WHERE e.dimension = :dimension
   AND d.kind IN :kinds                                                     -- @if kinds
   AND d.role IN :roles                                                     -- @if roles
   AND d.session IN :sessions                                               -- @if sessions
   AND d.project IN :projects                                               -- @if projects
   AND d.time >= :since                                                     -- @if since
   AND d.time < :until                                                      -- @if until
;

-- @method *.embedding_nearest  many  read  private
-- The nearest vectors of rows that are there, by the index of pgvector.
-- @param  dimension  int    how many numbers they have
-- @param  vector     text   what they are near to, as a JSON array
-- @param  most       int    at most this many, if all their rows are there
-- @result number     int    its number
-- @result kind       text   the source of its row
-- @result id         text   its key
-- @result vector     blob   it
-- @feature documents
-- @feature halfvecs
-- @only postgres
SELECT e.number, e.kind, e.id, e.vector
  FROM stele_nearest(:vector, :dimension, :most) AS n
  JOIN stele_embeddings AS e ON e.number = n.found
  JOIN stele_document AS d ON d.kind = e.kind AND d.id = e.id;
