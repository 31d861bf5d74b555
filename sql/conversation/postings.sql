-- The search index of messages on PostgreSQL, which keeps it in the store itself (features/postings.postgres.sql).

-- ---- Writing ----

-- @method conversation.index_done  none  write  private
-- Strike out the noted changes that are in the index now.
-- @param  changes  int[]   their numbers
-- @feature changes
DELETE FROM stele_change WHERE seq IN :changes;

-- @method conversation.entry_forget  none  write  private
-- Take messages out of the index; their parts count them no more.
-- @param  ids  int[]   the messages
-- @feature postings
-- @only postgres
WITH gone AS (DELETE FROM stele_entry WHERE id IN :ids RETURNING number)
UPDATE stele_part AS p SET live = p.live - lost.rows
  FROM (SELECT at.part, COUNT(*) AS rows
          FROM gone CROSS JOIN LATERAL (SELECT part FROM stele_part WHERE part <= gone.number ORDER BY part DESC LIMIT 1) AS at
         GROUP BY at.part) AS lost
 WHERE p.part = lost.part;

-- @method conversation.entry_put  none  write  private
-- Put messages into the index.
-- @param  numbers   int[]    their numbers
-- @param  ids       int[]    the messages
-- @param  sessions  text[]   the session of each
-- @param  times     real[]   when
-- @feature postings
-- @only postgres
INSERT INTO stele_entry (number, id, session_id, time) SELECT * FROM UNNEST(:numbers, :ids, :sessions, :times);

-- @method conversation.part_put  none  write  private
-- Begin a part of the index.
-- @param  part    int   its first number
-- @param  last    int   its last number
-- @param  rows    int   messages in it
-- @param  tokens  int   and how long they are, all together
-- @param  oldest  time  the least of their times
-- @param  newest  time  the greatest
-- @param  times   blob  all of them: see times.h
-- @feature postings
-- @only postgres
INSERT INTO stele_part (part, last, rows, live, tokens, oldest, newest, times)
VALUES (:part, :last, :rows, :rows, :tokens, :oldest, :newest, :times);

-- @method conversation.posting_put  none  write  private
-- Put the words of a part into the index.
-- @param  part    int      its first number
-- @param  words   text[]   the words
-- @param  rows    int[]    how many messages have each
-- @param  packed  blob[]   which: see occurrences.h
-- @param  places  blob[]   and where in them
-- @param  beside  blob[]   what stands beside each place
-- @feature postings
-- @only postgres
INSERT INTO stele_posting (word, part, rows, packed, places, beside)
SELECT w.word, :part, w.rows, w.packed, w.places, NULLIF(w.beside, '')
  FROM UNNEST(:words, :rows, :packed, :places, :beside) AS w(word, rows, packed, places, beside);
INSERT INTO stele_word (word, grams)
SELECT w.word, ARRAY(SELECT DISTINCT substr(w.word, i, 3) FROM generate_series(1, char_length(w.word) - 2) AS i)
  FROM UNNEST(:words) AS w(word) WHERE w.word COLLATE "C" >= ' ' AND NOT EXISTS (SELECT 1 FROM stele_word AS known WHERE known.word = w.word);

-- @method conversation.common_put  none  write  private
-- Give words a code.
-- @param  words   text[]   the words
-- @param  codes   int[]    the code of each
-- @feature postings
-- @only postgres
INSERT INTO stele_common (word, code) SELECT * FROM UNNEST(:words, :codes);

-- @method conversation.list_common  many  read  private
-- The words that have a code, in its order.
-- @result word   text   the word
-- @feature postings
-- @only postgres
SELECT word FROM stele_common ORDER BY code;

-- @method conversation.list_parts  many  read  private
-- The parts of the index, in order.
-- @result part    int   its first number
-- @result last    int   its last number
-- @result rows    int   messages that were put into it
-- @result live    int?  those that are still found there; null: it was emptied
-- @result tokens  int   how long all of them are together
-- @result oldest  time  the least of their times
-- @result newest  time  the greatest
-- @feature postings
-- @only postgres
SELECT part, last, rows, live, tokens, oldest, newest FROM stele_part ORDER BY part;

-- @method conversation.times_of_parts  many  read  private
-- When the messages of some parts were said.
-- @param  parts   int[]  their first numbers
-- @result part    int    the first number of a part
-- @result times   blob   see times.h
-- @feature postings
-- @only postgres
SELECT part, times FROM stele_part WHERE part IN :parts;

-- @method conversation.merge_parts  none  write  private
-- Put parts that follow each other together.
-- @param  parts  int[]   their first numbers
-- @param  into   int     the least of these
-- @feature postings
-- @only postgres
WITH gone AS (DELETE FROM stele_posting WHERE part IN :parts RETURNING word, part, rows, packed, places, beside)
INSERT INTO stele_posting (word, part, rows, packed, places, beside)
SELECT word, :into, CAST(SUM(rows) AS BIGINT), string_agg(packed, '' ORDER BY part), string_agg(places, '' ORDER BY part),
       string_agg(beside, '' ORDER BY part)
  FROM gone GROUP BY word;
WITH gone AS (DELETE FROM stele_part WHERE part IN :parts RETURNING part, last, rows, live, tokens, oldest, newest, times)
INSERT INTO stele_part (part, last, rows, live, tokens, oldest, newest, times)
SELECT :into, MAX(last), CAST(SUM(rows) AS BIGINT), CAST(SUM(live) AS BIGINT), CAST(SUM(tokens) AS BIGINT), MIN(oldest), MAX(newest), string_agg(times, '' ORDER BY part)
  FROM gone;

-- @method conversation.empty_part  none  write  private
-- Throw away the words of a part, and note the messages that are still found there anew. Its numbers stay its own, so that parts follow each
-- other without a gap.
-- @param  part  int   its first number
-- @param  last  int   its last number
-- @feature postings
-- @only postgres
INSERT INTO stele_change (id) SELECT id FROM stele_entry WHERE number BETWEEN :part AND :last;
DELETE FROM stele_entry WHERE number BETWEEN :part AND :last;
DELETE FROM stele_posting WHERE part = :part;
UPDATE stele_part SET live = NULL WHERE part = :part;

-- @method conversation.index_restart  none  write  private
-- Throw the index away, and note every message anew.
-- @feature postings
-- @only postgres
DELETE FROM stele_posting;
DELETE FROM stele_word;
DELETE FROM stele_common;
DELETE FROM stele_part;
DELETE FROM stele_entry;
DELETE FROM stele_change;
INSERT INTO stele_change (id) SELECT id FROM messages
 WHERE active = 1                                                           -- @has rewind
;

-- ---- What is not in it yet ----

-- @method conversation.changed_messages  many  read  private
-- The messages whose changes are not in the index yet, in their order.
-- @result id   int   the message
-- @feature changes
SELECT DISTINCT id FROM stele_change ORDER BY id;

-- @method conversation.index_tail  many  read  private
-- Those of them that are there, for a search.
-- @result change      int     0
-- @result id          int     the message
-- @result session_id  text?   its session
-- @result role        text?   who said it
-- @result timestamp   time?   when
-- @result content     text?   what, as it is stored
-- @result tool_name   text?   the tool
-- @result tool_calls  text?   the calls, JSON
-- @feature changes
SELECT CAST(0 AS BIGINT) AS change, id, session_id, role, timestamp, content, tool_name, tool_calls
  FROM messages WHERE id IN (SELECT c.id FROM stele_change AS c)
   AND active = 1                                                           -- @has rewind
 ORDER BY id;

-- ---- Words ----

-- @method conversation.postings_of  many  read  private
-- Where words are, part by part. The words are looked up one by one: the server does not have to guess how many there are.
-- @param  words   text[]   the words
-- @param  placed  bool     with their places
-- @param  coded   bool     and with what stands beside these
-- @param  first   int      only of the part with this number, and later ones
-- @param  last    int      up to the part with this number
-- @result word    text     the word
-- @result rows    int      messages of the part that have it
-- @result packed  blob     which: see occurrences.h
-- @result places  blob?    where in them
-- @result beside  blob?    what stands beside each place
-- @result size    int      bytes of `packed` in all these parts of the word
-- @result room    int      and of its places, whether they are asked for or not
-- @result codes   int      and of what stands beside them
-- @feature postings
-- @only postgres
SELECT w.word, p.rows, p.packed, CASE WHEN :placed THEN p.places END AS places, CASE WHEN :coded THEN p.beside END AS beside,
       p.size, p.room, p.codes
  FROM (SELECT DISTINCT asked COLLATE "C" AS word FROM UNNEST(:words) AS asked ORDER BY 1) AS w
 CROSS JOIN LATERAL (SELECT part, rows, packed, places, beside
                          , SUM(octet_length(packed)) OVER () AS size
                          , SUM(octet_length(places)) OVER () AS room
                          , COALESCE(SUM(octet_length(beside)) OVER (), 0) AS codes
                       FROM stele_posting
                      WHERE word = w.word AND part BETWEEN :first AND :last ORDER BY part OFFSET 0) AS p
 ORDER BY w.word, p.part;

-- @method conversation.postings_from  many  read  private
-- Where the words are that begin so, part by part.
-- @param  beginning  text    how they begin
-- @param  placed     bool    with their places
-- @param  first      int     only of the part with this number, and later ones
-- @param  last       int     up to the part with this number
-- @result word       text    the word
-- @result rows       int     messages of the part that have it
-- @result packed     blob    which: see occurrences.h
-- @result places     blob?   where in them
-- @result beside     blob?   nothing: as of postings_of
-- @result size       int     bytes of `packed` in all these parts of the word
-- @result room       int     and of its places, whether they are asked for or not
-- @result codes      int     nothing: as of postings_of
-- @feature postings
-- @only postgres
SELECT word, rows, packed, CASE WHEN :placed THEN places END AS places, CAST(NULL AS BYTEA) AS beside,
       SUM(octet_length(packed)) OVER of_word AS size, SUM(octet_length(places)) OVER of_word AS room, CAST(0 AS BIGINT) AS codes
  FROM stele_posting
 WHERE word >= :beginning AND word < :beginning || chr(1114111) AND part BETWEEN :first AND :last
WINDOW of_word AS (PARTITION BY word)
 ORDER BY word, part;

-- @method conversation.count_words  one  read  private
-- How many messages have had some words: one that has several counts for each.
-- @param  words  text[]   the words
-- @param  first  int      only of the part with this number, and later ones
-- @result rows   int      so many
-- @feature postings
-- @only postgres
SELECT CAST(COALESCE(SUM(p.rows), 0) AS BIGINT) AS rows
  FROM (SELECT DISTINCT asked COLLATE "C" AS word FROM UNNEST(:words) AS asked) AS w
 CROSS JOIN LATERAL (SELECT rows FROM stele_posting WHERE word = w.word AND part >= :first OFFSET 0) AS p;

-- @method conversation.complete_word  many  read  private
-- The words that begin so, the commonest first, as the largest part of the index has them.
-- @param  beginning  text   how they begin
-- @param  limit      int    at most this many
-- @result word       text   the word
-- @result rows       int    messages of that part that have it
-- @result every      int    the same of all words that begin so
-- @result known      int    messages of that part
-- @feature postings
-- @only postgres
SELECT w.word, w.rows, CAST(SUM(w.rows) OVER () AS BIGINT) AS every, largest.rows AS known
  FROM (SELECT part, rows FROM stele_part WHERE live IS NOT NULL ORDER BY rows DESC, part LIMIT 1) AS largest JOIN stele_posting AS w ON w.part = largest.part
 WHERE w.word >= :beginning AND w.word < :beginning || chr(1114111) ORDER BY w.rows DESC, w.word LIMIT :limit;

-- @method conversation.words_with  many  read  private
-- The words that have a text inside.
-- @param  part   text     the text, of three characters or more
-- @param  grams  text[]   every three that stand together in it
-- @result word   text     the word
-- @feature postings
-- @only postgres
SELECT word FROM stele_word WHERE grams @> (SELECT array_agg(g) FROM UNNEST(:grams) AS g) AND strpos(word, :part) > 0;

-- ---- Entries ----

-- @method conversation.entries_at  many  read  private
-- What the index knows of numbers that are messages, within a filter. The numbers come first: the server, which knows no values when it has made
-- its plan for all of them, might otherwise read all that was said in the time.
-- @param  numbers   int[]             the numbers
-- @param  sessions  text[] optional   only these sessions
-- @param  since     time optional     from this time on
-- @param  until     time optional     before this time
-- @result number    int               its number
-- @result id        int               the message
-- @result time      time              when it was said
-- @result session   text              of which session
-- @feature postings
-- @only postgres
SELECT number, id, time, session_id AS session FROM (SELECT * FROM stele_entry WHERE number IN :numbers OFFSET 0) AS e
 WHERE TRUE
   AND session_id IN :sessions                                                 -- @if sessions
   AND time >= :since                                                          -- @if since
   AND time < :until                                                           -- @if until
;

-- @method conversation.entries_within  many  read  private
-- The numbers of messages within a filter.
-- @param  sessions  text[] optional   only these sessions
-- @param  since     time optional     from this time on
-- @param  until     time optional     before this time
-- @param  limit     int               at most this many
-- @result number    int               its number
-- @result session   text              of which session
-- @feature postings
-- @only postgres
SELECT number, session_id AS session FROM stele_entry
 WHERE TRUE
   AND session_id IN :sessions                                                 -- @if sessions
   AND time >= :since                                                          -- @if since
   AND time < :until                                                           -- @if until
 LIMIT :limit;
