-- What of this store can be found: see docs/grammar.md. Never a probe, nor what was learned from one.

-- @source event events id int
-- Commands of shells and tool calls of agents, with what they printed.
-- @watch session_id, timestamp, command, stdout, stderr, cwd, tool_name, probe_tag
-- @when new.probe_tag IS NULL
SELECT e.id AS id, e.tool_name AS title, e.command AS text, COALESCE(e.stdout, '') || ' | ' || COALESCE(e.stderr, '') AS extra, e.timestamp AS time,
       e.cwd AS project, (SELECT s.terminal FROM sessions AS s WHERE s.id = e.session_id) AS session, e.source_kind AS role,
       CAST(NULL AS TEXT) AS url
  FROM events AS e WHERE e.probe_tag IS NULL;

-- @source visit browser_events id int
-- Pages that were read.
-- @watch timestamp, url, title, domain, extracted_text, search_query, probe_tag
-- @when new.probe_tag IS NULL
SELECT b.id AS id, b.title AS title, b.extracted_text AS text, b.domain || ' | ' || COALESCE(b.search_query, '') AS extra, b.timestamp AS time,
       CAST(NULL AS TEXT) AS project, CAST(NULL AS TEXT) AS session, b.domain AS role, b.url AS url
  FROM browser_events AS b WHERE b.probe_tag IS NULL;

-- @source segment agentic_sessions id int
-- Segments of agents' sessions: what they were about, and what was asked.
-- @watch session_id, harness, cwd, title, summary_text, user_prompts_json, start_time, probe_tag
-- @when new.probe_tag IS NULL
SELECT a.id AS id, a.title AS title, a.summary_text AS text, a.user_prompts_json AS extra, a.start_time AS time,
       a.cwd AS project, a.session_id AS session, a.harness AS role, CAST(NULL AS TEXT) AS url
  FROM agentic_sessions AS a WHERE a.probe_tag IS NULL;

-- @source run workflow_runs id int
-- Runs of workflows.
-- @watch repo, head_sha, head_branch, event, status, conclusion, actor, started_at, html_url
SELECT r.id AS id, r.repo AS title,
       COALESCE(r.head_branch, '') || ' | ' || r.event || ' | ' || COALESCE(r.conclusion, r.status) || ' | ' || r.head_sha || ' | ' || COALESCE(r.actor, '') AS text,
       CAST(NULL AS TEXT) AS extra, COALESCE(r.started_at, r.first_seen_at) AS time,
       r.repo AS project, CAST(NULL AS TEXT) AS session, COALESCE(r.conclusion, r.status) AS role, r.html_url AS url
  FROM workflow_runs AS r;

-- @source annotation workflow_annotations id int
-- What a job of a workflow found wrong, and where.
-- @watch level, tool, rule_id, path, message
SELECT a.id AS id, COALESCE(a.path, '') || ' | ' || COALESCE(a.tool, '') || ' | ' || COALESCE(a.rule_id, '') AS title, a.message AS text, j.name AS extra,
       COALESCE(j.started_at, r.first_seen_at) AS time,
       r.repo AS project, CAST(NULL AS TEXT) AS session, a.level AS role, r.html_url AS url
  FROM workflow_annotations AS a JOIN workflow_jobs AS j ON j.id = a.job_id JOIN workflow_runs AS r ON r.id = j.run_id;

-- @source log workflow_log_excerpts id int
-- The telling lines of a job's log.
-- @watch step_name, excerpt
SELECT l.id AS id, j.name || ' | ' || COALESCE(l.step_name, '') AS title, l.excerpt AS text, CAST(NULL AS TEXT) AS extra,
       COALESCE(j.started_at, r.first_seen_at) AS time,
       r.repo AS project, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS role, r.html_url AS url
  FROM workflow_log_excerpts AS l JOIN workflow_jobs AS j ON j.id = l.job_id JOIN workflow_runs AS r ON r.id = j.run_id;

-- @source lesson lessons id int
-- What went wrong more than once, and how to do better.
-- @watch repo, tool, rule_id, path_prefix, summary, fix_hint
SELECT l.id AS id, l.tool || ' | ' || l.rule_id || ' | ' || l.path_prefix AS title, l.summary AS text, l.fix_hint AS extra, l.last_seen_at AS time,
       l.repo AS project, CAST(NULL AS TEXT) AS session, CAST(NULL AS TEXT) AS role, CAST(NULL AS TEXT) AS url
  FROM lessons AS l;

-- @source node knowledge_nodes id int
-- What was learned from events and sessions, at the time of the latest of them.
-- @watch content, embed_text, node_type, outcome
SELECT n.id AS id, CAST(NULL AS TEXT) AS title, n.embed_text AS text, n.content AS extra,
       MAX(                                                                                                           -- @for sqlite
       GREATEST(                                                                                                      -- @for postgres
           n.created_at,
           COALESCE((SELECT MAX(e.timestamp) FROM knowledge_node_events AS l JOIN events AS e ON e.id = l.event_id
                      WHERE l.knowledge_node_id = n.id), 0),
           COALESCE((SELECT MAX(a.start_time) FROM knowledge_node_agentic_sessions AS l JOIN agentic_sessions AS a ON a.id = l.agentic_session_id
                      WHERE l.knowledge_node_id = n.id), 0),
           COALESCE((SELECT MAX(b.timestamp) FROM knowledge_node_browser_events AS l JOIN browser_events AS b ON b.id = l.browser_event_id
                      WHERE l.knowledge_node_id = n.id), 0)) AS time,
       CAST(NULL AS TEXT) AS project, CAST(NULL AS TEXT) AS session, n.node_type AS role, CAST(NULL AS TEXT) AS url
  FROM knowledge_nodes AS n
 WHERE NOT EXISTS (SELECT 1 FROM knowledge_node_events AS l JOIN events AS e ON e.id = l.event_id
                    WHERE l.knowledge_node_id = n.id AND e.probe_tag IS NOT NULL)
   AND NOT EXISTS (SELECT 1 FROM knowledge_node_agentic_sessions AS l JOIN agentic_sessions AS a ON a.id = l.agentic_session_id
                    WHERE l.knowledge_node_id = n.id AND a.probe_tag IS NOT NULL)
   AND NOT EXISTS (SELECT 1 FROM knowledge_node_browser_events AS l JOIN browser_events AS b ON b.id = l.browser_event_id
                    WHERE l.knowledge_node_id = n.id AND b.probe_tag IS NOT NULL);
