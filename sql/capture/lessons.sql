-- Lessons: what goes wrong in workflows again and again. The same tool, rule and place of a repository are one lesson; it
-- is kept apart until it was met often enough.

-- @method capture.record_lesson  one  write
-- Something went wrong. A lesson is counted; what is none yet becomes one when it was met min_occurrences times.
-- @param  repo             text                   in which repository
-- @param  tool             text = ""              which tool found it
-- @param  rule_id          text = ""              by which rule
-- @param  path             text = ""              in which file; its first two directories count
-- @param  fix_hint         text? = null           how it is mended; kept for a lesson that has none
-- @param  node_id          int optional           the knowledge node that tells of it
-- @param  min_occurrences  int(1..1000) = 2       when it becomes a lesson
-- @param  now              time = now             at this time
-- @result id               int?                   the lesson; null: it is none yet
-- @result path_prefix      text                   its place
-- @result occurrences      int                    how often it was met by now
-- @native st_capture_record_lesson

-- @method capture.get_lessons  many  read
-- Lessons, those that were met most often first.
-- @param  repo            text optional      only of this repository
-- @param  tool            text optional      only of this tool
-- @param  path            text optional      only those whose place this file is in
-- @param  limit           int(1..1000) = 20  at most this many
-- @result id              int                the lesson
-- @result repo            text               its repository
-- @result tool            text               which tool finds it
-- @result rule_id         text               by which rule
-- @result path_prefix     text               where
-- @result summary         text               in short
-- @result fix_hint        text?              how it is mended
-- @result occurrences     int                how often it was met
-- @result first_seen_at   time               when first,
-- @result last_seen_at    time               and last
SELECT id, repo, tool, rule_id, path_prefix, summary, fix_hint, occurrences, first_seen_at, last_seen_at FROM lessons
 WHERE TRUE
   AND repo = :repo                                          -- @if repo
   AND tool = :tool                                          -- @if tool
   AND substr(:path, 1, length(path_prefix)) = path_prefix   -- @if path
 ORDER BY occurrences DESC, last_seen_at DESC, id LIMIT :limit;

-- @method capture.count_lesson  one  write  private
-- A lesson was met again.
-- @param  repo         text   its repository,
-- @param  tool         text   tool,
-- @param  rule_id      text   rule,
-- @param  path_prefix  text   and place
-- @param  fix_hint     text?  how it is mended
-- @param  now          time   at this time
-- @result id           int    the lesson
-- @result occurrences  int    how often it was met
UPDATE lessons SET occurrences = occurrences + 1, last_seen_at = :now, fix_hint = COALESCE(fix_hint, :fix_hint)
 WHERE repo = :repo AND tool = :tool AND rule_id = :rule_id AND path_prefix = :path_prefix
RETURNING id, occurrences;

-- @method capture.count_pending_lesson  one  write  private
-- What is no lesson yet was met.
-- @param  repo         text   its repository,
-- @param  tool         text   tool,
-- @param  rule_id      text   rule,
-- @param  path_prefix  text   and place
-- @param  now          time   at this time
-- @result occurrences  int    how often it was met
INSERT INTO lesson_pending (repo, tool, rule_id, path_prefix, count, first_seen_at)
VALUES (:repo, :tool, :rule_id, :path_prefix, 1, :now)
ON CONFLICT (repo, tool, rule_id, path_prefix) DO UPDATE SET count = lesson_pending.count + 1
RETURNING count AS occurrences;

-- @method capture.graduate_lesson  one  write  private
-- What was met often enough is a lesson from now on. One that is there already (other programs count both) is met more often.
-- @param  repo         text   its repository,
-- @param  tool         text   tool,
-- @param  rule_id      text   rule,
-- @param  path_prefix  text   and place
-- @param  summary      text   in short
-- @param  fix_hint     text?  how it is mended
-- @param  now          time   at this time
-- @result id           int    the lesson
INSERT INTO lessons (repo, tool, rule_id, path_prefix, summary, fix_hint, occurrences, first_seen_at, last_seen_at)
SELECT repo, tool, rule_id, path_prefix, :summary, :fix_hint, count, first_seen_at, :now FROM lesson_pending
 WHERE repo = :repo AND tool = :tool AND rule_id = :rule_id AND path_prefix = :path_prefix
ON CONFLICT (repo, tool, rule_id, path_prefix) DO UPDATE SET occurrences = lessons.occurrences + excluded.occurrences
RETURNING id;

-- @method capture.drop_pending_lesson  none  write  private
-- It is a lesson now.
-- @param  repo         text   its repository,
-- @param  tool         text   tool,
-- @param  rule_id      text   rule,
-- @param  path_prefix  text   and place
DELETE FROM lesson_pending
 WHERE repo = :repo AND tool = :tool AND rule_id = :rule_id AND path_prefix = :path_prefix;

-- @method capture.link_lesson  none  write  private
-- A knowledge node tells of a lesson.
-- @param  node_id    int   the node
-- @param  lesson_id  int   the lesson
-- @result linked     int changed   1, or 0 if there is no such node, or it was linked already
INSERT INTO knowledge_node_lessons (knowledge_node_id, lesson_id)
SELECT id, :lesson_id FROM knowledge_nodes WHERE id = :node_id
ON CONFLICT (knowledge_node_id, lesson_id) DO NOTHING;
