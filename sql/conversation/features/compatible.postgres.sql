-- @probe messages_fts
-- PostgreSQL has no such form: no other program writes there.
SELECT 1;
