-- @stores documents
-- What the search index of a store needs to follow its sources.

-- @method *.document_changes  many  read  private
-- What was noted after a change, in its order.
-- @param  after  int    only changes with a greater number
-- @param  limit  int    at most this many
-- @result change int    its number
-- @result kind   text   of what kind
-- @result id     text   its key
-- @feature documents
SELECT seq AS change, kind, id FROM stele_document_change WHERE seq > :after ORDER BY seq LIMIT :limit;

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
-- @result oldest  int?   the oldest change that is still noted
-- @feature documents
-- @for sqlite
SELECT COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'stele_document_change'), 0) AS noted,
       (SELECT MIN(seq) FROM stele_document_change WHERE seq > :after) AS next,
       (SELECT MIN(seq) FROM stele_document_change) AS oldest;
-- @for postgres
SELECT COALESCE((SELECT MAX(seq) FROM stele_document_change), 0) AS noted,
       (SELECT MIN(seq) FROM stele_document_change WHERE seq > :after) AS next,
       (SELECT MIN(seq) FROM stele_document_change) AS oldest;
-- @for both

-- @method *.document_trim  none  write  private
-- Strike out the oldest noted changes.
-- @param  upto   int   the last of them
-- @feature documents
DELETE FROM stele_document_change WHERE seq <= :upto;
