-- @probe stele_model_use
CREATE TABLE stele_model_use (
    model             TEXT COLLATE "C" NOT NULL,
    slot              BIGINT NOT NULL,
    calls             BIGINT NOT NULL,
    failed            BIGINT NOT NULL,
    prompt_tokens     BIGINT NOT NULL,
    completion_tokens BIGINT NOT NULL,
    cost              DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (model, slot)
);
CREATE TABLE stele_ticket_calls (
    queue        TEXT COLLATE "C" NOT NULL,
    ticket       BIGINT NOT NULL,
    content_hash TEXT COLLATE "C" NOT NULL,
    calls        BIGINT NOT NULL,
    PRIMARY KEY (queue, ticket)
);
