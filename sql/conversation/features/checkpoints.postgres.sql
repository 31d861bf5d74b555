-- @probe stele_checkpoint
CREATE TABLE stele_checkpoint (
    thread     TEXT COLLATE "C" NOT NULL,
    namespace  TEXT COLLATE "C" NOT NULL,
    checkpoint TEXT COLLATE "C" NOT NULL,
    parent     TEXT COLLATE "C",
    type       TEXT COLLATE "C" NOT NULL,
    state      BYTEA NOT NULL,
    metadata   JSON NOT NULL,
    versions   JSON NOT NULL,
    saved_at   DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (thread, namespace, checkpoint)
);

CREATE TABLE stele_checkpoint_value (
    thread     TEXT COLLATE "C" NOT NULL,
    namespace  TEXT COLLATE "C" NOT NULL,
    channel    TEXT COLLATE "C" NOT NULL,
    version    TEXT COLLATE "C" NOT NULL,
    type       TEXT COLLATE "C" NOT NULL,
    value      BYTEA NOT NULL,
    PRIMARY KEY (thread, namespace, channel, version)
);

CREATE TABLE stele_checkpoint_write (
    thread     TEXT COLLATE "C" NOT NULL,
    namespace  TEXT COLLATE "C" NOT NULL,
    checkpoint TEXT COLLATE "C" NOT NULL,
    task       TEXT COLLATE "C" NOT NULL,
    position   BIGINT NOT NULL,
    path       TEXT COLLATE "C" NOT NULL,
    channel    TEXT COLLATE "C" NOT NULL,
    type       TEXT COLLATE "C" NOT NULL,
    value      BYTEA NOT NULL,
    PRIMARY KEY (thread, namespace, checkpoint, task, position)
);
