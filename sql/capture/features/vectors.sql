-- @probe stele_vectors
-- Permanent. Embeddings of knowledge nodes. One counts only while its row is there and has the text that it had then.
CREATE TABLE stele_vectors (
    collection TEXT NOT NULL,      -- vec_knowledge: of embed_text; vec_command: of the commands a node was learned from
    id         TEXT NOT NULL,      -- the node's id
    model      TEXT,               -- what made it, if that was said
    dimension  INTEGER NOT NULL,   -- how many numbers
    vector     BLOB NOT NULL,      -- they: 32-bit floats, little endian
    text_hash  INTEGER NOT NULL,   -- of the node's embed_text then (st_hash64)
    PRIMARY KEY (collection, id)
);
