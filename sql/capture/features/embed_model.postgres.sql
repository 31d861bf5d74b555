-- @probe embed_model_meta
CREATE TABLE embed_model_meta (
    id    BIGINT PRIMARY KEY CHECK (id = 1),
    model TEXT COLLATE "C" NOT NULL
);
