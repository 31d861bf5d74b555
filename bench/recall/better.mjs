// better.mjs - a question by words and meaning as one would put it together: SQLite's full-text index and sqlite-vec, each asked for
// its best, and the two lists fused by rank; by better-sqlite3, on the messages of the home that scale.py left.  Vectors are by
// chance, as there.  Run by Node: better.mjs EXTENSION HOME QUESTIONS
import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { figures, sample } from "../rival.mjs";

const DIMENSION = 256, EACH = 50, LIMIT = 10, RANKED = 60; // the constant of reciprocal ranks
const [extension, home, count] = process.argv.slice(2);
const asked = JSON.parse(readFileSync(`${home}/asked.json`, "utf8")).questions.slice(0, Number(count));
const db = new Database(`${home}/beside.db`);
db.loadExtension(extension);
db.exec(`CREATE VIRTUAL TABLE words USING fts5(content);
  CREATE VIRTUAL TABLE vectors USING vec0(e float[${DIMENSION}] distance_metric=cosine);
  ATTACH '${home}/conversation.db' AS stele`);

let state = 1;
const vector = () => Float32Array.from({ length: DIMENSION }, () => (state = (state * 1103515245 + 12345) & 0x7fffffff) / 0x40000000 - 1);

db.transaction(() => {
  db.exec("INSERT INTO words (rowid, content) SELECT id, content FROM stele.messages");
  const insert = db.prepare("INSERT INTO vectors (rowid, e) VALUES (?, ?)");
  for (const id of db.prepare("SELECT id FROM stele.messages").pluck().all()) insert.run(BigInt(id), vector());
})();

const byWords = db.prepare(`SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ${EACH}`).pluck();
const byMeaning = db.prepare(`SELECT rowid FROM vectors WHERE e MATCH ? AND k = ${EACH} ORDER BY distance`).pluck();
const message = db.prepare("SELECT * FROM stele.messages WHERE id = ?");

function fused(lists) {
  const score = new Map();
  for (const list of lists) list.forEach((id, rank) => score.set(id, (score.get(id) ?? 0) + 1 / (RANKED + rank)));
  return [...score].sort((a, b) => b[1] - a[1]).slice(0, LIMIT);
}

sample("better_all", asked, ({ query }) => {
  const any = (query.match(/[\p{L}\p{N}]+/gu) ?? ["nothing"]).map((word) => `"${word}"`).join(" OR ");
  return JSON.stringify(fused([byWords.all(any), byMeaning.all(vector())]).map(([id]) => message.get(id)));
});
console.log(JSON.stringify(figures));
