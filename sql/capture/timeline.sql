-- Everything that happened, on one time line.

-- @method capture.timeline  many  read
-- What happened, the newest first, without probes: commands of shells, tool calls and segments of agents, pages that were read, runs of
-- workflows. A page of the list is told by limit and offset; with a fixed `until`, what happens meanwhile does not move the pages.
-- @param  kinds        text(shell|tool|agent|browser|ci)[] optional   only these
-- @param  project      text optional   only of this directory and those below it, if it begins with a slash; else only where the
--     directory, or the repository, has a part of this name: stele, or me/stele. Pages have none
-- @param  session      text optional   only of this session: the shell's own name of it, or the agent's
-- @param  branch       text optional   only on this branch; pages have none
-- @param  since        time optional   at this time or later
-- @param  until        time optional   before this time
-- @param  limit        int(1..1000) = 50   at most this many
-- @param  offset       int(0..) = 0    after leaving out this many
-- @result time         time            when: of a command, when it had ended; of a segment and a run, when it began
-- @result kind         text            shell, tool, agent, browser or ci
-- @result source       text            shell, claude-tool, ...; the agent of a segment; the page's domain; what started a run
-- @result id           int             its number among those of its kind
-- @result summary      text            the command; what a segment says; a page's title; how a run is called
-- @result session      text?           the session, as the shell or the agent names it
-- @result cwd          text?           in which directory
-- @result repo         text?           in which repository
-- @result branch       text?           on which branch
-- @result outcome      text?           ok or failed; of a run, its conclusion, or its state while it has none
-- @result exit_code    int?            of a command
-- @result duration_ms  int?            how long it took; of a page, how long it was in view
-- @result url          text?           of a page, and of a run
SELECT time, kind, source, id, summary, session, cwd, repo, branch, outcome, exit_code, duration_ms, url
  -- Each source gives its newest only, by its own index, so that a page costs the same in a large store. Where a project is looked for,
  -- every part of a path has slashes around it, so that it is found whole, and the first one has two, so that a beginning is known.
  FROM (SELECT * FROM
       (SELECT timestamp AS time, CASE source_kind WHEN 'shell' THEN 'shell' ELSE 'tool' END AS kind, source_kind AS source, id, command AS summary,
               (SELECT terminal FROM sessions WHERE sessions.id = session_id) AS session, cwd, git_repo AS repo, git_branch AS branch,
               CASE WHEN exit_code = 0 THEN 'ok' WHEN exit_code <> 0 THEN 'failed' END AS outcome, exit_code, duration_ms,
               CAST(NULL AS TEXT) AS url
          FROM events WHERE probe_tag IS NULL
           AND session_id IN (SELECT sessions.id FROM sessions WHERE terminal = :session)                              -- @if session
           AND ('shell' IN :kinds OR 'tool' IN :kinds)                                                                 -- @if kinds
           AND CASE source_kind WHEN 'shell' THEN 'shell' ELSE 'tool' END IN :kinds                                    -- @if kinds
           AND git_branch = :branch                                                                                    -- @if branch
           AND timestamp >= :since                                                                                     -- @if since
           AND timestamp < :until                                                                                      -- @if until
           AND instr('//' || trim(cwd, '/') || '///' || trim(COALESCE(git_repo, ''), '/') || '/',                      -- @if project @for sqlite
           AND strpos('//' || trim(cwd, '/') || '///' || trim(COALESCE(git_repo, ''), '/') || '/',                     -- @if project @for postgres
                 CASE WHEN substr(:project, 1, 1) = '/' THEN '//' ELSE '/' END || trim(:project, '/') || '/') > 0      -- @if project
         ORDER BY timestamp DESC, id DESC LIMIT :limit + :offset) AS ran
        UNION ALL SELECT * FROM
       (SELECT start_time, 'agent', harness, id, summary_text, session_id, cwd, project_dir, git_branch, NULL, CAST(NULL AS BIGINT),
               end_time - start_time, NULL
          FROM agentic_sessions WHERE probe_tag IS NULL
           AND session_id = :session                                                                                   -- @if session
           AND 'agent' IN :kinds                                                                                       -- @if kinds
           AND git_branch = :branch                                                                                    -- @if branch
           AND start_time >= :since                                                                                    -- @if since
           AND start_time < :until                                                                                     -- @if until
           AND instr('//' || trim(cwd, '/') || '///' || trim(project_dir, '/') || '/',                                 -- @if project @for sqlite
           AND strpos('//' || trim(cwd, '/') || '///' || trim(project_dir, '/') || '/',                                -- @if project @for postgres
                 CASE WHEN substr(:project, 1, 1) = '/' THEN '//' ELSE '/' END || trim(:project, '/') || '/') > 0      -- @if project
         ORDER BY start_time DESC, id DESC LIMIT :limit + :offset) AS worked
        UNION ALL SELECT * FROM
       (SELECT timestamp, 'browser', domain, id, COALESCE(title, url), NULL, NULL, NULL, NULL, NULL, CAST(NULL AS BIGINT), dwell_ms, url
          FROM browser_events WHERE probe_tag IS NULL
           AND :session IS NULL                                                                                        -- @if session
           AND 'browser' IN :kinds                                                                                     -- @if kinds
           AND :branch IS NULL                                                                                         -- @if branch
           AND timestamp >= :since                                                                                     -- @if since
           AND timestamp < :until                                                                                      -- @if until
           AND :project IS NULL                                                                                        -- @if project
         ORDER BY timestamp DESC, id DESC LIMIT :limit + :offset) AS seen
        UNION ALL SELECT * FROM
       (SELECT COALESCE(started_at, first_seen_at), 'ci', event, id,
               -- What the run is called, if that is a text, and one that both engines can read.
               COALESCE(CASE WHEN json_valid(raw_json) AND instr(raw_json, '\u0000') = 0 AND json_type(raw_json, '$.name') = 'text' -- @for sqlite
                             THEN json_extract(raw_json, '$.name') END, event)                                         -- @for sqlite
               COALESCE(CASE WHEN strpos(raw_json, '\u0000') = 0 AND json_typeof(CAST(raw_json AS JSON) -> 'name') = 'string' -- @for postgres
                             THEN CAST(raw_json AS JSON) ->> 'name' END, event)                                        -- @for postgres
                 || ' ' || substr(head_sha, 1, 7),
               NULL, NULL, repo, head_branch, COALESCE(conclusion, status), CAST(NULL AS BIGINT), completed_at - started_at, html_url
          FROM workflow_runs WHERE TRUE
           AND :session IS NULL                                                                                        -- @if session
           AND 'ci' IN :kinds                                                                                          -- @if kinds
           AND head_branch = :branch                                                                                   -- @if branch
           AND COALESCE(started_at, first_seen_at) >= :since                                                           -- @if since
           AND COALESCE(started_at, first_seen_at) < :until                                                            -- @if until
           AND instr('//' || repo || '/',                                                                              -- @if project @for sqlite
           AND strpos('//' || repo || '/',                                                                             -- @if project @for postgres
                 CASE WHEN substr(:project, 1, 1) = '/' THEN '//' ELSE '/' END || trim(:project, '/') || '/') > 0      -- @if project
         ORDER BY COALESCE(started_at, first_seen_at) DESC, id DESC LIMIT :limit + :offset) AS built) AS happened
 ORDER BY time DESC, kind, id DESC LIMIT :limit OFFSET :offset;
