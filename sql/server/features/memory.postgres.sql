-- @probe memory_files
CREATE TABLE memory_files (
    path       TEXT COLLATE "C" PRIMARY KEY,
    content    TEXT COLLATE "C" NOT NULL,
    bytes      BIGINT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL
);
