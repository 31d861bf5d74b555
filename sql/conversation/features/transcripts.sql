-- @probe stele_transcript
-- Transcripts that were taken in: how far each file was read, which session came from where, and which
-- record became which message, so that nothing is written twice. Keys and contents are told apart by 64-bit hashes.
CREATE TABLE stele_transcript (
    id                    INTEGER PRIMARY KEY,
    harness               TEXT NOT NULL,       -- whose format it is: "claude-code"
    path                  TEXT NOT NULL UNIQUE,
    device                INTEGER NOT NULL,
    inode                 INTEGER NOT NULL,
    size                  INTEGER NOT NULL,    -- when it was last read
    modified              INTEGER NOT NULL,    -- its time then, in nanoseconds
    consumed              INTEGER NOT NULL,    -- bytes that need not be read again
    records               INTEGER NOT NULL,    -- lines in these
    checked               INTEGER NOT NULL,    -- hash of the bytes around their start and before their end
    state                 TEXT,                -- what its reader remembers
    bad                   INTEGER NOT NULL,    -- records that could not be read
    aside                 INTEGER NOT NULL,    -- records that say nothing for a conversation
    problem               TEXT,                -- the last thing that was wrong with it
    unfinished            INTEGER NOT NULL,    -- 1: it ends in the middle of a line
    first_read_at         REAL NOT NULL,
    last_read_at          REAL NOT NULL
);
CREATE INDEX stele_transcript_inode ON stele_transcript(inode, device);

-- A session that came from a transcript. It stays when the session is deleted, which is then not made again.
CREATE TABLE stele_origin (
    number                INTEGER PRIMARY KEY,
    harness               TEXT NOT NULL,
    native                TEXT NOT NULL,       -- its id there
    session_id            TEXT,                -- its id here; NULL: it has said nothing yet
    transcript            INTEGER,             -- the file it was first found in
    cwd                   TEXT,
    branch                TEXT,
    version               TEXT,                -- of the agent program
    agent                 TEXT,                -- a sub-agent's name
    link                  TEXT,                -- subagent, compaction, resume, fork
    parent                TEXT,                -- by its own id
    title                 TEXT,                -- as it was given here; a user's own is left alone
    first_key             INTEGER,             -- of its first message
    copied                INTEGER NOT NULL DEFAULT -1, -- messages that repeat the parent's, while they do; then -1
    UNIQUE (harness, native)
);
CREATE INDEX stele_origin_transcript ON stele_origin(transcript);
CREATE INDEX stele_origin_session ON stele_origin(session_id);
CREATE INDEX stele_origin_parent ON stele_origin(harness, parent) WHERE parent IS NOT NULL;
CREATE INDEX stele_origin_first_key ON stele_origin(first_key);

-- A record and the message it became.
CREATE TABLE stele_record (
    session               INTEGER NOT NULL,    -- stele_origin.number
    key                   INTEGER NOT NULL,    -- hash of the record's key
    message               INTEGER NOT NULL,    -- 0: none
    content               INTEGER NOT NULL,    -- hash of what was written
    PRIMARY KEY (session, key)
) WITHOUT ROWID;

-- A request to a model and what it took, as it was last told.
CREATE TABLE stele_usage (
    session               INTEGER NOT NULL,
    key                   INTEGER NOT NULL,
    input                 INTEGER NOT NULL,
    output                INTEGER NOT NULL,
    cache_read            INTEGER NOT NULL,
    cache_write           INTEGER NOT NULL,
    reasoning             INTEGER NOT NULL,
    cost                  REAL NOT NULL,
    PRIMARY KEY (session, key)
) WITHOUT ROWID;

-- A title that a transcript gives to a session by one of its messages, which was not found there.
CREATE TABLE stele_title (
    harness               TEXT NOT NULL,
    key                   INTEGER NOT NULL,    -- hash of the message's key
    title                 TEXT NOT NULL,
    given                 INTEGER NOT NULL,    -- 0: there is no such message, 1: the session has it, 2: to be looked for
    PRIMARY KEY (harness, key)
) WITHOUT ROWID;
