-- @probe stele_embeddings.origin
-- @replaces stele_embeddings, stele_vectors
-- Permanent. Vectors that say what rows of this store mean. Those of one dimension are a collection, and of one model: only
-- then can they be compared. A row that is embedded anew gets a new number, so that who has seen a number has seen its vector.
CREATE TABLE IF NOT EXISTS stele_embeddings (
    number    INTEGER PRIMARY KEY AUTOINCREMENT,
    kind      TEXT NOT NULL,     -- the source of the row
    id        TEXT NOT NULL,     -- and its key
    dimension INTEGER NOT NULL,  -- how many numbers the vector has
    model     TEXT NOT NULL,     -- what made it; empty: that was not said
    vector    BLOB NOT NULL,     -- floats of 16 or 32 bits, little endian: its length tells
    text_hash INTEGER NOT NULL,  -- of the text that was embedded
    UNIQUE (kind, id, dimension)
);
CREATE INDEX IF NOT EXISTS stele_embeddings_number ON stele_embeddings (dimension, number);
-- model: the embedder that is configured made it; caller: it was brought, and is kept to the bit; file: it is a copy of what
-- the file keeps in its format's own way. Of caller and file a row has one.
ALTER TABLE stele_embeddings ADD COLUMN origin TEXT NOT NULL DEFAULT 'model';
-- Earlier, what callers brought had a table of its own.
CREATE TABLE IF NOT EXISTS stele_vectors (collection TEXT, id TEXT, model TEXT, dimension INTEGER, vector BLOB, text_hash INTEGER);
UPDATE stele_vectors SET collection = CASE collection WHEN 'notes' THEN 'note' WHEN 'interactions' THEN 'interaction' WHEN 'read_later' THEN 'article'
                                                      WHEN 'vec_knowledge' THEN 'node' WHEN 'vec_command' THEN 'node_command' ELSE collection END;
DELETE FROM stele_embeddings WHERE EXISTS (SELECT 1 FROM stele_vectors AS v WHERE v.collection = stele_embeddings.kind AND v.id = stele_embeddings.id
                                                                              AND v.dimension = stele_embeddings.dimension);
INSERT INTO stele_embeddings (kind, id, dimension, model, vector, text_hash, origin)
SELECT collection, id, dimension, COALESCE(model, ''), vector, text_hash, 'caller' FROM stele_vectors;
DROP TABLE stele_vectors;
