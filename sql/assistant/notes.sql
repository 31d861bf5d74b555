-- Notes.

-- @method assistant.save_note  one  write
-- Keep a note. One that is there under the same id is written anew, keeps its time, and has to be embedded again.
-- @param  id          text = new      the note's id
-- @param  title       text            its title
-- @param  content     text            its text
-- @param  created_at  time = now      when it was written
-- @result id          text            the note's id
INSERT INTO notes (id, title, content, created_at) VALUES (:id, :title, :content, :created_at)
ON CONFLICT (id) DO UPDATE SET title = excluded.title, content = excluded.content, embedding = NULL
RETURNING id;

-- @method assistant.get_notes  many  read
-- All notes, the newest first.
-- @param  limit       int = -1       at most this many; negative: all
-- @param  offset      int(0..) = 0   after leaving out this many
-- @http GET /v1/notes
-- @result id          text   the note's id
-- @result title       text   its title
-- @result content     text   its text
-- @result created_at  time   when it was written
SELECT id, title, content, created_at FROM notes ORDER BY created_at DESC, id
 LIMIT :limit                                                -- @for sqlite
 LIMIT CASE WHEN :limit < 0 THEN NULL ELSE :limit END        -- @for postgres
OFFSET :offset;

-- @method assistant.search_notes  many  read
-- The notes in which a text stands, in the title or below it, whatever its case; the newest first.
-- @param  query       text           what to look for, character by character
-- @param  limit       int = -1       at most this many; negative: all
-- @param  offset      int(0..) = 0   after leaving out this many
-- @http GET /v1/notes/search
-- @results assistant.get_notes
-- @native st_assistant_search

-- @method assistant.scan_notes  many  read  private
-- The notes that may hold a text, in the order of search_notes: see st_assistant_search.
-- @param  pattern     text optional   of LIKE: what the text would match if both are ASCII
-- @results assistant.get_notes
SELECT id, title, content, created_at FROM notes
 WHERE title ~ '[^\x01-\x7f]' OR content ~ '[^\x01-\x7f]'                                                 -- @if pattern @for postgres
    OR lower(title) LIKE :pattern ESCAPE '\' OR lower(content) LIKE :pattern ESCAPE '\'                   -- @if pattern @for postgres
 ORDER BY created_at DESC, id;

-- @method assistant.update_note  none  write
-- Write a note anew. It keeps its time, and has to be embedded again.
-- @param  id          text          which note
-- @param  title       text          its title
-- @param  content     text          its text
-- @result updated     int changed   1, or 0 if there is no such note
UPDATE notes SET title = :title, content = :content, embedding = NULL WHERE id = :id;

-- @method assistant.delete_note  none  write
-- Delete a note.
-- @param  id          text          which note
-- @result deleted     int changed   1, or 0 if there is no such note
DELETE FROM notes WHERE id = :id;
