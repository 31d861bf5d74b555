-- Read later: articles that were put aside.

-- @method assistant.save_read_later  one  write
-- Put an article aside. One that is there under the same id is written anew, keeps its times, and has to be
-- embedded again.
-- @param  id        text = new     the article's id
-- @param  url       text           where it is
-- @param  title     text? = null   its title
-- @param  summary   text? = null   what it says, in short
-- @param  note      text? = null   what the user said of it
-- @param  tags      text? = null   what it is about: words, with commas between them
-- @param  added_at  time = now     when
-- @param  read_at   time? = null   when it was read, if it was
-- @result id        text           the article's id
INSERT INTO read_later (id, url, title, summary, note, tags, added_at, read_at)
VALUES (:id, :url, :title, :summary, :note, :tags, :added_at, :read_at)
ON CONFLICT (id) DO UPDATE
   SET url = excluded.url, title = excluded.title, summary = excluded.summary, note = excluded.note,
       tags = excluded.tags, embedding = NULL
RETURNING id;

-- @method assistant.list_read_later  many  read
-- The articles that were put aside, the newest first.
-- @param  include_read  bool = false   those that were read too
-- @param  limit         int = -1       at most this many; negative: all
-- @param  offset        int(0..) = 0   after leaving out this many
-- @http GET /v1/read-later
-- @result id        text    the article's id
-- @result url       text    where it is
-- @result title     text?   its title
-- @result summary   text?   what it says, in short
-- @result note      text?   what the user said of it
-- @result tags      text?   what it is about: words, with commas between them
-- @result added_at  time    when it was put aside
-- @result read_at   time?   when it was read
SELECT id, url, title, summary, note, tags, added_at, read_at FROM read_later
 WHERE :include_read OR read_at IS NULL
 ORDER BY added_at DESC, id
 LIMIT :limit                                                -- @for sqlite
 LIMIT CASE WHEN :limit < 0 THEN NULL ELSE :limit END        -- @for postgres
OFFSET :offset;

-- @method assistant.mark_read_later_read  none  write
-- Note that an article was read; the first time counts.
-- @param  id        text          which article
-- @param  read_at   time = now    when
-- @result updated   int changed   1, or 0 if there is no such article
UPDATE read_later SET read_at = COALESCE(read_at, :read_at) WHERE id = :id;

-- @method assistant.delete_read_later  one  write
-- Delete the article with an id, or the only one whose id begins with it. If several do, none is deleted: INVALID.
-- @param  id        text    an id, or at least its first four characters
-- @result deleted   int     1, or 0 if there is no such article
-- @result id        text?   the id of the article that was deleted
-- @native st_assistant_delete_read_later

-- @method assistant.find_read_later  many  read  private
-- The ids that begin with a text, the shortest first: the text itself, if it is one.
-- @param  id        text   how they begin
-- @result id        text   an id
SELECT id FROM read_later WHERE substr(id, 1, length(:id)) = :id ORDER BY length(id), id;

-- @method assistant.drop_read_later  none  write  private
-- Delete an article.
-- @param  id        text          which article
-- @result deleted   int changed   1, or 0 if there is no such article
DELETE FROM read_later WHERE id = :id;

-- @method assistant.find_relevant_read_later  many  read
-- The articles that have most tags in common with a text or with other tags, best first, then the newest first. A
-- tag of several words is in common if all of them are there; neither case nor accents make a difference.
-- @param  text          text optional       what is talked about
-- @param  tags          text optional       tags, with commas between them
-- @param  include_read  bool = false        articles that were read too
-- @param  limit         int(1..1000) = 5    at most this many
-- @http GET /v1/read-later/relevant
-- @results assistant.list_read_later
-- @result overlap   int     how many of its tags are in common
-- @native st_assistant_find_relevant_read_later
