-- What is done now and then, and when it was done last.

-- @method *.last_upkeep  one  read  private
-- When a chore was done last.
-- @param  chore  text   the chore
-- @result day    text   the day, or the time
-- @feature upkeep
SELECT day FROM stele_upkeep WHERE chore = :chore;

-- @method *.note_upkeep  none  write  private
-- Note when a chore was done.
-- @param  chore  text   the chore
-- @param  day    text   the day, or the time
-- @feature upkeep
INSERT INTO stele_upkeep (chore, day) VALUES (:chore, :day)
ON CONFLICT (chore) DO UPDATE SET day = excluded.day;
