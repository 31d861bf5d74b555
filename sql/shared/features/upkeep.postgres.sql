-- @probe stele_upkeep
CREATE TABLE stele_upkeep (
    chore TEXT COLLATE "C" PRIMARY KEY,
    day   TEXT COLLATE "C" NOT NULL
);
