-- Version 1 knew of a thing only its shelf, its label and its amount.
ALTER TABLE items ADD COLUMN uuid TEXT;
ALTER TABLE items ADD COLUMN kind TEXT NOT NULL DEFAULT 'box';
ALTER TABLE items ADD COLUMN weight REAL;
ALTER TABLE items ADD COLUMN fragile INTEGER NOT NULL DEFAULT 0;
ALTER TABLE items ADD COLUMN attributes TEXT NOT NULL DEFAULT '{}';
ALTER TABLE items ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
ALTER TABLE items ADD COLUMN picture BLOB;
ALTER TABLE items ADD COLUMN made_at TEXT;
ALTER TABLE items ADD COLUMN lifetime REAL;
ALTER TABLE items ADD COLUMN note TEXT;
-- Fails where one shelf has two things of the same label.
CREATE UNIQUE INDEX idx_items_label ON items(shelf_id, label);

CREATE TABLE steps (version INTEGER PRIMARY KEY);
INSERT INTO steps VALUES (2);

CREATE TABLE history (number INTEGER PRIMARY KEY, text TEXT NOT NULL);
INSERT INTO history
WITH RECURSIVE n (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM n WHERE number < 20000)
SELECT number, 'What happened before version 2, line ' || number FROM n;
