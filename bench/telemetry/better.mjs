// better.mjs - invocations in batches of 100 by better-sqlite3, on the store that bench_insert left: rows like those it has.
// Run by Node: better.mjs FILE
import Database from "better-sqlite3";
import { figures, sample } from "../rival.mjs";

const BATCH = 100, BATCHES = 200;
const db = new Database(process.argv[2]);
db.pragma("foreign_keys = ON");
db.pragma("synchronous = NORMAL");
const columns = ["listener_id", "session_id", "execution_start_dtme", "duration_ms", "status", "error_type", "error_message", "error_traceback"];
const rows = db.prepare(`SELECT ${columns} FROM handler_invocations LIMIT ?`).all(BATCH * BATCHES);
const insert = db.prepare(`INSERT INTO handler_invocations (${columns}) VALUES (${columns.map((name) => `@${name}`)})`);
const write = db.transaction((batch) => batch.forEach((row) => insert.run(row)));

const batches = [];
for (let at = 0; at + BATCH <= rows.length; at += BATCH) batches.push(rows.slice(at, at + BATCH));
sample("better_batch", batches, (batch) => write.immediate(batch));
console.log(JSON.stringify(figures));
