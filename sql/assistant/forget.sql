-- How this store forgets: see docs/grammar.md.

-- @forget interactions
-- Exchanges with the assistant.
-- @key text t.id
-- @source t.channel
-- @time t.created_at

-- @forget notes
-- Notes.
-- @key text t.id
-- @time t.created_at

-- @forget tasks
-- Tasks.
-- @key text t.id
-- @time t.created_at

-- @forget reminders
-- Reminders.
-- @key text t.id
-- @source t.channel
-- @time t.created_at

-- @forget context
-- The profile of the user, and settings.
-- @key text t.user_id
-- @time t.last_updated

-- @forget user_facts
-- Facts about the user.
-- @key text t.id
-- @source t.source
-- @time t.created_at

-- @forget news_topics
-- Topics of news.
-- @key text t.id
-- @time t.created_at

-- @forget seen_news
-- News that were seen.
-- @key text t.url
-- @time t.seen_at

-- @forget scheduled_tasks
-- Schedules.
-- @key text t.id
-- @time t.created_at

-- @forget audit_log
-- What tools were called with, and what they answered.
-- @key text t.id
-- @source t.channel
-- @time t.timestamp

-- @forget read_later
-- Articles to read.
-- @key text t.id
-- @time t.added_at

-- @forget alert_rules
-- Rules of alerts.
-- @key text t.id
-- @time t.created_at

-- @forget agent_learnings
-- What the assistant learned about its own conduct.
-- @key text t.id
-- @time t.first_seen

-- @forget pending_actions
-- Approvals.
-- @key text t.id
-- @time t.created_at

-- @forget pending_intentions
-- Intentions.
-- @key text t.id
-- @time t.created_at

-- @forget journal_entries
-- The journal.
-- @key text t.id
-- @source t.source
-- @time t.created_at

-- @forget health_samples
-- Samples of health.
-- @key int t.id
-- @source t.source_app
-- @time t.start_time

-- @forget capability_gaps
-- What the assistant could not do.
-- @key text t.id
-- @time t.created_at

-- @forget proposed_skills
-- Skills that were proposed.
-- @key text t.id
-- @time t.created_at
-- @follows capability_gaps t.gap_id

-- @forget delegations
-- Work that was given to others.
-- @key text t.id
-- @session t.session_id
-- @time t.created_at

-- @forget vault_credentials
-- Credentials of the vault. What is secret in them no text can be looked for in.
-- @key text t.id
-- @time t.created_at

-- @forget stele_item
-- What agents keep under a key.
-- @key int t.id
-- @project t.namespace
-- @time t.created_at

-- @forget stele_upkeep
-- What is done once a day.
-- @key text t.chore
