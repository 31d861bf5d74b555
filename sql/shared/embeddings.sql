-- Embeddings of a store's rows, by which they are found by meaning.

-- @method *.embedding_model  one  read  private
-- What made the embeddings of a dimension. Who brings one need not say what made it: the first of a thousand that is named tells.
-- @param  dimension  int    how many numbers they have
-- @result model      text   the model's name; empty: it is not known
-- @feature embeddings
SELECT COALESCE((SELECT model FROM (SELECT model FROM stele_embeddings WHERE dimension = :dimension ORDER BY number LIMIT 1000) AS e
                  WHERE model <> '' LIMIT 1), '') AS model -- the first that is named ends it: it is asked for every row that is embedded
 WHERE EXISTS (SELECT 1 FROM stele_embeddings WHERE dimension = :dimension);

-- @method *.embedding_next  one  read  private
-- The next collection.
-- @param  after      int    only of a greater dimension
-- @result dimension  int?   the smallest of them
-- @feature embeddings
SELECT MIN(dimension) AS dimension FROM stele_embeddings WHERE dimension > :after;

-- @method *.embedding_replace  none  write  private
-- Make room for a vector: one of the same row and dimension goes, and one that was brought for the row gives way to another such.
-- @param  kind       text   the source of the row
-- @param  id         text   its key
-- @param  dimension  int    how many numbers it has
-- @param  origin     text   model, caller or file
-- @feature embeddings
DELETE FROM stele_embeddings WHERE kind = :kind AND id = :id AND (dimension = :dimension OR (origin <> 'model' AND :origin <> 'model'));

-- @method *.embedding_put  none  write  private
-- Keep a vector.
-- @param  kind       text   the source of the row
-- @param  id         text   its key
-- @param  dimension  int    how many numbers it has
-- @param  origin     text   model, caller or file
-- @param  model      text   what made it
-- @param  vector     blob   it
-- @param  text_hash  int    of the text that it is of
-- @feature embeddings
INSERT INTO stele_embeddings (kind, id, dimension, model, vector, text_hash, origin)
VALUES (:kind, :id, :dimension, :model, :vector, :text_hash, :origin);

-- @method *.embedding_erase  none  write  private
-- Forget the vectors of a row.
-- @param  kind    text            its source
-- @param  id      text            its key
-- @param  origin  text optional   only those that came so
-- @feature embeddings
DELETE FROM stele_embeddings WHERE kind = :kind AND id = :id
   AND origin = :origin                                                     -- @if origin
;

-- @method *.embedding_clear  none  write  private
-- Forget all vectors of a dimension that an embedder made. What was brought nobody here could make again.
-- @param  dimension  int   of how many numbers
-- @feature embeddings
DELETE FROM stele_embeddings WHERE origin = 'model' AND dimension = :dimension;

-- @method *.embedding_hashes  many  read  private
-- Which of some rows have a vector, and of what text.
-- @param  kind       text     their source
-- @param  ids        text[]   their keys
-- @param  dimension  int      how many numbers the vectors have
-- @result id         text     the row
-- @result text_hash  int      of the text that was embedded
-- @result origin     text     model, caller or file
-- @feature embeddings
SELECT id, text_hash, origin FROM stele_embeddings WHERE kind = :kind AND id IN :ids AND dimension = :dimension;

-- @method *.embedding_made  many  read  private
-- Which of some rows the embedder embedded.
-- @param  kind       text     their source
-- @param  ids        text[]   their keys
-- @result id         text     the row
-- @feature embeddings
SELECT DISTINCT id FROM stele_embeddings WHERE kind = :kind AND id IN :ids AND origin = 'model';

-- @method *.embedding_count  one  read  private
-- How many rows of a source have an embedding.
-- @param  kind  text   the source
-- @result rows  int    how many
-- @feature embeddings
SELECT COUNT(DISTINCT id) AS rows FROM stele_embeddings WHERE kind = :kind;

-- @method *.embedding_page  many  read  private
-- Vectors in the order in which they came.
-- @param  dimension  int    how many numbers they have
-- @param  after      int    only those with a greater number
-- @param  limit      int    at most this many
-- @result number     int    its number
-- @result kind       text   the source of its row
-- @result id         text   its key
-- @result vector     blob   it
-- @feature embeddings
SELECT number, kind, id, vector FROM stele_embeddings
 WHERE dimension = :dimension AND number > :after ORDER BY number LIMIT :limit;

-- @method *.embedding_rows  many  read  private
-- The vectors of some numbers.
-- @param  numbers    int[]   these
-- @result number     int     its number
-- @result kind       text    the source of its row
-- @result id         text    its key
-- @result vector     blob    it
-- @result text_hash  int     of the text that was embedded
-- @result origin     text    model, caller or file
-- @feature embeddings
SELECT number, kind, id, vector, text_hash, origin FROM stele_embeddings WHERE number IN :numbers;

-- ---- PostgreSQL notes in the store what is to be embedded ----

-- @method *.embedding_note  none  write  private
-- Note that a row is to be embedded; if it is noted already, anew.
-- @param  kind  text   its source
-- @param  id    text   its key
-- @feature embeddings
-- @only postgres
DELETE FROM stele_embedding_due WHERE kind = :kind AND id = :id;
INSERT INTO stele_embedding_due (kind, id) VALUES (:kind, :id) ON CONFLICT (kind, id) DO NOTHING;

-- @method *.embedding_noted  many  read  private
-- Rows that are to be embedded, in the order in which they were noted.
-- @param  after   int    only notes with a greater number
-- @param  limit   int    at most this many
-- @result number  int    of the note
-- @result kind    text   the row's source
-- @result id      text   its key
-- @feature embeddings
-- @only postgres
SELECT number, kind, id FROM stele_embedding_due WHERE number > :after ORDER BY number LIMIT :limit;

-- @method *.embedding_settle  none  write  private
-- Strike out a note.
-- @param  number  int    its number
-- @feature embeddings
-- @only postgres
DELETE FROM stele_embedding_due WHERE number = :number;

-- ---- PostgreSQL with pgvector ----

-- @method *.embedding_due  one  read  private
-- Should the store be given halfvecs before an embedding is written? If pgvector can be had, and there is no embedding yet that
-- would lack its own.
-- @result due  bool  it should
-- @feature embeddings
-- @for sqlite
SELECT FALSE AS due;
-- @for postgres
SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_available_extensions WHERE name = 'vector')
       AND NOT EXISTS (SELECT 1 FROM stele_embeddings) AS due;
-- @for both

-- @method *.embedding_near  one  write  private
-- Put an embedding into the index of its collection.
-- @param  kind       text   the source of its row
-- @param  id         text   its key
-- @param  dimension  int    how many numbers it has
-- @param  vector     text   it, as a JSON array
-- @result put        int    1: it is there
-- @feature halfvecs
-- @only postgres
SELECT stele_near_put(:kind, :id, :dimension, :vector) AS put;
