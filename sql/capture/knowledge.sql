-- Knowledge: nodes that say what was learned from events, segments, pages and runs.

-- @method capture.write_knowledge_node  one  write
-- Keep what was learned from tickets that are held with a token, and complete them: the node, its links, its entities and
-- the queue, or nothing of it. An earlier observation that was learned from these segments alone is replaced. Of pages
-- and runs, a node that says exactly the same already is used again. What was learned from a run is also linked with what led to
-- it: commands at its commit, or else pushes within a quarter of an hour, and agents' segments of that time. DENIED as with complete.
-- @param  queue               text(agentic|browser|shell|workflow)   which queue
-- @param  tickets             int[]                     what it was learned from
-- @param  token               text                      as claim told
-- @param  content             jsontext                  an object with summary and intent; of outcome, tags, key_decisions,
--    problems_encountered, design_decisions and entities, what is there must be as documented; other keys are kept
-- @param  embed_text          text                      what is embedded
-- @param  node_type           text(observation|change_outcome) optional   what kind; if not given, a change_outcome of a run and an
--    observation of anything else
-- @param  outcome             text(success|partial|failure|unknown)? = null      how it went; if not given, what content says
-- @param  tags                jsontext? = null          an array of texts; if not given, what content says
-- @param  enrichment_model    text? = null              what learned it
-- @param  enrichment_version  int = 3                   and in which way
-- @param  entities            capture.upsert_entity[] optional   what it speaks about; they belong together from then on. If not
--    given: projects, tools, files, services, errors (concepts), env_vars and domains of content.entities
-- @param  home                text optional             what ~ stands for in those of content
-- @param  project_roots       text optional             directories of projects, separated by colons, for those of content
-- @param  uuid                uuid = new                its identifier
-- @param  now                 time = now                at this time
-- @result id                  int                       the node
-- @result uuid                text                      its identifier
-- @result replaced            int                       how many nodes it replaces
-- @feature claims
-- @feature embeddings
-- @feature removed_nodes
-- @native st_capture_write_knowledge_node

-- @method capture.get_node  one  read
-- A knowledge node, or null.
-- @param  uuid                text      which
-- @result id                  int       the node
-- @result uuid                text      its identifier
-- @result content             jsontext  what was learned
-- @result embed_text          text      what is embedded
-- @result node_type           text      what kind
-- @result outcome             text?     how it went
-- @result tags                jsontext? an array of texts
-- @result enrichment_model    text?     what learned it
-- @result enrichment_version  int       and in which way
-- @result entities            json      what it speaks about: id, type, name
-- @result created_at          time      when it was learned
SELECT n.id, n.uuid, n.content, n.embed_text, n.node_type, n.outcome, n.tags, n.enrichment_model, n.enrichment_version,
       COALESCE((SELECT json_group_array(json_object('id', e.id, 'type', e.type, 'name', e.name))
                   FROM (SELECT id, type, name FROM entities
                          WHERE id IN (SELECT entity_id FROM knowledge_node_entities WHERE knowledge_node_id = n.id)
                          ORDER BY id) AS e), '[]') AS entities,
       n.created_at
  FROM knowledge_nodes AS n WHERE n.uuid = :uuid;

-- @method capture.find_same_node  one  read  private
-- A node that says exactly the same.
-- @param  content     text   what was learned
-- @param  embed_text  text   what is embedded
-- @param  node_type   text   what kind
-- @result id          int    the node
-- @result uuid        text   its identifier
SELECT id, uuid FROM knowledge_nodes
 WHERE content = :content AND embed_text = :embed_text AND node_type = :node_type ORDER BY id LIMIT 1;

-- @method capture.insert_node  one  write  private
-- Write a node.
-- @param  uuid                text   its identifier
-- @param  content             text   what was learned
-- @param  embed_text          text   what is embedded
-- @param  node_type           text   what kind
-- @param  outcome             text?  how it went
-- @param  tags                text?  an array of texts
-- @param  enrichment_model    text?  what learned it
-- @param  enrichment_version  int    and in which way
-- @param  now                 time   at this time
-- @result id                  int    the node
-- @result uuid                text   its identifier
-- @else INVALID uuid
INSERT INTO knowledge_nodes (uuid, content, embed_text, node_type, outcome, tags, enrichment_model, enrichment_version,
                             created_at, updated_at)
VALUES (:uuid, :content, :embed_text, :node_type, :outcome, :tags, :enrichment_model, :enrichment_version, :now, :now)
ON CONFLICT (uuid) DO NOTHING
RETURNING id, uuid;

-- @method capture.link_node  none  write  private
-- A node was learned from what a ticket stands for.
-- @param  queue    text   which queue
-- @param  id       int    the ticket
-- @param  node_id  int    the node
INSERT INTO knowledge_node_agentic_sessions (knowledge_node_id, agentic_session_id)
SELECT :node_id, session_id FROM agentic_enrichment_queue WHERE :queue = 'agentic' AND id = :id
ON CONFLICT (knowledge_node_id, agentic_session_id) DO NOTHING;
INSERT INTO knowledge_node_browser_events (knowledge_node_id, browser_event_id)
SELECT :node_id, browser_event_id FROM browser_enrichment_queue WHERE :queue = 'browser' AND id = :id
ON CONFLICT (knowledge_node_id, browser_event_id) DO NOTHING;
INSERT INTO knowledge_node_events (knowledge_node_id, event_id)
SELECT :node_id, event_id FROM enrichment_queue WHERE :queue = 'shell' AND id = :id
ON CONFLICT (knowledge_node_id, event_id) DO NOTHING;
INSERT INTO knowledge_node_workflow_runs (knowledge_node_id, run_id)
SELECT :node_id, run_id FROM workflow_enrichment_queue WHERE :queue = 'workflow' AND run_id = :id
ON CONFLICT (knowledge_node_id, run_id) DO NOTHING;

-- @method capture.link_run_node  none  write  private
-- What was learned from a run has to do with commands at its commit (of whose name seven characters are enough), or else with
-- pushes around the time when it began, and with agents' segments of that time.
-- @param  run_id   int        the run
-- @param  node_id  int        the node
-- @param  around   int        milliseconds before and after
INSERT INTO knowledge_node_events (knowledge_node_id, event_id)
SELECT :node_id, e.id
  FROM workflow_runs AS w JOIN events AS e
    ON length(e.git_commit) >= 7 AND substr(w.head_sha, 1, length(e.git_commit)) = e.git_commit
 WHERE w.id = :run_id AND e.probe_tag IS NULL
ON CONFLICT (knowledge_node_id, event_id) DO NOTHING;
INSERT INTO knowledge_node_events (knowledge_node_id, event_id)
SELECT :node_id, e.id
  FROM workflow_runs AS w JOIN events AS e
    ON e.timestamp BETWEEN COALESCE(w.started_at, w.first_seen_at) - :around AND COALESCE(w.started_at, w.first_seen_at) + :around
 WHERE w.id = :run_id AND e.probe_tag IS NULL AND replace(e.command, 'git push', '') <> e.command
   AND NOT EXISTS (SELECT 1 FROM events AS c WHERE c.probe_tag IS NULL AND length(c.git_commit) >= 7
                      AND substr(w.head_sha, 1, length(c.git_commit)) = c.git_commit)
ON CONFLICT (knowledge_node_id, event_id) DO NOTHING;
INSERT INTO knowledge_node_agentic_sessions (knowledge_node_id, agentic_session_id)
SELECT :node_id, a.id
  FROM workflow_runs AS w JOIN agentic_sessions AS a
    ON a.start_time <= COALESCE(w.started_at, w.first_seen_at) + :around
   AND a.end_time >= COALESCE(w.started_at, w.first_seen_at) - :around
 WHERE w.id = :run_id AND a.probe_tag IS NULL
ON CONFLICT (knowledge_node_id, agentic_session_id) DO NOTHING;

-- @method capture.link_shown_entities  none  write  private
-- What a node speaks about is mentioned in the events it was learned from.
-- @param  node_id  int    the node
-- @param  now      time   at this time
INSERT INTO event_entities (event_id, entity_id, role, created_at)
SELECT l.event_id, e.entity_id, 'mentioned', :now
  FROM knowledge_node_events AS l JOIN knowledge_node_entities AS e ON e.knowledge_node_id = l.knowledge_node_id
 WHERE l.knowledge_node_id = :node_id
ON CONFLICT (event_id, entity_id, role) DO NOTHING;

-- @method capture.find_replaced_node  one  read  private
-- An observation that was learned from segments of these tickets and from nothing else.
-- @param  tickets  int[]   of the queue agentic
-- @result id       int     the node
SELECT n.id FROM knowledge_nodes AS n
 WHERE n.node_type = 'observation'
   AND n.id IN (SELECT l.knowledge_node_id FROM knowledge_node_agentic_sessions AS l
                  JOIN agentic_enrichment_queue AS q ON q.session_id = l.agentic_session_id
                 WHERE q.id IN :tickets)
   AND NOT EXISTS (SELECT 1 FROM knowledge_node_agentic_sessions AS l
                     LEFT JOIN agentic_enrichment_queue AS q ON q.session_id = l.agentic_session_id
                    WHERE l.knowledge_node_id = n.id AND (q.id IS NULL OR NOT q.id IN :tickets))
   AND NOT EXISTS (SELECT 1 FROM knowledge_node_events AS l WHERE l.knowledge_node_id = n.id)
   AND NOT EXISTS (SELECT 1 FROM knowledge_node_browser_events AS l WHERE l.knowledge_node_id = n.id)
   AND NOT EXISTS (SELECT 1 FROM knowledge_node_workflow_runs AS l WHERE l.knowledge_node_id = n.id)
 ORDER BY n.id LIMIT 1;

-- @method capture.remove_node  none  write  private
-- Remove a node with all that hangs on it: its evidence, links, vector; the search table follows by its triggers. What
-- else was made from it is noted as due.
-- @param  id   int    the node
-- @param  now  time   at this time
-- @feature embeddings
-- @feature removed_nodes
UPDATE relationships SET evidence_count = evidence_count - 1, weight = weight - 1
 WHERE relationship = 'co_occurs'
   AND from_entity_id IN (SELECT entity_id FROM knowledge_node_entities WHERE knowledge_node_id = :id)
   AND to_entity_id IN (SELECT entity_id FROM knowledge_node_entities WHERE knowledge_node_id = :id);
DELETE FROM relationships WHERE relationship = 'co_occurs' AND evidence_count <= 0;
DELETE FROM knowledge_node_entities WHERE knowledge_node_id = :id;
DELETE FROM knowledge_node_agentic_sessions WHERE knowledge_node_id = :id;
DELETE FROM knowledge_node_claude_sessions WHERE knowledge_node_id = :id;
DELETE FROM knowledge_node_lessons WHERE knowledge_node_id = :id;
DELETE FROM stele_embeddings WHERE kind IN ('node', 'node_command') AND id = CAST(:id AS TEXT);
INSERT INTO stele_removed_nodes (node_id, uuid, removed_at)
SELECT id, uuid, :now FROM knowledge_nodes WHERE id = :id
ON CONFLICT (node_id) DO UPDATE SET uuid = excluded.uuid, removed_at = excluded.removed_at;
DELETE FROM knowledge_nodes WHERE id = :id;
