-- @probe index stele_sessions_title
-- Sessions by the beginning of an id or a title, whatever the case of ASCII letters.
CREATE INDEX stele_sessions_title ON sessions(lower(title)) WHERE title IS NOT NULL;
CREATE INDEX stele_sessions_name ON sessions(lower(id));
