-- Search tables in the store's own file, as the format has them, for files that the program it comes
-- from uses too. Only SQLite has this form.

-- @method conversation.reindex  one  admin
-- Choose where the search tables are. stele: in a file of their own beside the store, off the path of
-- every write; smaller, faster, and short words of CJK are found at once. compatible: in the store's
-- own file, with the triggers of version 11, so that the program the format comes from finds messages
-- in it too; a file that came with such tables stays so until it is converted here. The work is done in
-- short transactions while others read and write. If it is stopped, another call goes on from there.
-- @param  mode     text(stele|compatible)   where they are to be
-- @result mode     text                     where they are now
-- @result indexed  int                      messages that were indexed
-- @native st_conversation_reindex outside

-- ---- Finding ----

-- @method conversation.inline_parts  one  read  private
-- Are the search tables in the file whole?
-- @result tables    int   2, if both are there
-- @result triggers  int   6, if all are there
-- @for sqlite
SELECT (SELECT COUNT(*) FROM sqlite_master
         WHERE type = 'table' AND name IN ('messages_fts', 'messages_fts_trigram')) AS tables,
       (SELECT COUNT(*) FROM sqlite_master
         WHERE type = 'trigger' AND tbl_name = 'messages'
           AND name IN ('messages_fts_insert', 'messages_fts_delete', 'messages_fts_update',
                        'messages_fts_trigram_insert', 'messages_fts_trigram_delete', 'messages_fts_trigram_update')) AS triggers;
-- @for postgres
SELECT CAST(0 AS BIGINT) AS tables, CAST(0 AS BIGINT) AS triggers;
-- @for both

-- @method conversation.inline_counts  one  read  private
-- How many messages there are, and how many of them each search table has.
-- @result messages    int   all of them
-- @result words       int   in messages_fts
-- @result substrings  int   in messages_fts_trigram
-- @result totals      blob? of messages_fts: its rows and its tokens, as varints
-- @feature compatible
SELECT (SELECT COUNT(*) FROM messages) AS messages,
       (SELECT COUNT(*) FROM messages_fts_docsize) AS words,
       (SELECT COUNT(*) FROM messages_fts_trigram_docsize) AS substrings,
       (SELECT block FROM messages_fts_data WHERE id = 1) AS totals;

-- @method conversation.find_words  many  read  private
-- Messages by words.
-- @param  match  text   an FTS5 expression
-- @result id     int    the message
-- @feature compatible
SELECT rowid AS id FROM messages_fts WHERE messages_fts MATCH :match ORDER BY rowid;

-- @method conversation.find_substrings  many  read  private
-- Messages by parts of words, of three characters and more.
-- @param  match  text   an FTS5 expression
-- @result id     int    the message
-- @feature compatible
SELECT rowid AS id FROM messages_fts_trigram WHERE messages_fts_trigram MATCH :match ORDER BY rowid;

-- @method conversation.find_not_ascii  many  read  private
-- What users and assistants said in other characters than ASCII, or in parts: the table of substrings does
-- not know how to fold it.
-- @result id     int    the message
-- @for sqlite
SELECT id FROM messages
 WHERE role IN ('user', 'assistant') AND length(CAST(content AS BLOB)) <> length(content) ORDER BY id;
-- @for postgres
SELECT id FROM messages
 WHERE role IN ('user', 'assistant') AND octet_length(content) <> length(content) ORDER BY id;
-- @for both

-- @method conversation.find_best_words  many  read  private
-- Messages by words, best first.
-- @param  match  text   an FTS5 expression
-- @result id     int    the message
-- @feature compatible
SELECT rowid AS id FROM messages_fts WHERE messages_fts MATCH :match ORDER BY rank;

-- @method conversation.find_unlisted  many  read  private
-- Messages that are missing in a search table of the file.
-- @result id     int    the message
-- @feature compatible
SELECT id FROM messages
 WHERE id NOT IN (SELECT id FROM messages_fts_docsize)
    OR id NOT IN (SELECT id FROM messages_fts_trigram_docsize)
 ORDER BY id;

-- @method conversation.find_allowed  many  read  private
-- Messages that the filters leave.
-- @param  ids       int[] optional    only of these
-- @param  roles     text[] optional   only these roles
-- @param  sessions  text[] optional   only these sessions
-- @param  since     time optional     from this time on
-- @param  until     time optional     before this time
-- @result id        int               the message
-- @result timestamp time              when it was said
SELECT id, timestamp FROM messages
 WHERE TRUE
   AND id IN :ids                                                              -- @if ids
   AND role IN :roles                                                          -- @if roles
   AND session_id IN :sessions                                                 -- @if sessions
   AND timestamp >= :since                                                     -- @if since
   AND timestamp < :until                                                      -- @if until
   AND active = 1                                                              -- @has rewind
;

-- @method conversation.find_texts  many  read  private
-- What is searched of some messages.
-- @param  ids         int[]             the messages
-- @param  roles       text[] optional   only of these roles
-- @result id          int     the message
-- @result timestamp   time    when it was said
-- @result content     text?   what, as it is stored
-- @result tool_name   text?   the tool
-- @result tool_calls  text?   the calls, JSON
SELECT id, timestamp, content, tool_name, tool_calls FROM messages
 WHERE id IN :ids
   AND role IN :roles                                                          -- @if roles
;

-- ---- Converting ----

-- @method conversation.inline_next  one  read  private
-- The end of the next batch.
-- @param  after  int    the last message of the one before
-- @param  limit  int    at most so many messages
-- @result last   int?   the last message of the next one; null: there is none
-- @result count  int    its messages
SELECT MAX(id) AS last, COUNT(*) AS count
  FROM (SELECT id FROM messages WHERE id > :after ORDER BY id LIMIT :limit) AS batch;

-- @method conversation.inline_fill  none  write  private
-- Put a batch of messages into the search tables of the file, except those that are there.
-- @param  after   int   messages above this
-- @param  last    int   up to this one
-- @feature compatible
INSERT INTO messages_fts (rowid, content)
SELECT id, COALESCE(content, '') || ' ' || COALESCE(tool_name, '') || ' ' || COALESCE(tool_calls, '')
  FROM messages WHERE id > :after AND id <= :last AND id NOT IN (SELECT id FROM messages_fts_docsize);
INSERT INTO messages_fts_trigram (rowid, content)
SELECT id, COALESCE(content, '') || ' ' || COALESCE(tool_name, '') || ' ' || COALESCE(tool_calls, '')
  FROM messages WHERE id > :after AND id <= :last AND id NOT IN (SELECT id FROM messages_fts_trigram_docsize);

-- @method conversation.forget_meta  none  write  private
-- Delete a note of the store.
-- @param  key   text   its name
DELETE FROM state_meta WHERE key = :key;
