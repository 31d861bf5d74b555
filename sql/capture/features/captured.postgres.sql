-- @probe stele_captured
CREATE TABLE stele_captured (
    path       TEXT COLLATE "C" PRIMARY KEY,
    device     BIGINT NOT NULL,
    inode      BIGINT NOT NULL,
    size       BIGINT NOT NULL,
    modified   BIGINT NOT NULL,
    consumed   BIGINT NOT NULL,
    checked    BIGINT NOT NULL,
    state      TEXT COLLATE "C",
    updated_at BIGINT NOT NULL
);
