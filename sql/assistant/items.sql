-- Items: what agents keep under a key, for all of their conversations. A namespace is a path of labels with periods between
-- them: users.ada.preferences. One whose time is over is as if it were not there.

-- @method assistant.put_item  none  write
-- Keep a value under a key, in place of what was there.
-- @param  namespace   text            where
-- @param  key         text            under which key
-- @param  value       json            what: any JSON
-- @param  text        text? = null    what of it is searched; null: all texts in the value; "": nothing
-- @param  ttl         duration? = null  how long it stays after it was last written or asked for; who asks renews it. null: for good
-- @param  expires_at  time? = null    when that is over
-- @param  now         time = now      when it was written
-- @feature items
INSERT INTO stele_item (namespace, key, value, text, ttl, created_at, updated_at, expires_at)
VALUES (:namespace, :key, :value, :text, :ttl, :now, :now, :expires_at)
ON CONFLICT (namespace, key) DO UPDATE
   SET value = excluded.value, text = excluded.text, ttl = excluded.ttl, updated_at = excluded.updated_at,
       expires_at = excluded.expires_at,
       created_at = CASE WHEN stele_item.expires_at <= excluded.updated_at THEN excluded.created_at ELSE stele_item.created_at END;

-- @method assistant.list_items  many  read
-- Items, those that were written last first.
-- @param  namespace   text optional      only of this namespace and those inside of it
-- @param  key         text optional      only those of this key
-- @param  ids         int[] optional     only those of these numbers
-- @param  now         time = now         the time to judge by
-- @param  limit       int(0..) = 100     at most this many
-- @param  offset      int(0..) = 0       leave out this many of the first
-- @result id          int         its number: recall finds it as assistant/item/number
-- @result namespace   text        where
-- @result key         text        under which key
-- @result value       json        what is kept
-- @result ttl         duration?   how long it stays after it was last written or asked for
-- @result created_at  time        when it was first written
-- @result updated_at  time        when it was last written
-- @result expires_at  time?       when its time is over
SELECT i.id, i.namespace, i.key, i.value, i.ttl, i.created_at, i.updated_at, i.expires_at
  FROM stele_item AS i                                                                                      -- @has items
  FROM (SELECT CAST(0 AS BIGINT) AS id, CAST('' AS TEXT) AS namespace, CAST('' AS TEXT) AS key,             -- @lacks items
               CAST(NULL AS DOUBLE PRECISION) AS ttl,                                                       -- @lacks items
               CAST('{}' AS TEXT) AS value, CAST('' AS TEXT) AS created_at, CAST('' AS TEXT) AS updated_at, -- @lacks items @for sqlite
               CAST(NULL AS TEXT) AS expires_at                                                             -- @lacks items @for sqlite
               CAST('{}' AS JSON) AS value, CAST(NULL AS TIMESTAMPTZ) AS created_at,                        -- @lacks items @for postgres
               CAST(NULL AS TIMESTAMPTZ) AS updated_at, CAST(NULL AS TIMESTAMPTZ) AS expires_at             -- @lacks items @for postgres
               WHERE 1 = 0) AS i                                                                            -- @lacks items
 WHERE (i.expires_at IS NULL OR i.expires_at > :now)
   AND (i.namespace = :namespace                                                                            -- @if namespace
        OR (i.namespace > :namespace || '.' AND i.namespace < :namespace || '/'))                           -- @if namespace
   AND i.key = :key                                                                                         -- @if key
   AND i.id IN :ids                                                                                         -- @if ids
 ORDER BY i.updated_at DESC, i.id DESC
 LIMIT :limit OFFSET :offset;

-- @method assistant.get_item  one  read
-- What is kept under a key, or null.
-- @param  namespace   text         where
-- @param  key         text         under which key
-- @param  now         time = now   the time to judge by
-- @results assistant.list_items
SELECT i.id, i.namespace, i.key, i.value, i.ttl, i.created_at, i.updated_at, i.expires_at
  FROM stele_item AS i                                                                                      -- @has items
  FROM (SELECT CAST(0 AS BIGINT) AS id, CAST('' AS TEXT) AS namespace, CAST('' AS TEXT) AS key,             -- @lacks items
               CAST(NULL AS DOUBLE PRECISION) AS ttl,                                                       -- @lacks items
               CAST('{}' AS TEXT) AS value, CAST('' AS TEXT) AS created_at, CAST('' AS TEXT) AS updated_at, -- @lacks items @for sqlite
               CAST(NULL AS TEXT) AS expires_at                                                             -- @lacks items @for sqlite
               CAST('{}' AS JSON) AS value, CAST(NULL AS TIMESTAMPTZ) AS created_at,                        -- @lacks items @for postgres
               CAST(NULL AS TIMESTAMPTZ) AS updated_at, CAST(NULL AS TIMESTAMPTZ) AS expires_at             -- @lacks items @for postgres
               WHERE 1 = 0) AS i                                                                            -- @lacks items
 WHERE i.namespace = :namespace AND i.key = :key AND (i.expires_at IS NULL OR i.expires_at > :now);

-- @method assistant.list_item_namespaces  many  read
-- The namespaces in which something is kept, by name.
-- @param  namespace   text optional   only this one and those inside of it
-- @param  now         time = now      the time to judge by
-- @result namespace   text            which
-- @result items       int             how many items are in it
SELECT i.namespace, COUNT(*) AS items
  FROM stele_item AS i                                                                                      -- @has items
  FROM (SELECT CAST('' AS TEXT) AS namespace,                                                               -- @lacks items
               CAST(NULL AS TEXT) AS expires_at                                                             -- @lacks items @for sqlite
               CAST(NULL AS TIMESTAMPTZ) AS expires_at                                                      -- @lacks items @for postgres
               WHERE 1 = 0) AS i                                                                            -- @lacks items
 WHERE (i.expires_at IS NULL OR i.expires_at > :now)
   AND (i.namespace = :namespace                                                                            -- @if namespace
        OR (i.namespace > :namespace || '.' AND i.namespace < :namespace || '/'))                           -- @if namespace
 GROUP BY i.namespace ORDER BY i.namespace;

-- @method assistant.renew_item  none  write
-- Put off the end of an item: it was asked for.
-- @param  id          int           which
-- @param  expires_at  time          when its time is over now
-- @result renewed     int changed   1, or 0 if there is none
-- @feature items
UPDATE stele_item SET expires_at = :expires_at WHERE id = :id;

-- @method assistant.delete_item  none  write
-- Delete what is kept under a key.
-- @param  namespace   text          where
-- @param  key         text          under which key
-- @result deleted     int changed   1, or 0 if there is none
-- @feature items
DELETE FROM stele_item WHERE namespace = :namespace AND key = :key;

-- @method assistant.sweep_items  none  write
-- Delete the items whose time is over.
-- @param  now         time = now    the time to judge by
-- @result deleted     int changed   how many those were
-- @feature items
DELETE FROM stele_item WHERE expires_at <= :now
   AND NOT EXISTS (SELECT 1 FROM stele_held_item AS h WHERE h.id = stele_item.id)                              -- @has holds
;
