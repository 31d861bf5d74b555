-- Finding knowledge: by its words, by its meaning, by both, or by its age. Filters say which nodes are looked at; ranking comes after.

-- @method capture.search_knowledge  many  read
-- Find knowledge. lexical: nodes that have the words, those with all of them one after another first, then those with all, then
-- those with some; semantic: nodes near in meaning, without saying the same twice; hybrid: both lists joined by rank; recent: the
-- latest of those that have the words, or of all. hybrid without a vector is lexical, and a remark says so.
-- @param  query           text? = null        what is looked for; semantic needs none, recent can do without
-- @param  mode            text(lexical|semantic|hybrid|recent) = "hybrid"   how
-- @param  vector          vector optional     the embedding of what is looked for
-- @param  model           text optional       what made it: refused if the embeddings here were made by another one
-- @param  collection      text(vec_knowledge|vec_command) = "vec_knowledge"   among which embeddings
-- @param  limit           int(1..100) = 10    at most this many
-- @param  since           time optional       captured at this time or later
-- @param  until           time optional       captured before this time
-- @param  project         text optional       from where the directory or repository holds this text
-- @param  branch          text optional       from this branch
-- @param  source          text(shell|agentic|claude|claude-code|codex|cursor|opencode|browser|workflow) optional   learned from this:
--    agentic and claude stand for every agent's segments, shell for tool calls too
-- @param  entity          text optional       that speaks about what has this name
-- @param  node_type       text(observation|change_outcome) optional   of this kind
-- @param  outcome         text(success|partial|failure|unknown) optional   that went so
-- @result id              int                 the node
-- @result uuid            text                its identifier
-- @result node_type       text                what kind
-- @result summary         text                in a sentence or two
-- @result content         jsontext            what was learned
-- @result outcome         text?               how it went
-- @result tags            jsontext?           an array of texts
-- @result entities        text                names of tools, files, services, projects and variables that it speaks about
-- @result captured_at     time                when it was learned, or when the latest of what it was learned from happened
-- @result score           real?               what it was ranked by: lexical_score, similarity, or 1/(60 + rank) summed over both
--    lists. Not made to fit a scale: low is low. Null of recent without words
-- @result matched         text?               phrase, all words, some words, meaning, or words and meaning
-- @result lexical_rank    int?                its place in the list by words, from 1
-- @result lexical_score   real?               and its BM25 there
-- @result semantic_rank   int?                its place in the list by meaning, from 1
-- @result similarity      real?               and its cosine there
-- @native st_capture_search_knowledge outside

-- @method capture.scan_nodes  many  read  private
-- The nodes that filters let through, in no order, with their embeddings. What was learned from a probe is not knowledge.
-- That node and embedding belong together is said in two ways, so that either can be found by the other's index.
-- @param  since           time optional   captured at this time or later
-- @param  until           time optional   captured before this time
-- @param  project         text optional   from where the directory or repository holds this text
-- @param  branch          text optional   from this branch
-- @param  source          text optional   learned from this
-- @param  entity          text optional   that speaks about what has this name,
-- @param  node_type       text optional   of this kind
-- @param  outcome         text optional   that went so
-- @param  canonical       text?           or this canonical form
-- @param  ids             int[] optional  only these
-- @param  kind            text            which embeddings: node or node_command
-- @param  dimension       int             only nodes with embeddings of this dimension, and these instead of what was learned; 0: all
-- @result id              int             the node
-- @result uuid            text            its identifier
-- @result node_type       text            what kind
-- @result content         text            what was learned; empty with embeddings
-- @result embed_text      text            what is embedded
-- @result outcome         text?           how it went
-- @result tags            text?           an array of texts
-- @result captured_at     time            see search_knowledge
-- @result vector          blob?           its embedding
-- @result text_hash       int?            of the text that it is of
SELECT n.id, n.uuid, n.node_type, CASE WHEN :dimension = 0 THEN n.content ELSE '' END AS content, n.embed_text, n.outcome, n.tags, n.captured_at,
       CASE WHEN v.dimension = :dimension THEN v.vector END AS vector, v.text_hash
  FROM (SELECT k.id, k.uuid, k.node_type, k.content, k.embed_text, k.outcome, k.tags,
               (SELECT MAX(seen.at)
                  FROM (SELECT k.created_at AS at
                        UNION ALL
                        SELECT e.timestamp FROM knowledge_node_events AS l JOIN events AS e ON e.id = l.event_id
                         WHERE l.knowledge_node_id = k.id
                        UNION ALL
                        SELECT a.start_time FROM knowledge_node_agentic_sessions AS l
                          JOIN agentic_sessions AS a ON a.id = l.agentic_session_id WHERE l.knowledge_node_id = k.id
                        UNION ALL
                        SELECT b.timestamp FROM knowledge_node_browser_events AS l
                          JOIN browser_events AS b ON b.id = l.browser_event_id WHERE l.knowledge_node_id = k.id) AS seen) AS captured_at
          FROM knowledge_nodes AS k
         WHERE TRUE
           AND k.id IN :ids                                                                         -- @if ids
           AND k.node_type = :node_type                                                             -- @if node_type
           AND k.outcome = :outcome                                                                 -- @if outcome
       ) AS n
  LEFT JOIN stele_embeddings AS v ON v.kind = :kind AND v.origin <> 'model'                         -- @has embeddings
                              AND v.id = CAST(n.id AS TEXT) AND CAST(v.id AS BIGINT) = n.id         -- @has embeddings
  LEFT JOIN (SELECT CAST(NULL AS BIGINT) AS dimension, CAST(NULL AS BYTEA) AS vector,               -- @lacks embeddings
                    CAST(NULL AS BIGINT) AS text_hash) AS v ON :kind IS NULL                        -- @lacks embeddings
 WHERE (:dimension = 0 OR v.dimension = :dimension)
   AND NOT EXISTS (SELECT 1 FROM knowledge_node_events AS l JOIN events AS e ON e.id = l.event_id
                    WHERE l.knowledge_node_id = n.id AND e.probe_tag IS NOT NULL)
   AND NOT EXISTS (SELECT 1 FROM knowledge_node_agentic_sessions AS l JOIN agentic_sessions AS a ON a.id = l.agentic_session_id
                    WHERE l.knowledge_node_id = n.id AND a.probe_tag IS NOT NULL)
   AND NOT EXISTS (SELECT 1 FROM knowledge_node_browser_events AS l JOIN browser_events AS b ON b.id = l.browser_event_id
                    WHERE l.knowledge_node_id = n.id AND b.probe_tag IS NOT NULL)
   AND n.captured_at >= :since                                                                      -- @if since
   AND n.captured_at < :until                                                                       -- @if until
   AND (EXISTS (SELECT 1 FROM knowledge_node_events AS l JOIN events AS e ON e.id = l.event_id      -- @if project
                 WHERE l.knowledge_node_id = n.id                                                   -- @if project
                   AND (replace(e.cwd, :project, '') <> e.cwd OR replace(e.git_repo, :project, '') <> e.git_repo)) -- @if project
     OR EXISTS (SELECT 1 FROM knowledge_node_agentic_sessions AS l                                  -- @if project
                  JOIN agentic_sessions AS a ON a.id = l.agentic_session_id                         -- @if project
                 WHERE l.knowledge_node_id = n.id                                                   -- @if project
                   AND (replace(a.cwd, :project, '') <> a.cwd OR replace(a.project_dir, :project, '') <> a.project_dir)) -- @if project
     OR EXISTS (SELECT 1 FROM knowledge_node_workflow_runs AS l JOIN workflow_runs AS w ON w.id = l.run_id -- @if project
                 WHERE l.knowledge_node_id = n.id AND replace(w.repo, :project, '') <> w.repo))     -- @if project
   AND (EXISTS (SELECT 1 FROM knowledge_node_events AS l JOIN events AS e ON e.id = l.event_id      -- @if branch
                 WHERE l.knowledge_node_id = n.id AND e.git_branch = :branch)                       -- @if branch
     OR EXISTS (SELECT 1 FROM knowledge_node_agentic_sessions AS l                                  -- @if branch
                  JOIN agentic_sessions AS a ON a.id = l.agentic_session_id                         -- @if branch
                 WHERE l.knowledge_node_id = n.id AND a.git_branch = :branch)                       -- @if branch
     OR EXISTS (SELECT 1 FROM knowledge_node_workflow_runs AS l JOIN workflow_runs AS w ON w.id = l.run_id -- @if branch
                 WHERE l.knowledge_node_id = n.id AND w.head_branch = :branch))                     -- @if branch
   AND (:source = 'shell' AND EXISTS (SELECT 1 FROM knowledge_node_events AS l WHERE l.knowledge_node_id = n.id) -- @if source
     OR :source = 'browser' AND EXISTS (SELECT 1 FROM knowledge_node_browser_events AS l WHERE l.knowledge_node_id = n.id) -- @if source
     OR :source = 'workflow' AND EXISTS (SELECT 1 FROM knowledge_node_workflow_runs AS l WHERE l.knowledge_node_id = n.id) -- @if source
     OR EXISTS (SELECT 1 FROM knowledge_node_agentic_sessions AS l                                  -- @if source
                  JOIN agentic_sessions AS a ON a.id = l.agentic_session_id                         -- @if source
                 WHERE l.knowledge_node_id = n.id                                                   -- @if source
                   AND (:source = 'agentic' OR :source = 'claude' OR a.harness = :source)))         -- @if source
   AND EXISTS (SELECT 1 FROM knowledge_node_entities AS l JOIN entities AS e ON e.id = l.entity_id  -- @if entity
                WHERE l.knowledge_node_id = n.id AND (e.name = :entity OR e.canonical = :canonical)) -- @if entity
;

-- @method capture.greatest_node  one  read  private
-- About how many nodes there are: the number of the newest, found without counting them.
-- @result id              int?            its number
SELECT MAX(id) AS id FROM knowledge_nodes;

-- @method capture.list_node_names  many  read  private
-- Names of what a node speaks about, of the types that identify something.
-- @param  id     int    the node
-- @param  limit  int    at most this many
-- @result name   text   its name
SELECT e.name FROM knowledge_node_entities AS l JOIN entities AS e ON e.id = l.entity_id
 WHERE l.knowledge_node_id = :id AND e.type IN ('tool', 'file', 'service', 'project', 'env_var')
 ORDER BY e.id LIMIT :limit;
