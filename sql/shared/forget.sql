-- Forgetting: what all stores do in the same way. What is particular to a table, its store declares in forget.sql.

-- @method *.forget_clear  none  write  private
-- Nothing is noted as being forgotten.
-- @feature forgetting
DELETE FROM stele_forgetting;

-- @method *.forget_counts  many  read  private
-- How many rows are noted, table by table.
-- @result place  text   the table; with a dot behind it: rows that stay
-- @result rows   int    how many
-- @feature forgetting
SELECT place, COUNT(*) AS rows FROM stele_forgetting GROUP BY place ORDER BY place;

-- @method *.forget_keys  many  read  private
-- The keys that are noted of a table.
-- @param  rows   text   the table
-- @param  after  text   only greater ones
-- @param  limit  int    at most this many
-- @result key    text   a key
-- @feature forgetting
SELECT key FROM stele_forgetting WHERE place = :rows AND key > :after ORDER BY key LIMIT :limit;

-- @method *.forget_embeddings  none  write  private
-- Remove what was made of the meaning of rows that go, or change.
-- @param  kind  text   their source
-- @param  rows  text   their table
-- @feature forgetting
-- @feature embeddings
DELETE FROM stele_embeddings WHERE kind = :kind
   AND id IN (SELECT f.key FROM stele_forgetting AS f WHERE f.place = :rows OR f.place = :rows || '.');

-- @method *.forget_embeddings_of  none  write  private
-- Remove embeddings in which a text stands: of rows that are gone already, or in what a caller brought.
-- @param  text  text   the text
-- @feature embeddings
-- @for sqlite
DELETE FROM stele_embeddings WHERE instr(id, :text) > 0 OR instr(model, :text) > 0 OR instr(kind, :text) > 0 OR instr(origin, :text) > 0
    OR instr(CAST(vector AS TEXT), :text) > 0;
-- @for postgres
DELETE FROM stele_embedding_due WHERE strpos(id, :text) > 0 OR strpos(kind, :text) > 0;
DELETE FROM stele_embeddings WHERE strpos(id, :text) > 0 OR strpos(model, :text) > 0 OR strpos(kind, :text) > 0 OR strpos(origin, :text) > 0
    OR position(convert_to(:text, 'UTF8') IN vector) > 0;
-- @for both

-- @method *.forget_record  one  write  private
-- Remember that something was forgotten.
-- @param  at        real   when, in epoch seconds
-- @param  criteria  text   by what kind of criterion
-- @param  rows      int    how many rows
-- @param  redacted  int    from how many a text was taken
-- @result id        int    the number of the record
-- @feature forgetting
INSERT INTO stele_forgotten (forgotten_at, criteria, rows, redacted) VALUES (:at, :criteria, :rows, :redacted) RETURNING id;

-- @method *.forget_proven  none  write  private
-- Nothing of what was forgotten up to now was found any more.
-- @param  at  real   when, in epoch seconds
-- @feature forgetting
UPDATE stele_forgotten SET proven_at = :at WHERE proven_at IS NULL;

-- @method *.forgotten  many  read  private
-- What was forgotten, the newest first.
-- @param  limit         int     at most this many
-- @result forgotten_at  real    when, in epoch seconds
-- @result criteria      text    by what kind of criterion
-- @result rows          int     how many rows went
-- @result redacted      int     from how many a text was taken
-- @result proven_at     real?   when nothing of it was found any more
-- @feature forgetting
SELECT forgotten_at, criteria, rows, redacted, proven_at FROM stele_forgotten ORDER BY id DESC LIMIT :limit;
