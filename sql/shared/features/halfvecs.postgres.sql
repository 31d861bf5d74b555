-- @probe stele_embeddings.near
-- @derived
-- Derived. Embeddings as pgvector's halfvec, with an index for each collection, where pgvector 0.7 or later is there or can be had;
-- otherwise nothing changes. pgvector may be in any schema, and no other than the store's is in the search path: the functions
-- know where it is. An index is of one dimension, which must stand in its text and in that of the query.
DO $$
DECLARE
    place text;
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
    EXECUTE format('ALTER TABLE stele_embeddings ADD COLUMN near %I.halfvec', place);
    EXECUTE format($make$
        CREATE OR REPLACE FUNCTION stele_near_put(row_kind text, row_id text, dim bigint, numbers text) RETURNS bigint LANGUAGE plpgsql AS $body$
        BEGIN
            IF dim > 4000 THEN  -- as many as an index of halfvec can have
                RETURN 0;
            END IF;
            EXECUTE format('CREATE INDEX IF NOT EXISTS stele_near_%%1$s ON stele_embeddings USING hnsw ((near::%1$I.halfvec(%%1$s)) '
                           '%1$I.halfvec_cosine_ops) WHERE dimension = %%1$s', dim);
            UPDATE stele_embeddings AS e SET near = numbers::%1$I.halfvec WHERE e.kind = row_kind AND e.id = row_id AND e.dimension = dim;
            RETURN 1;
        END $body$;
        CREATE OR REPLACE FUNCTION stele_nearest(numbers text, dim bigint, most bigint) RETURNS TABLE (found bigint) LANGUAGE plpgsql AS $body$
        BEGIN
            PERFORM set_config('hnsw.ef_search', least(most, 1000)::text, TRUE);
            RETURN QUERY EXECUTE format('SELECT number FROM stele_embeddings WHERE dimension = %%1$s '
                'ORDER BY (near::%1$I.halfvec(%%1$s)) OPERATOR(%1$I.<=>) $1::%1$I.halfvec(%%1$s) LIMIT $2', dim) USING numbers, most;
        END $body$ $make$, place);
END $$;
