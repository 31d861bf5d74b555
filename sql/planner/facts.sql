-- Facts: what is held to be true, and fades when nobody uses it.
--
-- Who sees a fact is one rule, the same wherever facts are told: those of category user only in their own
-- session and by admins, all others everywhere. Without a session, user facts that have none are seen.

-- @method planner.save_fact  one  write
-- Keep a fact. On request it is linked to what is known already: with link, one that is there in the same
-- words (and visible there) is not kept twice; with replaces, the fact that it replaces is no longer told.
-- @param  content     text               what is held to be true
-- @param  source      text               who says so: curator, summarizer, manual, consolidation
-- @param  session     text? = null       where it comes from; of a user fact also: where alone it is seen
-- @param  category    text = "general"   project, user, tool or general
-- @param  confidence  real(0..1) = 1.0   how much it is trusted
-- @param  link        bool = false       do not keep twice what is known in the same words
-- @param  replaces    int optional       the fact that is no longer true
-- @param  valid_from  time optional      since when it is so
-- @param  now         time = now         when it became known
-- @result id          int                the fact's number
-- @result existing    bool               it was known already; its number is told
-- @native st_planner_save_fact

-- @method planner.insert_fact  one  write  private
-- Write a fact.
-- @param  content     text    what is held to be true
-- @param  source      text    who says so
-- @param  session     text?   where it comes from
-- @param  category    text    its category
-- @param  confidence  real    how much it is trusted
-- @param  now         time    when it became known
-- @result id          int     its number
INSERT INTO facts (content, source, session, category, confidence, created_at)
VALUES (:content, :source, :session, :category, :confidence, :now)
RETURNING id;

-- @method planner.set_valid_from  none  write  private
-- Note since when a fact is so.
-- @param  id          int    which fact
-- @param  valid_from  time   since when
-- @feature validity
INSERT INTO stele_validity (fact_id, valid_from) VALUES (:id, :valid_from)
ON CONFLICT (fact_id) DO UPDATE SET valid_from = excluded.valid_from;

-- @method planner.set_superseded  none  write  private
-- Note that a fact was replaced.
-- @param  id   int    which fact
-- @param  by   int    by which
-- @param  now  time   when
-- @feature validity
INSERT INTO stele_validity (fact_id, superseded_by, superseded_at) VALUES (:id, :by, :now)
ON CONFLICT (fact_id) DO UPDATE SET superseded_by = excluded.superseded_by, superseded_at = excluded.superseded_at;
UPDATE facts SET category = category WHERE id = :id; -- so that the search index looks at it again

-- @method planner.update_fact  none  write
-- Change what is named of a fact. It keeps its number.
-- @param  id          int                   which fact
-- @param  content     text optional         what is held to be true
-- @param  category    text optional         project, user, tool or general
-- @param  confidence  real(0..1) optional   how much it is trusted
-- @else NOTFOUND id
UPDATE facts
   SET use_count = use_count
     , content = :content                                    -- @if content
     , category = :category                                  -- @if category
     , confidence = :confidence                              -- @if confidence
 WHERE id = :id;

-- @method planner.get_fact  one  read
-- A fact, also one that was replaced; null if there is none that may be seen.
-- @param  id             int            which
-- @param  session        text? = null   who asks: a session
-- @param  is_admin       bool = false   or an admin, who sees all
-- @result id             int     the fact's number
-- @result content        text    what is held to be true
-- @result source         text    who says so: curator, summarizer, manual, consolidation
-- @result session        text?   where it comes from
-- @result category       text?   project, user, tool or general
-- @result confidence     real?   how much it is trusted, from 0 to 1
-- @result last_used      time?   when it last helped to plan
-- @result use_count      int?    how often it did
-- @result created_at     time?   when it became known
-- @result valid_from     time?   since when it is so, if that was said
-- @result superseded_by  int?    the fact that has replaced it
SELECT f.id, f.content, f.source, f.session, f.category, f.confidence, datetime(f.last_used) AS last_used,
       f.use_count, f.created_at,
       v.valid_from, v.superseded_by                                                                   -- @has validity
       CAST(NULL AS TEXT) AS valid_from, CAST(NULL AS BIGINT) AS superseded_by                         -- @lacks validity
  FROM facts AS f
  LEFT JOIN stele_validity AS v ON v.fact_id = f.id                                                    -- @has validity
 WHERE f.id = :id
   AND (:is_admin OR COALESCE(f.category, 'general') <> 'user' OR f.session IS NOT DISTINCT FROM :session);

-- @method planner.get_facts  many  read
-- The facts that may be seen.
-- @param  session             text? = null        who asks: a session
-- @param  is_admin            bool = false        or an admin, who sees all
-- @param  category            text optional       only of this category
-- @param  include_superseded  bool = false        those that were replaced too
-- @param  after               int = 0             only those numbered above this
-- @param  limit               int(1..) optional   at most this many
-- @http GET /v1/facts
-- @result id             int     the fact's number
-- @result content        text    what is held to be true
-- @result source         text    who says so: curator, summarizer, manual, consolidation
-- @result session        text?   where it comes from
-- @result category       text?   project, user, tool or general
-- @result confidence     real?   how much it is trusted, from 0 to 1
-- @result last_used      time?   when it last helped to plan
-- @result use_count      int?    how often it did
-- @result created_at     time?   when it became known
-- @result valid_from     time?   since when it is so, if that was said
-- @result superseded_by  int?    the fact that has replaced it
SELECT f.id, f.content, f.source, f.session, f.category, f.confidence, datetime(f.last_used) AS last_used,
       f.use_count, f.created_at,
       v.valid_from, v.superseded_by                                                                   -- @has validity
       CAST(NULL AS TEXT) AS valid_from, CAST(NULL AS BIGINT) AS superseded_by                         -- @lacks validity
  FROM facts AS f
  LEFT JOIN stele_validity AS v ON v.fact_id = f.id                                                    -- @has validity
 WHERE (:is_admin OR COALESCE(f.category, 'general') <> 'user' OR f.session IS NOT DISTINCT FROM :session)
   AND f.id > :after
   AND f.category = :category                                                                          -- @if category
   AND (:include_superseded OR v.superseded_by IS NULL)                                                -- @has validity
 ORDER BY f.id
 LIMIT :limit                                                                                          -- @if limit
;

-- @method planner.search_facts  many  read
-- Find facts by their words, best first: among those that may be seen, the ones that have all words; if
-- none has, those that have some, and a remark says so. Words, "phrases", OR, NOT and prefix* are
-- understood; any other text is looked for as it is. Without a word in it nothing is found.
-- @param  query          text                            what to look for
-- @param  session        text? = null                    who asks: a session
-- @param  is_admin       bool = false                    or an admin, who sees all
-- @param  limit          int(1..1000) = 15               at most this many
-- @param  offset         int(0..100000) = 0              after leaving out this many
-- @param  match          text(auto|all|any) = "auto"     all: all words; any: some of them; auto: the first, else the second
-- @param  category       text optional                   only of this category
-- @http GET /v1/facts/search
-- @result id             int     the fact's number
-- @result content        text    what is held to be true
-- @result source         text    who says so: curator, summarizer, manual, consolidation
-- @result session        text?   where it comes from
-- @result category       text?   project, user, tool or general
-- @result confidence     real?   how much it is trusted, from 0 to 1
-- @result last_used      time?   when it last helped to plan
-- @result use_count      int?    how often it did
-- @result created_at     time?   when it became known
-- @result valid_from     time?   since when it is so, if that was said
-- @result superseded_by  int?    the fact that has replaced it
-- @result score          real    how well it fits: more is better
-- @native st_planner_search_facts

-- @method planner.find_facts  many  read  private
-- The facts that may be seen, and which of them a search must look at. The search table cuts words of
-- other scripts in another way than Stele, and is not up to date without its triggers: then all of them.
-- @param  session    text?           who asks: a session
-- @param  is_admin   bool            or an admin
-- @param  category   text optional   only of this category
-- @param  match      text optional   what the search table is to be asked
-- @result id         int             a fact
-- @result candidate  bool            it may have the words
SELECT f.id,
       (f.id IN (SELECT s.rowid FROM kiso_facts_fts AS s WHERE kiso_facts_fts MATCH :match)            -- @if match @has facts_fts @for sqlite
        OR f.content GLOB '*[^ -~]*'                                                                   -- @if match @has facts_fts @for sqlite
        OR (SELECT COUNT(*) FROM sqlite_master AS t WHERE t.type = 'trigger' AND t.tbl_name = 'facts'  -- @if match @has facts_fts @for sqlite
             AND t.name IN ('facts_fts_insert', 'facts_fts_update', 'facts_fts_delete')) < 3) AND      -- @if match @has facts_fts @for sqlite
       TRUE AS candidate
  FROM facts AS f
  LEFT JOIN stele_validity AS v ON v.fact_id = f.id                                                    -- @has validity
 WHERE (:is_admin OR COALESCE(f.category, 'general') <> 'user' OR f.session IS NOT DISTINCT FROM :session)
   AND f.category = :category                                                                          -- @if category
   AND v.superseded_by IS NULL                                                                         -- @has validity
 ORDER BY f.id;

-- @method planner.find_fact_texts  many  read  private
-- What is searched of some facts.
-- @param  ids      int[]   the facts
-- @result id       int     the fact
-- @result content  text    what is held to be true
SELECT id, content FROM facts WHERE id IN :ids;

-- @method planner.update_fact_usage  none  write
-- Count that facts have helped to plan: their decay begins anew, and they gain confidence, if that is wanted.
-- @param  ids            int[]              which facts
-- @param  fact_use_gain  real(0..1) = 0.0   how much confidence they gain, up to 1
-- @param  now            time = now         when
-- @result updated        int changed        facts that were there
UPDATE facts
   SET use_count = COALESCE(use_count, 0) + 1, last_used = :now,
       confidence = CASE WHEN :fact_use_gain = 0 THEN confidence
                         WHEN confidence + :fact_use_gain > 1 THEN 1
                         ELSE confidence + :fact_use_gain END
 WHERE id IN :ids;

-- @method planner.decay_facts  none  write
-- Take confidence from facts that nobody has used for some days: one step per call, down to 0.
-- @param  fact_decay_days  int(0..) = 7         used within so many days: no decay
-- @param  fact_decay_rate  real(0..1) = 0.1     how much is taken
-- @param  now              time = now           when
-- @result decayed          int changed          facts that were not used
UPDATE facts
   SET confidence = CASE WHEN confidence - :fact_decay_rate < 0 THEN 0 ELSE confidence - :fact_decay_rate END
 WHERE COALESCE(datetime(last_used), datetime(created_at)) < datetime(:now, '-' || :fact_decay_days || ' days');

-- @method planner.archive_low_confidence_facts  none  write
-- Move facts whose confidence is below a threshold to the archive, except those under a legal hold.
-- @param  fact_archive_threshold  real(0..1) = 0.3   the least that stays
-- @param  now                     time = now         when
-- @result archived                int changed 2      facts moved
INSERT INTO facts_archive (original_id, content, source, session, category, confidence, last_used, use_count,
                           archived_at, created_at)
SELECT id, content, source, session, category, confidence, last_used, use_count, :now, created_at
  FROM facts WHERE confidence < :fact_archive_threshold
   AND NOT EXISTS (SELECT 1 FROM stele_held_fact AS h WHERE h.id = facts.id)                                   -- @has holds
 ORDER BY id;
DELETE FROM facts WHERE confidence < :fact_archive_threshold
   AND NOT EXISTS (SELECT 1 FROM stele_held_fact AS h WHERE h.id = facts.id)                                   -- @has holds
;

-- @method planner.fade_facts  one  write
-- What decay_facts and then archive_low_confidence_facts do, in one transaction. A key such as the date makes
-- a day's second call do nothing.
-- @param  fact_decay_days         int(0..) = 7         used within so many days: no decay
-- @param  fact_decay_rate         real(0..1) = 0.1     how much is taken
-- @param  fact_archive_threshold  real(0..1) = 0.3     the least that stays
-- @param  now                     time = now           when
-- @param  idempotency_key         text optional        a repeated call with the same key writes nothing
-- @idempotent idempotency_key
-- @result decayed                 int                  facts that were not used
-- @result archived                int                  facts moved
-- @native st_planner_fade_facts

-- @method planner.get_archived_facts  many  read
-- Facts that have faded, of those that may be seen, the latest first.
-- @param  session      text? = null   who asks: a session
-- @param  is_admin     bool = false   or an admin, who sees all
-- @param  limit        int = -1       at most this many; negative: all
-- @param  offset       int(0..) = 0   after leaving out this many
-- @result id           int     its number in the archive
-- @result original_id  int?    the number it had as a fact
-- @result content      text    what was held to be true
-- @result source       text    who said so
-- @result session      text?   where it came from
-- @result category     text?   project, user, tool or general
-- @result confidence   real?   how much it was trusted in the end
-- @result last_used    time?   when it last helped to plan
-- @result use_count    int?    how often it did
-- @result archived_at  time?   when it was moved
-- @result created_at   time?   when it became known
SELECT f.id, f.original_id, f.content, f.source, f.session, f.category, f.confidence, datetime(f.last_used) AS last_used,
       f.use_count, f.archived_at, f.created_at
  FROM facts_archive AS f
 WHERE (:is_admin OR COALESCE(f.category, 'general') <> 'user' OR f.session IS NOT DISTINCT FROM :session)
 ORDER BY f.id DESC
 LIMIT :limit                                                                                          -- @for sqlite
 LIMIT CASE WHEN :limit < 0 THEN NULL ELSE :limit END                                                  -- @for postgres
OFFSET :offset;

-- @method planner.restore_fact  one  write
-- Bring a fact back from the archive, under its old number if that is free. Its decay begins anew.
-- @param  id          int                its number in the archive
-- @param  confidence  real(0..1) = 1.0   how much it is trusted from now on
-- @param  now         time = now         when
-- @result id          int                the fact's number
-- @native st_planner_restore_fact

-- @method planner.copy_from_archive  one  write  private
-- Write a fact anew that is in the archive.
-- @param  id          int    its number in the archive
-- @param  confidence  real   how much it is trusted
-- @param  now         time   when
-- @result id          int    the fact's number
INSERT INTO facts (id, content, source, session, category, confidence, last_used, use_count, created_at)
SELECT COALESCE(CASE WHEN NOT EXISTS (SELECT 1 FROM facts AS f WHERE f.id = a.original_id) THEN a.original_id END,
                nextval(pg_get_serial_sequence('facts', 'id')),                                        -- @for postgres
                NULL),
       a.content, a.source, a.session, a.category, :confidence, :now, a.use_count, COALESCE(a.created_at, :now)
  FROM facts_archive AS a WHERE a.id = :id
RETURNING id;

-- @method planner.delete_from_archive  none  write  private
-- Take a fact out of the archive.
-- @param  id  int   its number there
DELETE FROM facts_archive WHERE id = :id;

-- @method planner.delete_facts  none  write
-- Delete facts for good.
-- @param  ids      int[]         which
-- @result deleted  int changed   facts that were there
DELETE FROM facts WHERE id IN :ids;

-- @method planner.consolidate_facts  one  write
-- Put facts in order, in one transaction: some are kept, some changed, some deleted, some new. Those that
-- stay keep their numbers. A fact that is named and not there, or named twice, and nothing is done.
-- @param  keep           int[] = []                   facts that must be there, and stay as they are
-- @param  update         planner.update_fact[] = []   facts to change
-- @param  delete         int[] = []                   facts to delete
-- @param  insert         planner.save_fact[] = []     new facts
-- @param  keep_at_least  real(0..1) = 0.0             nothing is done if less than this part of all facts would be left
-- @result kept           int                          facts that must be there, and are
-- @result updated        int                          facts changed
-- @result deleted        int                          facts deleted
-- @result inserted       int                          facts that were not known yet
-- @result ids            json                         the numbers of the new facts, in order
-- @native st_planner_consolidate_facts

-- @method planner.look_fact  one  read  private
-- Whether a fact is there.
-- @param  id  int   which
-- @result id  int   the same
SELECT id FROM facts WHERE id = :id;

-- @method planner.count_facts  one  read  private
-- How many facts there are.
-- @result count  int   facts
SELECT COUNT(*) AS count FROM facts;
