// better.mjs - better-sqlite3 with the tables of the original that bench_growth left: the same questions, one after the other.
// Prints p50 and so on of the times, of processor time, and its memory.  Run by Node: better.mjs DIRECTORY
import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { figures, sample } from "../rival.mjs";

const [directory] = process.argv.slice(2);
const asked = JSON.parse(readFileSync(`${directory}/questions.json`, "utf8"));
const db = new Database(`${directory}/original/original.db`);
db.pragma("foreign_keys = ON");
db.pragma("synchronous = FULL");
const answer = asked.answer, page = asked.page;

const match = db.prepare(`SELECT m.id, m.session_id, m.role, snippet(messages_fts, 0, '>>>', '<<<', '...', 40) AS snippet, m.timestamp, m.tool_name,
  s.source, s.model, s.started_at FROM messages_fts JOIN messages m ON m.id = messages_fts.rowid JOIN sessions s ON s.id = m.session_id
  WHERE messages_fts MATCH ? ORDER BY rank LIMIT ${answer}`);
const like = db.prepare(`SELECT m.id, m.session_id, m.role, substr(m.content, max(1, instr(m.content, @part) - 40), 120) AS snippet, m.timestamp,
  m.tool_name, s.source, s.model, s.started_at FROM messages m JOIN sessions s ON s.id = m.session_id
  WHERE m.content LIKE @like OR m.tool_name LIKE @like OR m.tool_calls LIKE @like ORDER BY m.timestamp DESC LIMIT ${answer}`);
const list = db.prepare(`SELECT s.*, coalesce((SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id), s.started_at) AS last_active,
  (SELECT substr(m.content, 1, 63) FROM messages m WHERE m.session_id = s.id AND m.role = 'user' AND m.content IS NOT NULL
   ORDER BY m.timestamp, m.id LIMIT 1) AS preview
  FROM sessions s WHERE s.parent_session_id IS NULL ORDER BY s.started_at DESC LIMIT ${answer}`);
const read = db.prepare("SELECT * FROM messages WHERE session_id = ? ORDER BY timestamp, id");
const last = db.prepare(`SELECT * FROM (SELECT * FROM messages WHERE session_id = ? ORDER BY timestamp DESC, id DESC LIMIT ${page}) AS newest
  ORDER BY timestamp, id`);
const sessions = db.prepare("SELECT * FROM sessions ORDER BY started_at, id");
const count = db.prepare("UPDATE sessions SET message_count = message_count + 1 WHERE id = ?");
const insert = db.prepare(`INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp)
  VALUES (@session_id, @role, @content, @tool_call_id, @tool_calls, @tool_name, @timestamp)`);
const append = db.transaction((message) => {
  count.run(message.session_id);
  return insert.run(message);
});
const written = db.prepare("SELECT * FROM messages LIMIT ?").all(asked.append);

// What is asked; every answer is made into the text that a program would send on.
const deeds = {
  words: [asked.words, (query) => JSON.stringify(match.all(query))],
  common: [asked.common, (query) => JSON.stringify(match.all(query))],
  chinese: [asked.chinese, (part) => JSON.stringify(like.all({ part, like: `%${part}%` }))],
  list: [Array(asked.list).fill(), () => JSON.stringify(list.all())],
  read: [asked.read.slice(0, asked.reads), (session) => JSON.stringify(read.all(session))],
  page: [asked.read, (session) => JSON.stringify(last.all(session))],
  export: [[undefined], () => { for (const session of sessions.all()) JSON.stringify({ ...session, messages: read.all(session.id) }); }],
  append: [written, (message) => append(message)],
};

const only = process.argv[3]?.split(",");
for (const [name, [questions, ask]] of Object.entries(deeds)) if (!only || only.includes(name)) sample(`better_${name}`, questions, ask);
console.log(JSON.stringify(figures));
