-- Embeddings of knowledge nodes: permanent, of one model and one dimension, in two collections. They are kept where recall finds them:
-- vec_knowledge as those of the kind node, vec_command, by which recall does not look, as node_command.

-- @method capture.save_node_embedding  one  write
-- Keep an embedding of a node, in place of an earlier one. The first one says which model and how many numbers all others of the
-- collection must have; what differs is refused. It counts while the node's embed_text stays as it is.
-- @param  uuid        text     which node
-- @param  model       text     what made it
-- @param  vector      vector   what the text became
-- @param  collection  text(vec_knowledge|vec_command) = "vec_knowledge"   of embed_text, or of the commands it was learned from
-- @result id          int      the node
-- @result dimension   int      how many numbers were kept
-- @feature embed_model
-- @native st_capture_save_node_embedding

-- @method capture.list_unembedded_nodes  many  read
-- Nodes without an embedding that counts, the oldest first.
-- @param  older_than  int(0..1000000000) = 900   learned so many seconds ago or more: of a newer one the embedding may be on its way
-- @param  collection  text(vec_knowledge|vec_command) = "vec_knowledge"   in which collection
-- @param  limit       int(1..1000) = 50   at most this many
-- @param  now         time = now          at this time
-- @result id          int                 the node
-- @result uuid        text                its identifier
-- @result embed_text  text                what is to be embedded
-- @result created_at  time                when it was learned
-- @native st_capture_list_unembedded_nodes

-- @method capture.clear_embeddings  none  write
-- Forget all embeddings of nodes and which model made them, so that another one can be used.
-- @result cleared     int changed 1       how many there were
-- @feature embeddings
-- @feature embed_model
DELETE FROM stele_embeddings WHERE kind IN ('node', 'node_command') AND origin <> 'model';
DELETE FROM embed_model_meta;

-- @method capture.look_embeddings  one  read  private
-- What the embeddings are like.
-- @param  kind        text   of which collection
-- @result model       text?  what makes them; null: that was never said
-- @result dimension   int?   how many numbers each has; null: there are none
SELECT
       (SELECT model FROM embed_model_meta WHERE id = 1) AS model,                                  -- @has embed_model
       CAST(NULL AS TEXT) AS model,                                                                 -- @lacks embed_model
       (SELECT dimension FROM stele_embeddings WHERE kind = :kind AND origin = 'caller' LIMIT 1) AS dimension    -- @has embeddings
       CAST(CASE WHEN :kind = '' THEN 0 END AS BIGINT) AS dimension                                 -- @lacks embeddings
;

-- @method capture.find_node_text  one  read  private
-- What of a node is embedded.
-- @param  uuid        text   which node
-- @result id          int    the node
-- @result embed_text  text   what is embedded
SELECT id, embed_text FROM knowledge_nodes WHERE uuid = :uuid;

-- @method capture.embedded_text  one  read  private
-- What of a node is embedded.
-- @param  kind        text   node or node_command
-- @param  id          text   the node
-- @result embed_text  text   it
SELECT embed_text FROM knowledge_nodes WHERE id = CAST(:id AS BIGINT) AND :kind <> '';

-- @method capture.set_embed_model  none  write  private
-- Note what makes the embeddings, if that is not known.
-- @param  model       text   what
-- @feature embed_model
INSERT INTO embed_model_meta (id, model) VALUES (1, :model)
ON CONFLICT (id) DO NOTHING;

-- @method capture.scan_embedded_nodes  many  read  private
-- Nodes and the texts that their embeddings are of, the oldest first.
-- @param  kind        text   in which collection
-- @param  before      time   learned until then
-- @result id          int    the node
-- @result uuid        text   its identifier
-- @result embed_text  text   what is embedded
-- @result created_at  time   when it was learned
-- @result text_hash   int?   of the text that its embedding is of; null: it has none
SELECT n.id, n.uuid, n.embed_text, n.created_at, v.text_hash
  FROM knowledge_nodes AS n
  LEFT JOIN stele_embeddings AS v ON v.kind = :kind AND v.origin <> 'model'                         -- @has embeddings
                              AND v.id = CAST(n.id AS TEXT) AND CAST(v.id AS BIGINT) = n.id         -- @has embeddings
  LEFT JOIN (SELECT CAST(NULL AS BIGINT) AS text_hash) AS v ON :kind IS NULL                        -- @lacks embeddings
 WHERE n.created_at <= :before
 ORDER BY n.created_at, n.id;

-- @method capture.read_node_vectors  many  read  private
-- Embeddings of some nodes.
-- @param  kind        text    of which collection
-- @param  dimension   int     of so many numbers
-- @param  ids         text[]  of these nodes
-- @result id          int     the node
-- @result embed_text  text    what is embedded
-- @result vector      blob    its embedding
-- @result text_hash   int     of the text that it is of
-- @feature embeddings
SELECT n.id, n.embed_text, v.vector, v.text_hash
  FROM stele_embeddings AS v JOIN knowledge_nodes AS n ON n.id = CAST(v.id AS BIGINT)
 WHERE v.kind = :kind AND v.dimension = :dimension AND v.origin <> 'model'
   AND v.id IN :ids;

-- @method capture.file_vectors  many  read  private
-- Vectors of nodes that knowledge_vectors has and that are not in the collections yet, nor another that was brought in their place.
-- @param  limit   int     at most this many
-- @param  skip    int     after this many of the first
-- @result kind    text    node or node_command
-- @result id      text    the node
-- @result model   text?   what made it, if that is known
-- @result json    text?   it, as a JSON array
-- @result floats  blob?   or as 32-bit floats
SELECT v.kind, CAST(v.node AS TEXT) AS id,
       (SELECT m.model FROM embed_model_meta AS m WHERE m.id = 1) AS model,                         -- @has embed_model
       CAST(NULL AS TEXT) AS model,                                                                 -- @lacks embed_model
       CAST(NULL AS TEXT) AS json,
       substr(v.vectors, v.place * (length(v.vectors) / v.room) + 1, length(v.vectors) / v.room) AS floats -- @has vec0
       CAST(NULL AS BYTEA) AS floats                                                                -- @lacks vec0
  FROM (SELECT t.kind, t.node
               , t.place, c.size AS room, CASE t.kind WHEN 'node' THEN a.vectors ELSE b.vectors END AS vectors -- @has vec0
          FROM (SELECT w.kind, r.node, r.chunk, r.place
                  FROM (SELECT 'node' AS kind UNION ALL SELECT 'node_command') AS w
                  JOIN (SELECT s.rowid AS node, s.chunk_id AS chunk, s.chunk_offset AS place        -- @has vec0
                          FROM knowledge_vectors_rowids AS s) AS r ON TRUE                          -- @has vec0
                  JOIN (SELECT CAST(NULL AS BIGINT) AS node, CAST(NULL AS BIGINT) AS chunk,         -- @lacks vec0
                               CAST(NULL AS BIGINT) AS place) AS r ON TRUE                          -- @lacks vec0
                  JOIN knowledge_nodes AS n ON n.id = r.node
                 WHERE TRUE
                   AND NOT EXISTS (SELECT 1 FROM stele_embeddings AS e                              -- @has embeddings
                                    WHERE e.kind = w.kind AND e.id = CAST(r.node AS TEXT) AND e.origin <> 'model') -- @has embeddings
                 ORDER BY w.kind, r.node LIMIT :limit OFFSET :skip) AS t
          JOIN knowledge_vectors_chunks AS c ON c.chunk_id = t.chunk                                -- @has vec0
          JOIN knowledge_vectors_vector_chunks00 AS a ON a.rowid = t.chunk                          -- @has vec0
          JOIN knowledge_vectors_vector_chunks01 AS b ON b.rowid = t.chunk                          -- @has vec0
       ) AS v
 ORDER BY v.kind, v.node;

-- @method capture.forget_file_vectors  none  write  private
-- Forget copies of vectors that knowledge_vectors has no more.
-- @feature embeddings
DELETE FROM stele_embeddings
 WHERE origin = 'file'
   AND NOT EXISTS (SELECT 1 FROM knowledge_vectors_rowids AS r WHERE r.rowid = CAST(stele_embeddings.id AS BIGINT)) -- @has vec0
;
