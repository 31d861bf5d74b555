-- Notes.

-- @method assistant.save_note  one  write
-- Keep a note. One that is there under the same id is written anew, and has to be embedded again.
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
-- @result id          text            the note's id
-- @result title       text            its title
-- @result content     text            its text
-- @result created_at  time            when it was written
SELECT id, title, content, created_at FROM notes ORDER BY created_at DESC, id;
