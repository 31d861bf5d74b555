// sqlite_vec.mjs - sqlite-vec's float32 search of the vectors that beside.c left: prints how long one takes,
// and how much of what it finds was found there too.  Run by Node: sqlite_vec.mjs EXTENSION DIRECTORY
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { figures, sample } from "../rival.mjs";

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
let common = 0, n = 0;
const asked = [];
for (let at = 0; at < queries.length; at += BYTES) asked.push(queries.subarray(at, at + BYTES));
sample("sqlite_vec_near", asked, (query) => {
  const found = find.all(query);
  for (let i = 0; i < K; i++) common += found.some((row) => Number(row.rowid) === nearest.readUInt32LE((n * K + i) * 4));
  n++;
});
console.log(JSON.stringify({ ...figures, agreed: common / (asked.length * K) }));
