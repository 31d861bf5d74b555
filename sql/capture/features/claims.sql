-- @probe stele_claims
-- Permanent. Who holds which ticket of the queues. A claim counts only while its ticket is locked by that worker since
-- that time, so one that another program has taken back or given to somebody else is worth nothing.
CREATE TABLE stele_claims (
    queue        TEXT NOT NULL,      -- shell | agentic | browser | workflow
    ticket       INTEGER NOT NULL,   -- the row of the queue
    token        TEXT NOT NULL,      -- random, and new with every call of claim
    worker       TEXT NOT NULL,      -- the ticket's locked_by,
    claimed_at   INTEGER NOT NULL,   -- and locked_at
    source_id    INTEGER NOT NULL,   -- what is to be learned from,
    content_hash TEXT,               -- and what it was when it was claimed; null if it cannot change
    position     INTEGER NOT NULL,   -- among the tickets of the token
    PRIMARY KEY (queue, ticket, token)
);
