// transcripts.mjs - an import as one would write it in an afternoon: every line through JSON.parse, what was said into the tables of
// the original, by better-sqlite3.  Nothing is redacted, no tool call is paired.  Run by Node: transcripts.mjs DIRECTORY FILE
import { createReadStream, readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import Database from "better-sqlite3";

const [directory, file] = process.argv.slice(2);
const db = new Database(file);
db.pragma("synchronous = FULL");
const session = db.prepare("INSERT OR IGNORE INTO sessions (id, source, started_at) VALUES (?, 'claude-code', ?)");
const insert = db.prepare("INSERT INTO messages (session_id, role, content, tool_calls, timestamp) VALUES (?, ?, ?, ?, ?)");
let messages = 0;

function take(line) {
  const record = JSON.parse(line);
  if (record.type !== "user" && record.type !== "assistant") return;
  const said = record.message.content, parts = typeof said === "string" ? [{ type: "text", text: said }] : said;
  const calls = parts.filter((part) => part.type === "tool_use");
  const text = parts.map((part) => part.text ?? part.thinking ?? (typeof part.content === "string" ? part.content : "")).join("\n");
  const time = Date.parse(record.timestamp) / 1000;
  session.run(record.sessionId, time);
  insert.run(record.sessionId, record.message.role, text, calls.length ? JSON.stringify(calls) : null, time);
  messages++;
}

const start = performance.now();
for (const name of readdirSync(directory)) {
  db.exec("BEGIN");
  for await (const line of createInterface({ input: createReadStream(`${directory}/${name}`) })) take(line);
  db.exec("COMMIT");
}
const used = process.resourceUsage();
console.log(JSON.stringify({ better_s: (performance.now() - start) / 1000, better_messages: messages, better_peak_mb: used.maxRSS / 1024,
  better_cpu_s: (used.userCPUTime + used.systemCPUTime) / 1e6 }));
