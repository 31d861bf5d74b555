-- A session of an agent has segments, and Cursor's are among them: the keys and the CHECK of an older table refuse both. What
-- it had is segment 0.
DROP TABLE IF EXISTS agentic_sessions_new;
CREATE TABLE agentic_sessions_new (
    id                         INTEGER PRIMARY KEY,
    session_id                 TEXT NOT NULL,
    harness                    TEXT NOT NULL DEFAULT 'opencode' CHECK (harness IN ('claude-code', 'opencode', 'codex', 'cursor')),
    segment_index              INTEGER NOT NULL DEFAULT 0,
    model                      TEXT NOT NULL DEFAULT '',
    agent                      TEXT DEFAULT '',
    project_dir                TEXT NOT NULL,
    cwd                        TEXT NOT NULL,
    git_branch                 TEXT,
    slug                       TEXT DEFAULT '',
    title                      TEXT DEFAULT '',
    parent_session_id          TEXT,
    is_subagent                INTEGER NOT NULL DEFAULT 0,
    summary_text               TEXT NOT NULL,
    tool_calls_json            TEXT,
    user_prompts_json          TEXT,
    source_file                TEXT DEFAULT '',
    snapshot_diffs_json        TEXT DEFAULT 'null',
    commit_messages_json       TEXT DEFAULT '[]',
    message_count              INTEGER NOT NULL DEFAULT 0,
    token_count                INTEGER NOT NULL DEFAULT 0,
    start_time                 INTEGER NOT NULL,
    end_time                   INTEGER NOT NULL,
    content_hash               TEXT,
    last_enriched_content_hash TEXT,
    created_at                 INTEGER NOT NULL DEFAULT (unixepoch('now', 'subsec') * 1000),
    enriched                   INTEGER NOT NULL DEFAULT 0,
    probe_tag                  TEXT,
    UNIQUE (session_id, harness, segment_index)
);
INSERT INTO agentic_sessions_new
      (id, session_id, harness, segment_index, model, agent, project_dir, cwd, git_branch, slug, title,
       parent_session_id, is_subagent, summary_text, tool_calls_json, user_prompts_json, source_file,
       snapshot_diffs_json, commit_messages_json, message_count, token_count, start_time, end_time, content_hash,
       last_enriched_content_hash, created_at, enriched, probe_tag)
SELECT id, session_id, harness, segment_index, model, agent, project_dir, cwd, git_branch, slug, title,
       parent_session_id, is_subagent, summary_text, tool_calls_json, user_prompts_json, source_file,
       snapshot_diffs_json, commit_messages_json, message_count, token_count, start_time, end_time, content_hash,
       last_enriched_content_hash, created_at, enriched, probe_tag
  FROM agentic_sessions;
DROP TABLE agentic_sessions;
ALTER TABLE agentic_sessions_new RENAME TO agentic_sessions;
