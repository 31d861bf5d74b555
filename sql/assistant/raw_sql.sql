-- Raw SQL: statements of the caller's own. They do not see the vault, Stele's own tables (stele_*) and the tables of the
-- database itself; docs/assistant.md says what keeps these from them.

-- @method assistant.raw_sql_query  one  admin
-- Read with one statement of your own: SELECT, VALUES, WITH or EXPLAIN. Values stand for $1, $2, ... and are never part of the text.
-- @param  sql        text                     the statement
-- @param  params     json = []                its values, as an array: texts, numbers, true, false and null
-- @param  limit      int(1..10000) = 1000     at most this many rows
-- @param  timeout    real(0.01..60) = 5       seconds after which it is stopped
-- @result columns    json                     the names of the columns: an array
-- @result rows       json                     the rows: an array of arrays
-- @result row_count  int                      how many they are
-- @result truncated  bool                     there were more, or they took more than 8 MB
-- @native st_assistant_raw_sql_query outside

-- @method assistant.raw_sql_execute  one  admin
-- Write with one statement of your own: INSERT, UPDATE or DELETE, also behind WITH, and with RETURNING.
-- @param  sql        text                     the statement
-- @param  params     json = []                its values, as an array: texts, numbers, true, false and null
-- @param  limit      int(1..10000) = 1000     at most this many rows of RETURNING
-- @param  timeout    real(0.01..60) = 5       seconds after which it is stopped, and nothing is written
-- @result changed    int                      how many rows were written or deleted
-- @result columns    json                     the names of the columns of RETURNING: an array
-- @result rows       json                     the rows of RETURNING: an array of arrays
-- @result truncated  bool                     there were more, or they took more than 8 MB
-- @native st_assistant_raw_sql_execute

-- @method assistant.raw_sql_dryrun  one  admin
-- What raw_sql_execute would do: the statement is run and taken back.
-- @param  sql        text                     the statement
-- @param  params     json = []                its values, as an array: texts, numbers, true, false and null
-- @param  limit      int(1..10000) = 1000     at most this many rows of RETURNING
-- @param  timeout    real(0.01..60) = 5       seconds after which it is stopped
-- @result changed    int                      how many rows would be written or deleted
-- @result columns    json                     the names of the columns of RETURNING: an array
-- @result rows       json                     the rows of RETURNING: an array of arrays
-- @result truncated  bool                     there were more, or they took more than 8 MB
-- @native st_assistant_raw_sql_dryrun

-- @method assistant.describe_schema  one  read
-- The tables that raw SQL sees, as they are now, as a text for a model's prompt: a line for each table with its
-- columns, a line for each index.
-- @result schema     text                     the text; empty when it cannot be had
-- @result problem    text?                    why it cannot
-- @native st_assistant_describe_schema outside

-- @method assistant.schema_mark  one  read  private
-- A number that is another one when a table or an index was changed.
-- @result mark       int                      the number
-- @for sqlite
SELECT schema_version AS mark FROM pragma_schema_version;
-- @for postgres
SELECT COALESCE(sum(pg_catalog.hashtext(a.attrelid || '.' || a.attnum || '.' || a.xmin::text)::bigint), 0)::bigint AS mark
  FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
 WHERE c.relnamespace = current_schema()::pg_catalog.regnamespace AND a.attnum > 0;

-- @method assistant.schema_parts  many  read  private
-- Columns and indexes of all tables, table by table.
-- @result table_name  text                    whose it is
-- @result is_index    bool                    an index, not a column
-- @result place       int                     where it stands among its kind
-- @result name        text                    the column's or index's name
-- @result type        text                    the column's type; the columns of an index
-- @result strict      bool                    it is NOT NULL; the index is unique
-- @result key_place   int                     where it stands in the primary key, from 1; 0: it does not
-- @for sqlite
SELECT t.name AS table_name, 0 AS is_index, c.cid AS place, c.name AS name, lower(c.type) AS type, c."notnull" AS strict,
       c.pk AS key_place
  FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c
 WHERE t.schema = 'main' AND t.type IN ('table', 'virtual') AND substr(t.name, 1, 7) <> 'sqlite_'
UNION ALL
SELECT t.name, 1, 0, i.name,
       (SELECT group_concat(COALESCE(x.name, '(expression)'), ', ') FROM pragma_index_info(i.name) AS x), i."unique", 0
  FROM pragma_table_list AS t JOIN pragma_index_list(t.name) AS i
 WHERE t.schema = 'main' AND t.type = 'table' AND substr(t.name, 1, 7) <> 'sqlite_' AND i.origin <> 'pk'
 ORDER BY table_name, is_index, place, name;
-- @for postgres
SELECT c.relname::text COLLATE "C" AS table_name, false AS is_index, a.attnum::bigint AS place, a.attname::text COLLATE "C" AS name,
       pg_catalog.format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS strict,
       COALESCE(pg_catalog.array_position(k.indkey::smallint[], a.attnum) + 1, 0)::bigint AS key_place
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_catalog.pg_index k ON k.indrelid = c.oid AND k.indisprimary
 WHERE c.relnamespace = current_schema()::pg_catalog.regnamespace AND c.relkind IN ('r', 'p')
UNION ALL
SELECT c.relname::text, true, 0, i.relname::text,
       (SELECT pg_catalog.string_agg(pg_catalog.pg_get_indexdef(k.indexrelid, n, true), ', ' ORDER BY n)
          FROM pg_catalog.generate_series(1, k.indnkeyatts) AS n), k.indisunique, 0
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_index k ON k.indrelid = c.oid AND NOT k.indisprimary
  JOIN pg_catalog.pg_class i ON i.oid = k.indexrelid
 WHERE c.relnamespace = current_schema()::pg_catalog.regnamespace AND c.relkind IN ('r', 'p')
 ORDER BY table_name, is_index, place, name;
