/* messages.c - see messages.h. */
#include "conversation/messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DRAWS (1u << 18)
#define CONTENT_MAX 8192
#define WORD_MAX 16
#define START 1750000000.0

unsigned bench_session_messages = 200;
bool bench_brief;

/* Words by rank, and ranks as often as they are to be drawn. */
static char words[BENCH_WORDS][WORD_MAX];
static uint8_t lengths[BENCH_WORDS];
static uint16_t drawn_words[DRAWS], drawn_han[DRAWS];

static void spell(unsigned rank, char out[WORD_MAX]) {
  static const char consonants[] = "bdfghjklmnprstvwxyzc", vowels[] = "aeiou";
  uint64_t random = bench_mix(rank);
  unsigned syllables = rank < 10000 ? 2 : 3, value = rank, used = 0;
  for (unsigned i = 0; i < syllables + random % 3; i++) {
    unsigned syllable = i < syllables ? value % 100 : random >> (8 * i) & 63;
    out[used++] = consonants[syllable / 5];
    out[used++] = vowels[syllable % 5];
    value /= 100;
  }
  out[used] = '\0';
}

/* Zipf's law: the word of rank r comes as often as 1 / (r + 1). */
static void fill_draws(uint16_t *draws, unsigned kinds) {
  double all = 0, sum = 0;
  for (unsigned r = 0; r < kinds; r++) all += 1.0 / (r + 1);
  for (unsigned r = 0, at = 0; r < kinds; r++) {
    sum += 1.0 / (r + 1);
    while (at < DRAWS && (r + 1 == kinds || at < sum / all * DRAWS)) draws[at++] = (uint16_t)r;
  }
}

static void make_words(void) {
  if (lengths[0]) return;
  for (unsigned r = 0; r < BENCH_WORDS; r++) {
    spell(r, words[r]);
    lengths[r] = (uint8_t)strlen(words[r]);
  }
  fill_draws(drawn_words, BENCH_WORDS);
  fill_draws(drawn_han, BENCH_HAN);
}

const char *bench_word(unsigned rank) {
  make_words();
  return words[rank];
}

void bench_han(unsigned rank, char out[4]) {
  unsigned c = 0x4E00 + rank * 7;
  out[0] = (char)(0xE0 | c >> 12);
  out[1] = (char)(0x80 | (c >> 6 & 63));
  out[2] = (char)(0x80 | (c & 63));
  out[3] = '\0';
}

/* ---- One message ---- */

static uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static size_t write_sentence(char *out, uint64_t *state) {
  unsigned count = 10 + next_random(state) % 12;
  for (unsigned i = 0; i < count; i++) bench_han(drawn_han[next_random(state) >> 20 & (DRAWS - 1)], out + 3 * i);
  memcpy(out + 3 * (size_t)count, "\xE3\x80\x82 ", 4); /* a full stop */
  return 3 * (size_t)count + 4;
}

/* Words up to that many bytes.  A message without the commonest word gets the next one instead. */
static size_t write_words(char *out, size_t size, bool common, const char separators[32], uint64_t *state) {
  size_t used = 0;
  while (used < size) {
    uint64_t random = next_random(state);
    unsigned rank = drawn_words[random >> 20 & (DRAWS - 1)];
    if (rank == 0 && !common) rank = 1;
    memcpy(out + used, words[rank], WORD_MAX);
    used += lengths[rank];
    out[used++] = separators[random >> 56 & 31];
  }
  return used;
}

static size_t write_content(char *out, size_t mean, const char separators[32], uint64_t *state) {
  size_t size = mean / 2 + next_random(state) % mean, used = 0;
  bool common = next_random(state) % 100 < 85;
  if (next_random(state) % 100 < 6) used = write_sentence(out, state);
  if (common) used += (size_t)sprintf(out + used, "%s ", words[0]);
  used += write_words(out + used, size, common, separators, state);
  return used;
}

static void write_calls(bench_message *m, unsigned n, uint64_t *state) {
  snprintf(m->tool_calls, sizeof m->tool_calls,
           "[{\"id\":\"call_%u\",\"type\":\"function\",\"function\":{\"name\":\"terminal\","
           "\"arguments\":\"{\\\"command\\\": \\\"%s %s/%s\\\"}\"}}]",
           n + 1, words[next_random(state) % 500], words[next_random(state) % 5000], words[next_random(state) % BENCH_WORDS]);
}

bench_message bench_message_at(unsigned n) {
  static const char prose[33] = "                         ,.   \n ", output[33] = "                  \n\n\n//._-:=    ";
  static char content[CONTENT_MAX + 2 * WORD_MAX + 128];
  uint64_t state = bench_mix(n) | 1;
  unsigned kind = bench_mix(n + 0x10000000u) % (bench_brief ? 14 : 100);
  bench_message m = {.content = content, .timestamp = START + n * 0.5};
  make_words();
  m.role = kind < 14 ? "user" : kind < 64 ? "assistant" : "tool";
  m.length = write_content(content, kind < 14 ? 110 : kind < 64 ? 1190 : 4990, kind < 64 ? prose : output, &state);
  snprintf(m.session, sizeof m.session, "bench-%06u", n / bench_session_messages);
  if (kind >= 64) {
    m.tool_name = "terminal";
    snprintf(m.tool_call_id, sizeof m.tool_call_id, "call_%u", n);
  } else if (kind >= 28) {
    write_calls(&m, n, &state);
  }
  return m;
}

size_t bench_message_raw(const bench_message *m) {
  return m->length + strlen(m->tool_calls) + (m->tool_name ? strlen(m->tool_name) : 0);
}

/* ---- As JSON ---- */

static void reserve(bench_text *to, size_t more) {
  if (to->length + more < to->room) return;
  to->room = 2 * (to->room + more + 1024);
  to->text = realloc(to->text, to->room);
  if (!to->text) bench_die("out of memory");
}

void bench_text_add(bench_text *to, const char *text, size_t length) {
  reserve(to, length);
  memcpy(to->text + to->length, text, length);
  to->length += length;
  to->text[to->length] = '\0';
}

void bench_text_format(bench_text *to, const char *format, ...) {
  char text[2048];
  va_list args;
  va_start(args, format);
  int length = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (length >= (int)sizeof text) bench_die("too long a text");
  bench_text_add(to, text, (size_t)length);
}

/* Of all that must be escaped the messages have only line ends. */
static void add_string(bench_text *to, const char *text, size_t length) {
  const char *end = text + length;
  bench_text_add(to, "\"", 1);
  while (text < end) {
    const char *line = memchr(text, '\n', (size_t)(end - text));
    bench_text_add(to, text, (size_t)((line ? line : end) - text));
    if (line) bench_text_add(to, "\\n", 2);
    text = line ? line + 1 : end;
  }
  bench_text_add(to, "\"", 1);
}

void bench_message_json(bench_text *to, const bench_message *m) {
  bench_text_format(to, "{\"session_id\":\"%s\",\"role\":\"%s\",\"timestamp\":%.3f,\"content\":", m->session, m->role, m->timestamp);
  add_string(to, m->content, m->length);
  if (m->tool_name)
    bench_text_format(to, ",\"tool_name\":\"%s\",\"tool_call_id\":\"%s\"", m->tool_name, m->tool_call_id);
  if (m->tool_calls[0]) bench_text_format(to, ",\"tool_calls\":%s", m->tool_calls);
  bench_text_add(to, "}", 1);
}

void bench_messages_json(bench_text *to, unsigned first, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    bench_message m = bench_message_at(first + i);
    bench_text_add(to, i ? "," : "[", 1);
    bench_message_json(to, &m);
  }
  bench_text_add(to, "]", 1);
}

void bench_sessions_json(bench_text *to, unsigned first, unsigned count) {
  bench_text_add(to, "{\"sessions\":[", 13);
  for (unsigned s = first; s < first + count; s++) {
    double start = START + s * 0.5 * bench_session_messages;
    bench_text_format(to, "%s{\"id\":\"bench-%06u\",\"source\":\"cli\",\"started_at\":%.1f,\"ended_at\":%.1f,\"messages\":",
                      s > first ? "," : "", s, start, start + 0.5 * bench_session_messages);
    bench_messages_json(to, s * bench_session_messages, bench_session_messages);
    bench_text_add(to, "}", 1);
  }
  bench_text_add(to, "]}", 2);
}

void bench_ensure_session(stele_db *db, const char *session) {
  char args[120];
  snprintf(args, sizeof args, "{\"session_id\":\"%s\",\"source\":\"cli\"}", session);
  bench_call(db, "conversation.ensure_session", args);
}

/* ---- Typed ---- */

stele_stmt *bench_append_prepare(stele_db *db) {
  stele_stmt *stmt = NULL;
  bench_check(db, stele_prepare(db, "conversation.append_message", &stmt));
  return stmt;
}

stele_status bench_append(stele_stmt *stmt, const bench_message *m) {
  stele_bind_text(stmt, "session_id", m->session, strlen(m->session));
  stele_bind_text(stmt, "role", m->role, strlen(m->role));
  stele_bind_text(stmt, "content", m->content, m->length);
  stele_bind_real(stmt, "timestamp", m->timestamp);
  if (m->tool_name) stele_bind_text(stmt, "tool_name", m->tool_name, strlen(m->tool_name));
  if (m->tool_call_id[0]) stele_bind_text(stmt, "tool_call_id", m->tool_call_id, strlen(m->tool_call_id));
  if (m->tool_calls[0]) stele_bind_json(stmt, "tool_calls", m->tool_calls);
  stele_status status = stele_step(stmt);
  stele_reset(stmt);
  return status == STELE_ROW || status == STELE_DONE ? STELE_OK : status;
}

/* ---- With SQLite alone ---- */

static void bind(sqlite3_stmt *stmt, int at, const char *text) {
  if (text && text[0]) sqlite3_bind_text(stmt, at, text, -1, SQLITE_STATIC);
  else sqlite3_bind_null(stmt, at);
}

void bench_message_insert_prepare(sqlite3 *db, sqlite3_stmt **insert, sqlite3_stmt **count) {
  *count = bench_bare_prepare(db, "UPDATE sessions SET message_count = message_count + 1,"
                                  " tool_call_count = tool_call_count + ?2 WHERE id = ?1");
  *insert = bench_bare_prepare(db, "INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name,"
                                   " timestamp) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id");
}

void bench_message_insert(sqlite3 *db, sqlite3_stmt *insert, sqlite3_stmt *count, const bench_message *m) {
  bind(count, 1, m->session);
  sqlite3_bind_int(count, 2, m->tool_calls[0] != '\0');
  bench_bare_run(db, count);
  bind(insert, 1, m->session);
  bind(insert, 2, m->role);
  sqlite3_bind_text(insert, 3, m->content, (int)m->length, SQLITE_STATIC);
  bind(insert, 4, m->tool_call_id);
  bind(insert, 5, m->tool_calls);
  bind(insert, 6, m->tool_name);
  sqlite3_bind_double(insert, 7, m->timestamp);
  if (sqlite3_step(insert) != SQLITE_ROW) bench_die("sqlite: %s", sqlite3_errmsg(db));
  bench_bare_run(db, insert);
}

void bench_inserter_open(bench_inserter *to, const char *home) {
  bench_bare_open(&to->bare, home, "conversation.db", true);
  bench_message_insert_prepare(to->bare.db, &to->insert, &to->count);
}

bool bench_inserter_write(bench_inserter *to, const bench_message *m) {
  if (!bench_bare_begin(&to->bare)) return false;
  bench_message_insert(to->bare.db, to->insert, to->count, m);
  bench_bare_commit(&to->bare);
  return true;
}

void bench_inserter_close(bench_inserter *to) {
  sqlite3_finalize(to->count);
  sqlite3_finalize(to->insert);
  bench_bare_close(&to->bare);
}
