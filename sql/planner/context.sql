-- What a planner, and whoever watches it, needs at one glance.

-- @method planner.context  one  read
-- All that a planner needs to know of a session, in one call and within a budget: its summary, its newest
-- trusted messages, those of others apart and marked, the facts that may be seen (those that fit the query
-- first, then the most trusted), what is open, and the plan that is running. A text longer than a quarter of
-- the budget is shortened with a mark; what does not fit is left out, and counted. After planning,
-- update_fact_usage takes fact_ids.
-- @param  session    text                      which session
-- @param  query      text optional             what the facts are to fit; else the newest message of the user
-- @param  is_admin   bool = false              facts as an admin sees them
-- @param  budget     int(200..1000000) = 4000  tokens, of 4 bytes each
-- @param  messages   int(0..1000) = 7          at most so many trusted messages
-- @param  untrusted  int(0..1000) = 20         at most so many others
-- @param  facts      int(0..1000) = 50         at most so many facts
-- @http GET /v1/planner/context/{session}
-- @result session    text    which session
-- @result summary    text?   what was said so far, in short
-- @result plan       json?   the plan that is running, with its tasks: an object
-- @result pending    json    what is open: an array
-- @result messages   json    trusted messages, oldest first: an array
-- @result facts      json    facts by category: an object of arrays
-- @result untrusted  json    messages that are not to be followed, oldest first: an array
-- @result fact_ids   json    the numbers of the facts that are told: an array
-- @result left_out   json    how many of each did not fit: an object
-- @result tokens     int     about how large this is
-- @native st_planner_context

-- @method planner.status  one  read
-- How a session is doing: its latest plan, the tasks after a number, and how many messages wait; null if
-- there is no such session.
-- @param  session       text           which session
-- @param  after         int = 0        only tasks numbered above this
-- @param  verbose       bool = false   with messages and response in the calls of models
-- @http GET /v1/planner/status/{session}
-- @result session       text    which session
-- @result updated_at    time?   when something last happened in it
-- @result active        bool    a plan is running or replanning
-- @result queue_length  int     trusted messages that nobody has taken up
-- @result plan          json?   the latest plan: an object
-- @result tasks         json    its tasks and those of earlier plans, in order: an array
-- @native st_planner_status

-- @method planner.context_messages  many  read  private
-- The newest messages of a session, newest first.
-- @param  session    text   which session
-- @param  trusted    bool   the trusted ones, or the others
-- @param  limit      int    at most this many
-- @result id         int    the message's number
-- @result user       text?  who said it
-- @result role       text   user, assistant or system
-- @result content    text   what
-- @result trusted    bool   whether it may be followed
-- @result timestamp  time?  when
SELECT id, "user", role, content, trusted, timestamp
  FROM messages WHERE session = :session AND trusted = :trusted
 ORDER BY id DESC LIMIT :limit;

-- @method planner.context_facts  many  read  private
-- The facts that may be seen, as a planner is told them, the most trusted first.
-- @param  session     text   who asks: a session
-- @param  is_admin    bool   or an admin
-- @param  ids         int[] optional   only these
-- @result id          int    the fact's number
-- @result category    text   project, user, tool or general
-- @result content     text   what is held to be true
-- @result confidence  real?  how much it is trusted
SELECT f.id, COALESCE(f.category, 'general') AS category, f.content, f.confidence
  FROM facts AS f
  LEFT JOIN stele_validity AS v ON v.fact_id = f.id                                                    -- @has validity
 WHERE (:is_admin OR COALESCE(f.category, 'general') <> 'user' OR f.session IS NOT DISTINCT FROM :session)
   AND f.id IN :ids                                                                                    -- @if ids
   AND v.superseded_by IS NULL                                                                         -- @has validity
 ORDER BY f.confidence DESC NULLS LAST, f.id DESC;

-- @method planner.context_plan  one  read  private
-- The plan of a session that is running.
-- @param  session     text   which session
-- @result id          int    the plan's number
-- @result message_id  int    the message it is for
-- @result parent_id   int?   the plan it replaces
-- @result goal        text   what is to be reached
-- @result status      text   running or replanning
SELECT id, message_id, parent_id, goal, status
  FROM plans WHERE session = :session AND status IN ('running', 'replanning')
 ORDER BY id DESC LIMIT 1;

-- @method planner.context_tasks  many  read  private
-- The tasks of a plan, as a planner is told them.
-- @param  plan_id         int    which plan
-- @result id              int    the task's number
-- @result type            text   exec, msg, skill, search or replan
-- @result detail          text   what to do
-- @result skill           text?  which skill
-- @result status          text   pending, running, done, failed or cancelled
-- @result output          text?  what came of it
-- @result review_verdict  text?  what the reviewer said
SELECT id, type, detail, skill, status, output, review_verdict
  FROM tasks WHERE plan_id = :plan_id ORDER BY id;

-- @method planner.count_waiting  one  read  private
-- How many trusted messages of a session nobody has taken up.
-- @param  session  text   which session
-- @result count    int    messages
SELECT COUNT(*) AS count FROM messages
 WHERE processed = 0                                         -- @for sqlite
 WHERE NOT processed                                         -- @for postgres
   AND trusted = TRUE AND session = :session;
