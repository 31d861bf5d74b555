-- How this store forgets: see docs/grammar.md.

-- @forget server_tokens
-- Who may call the server. Not a word of what they said is here; a token in whose name the text stands is no longer valid.
-- @key int t.id

-- @forget memory_files
-- Files of memory.
-- @key text t.path
-- @project t.path
-- @time t.updated_at

-- @forget stele_upkeep
-- What is done once a day.
-- @key text t.chore
