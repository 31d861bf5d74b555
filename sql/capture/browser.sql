-- Pages that were read.

-- @method capture.insert_browser_event  one  write
-- Keep a visit of a page, let it wait to be learned from, and note that its source is well. A visit that comes in the same
-- envelope again changes nothing: the first one stays. A probe is kept, and nothing more.
-- @param  timestamp       time = now            when
-- @param  url             text                  which page
-- @param  title           text? = null          its title
-- @param  domain          text                  where it is from
-- @param  dwell_ms        int(0..) = 0          how long it was in view
-- @param  scroll_depth    real(0..1)? = null    how much of it was
-- @param  extracted_text  text? = null          what it says
-- @param  search_query    text? = null          what was looked for, if a search led there
-- @param  referrer        text? = null          the page before
-- @param  envelope_id     text? = null          of the envelope it came in
-- @param  probe_tag       text? = null          of a probe
-- @param  now             time = now            when it came in
-- @result id              int                   the visit's number
-- @result duplicate       bool                  whether it was there already
-- @native st_capture_insert_browser_event

-- @method capture.find_browser_event  one  read  private
-- The visit that came in an envelope.
-- @param  envelope_id  text   which envelope
-- @result id           int    the visit's number
SELECT id FROM browser_events WHERE envelope_id = :envelope_id;

-- @method capture.write_browser_event  one  write  private
-- Keep a visit. Its parameters begin as those of insert_browser_event do.
-- @param  timestamp       time           when
-- @param  url             text           which page
-- @param  title           text?          its title
-- @param  domain          text           where it is from
-- @param  dwell_ms        int            how long it was in view
-- @param  scroll_depth    real?          how much of it was
-- @param  extracted_text  text?          what it says
-- @param  search_query    text?          what was looked for, if a search led there
-- @param  referrer        text?          the page before
-- @param  envelope_id     text?          of the envelope it came in
-- @param  probe_tag       text?          of a probe
-- @param  now             time           when it came in
-- @param  content_hash    text?   SHA-256 of the text
-- @result id              int     the visit's number; no row if its envelope is known
INSERT INTO browser_events (timestamp, url, title, domain, dwell_ms, scroll_depth, extracted_text, search_query, referrer, envelope_id,
                            probe_tag, created_at, content_hash)
VALUES (:timestamp, :url, :title, :domain, :dwell_ms, :scroll_depth, :extracted_text, :search_query, :referrer, :envelope_id,
        :probe_tag, :now, :content_hash)
ON CONFLICT (envelope_id) WHERE envelope_id IS NOT NULL DO NOTHING
RETURNING id;

-- @method capture.enqueue_browser_event  none  write  private
-- Let a visit wait to be learned from.
-- @param  id   int    which visit
-- @param  now  time   since when
INSERT INTO browser_enrichment_queue (browser_event_id, created_at, updated_at) VALUES (:id, :now, :now)
ON CONFLICT (browser_event_id) DO NOTHING;

-- @method capture.get_browser_events  many  read
-- Visits of pages, the newest first, without probes.
-- @param  since           time optional       at this time or later
-- @param  domain          text optional       of pages from there
-- @param  limit           int(1..1000) = 50   at most this many
-- @result id              int                 the visit's number
-- @result timestamp       time                when
-- @result url             text                which page
-- @result title           text?               its title
-- @result domain          text                where it is from
-- @result dwell_ms        int                 how long it was in view
-- @result scroll_depth    real?               how much of it was
-- @result extracted_text  text?               what it says
-- @result search_query    text?               what was looked for, if a search led there
-- @result referrer        text?               the page before
-- @result content_hash    text?               SHA-256 of the text
-- @result enriched        bool                whether it has been learned from
SELECT id, timestamp, url, title, domain, dwell_ms, scroll_depth, extracted_text, search_query, referrer, content_hash, enriched
  FROM browser_events
 WHERE probe_tag IS NULL
   AND timestamp >= :since                                   -- @if since
   AND domain = :domain                                      -- @if domain
 ORDER BY timestamp DESC, id DESC LIMIT :limit;
