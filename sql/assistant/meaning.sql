-- Finding by meaning: embeddings of notes, interactions and articles, and searches among them.

-- @method assistant.set_embedding  one  write
-- Keep the embedding of a row, in place of an earlier one: recall.search finds the row by it, too. One of 3072 numbers is kept in the
-- row itself as well (on PostgreSQL with pgvector as halfvec, indexed). It counts until the row's text is changed.
-- @param  source     text(notes|interactions|read_later)   which table
-- @param  id         text              which row
-- @param  embedding  vector            what the text of list_unembedded became
-- @param  model      text? = null      what made it; not kept with 3072 numbers, whose column has no place for it. All embeddings of
--     one dimension are of one model: another one is refused
-- @result updated    int               1; 0 if there is no such row
-- @native st_assistant_set_embedding

-- @method assistant.get_embedding  one  read
-- The embedding of a row; null if it has none.
-- @param  source     text(notes|interactions|read_later)   which table
-- @param  id         text              which row
-- @result dimension  int               how many numbers it has
-- @result model      text?             what made it, if that is known
-- @result embedding  vector            the numbers
-- @native st_assistant_get_embedding

-- @method assistant.clear_embedding  one  write
-- Forget the embedding of a row: it is not found by meaning until it is embedded again.
-- @param  source     text(notes|interactions|read_later)   which table
-- @param  id         text              which row
-- @result updated    int               1; 0 if it had none
-- @native st_assistant_clear_embedding

-- @method assistant.list_unembedded  many  read
-- Rows without an embedding, the newest first, and the text to embed: all that the row says, part by part in lines.
-- A row whose text was changed since is one of them.
-- @param  source     text(notes|interactions|read_later)   which table
-- @param  limit      int(1..10000) = 100   at most this many
-- @result id         text              the row's id
-- @result text       text              what to embed
-- @native st_assistant_list_unembedded

-- @method assistant.sweep_embeddings  one  write
-- Delete embeddings that count no more, because their row is gone or has another text. Searches pass over them anyway.
-- @result deleted    int               how many there were
-- @native st_assistant_sweep_embeddings

-- @method assistant.upgrade_embeddings  one  admin
-- Keep embeddings in the best way the server has. On PostgreSQL, if pgvector 0.7 or later is there or can be created, the
-- columns become halfvec(3072) with an HNSW index each, whatever they were; the first embedding of a store does that by
-- itself. Tables are rewritten and locked meanwhile.
-- @result storage    text(text|halfvec)   how embeddings of 3072 numbers are kept now
-- @native st_assistant_upgrade_embeddings

-- @method assistant.semantic_search  many  read
-- Find notes, interactions and articles by what they mean: the nearest embeddings by cosine. Equal ones come newest
-- first. Embeddings of another dimension than the one asked for are passed over, and a remark counts them.
-- @param  embedding   vector            the embedding of what is looked for
-- @param  sources     text(notes|interactions|read_later)[] = ["notes","interactions","read_later"]   where to look
-- @param  limit       int(1..1000) = 5  at most this many
-- @result source      text              notes, interactions or read_later
-- @result id          text              the row's id
-- @result title       text              of a note or an article; "Conversation 2026-01-31" of an interaction
-- @result snippet     text              the first 200 characters
-- @result similarity  real              how near it is, from 0 to 1
-- @result created_at  time              when the row was made
-- @native st_assistant_semantic_search

-- @method assistant.hybrid_search  many  read
-- Find notes, interactions and articles by their words and by what they mean. Both lists, of the best 50 each, are
-- joined by rank: a row scores 1/(60+rank) for each list it is in. Words are ranked by BM25 over the newest 20000 rows of each
-- source: the rows that have all words, or if none has, those with some of them; "phrases", OR, NOT and
-- prefix* are understood. Equal scores come newest first.
-- @param  query         text              what to look for
-- @param  embedding     vector? = null    its embedding; without one only the words count
-- @param  sources       text(notes|interactions|read_later)[] = ["notes","interactions","read_later"]   where to look
-- @param  limit         int(1..100) = 10  at most this many
-- @param  half_life     duration = 0      the newer, the better: recency is 0.5 to the power of age/half_life, and the score
--     is multiplied by (1+recency)/2. 0: age does not count
-- @param  now           time = now        age is counted from here
-- @result source        text              notes, interactions or read_later
-- @result id            text              the row's id
-- @result title         text              of a note or an article; "Conversation 2026-01-31" of an interaction
-- @result snippet       text              the first 200 characters
-- @result score         real              how well it fits: more is better
-- @result keyword_rank  int?              its place among those with the words, from 1
-- @result vector_rank   int?              its place among the nearest, from 1
-- @result similarity    real?             how near it is, from 0 to 1, if it is among the nearest
-- @result recency       real?             from 1, now, down to 0; null if age does not count
-- @result created_at    time              when the row was made
-- @native st_assistant_hybrid_search

-- @method assistant.read_texts  many  read  private
-- What rows of a source say, and the vectors that callers brought. The newest first, if not all are wanted.
-- @param  source      text            which table
-- @param  kind        text            what recall calls its rows
-- @param  dimension   int             vectors of this dimension are read; 0: none
-- @param  id          text optional   only this row
-- @param  unembedded  bool optional   only rows without an embedding anywhere
-- @param  kept        bool optional   only rows with a vector that a caller brought
-- @param  limit       int optional    only so many
-- @result id          text            the row
-- @result created_at  time            when it was made
-- @result title       text?           its title, if rows of this source have one
-- @result body        text?           what it says
-- @result more        text?           and further
-- @result tags        text?           and further
-- @result model       text?           of its vector
-- @result dimension   int?            of its vector; null: it has none
-- @result vector      blob?           the vector
-- @result text_hash   int?            of the text that it is of
SELECT t.id, t.created_at, t.title, t.body, t.more, t.tags,
       v.model, v.dimension, CASE WHEN v.dimension = :dimension THEN v.vector END AS vector, v.text_hash
  FROM (SELECT n.id, n.created_at, n.title, n.content AS body, CAST(NULL AS TEXT) AS more, CAST(NULL AS TEXT) AS tags
          FROM notes AS n
         WHERE :source = 'notes'
           AND n.id = :id                                                                          -- @if id
           AND n.embedding IS NULL                                                                 -- @if unembedded
        UNION ALL
        SELECT i.id, i.created_at, CAST(NULL AS TEXT), i.user_message, i.agent_response, CAST(NULL AS TEXT)
          FROM interactions AS i
         WHERE :source = 'interactions'
           AND i.id = :id                                                                          -- @if id
           AND i.embedding IS NULL                                                                 -- @if unembedded
        UNION ALL
        SELECT r.id, r.added_at, COALESCE(r.title, r.url), COALESCE(r.summary, r.note),
               CASE WHEN r.summary IS NOT NULL THEN r.note END, r.tags
          FROM read_later AS r
         WHERE :source = 'read_later'
           AND r.id = :id                                                                          -- @if id
           AND r.embedding IS NULL                                                                 -- @if unembedded
       ) AS t
  LEFT JOIN stele_embeddings AS v ON v.kind = :kind AND v.id = t.id AND v.origin = 'caller'        -- @has embeddings
  LEFT JOIN (SELECT CAST(NULL AS TEXT) AS model, CAST(NULL AS BIGINT) AS dimension,                -- @lacks embeddings
                    CAST(NULL AS BYTEA) AS vector, CAST(NULL AS BIGINT) AS text_hash) AS v ON :kind IS NULL  -- @lacks embeddings
 WHERE TRUE
   AND v.dimension IS NULL                                                                         -- @if unembedded
   AND v.dimension IS NOT NULL                                                                     -- @if kept
 ORDER BY t.created_at DESC, t.id LIMIT :limit                                                     -- @if limit
;

-- @method assistant.read_embeddings  many  read  private
-- The embeddings in the column of a source, as text, whatever they are kept as.
-- @param  source      text            which table
-- @param  id          text optional   only of this row
-- @result id          text            the row
-- @result created_at  time            when it was made
-- @result embedding   text            JSON array
SELECT n.id, n.created_at, CAST(n.embedding AS TEXT) AS embedding FROM notes AS n
 WHERE :source = 'notes' AND n.embedding IS NOT NULL
   AND n.id = :id                                                                                  -- @if id
UNION ALL
SELECT i.id, i.created_at, CAST(i.embedding AS TEXT) FROM interactions AS i
 WHERE :source = 'interactions' AND i.embedding IS NOT NULL
   AND i.id = :id                                                                                  -- @if id
UNION ALL
SELECT r.id, r.added_at, CAST(r.embedding AS TEXT) FROM read_later AS r
 WHERE :source = 'read_later' AND r.embedding IS NOT NULL
   AND r.id = :id                                                                                  -- @if id
;

-- @method assistant.nearest_embeddings  many  read  private
-- The nearest embeddings of a source, by the index of pgvector.
-- @feature halfvec
-- @param  source      text            which table
-- @param  embedding   text            JSON array of 3072 numbers
-- @param  limit       int             at most this many
-- @result id          text            the row
-- @result created_at  time            when it was made
-- @result similarity  real            the cosine
SELECT t.id, t.created_at, 1 - t.distance AS similarity
  FROM (SELECT * FROM (SELECT n.id, n.created_at, stele_distance(n.embedding, stele_embedding(:embedding)) AS distance
                         FROM notes AS n WHERE :source = 'notes' AND n.embedding IS NOT NULL
                        ORDER BY stele_distance(n.embedding, stele_embedding(:embedding)) LIMIT :limit) AS n
        UNION ALL
        SELECT * FROM (SELECT i.id, i.created_at, stele_distance(i.embedding, stele_embedding(:embedding)) AS distance
                         FROM interactions AS i WHERE :source = 'interactions' AND i.embedding IS NOT NULL
                        ORDER BY stele_distance(i.embedding, stele_embedding(:embedding)) LIMIT :limit) AS i
        UNION ALL
        SELECT * FROM (SELECT r.id, r.added_at, stele_distance(r.embedding, stele_embedding(:embedding)) AS distance
                         FROM read_later AS r WHERE :source = 'read_later' AND r.embedding IS NOT NULL
                        ORDER BY stele_distance(r.embedding, stele_embedding(:embedding)) LIMIT :limit) AS r) AS t;

-- @method assistant.look_further  one  read  private
-- Until the end of the transaction the index of pgvector looks at so many candidates: it finds no more than that.
-- @feature halfvec
-- @param  candidates  int             how many, up to 1000
-- @result candidates  text            the same
SELECT set_config('hnsw.ef_search', CAST(:candidates AS TEXT), TRUE) AS candidates;

-- @method assistant.embeddings_due  one  read  private
-- Should halfvec be made sure of before an embedding is written? On PostgreSQL, if a column is of another type than text, or
-- pgvector can be had and nothing is embedded yet; where there are embeddings, upgrade_embeddings is the owner's decision.
-- @result due  bool  it should
-- @for sqlite
SELECT FALSE AS due;
-- @for postgres
SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_attribute AS a
                WHERE a.attrelid IN (CAST('notes' AS regclass), CAST('interactions' AS regclass), CAST('read_later' AS regclass))
                  AND a.attname = 'embedding' AND a.atttypid <> CAST('text' AS regtype))
       OR CASE WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_available_extensions WHERE name = 'vector')
               THEN NOT EXISTS (SELECT 1 FROM notes WHERE embedding IS NOT NULL)
                AND NOT EXISTS (SELECT 1 FROM interactions WHERE embedding IS NOT NULL)
                AND NOT EXISTS (SELECT 1 FROM read_later WHERE embedding IS NOT NULL)
               ELSE FALSE END AS due;

-- @method assistant.write_embedding  none  write  private
-- Set the embedding in the column of a row.
-- @param  source     text    which table
-- @param  id         text    which row
-- @param  embedding  text?   JSON array of 3072 numbers, or null
UPDATE notes SET embedding =
       :embedding                                                                                  -- @lacks halfvec
       stele_embedding(:embedding)                                                                 -- @has halfvec
 WHERE :source = 'notes' AND id = :id;
UPDATE interactions SET embedding =
       :embedding                                                                                  -- @lacks halfvec
       stele_embedding(:embedding)                                                                 -- @has halfvec
 WHERE :source = 'interactions' AND id = :id;
UPDATE read_later SET embedding =
       :embedding                                                                                  -- @lacks halfvec
       stele_embedding(:embedding)                                                                 -- @has halfvec
 WHERE :source = 'read_later' AND id = :id;

-- @method assistant.erase_embedding  none  write  private
-- Take the embedding out of the column of a row that has one.
-- @param  source     text    which table
-- @param  id         text    which row
UPDATE notes SET embedding = NULL WHERE :source = 'notes' AND id = :id AND embedding IS NOT NULL;
UPDATE interactions SET embedding = NULL WHERE :source = 'interactions' AND id = :id AND embedding IS NOT NULL;
UPDATE read_later SET embedding = NULL WHERE :source = 'read_later' AND id = :id AND embedding IS NOT NULL;

-- @method assistant.embedded_text  one  read  private
-- What of a row is embedded, in parts: those of read_texts.
-- @param  kind   text    what recall calls it
-- @param  id     text    the row
-- @result title  text?   its title, if rows of this source have one
-- @result body   text?   what it says
-- @result more   text?   and further
-- @result tags   text?   and further
SELECT n.title, n.content AS body, CAST(NULL AS TEXT) AS more, CAST(NULL AS TEXT) AS tags
  FROM notes AS n WHERE :kind = 'note' AND n.id = :id
UNION ALL
SELECT CAST(NULL AS TEXT), i.user_message, i.agent_response, CAST(NULL AS TEXT)
  FROM interactions AS i WHERE :kind = 'interaction' AND i.id = :id
UNION ALL
SELECT COALESCE(r.title, r.url), COALESCE(r.summary, r.note), CASE WHEN r.summary IS NOT NULL THEN r.note END, r.tags
  FROM read_later AS r WHERE :kind = 'article' AND r.id = :id;

-- @method assistant.erase_vector  none  write  private
-- Forget what a caller brought for a row, and what was copied from it.
-- @feature embeddings
-- @param  kind       text    what recall calls it
-- @param  id         text    which row
DELETE FROM stele_embeddings WHERE kind = :kind AND id = :id AND origin <> 'model';

-- @method assistant.erase_orphan_vectors  none  write  private
-- Forget what callers brought for rows that are gone.
-- @feature embeddings
DELETE FROM stele_embeddings
 WHERE origin = 'caller'
   AND ((kind = 'note' AND id NOT IN (SELECT n.id FROM notes AS n))
     OR (kind = 'interaction' AND id NOT IN (SELECT i.id FROM interactions AS i))
     OR (kind = 'article' AND id NOT IN (SELECT r.id FROM read_later AS r)));

-- @method assistant.file_vectors  many  read  private
-- Embeddings in the columns of rows that are not in the collections yet, nor another that was brought in their place.
-- @param  limit   int     at most this many
-- @param  skip    int     after this many of the first
-- @result kind    text    what recall calls it
-- @result id      text    the row
-- @result model   text?   what made it, if that is known
-- @result json    text?   it, as a JSON array
-- @result floats  blob?   or as 32-bit floats
SELECT v.kind, v.id, CAST(NULL AS TEXT) AS model,
       CASE v.kind WHEN 'note' THEN (SELECT CAST(n.embedding AS TEXT) FROM notes AS n WHERE n.id = v.id)
                   WHEN 'interaction' THEN (SELECT CAST(i.embedding AS TEXT) FROM interactions AS i WHERE i.id = v.id)
                   ELSE (SELECT CAST(r.embedding AS TEXT) FROM read_later AS r WHERE r.id = v.id) END AS json,
       CAST(NULL AS BYTEA) AS floats
  FROM (SELECT k.kind, k.id FROM (
        SELECT 'note' AS kind, n.id FROM notes AS n WHERE n.embedding IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM stele_embeddings AS e                                     -- @has embeddings
                            WHERE e.kind = 'note' AND e.id = n.id AND e.origin <> 'model')         -- @has embeddings
        UNION ALL
        SELECT 'interaction' AS kind, i.id FROM interactions AS i WHERE i.embedding IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM stele_embeddings AS e                                     -- @has embeddings
                            WHERE e.kind = 'interaction' AND e.id = i.id AND e.origin <> 'model')  -- @has embeddings
        UNION ALL
        SELECT 'article' AS kind, r.id FROM read_later AS r WHERE r.embedding IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM stele_embeddings AS e                                     -- @has embeddings
                            WHERE e.kind = 'article' AND e.id = r.id AND e.origin <> 'model')      -- @has embeddings
        ) AS k ORDER BY k.kind, k.id LIMIT :limit OFFSET :skip) AS v
 ORDER BY v.kind, v.id;

-- @method assistant.forget_file_vectors  none  write  private
-- Forget copies of embeddings that no column has any more.
-- @feature embeddings
DELETE FROM stele_embeddings
 WHERE origin = 'file'
   AND NOT (kind = 'note' AND EXISTS (SELECT 1 FROM notes AS n WHERE n.id = stele_embeddings.id AND n.embedding IS NOT NULL))
   AND NOT (kind = 'interaction' AND EXISTS (SELECT 1 FROM interactions AS i WHERE i.id = stele_embeddings.id AND i.embedding IS NOT NULL))
   AND NOT (kind = 'article' AND EXISTS (SELECT 1 FROM read_later AS r WHERE r.id = stele_embeddings.id AND r.embedding IS NOT NULL));
