// better.mjs - a server as one would write it in an afternoon: Node's own, with better-sqlite3 and the tables of the
// original.  Says where it listens, and serves until it is ended.  Run by Node: better.mjs FILE
import { createServer } from "node:http";
import Database from "better-sqlite3";

const db = new Database(process.argv[2]);
db.pragma("foreign_keys = ON");
db.pragma("synchronous = FULL");
db.prepare("INSERT OR IGNORE INTO sessions (id, source, started_at) VALUES ('bench', 'cli', 0)").run();
const total = db.prepare("SELECT count(*) AS count FROM sessions");
const one = db.prepare("SELECT * FROM sessions WHERE id = ?");
const count = db.prepare("UPDATE sessions SET message_count = message_count + 1 WHERE id = ?");
const insert = db.prepare("INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, ?)");
const append = db.transaction((message) => {
  count.run(message.session_id);
  return insert.run(message.session_id, message.role, message.content, Date.now() / 1000).lastInsertRowid;
});

const server = createServer((request, response) => {
  const reply = (value) => {
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(value));
  };
  if (request.url === "/count") return reply(total.get());
  if (request.method === "GET") return reply(one.get("bench"));
  let text = "";
  request.on("data", (part) => (text += part)).on("end", () => reply({ id: Number(append(JSON.parse(text))) }));
});
server.listen(0, "127.0.0.1", () => console.error(`listening on http://127.0.0.1:${server.address().port}`));
