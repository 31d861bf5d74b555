-- @probe stele_vectors
-- Permanent. Embeddings of knowledge nodes. One counts only while its row is there and has the text that was embedded.
CREATE TABLE stele_vectors (
    collection TEXT NOT NULL,      -- the table of the row: knowledge_nodes
    id         TEXT NOT NULL,      -- the row
    model      TEXT,               -- what made it, if that was said
    dimension  INTEGER NOT NULL,   -- how many numbers
    vector     BLOB NOT NULL,      -- they: 32-bit floats, little endian
    text_hash  INTEGER NOT NULL,   -- of the text that was embedded (st_hash64)
    PRIMARY KEY (collection, id)
);
