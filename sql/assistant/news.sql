-- News: topics that are followed, and stories that were shown.

-- @method assistant.add_news_topic  one  write
-- Follow a topic, in lower case, its words with single spaces between them. One that is followed already stays as it is.
-- The id of another topic: INVALID.
-- @param  id          text = new   the topic's id
-- @param  topic       text         which topic
-- @param  created_at  time = now   since when
-- @result id          text         the topic's id, the first one it got
-- @native st_assistant_add_news_topic

-- @method assistant.write_news_topic  one  write  private
-- Write a topic, unless it is there. No row: the id is that of another one.
-- @param  id          text   its id
-- @param  topic       text   in lower case
-- @param  created_at  time   since when
-- @result id          text   the id under which it is there
INSERT INTO news_topics (id, topic, created_at)
SELECT :id, :topic, :created_at WHERE NOT EXISTS (SELECT 1 FROM news_topics AS t WHERE t.id = :id AND t.topic <> :topic)
ON CONFLICT (topic) DO UPDATE SET topic = excluded.topic
RETURNING id;

-- @method assistant.remove_news_topic  one  write
-- Follow a topic no longer.
-- @param  topic       text   which topic, in any case
-- @result deleted     int    1, or 0 if it was not followed
-- @native st_assistant_remove_news_topic

-- @method assistant.delete_news_topic  none  write  private
-- Delete a topic.
-- @param  topic       text          in lower case
-- @result deleted     int changed   1, or 0 if there is no such topic
DELETE FROM news_topics WHERE topic = :topic;

-- @method assistant.list_news_topics  many  read
-- The topics that are followed, the newest first.
-- @http GET /v1/news-topics
-- @result id          text   the topic's id
-- @result topic       text   in lower case
-- @result created_at  time   since when
SELECT id, topic, created_at FROM news_topics ORDER BY created_at DESC, id;

-- @method assistant.add_seen_story  none  write
-- Note that a story was shown; one that was shown before is noted anew.
-- @param  url         text           its address
-- @param  title       text? = null   its headline
-- @param  seen_at     time = now     when
INSERT INTO seen_news (url, title, seen_at) VALUES (:url, :title, :seen_at)
ON CONFLICT (url) DO UPDATE SET title = excluded.title, seen_at = excluded.seen_at;

-- @method assistant.get_seen_urls  many  read
-- The addresses of the stories that were shown, sorted.
-- @result url         text   an address
SELECT url FROM seen_news ORDER BY url;

-- @method assistant.cleanup_seen_stories  none  write
-- Forget the stories that were shown longer ago than a number of days, of 24 hours each.
-- @param  days        int(0..100000) = 7   of the last days all are kept
-- @param  now         time = now           what time it is
-- @result deleted     int changed          how many were forgotten
DELETE FROM seen_news
 WHERE seen_at < strftime('%Y-%m-%dT%H:%M:%S', substr(:now, 1, 19), '-' || :days || ' days') || substr(:now, 20)   -- @for sqlite
 WHERE seen_at < :now - :days * INTERVAL '24 hours'                                                                -- @for postgres
   AND NOT EXISTS (SELECT 1 FROM stele_held_seen_news AS h WHERE h.id = seen_news.url)                         -- @has holds
;
