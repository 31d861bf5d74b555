/* commands.c - see commands.h. */
#include "enrich/commands.h"

#include "enrich/letters.h"

st_commands st_commands_of(st_arena *arena, st_text line) {
  size_t length = line.length < ST_COMMAND_MAX ? line.length : ST_COMMAND_MAX;
  st_commands from = {.at = line.bytes, .end = line.bytes + length, .to = st_arena_alloc(arena, length + 1)};
  from.failed = !from.to;
  return from;
}

/* ---- One word ---- */

typedef struct reading {
  st_commands *from;
  st_word word;
} reading;

static bool more(const reading *r) { return r->from->at < r->from->end; }
static char peek(const reading *r, size_t ahead) { return (size_t)(r->from->end - r->from->at) > ahead ? r->from->at[ahead] : '\0'; }
static void keep(reading *r) { *r->from->to++ = *r->from->at++; } /* a word is never longer than what it was read from */

/* From ( to its ), or to the end; it is kept as it stands. */
static void keep_nested(reading *r) {
  int depth = 0;
  r->word.expands = true;
  do {
    if (*r->from->at == '(') depth++;
    if (*r->from->at == ')') depth--;
    keep(r);
  } while (more(r) && depth > 0);
}

static void keep_backquoted(reading *r) {
  r->word.expands = true;
  do keep(r);
  while (more(r) && *r->from->at != '`');
  if (more(r)) keep(r);
}

static void keep_dollar(reading *r) {
  r->word.expands = true;
  keep(r);
  if (more(r) && *r->from->at == '(') keep_nested(r);
}

static void keep_single_quoted(reading *r) {
  for (r->from->at++; more(r) && *r->from->at != '\'';) keep(r);
  if (more(r)) r->from->at++;
}

static void keep_double_quoted(reading *r) {
  r->from->at++;
  while (more(r) && *r->from->at != '"') {
    char c = *r->from->at, next = peek(r, 1);
    if (c == '\\' && (next == '"' || next == '\\' || next == '$' || next == '`')) r->from->at++, keep(r);
    else if (c == '$') keep_dollar(r);
    else if (c == '`') keep_backquoted(r);
    else keep(r);
  }
  if (more(r)) r->from->at++;
}

static bool ends_word(char c) { return st_is_blank(c) || c == ';' || c == '&' || c == '|' || c == '(' || c == ')' || c == '<' || c == '>'; }

static void keep_piece(reading *r) {
  char c = *r->from->at;
  if (c == '\'' || c == '"') r->word.quoted = true;
  if (c == '\'') keep_single_quoted(r);
  else if (c == '"') keep_double_quoted(r);
  else if (c == '$') keep_dollar(r);
  else if (c == '`') keep_backquoted(r);
  else if (c == '\\' && peek(r, 1) == '\n') r->from->at += 2;
  else if (c == '\\' && peek(r, 1)) r->from->at++, keep(r);
  else {
    if (c == '*' || c == '?' || c == '{') r->word.expands = true;
    keep(r);
  }
}

static st_word read_word(st_commands *from) {
  reading r = {.from = from};
  const char *first = from->to;
  while (more(&r) && !ends_word(*from->at)) keep_piece(&r);
  r.word.text = (st_text){first, (size_t)(from->to - first)};
  return r.word;
}

/* ---- Between words ---- */

static void skip_line(st_commands *from) {
  while (from->at < from->end && *from->at != '\n') from->at++;
}

/* The newline, and the here-document that it begins. */
static void take_newline(st_commands *from) {
  from->at++;
  while (from->heredoc.length && from->at < from->end) {
    const char *line = from->at;
    skip_line(from);
    st_text text = st_text_trim((st_text){line, (size_t)(from->at - line)});
    if (from->at < from->end) from->at++;
    if (st_text_same(text, from->heredoc)) break;
  }
  from->heredoc = (st_text){0};
}

static void skip_blanks(st_commands *from) {
  while (from->at < from->end) {
    if (*from->at == '\\' && from->end - from->at > 1 && from->at[1] == '\n') from->at += 2;
    else if (st_is_blank(*from->at) && *from->at != '\n') from->at++;
    else break;
  }
}

/* >, >>, <, <<, <<<, >&, with the file or the end of a here-document behind it. */
static void take_redirection(st_commands *from, st_simple *out) {
  const char *sign = from->at;
  while (from->at < from->end && (*from->at == '<' || *from->at == '>')) from->at++;
  size_t length = (size_t)(from->at - sign);
  bool copies = from->at < from->end && *from->at == '&';
  if (copies) from->at++;
  if (from->at < from->end && (*from->at == '-' || *from->at == '(')) from->at++; /* <<-; and <(...) holds commands */
  skip_blanks(from);
  st_word word = read_word(from);
  if (length == 2 && *sign == '<') from->heredoc = word.text;
  else if (length < 3 && !copies && word.text.length && out->count < ST_WORDS_MAX) {
    word.redirects = true;
    out->words[out->count++] = word;
  }
}

/* In 2> the number is no word. */
static void drop_descriptor(st_simple *out, const char *sign) {
  if (out->count == 0) return;
  st_text last = out->words[out->count - 1].text;
  if (last.length == 1 && st_is_digit(last.bytes[0]) && st_is_digit(sign[-1])) out->count--;
}

/* Is this the end of the simple command?  It is stepped over. */
static bool take_end(st_commands *from) {
  char c = *from->at;
  if (c == '\n') take_newline(from);
  else if (c == ';' || c == '|' || c == '&' || c == '(' || c == ')') from->at++;
  else return false;
  return true;
}

bool st_commands_next(st_commands *from, st_simple *out) {
  out->count = 0;
  if (from->at >= from->end || from->failed) return false;
  for (;;) {
    skip_blanks(from);
    if (from->at >= from->end) return true;
    char c = *from->at;
    if (c == '#') skip_line(from);
    else if (c == '&' && from->end - from->at > 1 && from->at[1] == '>') from->at++;
    else if (c == '<' || c == '>') {
      drop_descriptor(out, from->at);
      take_redirection(from, out);
    } else if (take_end(from)) return true;
    else {
      st_word word = read_word(from);
      if (out->count < ST_WORDS_MAX) out->words[out->count++] = word;
    }
  }
}
