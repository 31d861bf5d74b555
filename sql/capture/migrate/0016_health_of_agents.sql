-- The agents whose sessions versions 14, 15 and 16 began to capture.
INSERT INTO source_health (source, last_event_ts, updated_at)
VALUES ('agentic-session-claude', (SELECT MAX(start_time) FROM agentic_sessions WHERE harness = 'claude-code'),
        unixepoch('now') * 1000),
       ('agentic-session-opencode', NULL, unixepoch('now') * 1000),
       ('agentic-session-codex', NULL, unixepoch('now') * 1000),
       ('agentic-session-cursor', NULL, unixepoch('now') * 1000)
ON CONFLICT (source) DO NOTHING;
