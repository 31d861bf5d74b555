-- @probe stele_drops
CREATE TABLE stele_drops (
    source  TEXT COLLATE "C" NOT NULL,
    cause   TEXT COLLATE "C" NOT NULL,
    minute  BIGINT NOT NULL,
    dropped BIGINT NOT NULL,
    PRIMARY KEY (source, cause, minute)
);
