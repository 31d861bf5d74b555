-- Rows that were put aside, because what they referred to was not there.

-- @method capture.list_quarantine  many  read
-- Rows that were put aside by a migration or by `stele repair`, the newest first.
-- @param  table           text optional        only those that were in this table
-- @param  limit           int(1..1000) = 100   at most this many
-- @result id              int    its number
-- @result table           text   where it was
-- @result row             json   what it was
-- @result reason          text   what it referred to that was not there
-- @result quarantined_at  time   when it was put aside
SELECT q.id, q."table", q.row, q.reason, q.quarantined_at
  FROM stele_quarantine AS q                                                                  -- @has quarantine
  FROM (SELECT CAST(0 AS BIGINT) AS id, CAST('' AS TEXT) AS "table", CAST('{}' AS TEXT) AS row,  -- @lacks quarantine
               CAST('' AS TEXT) AS reason, CAST(0 AS BIGINT) AS quarantined_at                -- @lacks quarantine
         WHERE 1 = 0) AS q                                                                    -- @lacks quarantine
 WHERE 1 = 1
   AND q."table" = :table                                    -- @if table
 ORDER BY q.id DESC LIMIT :limit;
