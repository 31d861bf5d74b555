-- @probe stele_message_usage
CREATE TABLE stele_message_usage (
    session               BIGINT NOT NULL,
    key                   BIGINT NOT NULL,
    message               BIGINT NOT NULL,
    PRIMARY KEY (session, key)
);
