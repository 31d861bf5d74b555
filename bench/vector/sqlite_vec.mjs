// sqlite_vec.mjs - sqlite-vec's float32 search of the vectors that beside.c left: prints how long one takes in processor time,
// and how much of what it finds was found there too.  Run by Node: sqlite_vec.mjs EXTENSION DIRECTORY
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

const DIMENSION = 768, BYTES = DIMENSION * 4, K = 10;
const [extension, directory] = process.argv.slice(2);
const vectors = readFileSync(`${directory}/vectors`);
const queries = readFileSync(`${directory}/queries`);
const nearest = readFileSync(`${directory}/nearest`);

const db = new DatabaseSync(`${directory}/vectors.db`, { allowExtension: true });
db.loadExtension(extension);
db.exec(`CREATE VIRTUAL TABLE v USING vec0(e float[${DIMENSION}] distance_metric=cosine)`);
const insert = db.prepare("INSERT INTO v (rowid, e) VALUES (?, ?)");
db.exec("BEGIN");
for (let at = 0; at < vectors.length; at += BYTES) insert.run(BigInt(at / BYTES), vectors.subarray(at, at + BYTES));
db.exec("COMMIT");

const find = db.prepare(`SELECT rowid FROM v WHERE e MATCH ? AND k = ${K} ORDER BY distance`);
const times = [];
let common = 0;
for (let n = 0; n < queries.length / BYTES; n++) {
  const before = process.cpuUsage();
  const found = find.all(queries.subarray(n * BYTES, (n + 1) * BYTES));
  const took = process.cpuUsage(before);
  times.push((took.user + took.system) / 1000);
  for (let i = 0; i < K; i++) common += found.some((row) => Number(row.rowid) === nearest.readUInt32LE((n * K + i) * 4));
}
times.sort((a, b) => a - b);
console.log(JSON.stringify({ sqlite_vec_ms: times[times.length >> 1], agreed: common / (times.length * K) }));
