-- Entities: what knowledge speaks about. Names that mean the same have one canonical form, and are one entity.

-- @method capture.upsert_entity  one  write
-- Note that an entity was seen. Its canonical form has no blanks around or doubled, no capitals, no slash at its end; that
-- of a file or project is also without worktrees of agents, and told from the root of its project.
-- @param  type           text(project|file|tool|service|repo|host|person|concept|domain|env_var)   what it is
-- @param  name           text            its name
-- @param  home           text optional   what ~ stands for
-- @param  project_roots  text optional   directories of projects, separated by colons
-- @param  now            time = now      at this time
-- @result id             int             the entity
-- @result type           text            what it is
-- @result canonical      text            its canonical form
-- @native st_capture_upsert_entity

-- @method capture.upsert_entities  many  write
-- The same for several entities, which an event shows.
-- @param  entities   capture.upsert_entity[]   they
-- @param  event_id   int optional              the event
-- @param  role       text = "mentioned"        what they are in it
-- @results capture.upsert_entity
-- @native st_capture_upsert_entities

-- @method capture.get_entities  many  read
-- What knowledge speaks about and events show, the last seen first.
-- @param  type        text(project|file|tool|service|repo|host|person|concept|domain|env_var) optional   only of this type
-- @param  query       text optional       in whose canonical form this stands, whatever its case
-- @param  project     text optional       met in work where the directory or repository holds this text
-- @param  since       time optional       seen at this time or later
-- @param  limit       int(1..1000) = 50   at most this many
-- @result id          int                 the entity
-- @result type        text                what it is
-- @result name        text                its name
-- @result canonical   text?               its canonical form
-- @result nodes       int                 how many nodes speak about it
-- @result first_seen  time                when it was seen first,
-- @result last_seen   time                and last
-- @native st_capture_get_entities

-- @method capture.list_entities  many  read  private
-- The same, told what stands in the canonical form.
-- @param  type        text optional   only of this type
-- @param  part        text optional   what stands in the canonical form
-- @param  project     text optional   met in work where the directory or repository holds this text
-- @param  since       time optional   seen at this time or later
-- @param  limit       int             at most this many
-- @results capture.get_entities
SELECT n.id, n.type, n.name, n.canonical,
       (SELECT COUNT(*) FROM knowledge_node_entities AS l WHERE l.entity_id = n.id) AS nodes, n.first_seen, n.last_seen
  FROM entities AS n
 WHERE TRUE
   AND n.type = :type                                                                               -- @if type
   AND replace(n.canonical, :part, '') <> n.canonical                                               -- @if part
   AND n.last_seen >= :since                                                                        -- @if since
   AND (EXISTS (SELECT 1 FROM event_entities AS l JOIN events AS e ON e.id = l.event_id             -- @if project
                 WHERE l.entity_id = n.id AND e.probe_tag IS NULL                                   -- @if project
                   AND (replace(e.cwd, :project, '') <> e.cwd OR replace(e.git_repo, :project, '') <> e.git_repo)) -- @if project
     OR EXISTS (SELECT 1 FROM knowledge_node_entities AS l                                          -- @if project
                  JOIN knowledge_node_agentic_sessions AS s ON s.knowledge_node_id = l.knowledge_node_id -- @if project
                  JOIN agentic_sessions AS a ON a.id = s.agentic_session_id                         -- @if project
                 WHERE l.entity_id = n.id AND a.probe_tag IS NULL                                   -- @if project
                   AND (replace(a.cwd, :project, '') <> a.cwd OR replace(a.project_dir, :project, '') <> a.project_dir)) -- @if project
     OR EXISTS (SELECT 1 FROM knowledge_node_entities AS l                                          -- @if project
                  JOIN knowledge_node_events AS s ON s.knowledge_node_id = l.knowledge_node_id      -- @if project
                  JOIN events AS e ON e.id = s.event_id                                             -- @if project
                 WHERE l.entity_id = n.id AND e.probe_tag IS NULL                                   -- @if project
                   AND (replace(e.cwd, :project, '') <> e.cwd OR replace(e.git_repo, :project, '') <> e.git_repo))) -- @if project
 ORDER BY n.last_seen DESC, n.id DESC LIMIT :limit;

-- @method capture.list_relationships  many  read
-- What an entity belongs together with, on most evidence first.
-- @param  entity_id       int                 which entity
-- @param  limit           int(1..1000) = 100  at most this many
-- @result id              int                 the other entity
-- @result type            text                what that is
-- @result name            text                its name
-- @result relationship    text                how they belong together: co_occurs, if one node speaks about both
-- @result evidence_count  int                 in how many nodes
-- @result first_seen      time                when first,
-- @result last_seen       time                and last
SELECT e.id, e.type, e.name, r.relationship, r.evidence_count, r.first_seen, r.last_seen
  FROM (SELECT to_entity_id AS other, relationship, evidence_count, first_seen, last_seen FROM relationships
         WHERE from_entity_id = :entity_id
        UNION ALL
        SELECT from_entity_id, relationship, evidence_count, first_seen, last_seen FROM relationships
         WHERE to_entity_id = :entity_id) AS r
  JOIN entities AS e ON e.id = r.other
 ORDER BY r.evidence_count DESC, r.last_seen DESC, e.id LIMIT :limit;

-- @method capture.put_entity  one  write  private
-- Write an entity. A name from a worktree gives way to another.
-- @param  type       text   what it is
-- @param  name       text   its name
-- @param  canonical  text   its canonical form
-- @param  now        time   at this time
-- @results capture.upsert_entity
INSERT INTO entities (type, name, canonical, first_seen, last_seen, created_at)
VALUES (:type, :name, :canonical, :now, :now, :now)
ON CONFLICT (type, canonical) DO UPDATE
   SET last_seen = excluded.last_seen,
       name = CASE WHEN entities.name LIKE '%.claude/worktrees/%' THEN excluded.name ELSE entities.name END
RETURNING id, type, canonical;

-- @method capture.link_event_entity  none  write  private
-- An event shows an entity.
-- @param  event_id   int    the event
-- @param  entity_id  int    the entity
-- @param  role       text   what it is in it
-- @param  now        time   at this time
-- @result linked     int changed   0: there is no such event
INSERT INTO event_entities (event_id, entity_id, role, created_at)
SELECT id, :entity_id, :role, :now FROM events WHERE id = :event_id AND probe_tag IS NULL
ON CONFLICT (event_id, entity_id, role) DO UPDATE SET role = excluded.role;

-- @method capture.link_node_entity  none  write  private
-- A node speaks about an entity.
-- @param  node_id    int   the node
-- @param  entity_id  int   the entity
INSERT INTO knowledge_node_entities (knowledge_node_id, entity_id) VALUES (:node_id, :entity_id)
ON CONFLICT (knowledge_node_id, entity_id) DO NOTHING;

-- @method capture.relate_node_entities  none  write  private
-- The entities of a new node belong together.
-- @param  node_id  int    the node
-- @param  now      time   at this time
INSERT INTO relationships (from_entity_id, to_entity_id, relationship, first_seen, last_seen)
SELECT a.entity_id, b.entity_id, 'co_occurs', :now, :now
  FROM knowledge_node_entities AS a JOIN knowledge_node_entities AS b
    ON b.knowledge_node_id = a.knowledge_node_id AND b.entity_id > a.entity_id
 WHERE a.knowledge_node_id = :node_id
ON CONFLICT (from_entity_id, to_entity_id, relationship) DO UPDATE
   SET evidence_count = relationships.evidence_count + 1, weight = relationships.weight + 1, last_seen = excluded.last_seen;
