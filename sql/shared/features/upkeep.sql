-- @probe stele_upkeep
-- Permanent. What is done once a day, or once in another time, at most.
CREATE TABLE stele_upkeep (
    chore TEXT PRIMARY KEY,
    day   TEXT NOT NULL        -- on which it was done last, in UTC: YYYY-MM-DD; or the time
);
