-- @probe stele_posting
-- @derived
-- @replaces stele_search
-- The search index of messages. A message that is indexed gets the next number, and a changed one another: what the index
-- says of numbers that are no message's any more is passed over.
CREATE TABLE stele_entry (
    number      BIGINT PRIMARY KEY,
    id          BIGINT NOT NULL UNIQUE,     -- the message
    session_id  TEXT COLLATE "C" NOT NULL,
    time        DOUBLE PRECISION NOT NULL
);
CREATE INDEX stele_entry_time ON stele_entry (time);
CREATE INDEX stele_entry_session ON stele_entry (session_id);
-- The index is made in parts, of messages that were indexed at once; small parts are put together.
CREATE TABLE stele_part (
    part    BIGINT PRIMARY KEY,             -- its first number
    last    BIGINT NOT NULL,                -- and its last one
    rows    BIGINT NOT NULL,                -- as many as numbers
    live    BIGINT,                         -- those that are messages still; NULL: it was emptied, and has no words any more
    tokens  BIGINT NOT NULL,
    oldest  DOUBLE PRECISION NOT NULL,      -- the least time of its messages
    newest  DOUBLE PRECISION NOT NULL,      -- and the greatest
    times   BYTEA NOT NULL                  -- those of all numbers, one behind the other (times.h)
);
ALTER TABLE stele_part ALTER COLUMN times SET STORAGE EXTERNAL;
-- Where the words of a part are (occurrences.h). They are packed already.
CREATE TABLE stele_posting (
    word    TEXT COLLATE "C",
    part    BIGINT,
    rows    BIGINT NOT NULL,                -- so many messages have it
    packed  BYTEA NOT NULL,
    places  BYTEA NOT NULL,
    beside  BYTEA,                          -- NULL: no word has a code
    PRIMARY KEY (word, part)
);
ALTER TABLE stele_posting ALTER COLUMN packed SET STORAGE EXTERNAL, ALTER COLUMN places SET STORAGE EXTERNAL, ALTER COLUMN beside SET STORAGE EXTERNAL;
CREATE INDEX stele_posting_part ON stele_posting (part, word) INCLUDE (rows);
-- The commonest words, which are told beside the places of others; chosen when there were enough messages to tell.
CREATE TABLE stele_common (
    code  BIGINT PRIMARY KEY,               -- from 1 on
    word  TEXT COLLATE "C" NOT NULL
);
-- All words, and every three characters that stand together in each.
CREATE TABLE stele_word (
    word   TEXT COLLATE "C" PRIMARY KEY,
    grams  TEXT[] COLLATE "C" NOT NULL
);
CREATE INDEX stele_word_grams ON stele_word USING GIN (grams);
-- Earlier, tokens were kept as tsvectors.
DROP TABLE IF EXISTS stele_search;
DELETE FROM stele_change;
INSERT INTO stele_change (id) SELECT id FROM messages;
