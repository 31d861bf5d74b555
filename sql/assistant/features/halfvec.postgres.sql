-- @probe index idx_notes_embedding
-- @derived
-- Embeddings as halfvec(3072) with an index each, where pgvector 0.7 or later is there or can be had; otherwise nothing
-- changes. The columns may have been text, or vector(3072), or halfvec already. pgvector may be in any schema, and no
-- other than the store's is in the search path: the functions know where it is, and are short enough to be inlined, so
-- that the index serves them.
DO $$
DECLARE
    place  text;
    source text;
BEGIN
    BEGIN
        CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
    EXCEPTION WHEN OTHERS THEN
        NULL;  -- the server has no pgvector, or this role may not create it
    END;
    SELECT n.nspname INTO place
      FROM pg_catalog.pg_extension AS e
      JOIN pg_catalog.pg_namespace AS n ON n.oid = e.extnamespace
      JOIN pg_catalog.pg_type AS t ON t.typnamespace = n.oid AND t.typname = 'halfvec'
     WHERE e.extname = 'vector';
    IF place IS NULL THEN
        RETURN;
    END IF;
    EXECUTE format('CREATE OR REPLACE FUNCTION stele_embedding(text) RETURNS %1$I.halfvec LANGUAGE sql IMMUTABLE PARALLEL SAFE '
                   'AS ''SELECT $1::%1$I.halfvec(3072)''', place);
    EXECUTE format('CREATE OR REPLACE FUNCTION stele_distance(%1$I.halfvec, %1$I.halfvec) RETURNS double precision '
                   'LANGUAGE sql IMMUTABLE PARALLEL SAFE AS ''SELECT $1 OPERATOR(%1$I.<=>) $2''', place);
    FOREACH source IN ARRAY ARRAY['interactions', 'read_later', 'notes'] LOOP
        IF NOT EXISTS (SELECT 1 FROM pg_catalog.pg_attribute AS a
                        WHERE a.attrelid = source::regclass AND a.attname = 'embedding' AND NOT a.attisdropped
                          AND a.atttypid = format('%I.halfvec', place)::regtype) THEN
            EXECUTE format('ALTER TABLE %1$I ALTER COLUMN embedding TYPE %2$I.halfvec(3072) '
                           'USING embedding::text::%2$I.halfvec(3072)', source, place);
        END IF;
        EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %I USING hnsw (embedding %I.halfvec_cosine_ops)',
                       'idx_' || source || '_embedding', source, place);
    END LOOP;
END $$;
