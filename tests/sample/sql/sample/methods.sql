-- Methods of the sample store. Together they use every word of the grammar.

-- @method sample.add_shelf  one  write
-- Put up a shelf.
-- @param  name  text            what it is called
-- @param  room  text? = null    where it stands
-- @result id    int             its number
INSERT INTO shelves (name, room) VALUES (:name, :room) RETURNING id;

-- @method sample.get_shelves  many  read
-- All shelves, by number.
-- @result id     int     its number
-- @result name   text    what it is called
-- @result room   text?   where it stands
-- @result moves  int     how often things were moved to it
SELECT id, name, room, moves FROM shelves ORDER BY id;

-- @method sample.put_item  one  write
-- Put a thing on a shelf.
-- @param  shelf_id    int                          which shelf
-- @param  label       text                         what is written on it
-- @param  uuid        uuid = new                   its identifier
-- @param  kind        text(box|book|tool) = "box"  what it is
-- @param  amount      int(0..1000) = 1             how many
-- @param  weight      real(0..)? = null            kilograms, if known
-- @param  fragile     bool = false                 to be handled with care
-- @param  attributes  json = {}                    anything
-- @param  tags        jsontext = "[]"              words, as a text that holds JSON
-- @param  picture     blob? = null                 what it looks like
-- @param  made_at     time = now                   when it was made
-- @param  lifetime    duration? = null             how long it keeps
-- @param  note        text? = null                 a remark
-- @result id          int                          its number
-- @result uuid        uuid                         its identifier
-- @else NOTFOUND shelf_id
SELECT id FROM shelves WHERE id = :shelf_id;
INSERT INTO items (shelf_id, label, uuid, kind, amount, weight, fragile, attributes, tags, picture,
                   made_at, lifetime, note)
VALUES (:shelf_id, :label, :uuid, :kind, :amount, :weight, :fragile, :attributes, :tags, :picture,
        :made_at, :lifetime, :note)
RETURNING id, uuid;

-- @method sample.put_items  one  write
-- Put many things up: all or none.
-- @param  items   sample.put_item[]   the things
-- @result count   int                 how many
-- @native st_sample_put_items

-- @method sample.get_item  one  read
-- A thing, or null.
-- @param  id          int        its number
-- @result id          int        its number
-- @result shelf_id    int        where it is
-- @result label       text       what is written on it
-- @result uuid        uuid?      its identifier
-- @result kind        text       what it is
-- @result amount      int        how many
-- @result weight      real?      kilograms
-- @result fragile     bool       to be handled with care
-- @result attributes  json       anything
-- @result tags        jsontext   words
-- @result picture     blob?      what it looks like
-- @result made_at     time?      when it was made
-- @result lifetime    duration?  how long it keeps
-- @result note        text?      a remark
SELECT id, shelf_id, label, uuid, kind, amount, weight, fragile, attributes, tags, picture, made_at,
       lifetime, note
  FROM items WHERE id = :id;

-- @method sample.find_items  many  read
-- Things that fit everything that was sent, by number.
-- @param  ids        int[] optional         only these
-- @param  without    int[] optional         none of these
-- @param  labels     text[] optional        only with one of these labels
-- @param  weights    real[] optional        only of one of these weights
-- @param  heavier    real optional          only heavier than this
-- @param  note       text? optional         only with this note, or, if null, without one
-- @param  pattern    text optional          only with a label like this, whatever the case
-- @param  made_after time optional          only if made later
-- @param  limit      int(1..1000) = 100     at most this many
-- @result id         int                    its number
-- @result label      text                   what is written on it
-- @result engine     text                   which engine found it
SELECT id, label,
       'sqlite' AS engine                                    -- @for sqlite
       'postgres' AS engine                                  -- @for postgres
  FROM items
 WHERE TRUE
   AND id IN :ids                                            -- @if ids
   AND id NOT IN :without                                    -- @if without
   AND label IN :labels                                      -- @if labels
   AND weight IN :weights                                    -- @if weights
   AND weight > :heavier                                     -- @if heavier
   AND (note = :note OR (note IS NULL AND :note IS NULL))    -- @if note
   AND label LIKE :pattern                                   -- @if pattern @for sqlite
   AND label ILIKE :pattern                                  -- @if pattern @for postgres
   AND made_at > :made_after                                 -- @if made_after
 ORDER BY id LIMIT :limit;

-- @method sample.change_item  none  write
-- Change of a thing what was sent.
-- @param  id       int                          its number
-- @param  label    text optional                what is written on it
-- @param  weight   real(0..)? optional          kilograms; null: unknown again
-- @param  note     text? optional               a remark; null: none
-- @result changed  int changed                  always 1
-- @else NOTFOUND id
UPDATE items
   SET id = id
     , label = :label                                        -- @if label
     , weight = :weight                                      -- @if weight
     , note = :note                                          -- @if note
 WHERE id = :id;

-- @method sample.claim_item  none  write
-- Write a note on a thing that has none. Whoever comes later is refused.
-- @param  id    int    its number
-- @param  note  text   what to write
-- @else NOTFOUND id
SELECT id FROM items WHERE id = :id;
-- @else CONFLICT id
UPDATE items SET note = :note WHERE id = :id AND note IS NULL;

-- @method sample.move_items  none  write
-- Move all things of one shelf to another, and count the move.
-- @param  source   int            the shelf to empty
-- @param  to       int            the shelf to fill
-- @result items    int changed 2  things moved
-- @result shelves  int changed 3  shelves that count it
-- @result all      int changed    rows changed by all statements
-- @else NOTFOUND to
SELECT id FROM shelves WHERE id = :to;
UPDATE items SET shelf_id = :to WHERE shelf_id = :source;
UPDATE shelves SET moves = moves + 1 WHERE id = :to;

-- @method sample.add_twins  none  write
-- Put up two shelves; fails midway if both would have one name.
-- @param  first   text         name of the first
-- @param  second  text         name of the second
-- @result count   int changed  always 2
INSERT INTO shelves (name) VALUES (:first);
INSERT INTO shelves (name) VALUES (:second);

-- @method sample.remove_shelf  none  admin
-- Take a shelf down, with all that is on it.
-- @param  id     int          its number
-- @result count  int changed  1, or 0 if there was none
DELETE FROM shelves WHERE id = :id;

-- @method sample.get_report  one  read
-- What is on each shelf, as one JSON value.
-- @result report  json   an object per shelf
SELECT COALESCE(json_group_array(json_object('shelf', name, 'things', things)), '[]') AS report
  FROM (SELECT s.id, s.name, COUNT(i.id) AS things
          FROM shelves AS s LEFT JOIN items AS i ON i.shelf_id = s.id
         GROUP BY s.id, s.name ORDER BY s.id) AS counted;

-- @method sample.get_sizes  many  read
-- The sizes of a list's members, counted by the engine at hand.
-- @param  text    text   something
-- @result engine  text   which engine
-- @result size    int    its length
-- @for sqlite
SELECT 'sqlite' AS engine, length(:text) AS size;
-- @for postgres
SELECT 'postgres' AS engine, CAST(char_length(:text) AS BIGINT) AS size;
-- @for both

-- @method sample.count_items  one  read  private
-- The number of things, for native methods.
-- @result count  int   how many
SELECT COUNT(*) AS count FROM items;

-- @method sample.describe  one  read
-- Counts the things, with a remark on the query.
-- @param  query   query         what is looked for
-- @param  remark  bool = true   whether to make the remark
-- @result query   text          the query
-- @result count   int           number of things
-- @native st_sample_describe

-- @method sample.put_up  one  write
-- A shelf in a transaction of its own, then two more in another, which may fail.
-- @param  name    text   of the first
-- @param  second  text   of the second; "" fails
-- @result count   int    how many things there are
-- @native st_sample_put_up outside

-- @method sample.doctor  many  read  private
-- A line about the things; a checkup that cannot be made if there are none of them.
-- @param  full     bool = false       as the caller of stele.doctor said
-- @result store    text?              sample
-- @result check    text               things
-- @result state    text(ok|warn|fail) always ok
-- @result summary  text               how many there are
-- @result cause    text?              null
-- @result fix      text?              null
-- @result doc      text               no page explains it
-- @native st_sample_doctor

-- @method sample.get_measures  one  read
-- Numbers that the database has in another type than is declared.
-- @result weight   real   a whole one
-- @result count    int    a real one that is whole
-- @result part     int    one that is not
-- @result far      int    one that no integer can be
-- @result yes      bool   one that is neither 0 nor 1
SELECT 7 AS weight, 2.0 AS count, 2.5 AS part, 1e300 AS far, 7 AS yes;

-- @method sample.take_item  one  write
-- Take the first thing of all away.
-- @result id  int  its number
-- @else NOTFOUND
DELETE FROM items WHERE id = (SELECT min(id) FROM items) RETURNING id;

-- @method sample.weigh  one  read
-- A thing of that weight.
-- @param  weight  real  kilograms
-- @result id      int   its number
-- @else NOTFOUND weight
SELECT min(id) AS id FROM items WHERE weight = :weight HAVING count(*) > 0;

-- @method sample.find_shelf  one  read
-- A shelf by its name.
-- @param  name  text  what it is called
-- @result id    int   its number
-- @else NOTFOUND name
SELECT id FROM shelves WHERE name = :name;
