-- @probe embed_model_meta
-- Permanent. What makes the embeddings: they can be compared only among those of one model.
CREATE TABLE embed_model_meta (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    model TEXT NOT NULL
);
