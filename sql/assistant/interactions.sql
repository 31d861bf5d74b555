-- Interactions: every exchange, from any channel.

-- @method assistant.save_interaction  one  write
-- Keep an exchange. One that is there under the same id is written anew, keeps its time, and has to be embedded again.
-- @param  id              text = new         the exchange's id
-- @param  user_message    text               what was sent
-- @param  agent_response  text               what was replied
-- @param  tools_used      jsontext? = null   the calls of tools: an array
-- @param  channel         text? = null       telegram, cli or whatsapp
-- @param  user_id         text? = null       who sent it
-- @param  created_at      time = now         when
-- @result id              text               the exchange's id
-- @native st_assistant_save_interaction

-- @method assistant.write_interaction  none  write  private
-- Write an exchange.
-- @param  id              text        its id
-- @param  user_message    text        what was sent
-- @param  agent_response  text        what was replied
-- @param  tools_used      jsontext?   the calls of tools
-- @param  channel         text?       where
-- @param  user_id         text?       who
-- @param  created_at      time        when
INSERT INTO interactions (id, user_message, agent_response, tools_used, channel, user_id, created_at)
VALUES (:id, :user_message, :agent_response, :tools_used, :channel, :user_id, :created_at)
ON CONFLICT (id) DO UPDATE
   SET user_message = excluded.user_message, agent_response = excluded.agent_response, tools_used = excluded.tools_used,
       channel = excluded.channel, user_id = excluded.user_id, embedding = NULL;

-- @method assistant.get_interactions  many  read
-- The newest exchanges, the newest first.
-- @param  limit           int(1..) = 50   at most this many
-- @param  offset          int(0..) = 0    after leaving out this many
-- @http GET /v1/interactions
-- @result id              text        the exchange's id
-- @result user_message    text        what was sent
-- @result agent_response  text        what was replied
-- @result tools_used      jsontext?   the calls of tools: an array
-- @result channel         text?       telegram, cli or whatsapp
-- @result user_id         text?       who sent it
-- @result created_at      time        when
SELECT id, user_message, agent_response, tools_used, channel, user_id, created_at
  FROM interactions ORDER BY created_at DESC, id LIMIT :limit OFFSET :offset;

-- @method assistant.get_interactions_by_user  many  read
-- The newest exchanges with a user, the newest first.
-- @param  user_id  text            whose
-- @param  limit    int(1..) = 20   at most this many
-- @param  offset   int(0..) = 0    after leaving out this many
-- @http GET /v1/interactions/of/{user_id}
-- @results assistant.get_interactions
SELECT id, user_message, agent_response, tools_used, channel, user_id, created_at
  FROM interactions WHERE user_id = :user_id ORDER BY created_at DESC, id LIMIT :limit OFFSET :offset;

-- @method assistant.get_interactions_since  many  read
-- The exchanges since a time, that moment included, the oldest first.
-- @param  since    time   since when
-- @results assistant.get_interactions
SELECT id, user_message, agent_response, tools_used, channel, user_id, created_at
  FROM interactions WHERE created_at >= :since ORDER BY created_at, id;

-- @method assistant.get_interactions_by_ids  many  read
-- The exchanges with these ids, in the order of the ids. One that does not exist is left out; an id that stands
-- twice is told once.
-- @param  ids      text[]   which
-- @results assistant.get_interactions
-- @native st_assistant_get_interactions_by_ids

-- @method assistant.find_interactions  many  read  private
-- The exchanges with these ids, sorted by id.
-- @param  ids      text[]   which
-- @results assistant.get_interactions
SELECT id, user_message, agent_response, tools_used, channel, user_id, created_at
  FROM interactions WHERE id IN :ids ORDER BY id;

-- @method assistant.search_interactions  many  read
-- The exchanges in which a text stands, in what was sent or replied, whatever its case; the newest first.
-- @param  query   text           what to look for, character by character
-- @param  limit   int = 10       at most this many; negative: all
-- @param  offset  int(0..) = 0   after leaving out this many
-- @http GET /v1/interactions/search
-- @results assistant.get_interactions
-- @native st_assistant_search

-- @method assistant.scan_interactions  many  read  private
-- The exchanges that may hold a text, in the order of search_interactions: see st_assistant_search.
-- @param  pattern  text optional   of LIKE: what the text would match if both are ASCII
-- @results assistant.get_interactions
SELECT id, user_message, agent_response, tools_used, channel, user_id, created_at
  FROM interactions
 WHERE user_message ~ '[^\x01-\x7f]' OR agent_response ~ '[^\x01-\x7f]'                                   -- @if pattern @for postgres
    OR lower(user_message) LIKE :pattern ESCAPE '\' OR lower(agent_response) LIKE :pattern ESCAPE '\'     -- @if pattern @for postgres
 ORDER BY created_at DESC, id;
