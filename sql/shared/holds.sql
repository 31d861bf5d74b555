-- Legal holds of a store: what is under one stays. sql/<store>/held.sql says what can be held; of it the generator makes the
-- feature holds, with a view stele_held_<kind> (id, hold) for each kind, which tells the rows that are held now.

-- @method *.hold_place  one  write  private
-- Place a hold.
-- @param  session  text?   only what belongs to this session
-- @param  project  text?   only what belongs to this project, or to a directory below it
-- @param  kind     text?   only rows of this kind
-- @param  since    time?   only what is from this time or later
-- @param  until    time?   only what is from before this time
-- @param  reason   text    why
-- @param  by       text?   by whom
-- @param  now      time    when
-- @result id       int     its number
-- @feature holds
INSERT INTO stele_holds (session, project, kind, since, until, reason, placed_by, placed_at)
VALUES (:session, :project, :kind, :since, :until, :reason, :by, :now)
RETURNING id;

-- @method *.hold_release  none  write  private
-- Lift a hold. It stays on record.
-- @param  id    int     which
-- @param  note  text?   why
-- @param  by    text?   by whom
-- @param  now   time    when
-- @feature holds
UPDATE stele_holds SET released_at = :now, released_by = :by, release_note = :note WHERE id = :id AND released_at IS NULL;

-- @method *.hold_list  many  read  private
-- The holds of a store.
-- @param  id            int optional   only this one
-- @param  released      bool           those that were lifted, too
-- @result id            int            its number
-- @result session       text?          only what belongs to this session
-- @result project       text?          only what belongs to this project
-- @result kind          text?          only rows of this kind
-- @result since         time?          only what is from this time or later
-- @result until         time?          only what is from before this time
-- @result reason        text           why
-- @result placed_by     text?          by whom it was placed
-- @result placed_at     time           when
-- @result released_by   text?          by whom it was lifted
-- @result released_at   time?          when; null: it is in force
-- @result release_note  text?          why
-- @feature holds
SELECT id, session, project, kind, since, until, reason, placed_by, placed_at, released_by, released_at, release_note FROM stele_holds
 WHERE (released_at IS NULL OR :released)
   AND id = :id                                                             -- @if id
 ORDER BY id;
