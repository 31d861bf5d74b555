-- @probe stele_model_use
-- Permanent. What language models were asked when they learned: for each model, five minutes at a time. What is asked just now is counted
-- before it is sent, with all that it may take, and put right when the answer is there.
CREATE TABLE stele_model_use (
    model             TEXT NOT NULL,
    slot              INTEGER NOT NULL,   -- when the five minutes began
    calls             INTEGER NOT NULL,   -- requests that were sent,
    failed            INTEGER NOT NULL,   -- and those of them that came to nothing
    prompt_tokens     INTEGER NOT NULL,   -- tokens of what was asked,
    completion_tokens INTEGER NOT NULL,   -- and of what was answered
    cost              REAL NOT NULL,      -- by the prices of then
    PRIMARY KEY (model, slot)
);
-- Permanent. How often a model was asked about a ticket that is not settled for good.
CREATE TABLE stele_ticket_calls (
    queue        TEXT NOT NULL,
    ticket       INTEGER NOT NULL,
    content_hash TEXT NOT NULL,      -- what it stands for was this; '' if it cannot change. Another content is counted anew
    calls        INTEGER NOT NULL,
    PRIMARY KEY (queue, ticket)
);
