-- @probe stele_checkpoint
-- Permanent. Where a graph of agents can go on: its state after a step. The values of its channels are kept apart, once
-- for all checkpoints in which they are the same.
CREATE TABLE stele_checkpoint (
    thread     TEXT NOT NULL,   -- whose steps these are
    namespace  TEXT NOT NULL,   -- of a graph inside the graph: "child|grandchild"; "": the graph itself
    checkpoint TEXT NOT NULL,   -- its id; ids grow with time
    parent     TEXT,            -- the one it came from
    type       TEXT NOT NULL,   -- how the state is written, in the caller's words
    state      BLOB NOT NULL,   -- without the values of channels
    metadata   TEXT NOT NULL,   -- JSON object
    versions   TEXT NOT NULL,   -- JSON object: which version each channel has
    saved_at   REAL NOT NULL,   -- epoch seconds
    PRIMARY KEY (thread, namespace, checkpoint)
);

-- Permanent. What a channel held in one of its versions.
CREATE TABLE stele_checkpoint_value (
    thread     TEXT NOT NULL,
    namespace  TEXT NOT NULL,
    channel    TEXT NOT NULL,
    version    TEXT NOT NULL,
    type       TEXT NOT NULL,
    value      BLOB NOT NULL,
    PRIMARY KEY (thread, namespace, channel, version)
);

-- Permanent. What the tasks of a step wrote before the step was over.
CREATE TABLE stele_checkpoint_write (
    thread     TEXT NOT NULL,
    namespace  TEXT NOT NULL,
    checkpoint TEXT NOT NULL,      -- the one the step began with
    task       TEXT NOT NULL,
    position   INTEGER NOT NULL,   -- among what the task wrote; below 0: a signal, of which the last one counts
    path       TEXT NOT NULL,      -- of the task
    channel    TEXT NOT NULL,
    type       TEXT NOT NULL,
    value      BLOB NOT NULL,
    PRIMARY KEY (thread, namespace, checkpoint, task, position)
);
