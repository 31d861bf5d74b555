// start.mjs - open a file with better-sqlite3, ask it one thing, end.  Run by Node: start.mjs FILE SQL
import Database from "better-sqlite3";

const [file, sql] = process.argv.slice(2);
console.log(JSON.stringify(new Database(file).prepare(sql).get()));
