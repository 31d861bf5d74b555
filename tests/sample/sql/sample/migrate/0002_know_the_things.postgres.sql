ALTER TABLE items
    ADD COLUMN uuid       TEXT COLLATE "C",
    ADD COLUMN kind       TEXT COLLATE "C" NOT NULL DEFAULT 'box',
    ADD COLUMN weight     DOUBLE PRECISION,
    ADD COLUMN fragile    BOOLEAN NOT NULL DEFAULT FALSE,
    ADD COLUMN attributes JSON NOT NULL DEFAULT '{}',
    ADD COLUMN tags       TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    ADD COLUMN picture    BYTEA,
    ADD COLUMN made_at    TIMESTAMPTZ,
    ADD COLUMN lifetime   DOUBLE PRECISION,
    ADD COLUMN note       TEXT COLLATE "C";
CREATE UNIQUE INDEX idx_items_label ON items(shelf_id, label);

CREATE TABLE steps (version BIGINT PRIMARY KEY);
INSERT INTO steps VALUES (2);

CREATE TABLE history (number BIGINT PRIMARY KEY, text TEXT COLLATE "C" NOT NULL);
INSERT INTO history
SELECT number, 'What happened before version 2, line ' || number FROM generate_series(1, 20000) AS number;
