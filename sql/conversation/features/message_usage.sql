-- @probe stele_message_usage
-- Which message a request to a model ended with: what stele_usage tells of the request is told of it.
CREATE TABLE stele_message_usage (
    session               INTEGER NOT NULL,    -- stele_usage.session
    key                   INTEGER NOT NULL,    -- stele_usage.key
    message               INTEGER NOT NULL,
    PRIMARY KEY (session, key)
) WITHOUT ROWID;
