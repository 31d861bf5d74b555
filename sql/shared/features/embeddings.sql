-- @probe stele_embeddings
-- Permanent. Vectors that say what rows of this store mean. Those of one dimension are a collection, and of one model: only
-- then can they be compared. A row that is embedded anew gets a new number, so that who has seen a number has seen its vector.
CREATE TABLE stele_embeddings (
    number    INTEGER PRIMARY KEY AUTOINCREMENT,
    kind      TEXT NOT NULL,     -- the source of the row
    id        TEXT NOT NULL,     -- and its key
    dimension INTEGER NOT NULL,  -- how many numbers the vector has
    model     TEXT NOT NULL,     -- what made it
    vector    BLOB NOT NULL,     -- floats of 16 or 32 bits, little endian: its length tells
    text_hash INTEGER NOT NULL,  -- of the text that was embedded
    UNIQUE (kind, id, dimension)
);
CREATE INDEX stele_embeddings_number ON stele_embeddings (dimension, number);
