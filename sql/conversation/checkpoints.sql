-- Checkpoints: the state of a graph of agents after each of its steps, so that a thread goes on where it stopped. What the
-- states and values are is their writer's business: bytes, and a word that says how they are written.

-- ---- Writing ----

-- @method conversation.save_checkpoint  none  write
-- Keep a checkpoint with the values that are new in it: all or none. One of the same id is replaced.
-- @param  thread      text         whose step it is
-- @param  namespace   text = ""    of a graph inside the graph; "": the graph itself
-- @param  checkpoint  text         its id; ids grow with time
-- @param  parent      text? = null the one it came from
-- @param  type        text         how the state is written
-- @param  state       blob         the state without the values of channels
-- @param  metadata    json = {}    what else is known of it: an object
-- @param  versions    json = {}    the version of each channel: an object of texts
-- @param  now         time = now   when
-- @param  values      conversation.put_checkpoint_value[] = []   what channels hold in their new versions
-- @feature checkpoints
-- @native st_conversation_save_checkpoint

-- @method conversation.put_checkpoint  none  write  private
-- The row of a checkpoint. The parameters are the first of save_checkpoint.
-- @param  thread      text         whose step it is
-- @param  namespace   text         of a graph inside the graph
-- @param  checkpoint  text         its id
-- @param  parent      text?        the one it came from
-- @param  type        text         how the state is written
-- @param  state       blob         the state
-- @param  metadata    json         what else is known of it
-- @param  versions    json         the version of each channel
-- @param  now         time         when
-- @feature checkpoints
INSERT INTO stele_checkpoint (thread, namespace, checkpoint, parent, type, state, metadata, versions, saved_at)
VALUES (:thread, :namespace, :checkpoint, :parent, :type, :state, :metadata, :versions, :now)
ON CONFLICT (thread, namespace, checkpoint) DO UPDATE
   SET parent = excluded.parent, type = excluded.type, state = excluded.state, metadata = excluded.metadata,
       versions = excluded.versions, saved_at = excluded.saved_at;

-- @method conversation.put_checkpoint_value  none  write  private
-- What a channel holds in a version.
-- @param  thread      text? optional   that of the call is taken
-- @param  namespace   text? optional   that of the call is taken
-- @param  channel     text             which channel
-- @param  version     text             in which version
-- @param  type        text             how the value is written
-- @param  value       blob             the value
-- @feature checkpoints
INSERT INTO stele_checkpoint_value (thread, namespace, channel, version, type, value)
VALUES (:thread, :namespace, :channel, :version, :type, :value)
ON CONFLICT (thread, namespace, channel, version) DO UPDATE SET type = excluded.type, value = excluded.value;

-- @method conversation.save_checkpoint_writes  none  write
-- Keep what a task wrote after a checkpoint, before its step is over: all or none. What was kept at a position stays as it
-- is; at positions below 0 (signals: an error, an interrupt) the last one counts.
-- @param  thread      text         whose step it is
-- @param  namespace   text = ""    of a graph inside the graph
-- @param  checkpoint  text         the checkpoint the step began with
-- @param  task        text         which task
-- @param  path        text = ""    the task's path
-- @param  writes      conversation.put_checkpoint_write[]   what it wrote
-- @feature checkpoints
-- @native st_conversation_save_checkpoint_writes

-- @method conversation.put_checkpoint_write  none  write  private
-- One thing that a task wrote.
-- @param  thread      text? optional   that of the call is taken
-- @param  namespace   text? optional   that of the call is taken
-- @param  checkpoint  text? optional   that of the call is taken
-- @param  task        text? optional   that of the call is taken
-- @param  path        text? optional   that of the call is taken
-- @param  position    int              among what the task wrote
-- @param  channel     text             to which channel
-- @param  type        text             how the value is written
-- @param  value       blob             the value
-- @feature checkpoints
INSERT INTO stele_checkpoint_write (thread, namespace, checkpoint, task, position, path, channel, type, value)
VALUES (:thread, :namespace, :checkpoint, :task, :position, :path, :channel, :type, :value)
ON CONFLICT (thread, namespace, checkpoint, task, position) DO UPDATE
   SET path = excluded.path, channel = excluded.channel, type = excluded.type, value = excluded.value
 WHERE stele_checkpoint_write.position < 0;

-- @method conversation.delete_checkpoints  none  write
-- Delete the checkpoints of a thread, with all values and writes. An unknown thread is no error.
-- @param  thread   text            whose
-- @result deleted  int changed 1   checkpoints deleted
-- @feature checkpoints
DELETE FROM stele_checkpoint WHERE thread = :thread;
DELETE FROM stele_checkpoint_value WHERE thread = :thread;
DELETE FROM stele_checkpoint_write WHERE thread = :thread;

-- ---- Reading ----

-- @method conversation.list_checkpoints  many  read
-- Checkpoints, newest first: of one thread or of all.
-- @param  thread      text optional      only of this thread
-- @param  namespace   text optional      only of this graph inside the graph; "": only of the graph itself
-- @param  checkpoint  text optional      only the one of this id
-- @param  before      text optional      only those whose ids are below this
-- @param  limit       int(0..) optional  at most this many
-- @result thread      text    whose step it is
-- @result namespace   text    of a graph inside the graph; "": the graph itself
-- @result checkpoint  text    its id
-- @result parent      text?   the one it came from
-- @result type        text    how the state is written
-- @result state       blob    the state without the values of channels
-- @result metadata    json    what else is known of it
-- @result versions    json    the version of each channel
-- @result saved_at    time    when it was kept
SELECT c.thread, c.namespace, c.checkpoint, c.parent, c.type, c.state, c.metadata, c.versions, c.saved_at
  FROM stele_checkpoint AS c                                                                                -- @has checkpoints
  FROM (SELECT CAST('' AS TEXT) AS thread, CAST('' AS TEXT) AS namespace, CAST('' AS TEXT) AS checkpoint,   -- @lacks checkpoints
               CAST(NULL AS TEXT) AS parent, CAST('' AS TEXT) AS type, CAST('{}' AS TEXT) AS metadata,      -- @lacks checkpoints @for sqlite
               CAST(NULL AS TEXT) AS parent, CAST('' AS TEXT) AS type, CAST('{}' AS JSON) AS metadata,      -- @lacks checkpoints @for postgres
               CAST('{}' AS TEXT) AS versions, CAST('' AS BLOB) AS state,                                   -- @lacks checkpoints @for sqlite
               CAST('{}' AS JSON) AS versions, CAST('' AS BYTEA) AS state,                                  -- @lacks checkpoints @for postgres
               CAST(0 AS DOUBLE PRECISION) AS saved_at WHERE 1 = 0) AS c                                    -- @lacks checkpoints
 WHERE 1 = 1
   AND c.thread = :thread                                    -- @if thread
   AND c.namespace = :namespace                              -- @if namespace
   AND c.checkpoint = :checkpoint                            -- @if checkpoint
   AND c.checkpoint < :before                                -- @if before
 ORDER BY c.checkpoint DESC, c.thread, c.namespace
 LIMIT :limit                                                -- @if limit
;

-- @method conversation.get_checkpoint_values  many  read
-- What the channels hold at a checkpoint.
-- @param  thread      text        whose step it is
-- @param  namespace   text = ""   of a graph inside the graph
-- @param  checkpoint  text        its id
-- @result channel     text        which channel
-- @result version     text        in which version
-- @result type        text        how the value is written
-- @result value       blob        the value
SELECT v.channel, v.version, v.type, v.value
  FROM stele_checkpoint AS c                                                                                -- @has checkpoints
  CROSS JOIN json_each(c.versions) AS e                                                                     -- @has checkpoints @for sqlite
  CROSS JOIN LATERAL json_each_text(c.versions) AS e                                                        -- @has checkpoints @for postgres
  JOIN stele_checkpoint_value AS v                                                                          -- @has checkpoints
    ON v.thread = c.thread AND v.namespace = c.namespace AND v.channel = e.key AND v.version = e.value      -- @has checkpoints
  FROM (SELECT CAST('' AS TEXT) AS thread, CAST('' AS TEXT) AS namespace, CAST('' AS TEXT) AS checkpoint) AS c   -- @lacks checkpoints
  CROSS JOIN (SELECT CAST('' AS TEXT) AS channel, CAST('' AS TEXT) AS version, CAST('' AS TEXT) AS type,    -- @lacks checkpoints
               CAST('' AS BLOB) AS value                                                                    -- @lacks checkpoints @for sqlite
               CAST('' AS BYTEA) AS value                                                                   -- @lacks checkpoints @for postgres
               WHERE 1 = 0) AS v                                                                            -- @lacks checkpoints
 WHERE c.thread = :thread AND c.namespace = :namespace AND c.checkpoint = :checkpoint
 ORDER BY v.channel;

-- @method conversation.get_checkpoint_writes  many  read
-- What tasks wrote after a checkpoint, task by task.
-- @param  thread      text        whose step it is
-- @param  namespace   text = ""   of a graph inside the graph
-- @param  checkpoint  text        the checkpoint the step began with
-- @result task        text        which task
-- @result position    int         among what it wrote; below 0: a signal
-- @result path        text        the task's path
-- @result channel     text        to which channel
-- @result type        text        how the value is written
-- @result value       blob        the value
SELECT w.task, w.position, w.path, w.channel, w.type, w.value
  FROM stele_checkpoint_write AS w                                                                          -- @has checkpoints
  FROM (SELECT CAST('' AS TEXT) AS thread, CAST('' AS TEXT) AS namespace, CAST('' AS TEXT) AS checkpoint,   -- @lacks checkpoints
               CAST('' AS TEXT) AS task, CAST(0 AS BIGINT) AS position, CAST('' AS TEXT) AS path,           -- @lacks checkpoints
               CAST('' AS TEXT) AS channel, CAST('' AS TEXT) AS type,                                       -- @lacks checkpoints
               CAST('' AS BLOB) AS value                                                                    -- @lacks checkpoints @for sqlite
               CAST('' AS BYTEA) AS value                                                                   -- @lacks checkpoints @for postgres
               WHERE 1 = 0) AS w                                                                            -- @lacks checkpoints
 WHERE w.thread = :thread AND w.namespace = :namespace AND w.checkpoint = :checkpoint
 ORDER BY w.task, w.position;
