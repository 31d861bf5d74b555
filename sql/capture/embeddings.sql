-- Embeddings of knowledge nodes: permanent, of one model and one dimension, in two collections.

-- @method capture.save_node_embedding  one  write
-- Keep an embedding of a node, in place of an earlier one. The first one says which model and how many numbers all others of the
-- collection must have; what differs is refused. It counts while the node's embed_text stays as it is.
-- @param  uuid        text     which node
-- @param  model       text     what made it
-- @param  vector      vector   what the text became
-- @param  collection  text(vec_knowledge|vec_command) = "vec_knowledge"   of embed_text, or of the commands it was learned from
-- @result id          int      the node
-- @result dimension   int      how many numbers were kept
-- @feature vectors
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
-- @feature vectors
-- @feature embed_model
DELETE FROM stele_vectors;
DELETE FROM embed_model_meta;

-- @method capture.look_embeddings  one  read  private
-- What the embeddings are like.
-- @param  collection  text   which
-- @result model       text?  what makes them; null: that was never said
-- @result dimension   int?   how many numbers each has; null: there are none
SELECT
       (SELECT model FROM embed_model_meta WHERE id = 1) AS model,                                  -- @has embed_model
       CAST(NULL AS TEXT) AS model,                                                                 -- @lacks embed_model
       (SELECT dimension FROM stele_vectors WHERE collection = :collection LIMIT 1) AS dimension    -- @has vectors
       CAST(CASE WHEN :collection = '' THEN 0 END AS BIGINT) AS dimension                           -- @lacks vectors
;

-- @method capture.find_node_text  one  read  private
-- What of a node is embedded.
-- @param  uuid        text   which node
-- @result id          int    the node
-- @result embed_text  text   what is embedded
SELECT id, embed_text FROM knowledge_nodes WHERE uuid = :uuid;

-- @method capture.write_node_vector  none  write  private
-- Write an embedding, and which model made it if that is not known.
-- @param  collection  text   which
-- @param  id          int    of this node
-- @param  model       text   what made it
-- @param  dimension   int    how many numbers
-- @param  vector      blob   they
-- @param  text_hash   int    of the text that it is of
-- @feature vectors
-- @feature embed_model
INSERT INTO stele_vectors (collection, id, model, dimension, vector, text_hash)
VALUES (:collection, CAST(:id AS TEXT), :model, :dimension, :vector, :text_hash)
ON CONFLICT (collection, id) DO UPDATE
   SET model = excluded.model, dimension = excluded.dimension, vector = excluded.vector, text_hash = excluded.text_hash;
INSERT INTO embed_model_meta (id, model) VALUES (1, :model)
ON CONFLICT (id) DO NOTHING;

-- @method capture.scan_embedded_nodes  many  read  private
-- Nodes and the texts that their embeddings are of, the oldest first.
-- @param  collection  text   in which collection
-- @param  before      time   learned until then
-- @result id          int    the node
-- @result uuid        text   its identifier
-- @result embed_text  text   what is embedded
-- @result created_at  time   when it was learned
-- @result text_hash   int?   of the text that its embedding is of; null: it has none
SELECT n.id, n.uuid, n.embed_text, n.created_at, v.text_hash
  FROM knowledge_nodes AS n
  LEFT JOIN stele_vectors AS v ON v.collection = :collection                                        -- @has vectors
                              AND v.id = CAST(n.id AS TEXT) AND CAST(v.id AS BIGINT) = n.id         -- @has vectors
  LEFT JOIN (SELECT CAST(NULL AS BIGINT) AS text_hash) AS v ON :collection IS NULL                  -- @lacks vectors
 WHERE n.created_at <= :before
 ORDER BY n.created_at, n.id;

-- @method capture.read_node_vectors  many  read  private
-- Embeddings of some nodes.
-- @param  collection  text    which
-- @param  dimension   int     of so many numbers
-- @param  ids         text[]  of these nodes
-- @result id          int     the node
-- @result embed_text  text    what is embedded
-- @result vector      blob    its embedding
-- @result text_hash   int     of the text that it is of
-- @feature vectors
SELECT n.id, n.embed_text, v.vector, v.text_hash
  FROM stele_vectors AS v JOIN knowledge_nodes AS n ON n.id = CAST(v.id AS BIGINT)
 WHERE v.collection = :collection AND v.dimension = :dimension
   AND v.id IN :ids;
