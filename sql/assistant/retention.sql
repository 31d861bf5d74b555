-- What of this store may go after some time: see docs/retention.md.

-- @retain audit audit_log id text
-- What tools were called.
-- @keep 90d
-- @every 24h
-- @held audit
SELECT a.id AS id, a.timestamp AS time FROM audit_log AS a;

-- @retain pending_actions pending_actions id text
-- Actions that are decided: confirmed, cancelled, expired or failed.
-- @keep 7d
-- @every 24h
-- @held pending_action
SELECT p.id AS id, p.created_at AS time FROM pending_actions AS p WHERE p.status IN ('confirmed', 'cancelled', 'expired', 'failed');

-- @retain seen_news seen_news url text
-- News that were shown.
-- @keep 7d
-- @every 24h
-- @held seen_news
SELECT n.url AS id, n.seen_at AS time FROM seen_news AS n;
