// better.mjs - the queue of commands by better-sqlite3, on the store that bench_claims left: the statements of its bare loop.
// Run by Node: better.mjs FILE
import Database from "better-sqlite3";
import { figures, sample } from "../rival.mjs";

const CLAIMS = 200, AT_ONCE = 10;
const db = new Database(process.argv[2]);
db.pragma("synchronous = FULL");
const find = db.prepare("SELECT id FROM enrichment_queue WHERE status = 'pending' ORDER BY priority, id LIMIT ?").pluck();
const take = db.prepare("UPDATE enrichment_queue SET status = 'processing', locked_at = 1, locked_by = 'bench' WHERE id = ?");
const settle = db.prepare("UPDATE enrichment_queue SET status = 'done', locked_by = NULL WHERE id = ? AND locked_by = 'bench'");
const claim = db.transaction(() => {
  const ids = find.all(AT_ONCE);
  for (const id of ids) take.run(id);
  return ids;
});

sample("better_claim", Array(CLAIMS).fill(), () => {
  const ids = claim.immediate();
  if (ids.length < AT_ONCE) throw new Error("too few tickets are left: more rows are needed");
  for (const id of ids) settle.run(id);
}, AT_ONCE);
console.log(JSON.stringify(figures));
