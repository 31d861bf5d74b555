/* candidates.c - see candidates.h. */
#include "search/candidates.h"

#include <string.h>
#include <utf8proc.h>

#include "base/chars.h"
#include "registry_ids.h"
#include "search/inside.h"

#define EXPRESSION_MAX (1u << 20)
#define SHORT 2 /* characters: too few for the table of three */

typedef struct finder {
  st_call *call;
  st_arena *arena;
  bool narrow; /* look short words up as words, though that may miss some */
  double *rows; /* as in st_candidates */
  st_str match;
} finder;

static int count_characters(const char *text) {
  int count = 0;
  for (; *text; text++) count += ((unsigned char)*text & 0xC0) != 0x80;
  return count;
}

/* ---- expressions: strings in quotes, joined by OR ---- */

static void add_string(st_str *out, const char *text, bool prefix) {
  if (!*text) return;
  st_str_addz(out, out->length ? " OR \"" : "\"");
  for (; *text; text++) {
    if (*text == '"') st_str_addc(out, '"');
    st_str_addc(out, *text);
  }
  st_str_addz(out, prefix ? "\"*" : "\"");
}

typedef enum letters { AS_TYPED, LOWER, UPPER, CAPITALIZED } letters;

static int32_t recase(int32_t c, letters as, bool first) {
  if (as == LOWER || (as == CAPITALIZED && !first)) return utf8proc_tolower(c);
  return as == AS_TYPED ? c : utf8proc_toupper(c);
}

static void add_code(st_str *out, const char *backslash, unsigned code) {
  st_str_addf(out, "%su%04x", backslash, code);
}

/* As JSON without characters beyond ASCII has it: \u684c, or, in a string within a string, \\u684c.  There the
** table does not see that A and a are the same letter. */
static void add_escaped(st_str *out, const char *text, const char *backslash, letters as) {
  const char *from = text, *end = text + strlen(text);
  int size = 0;
  st_str_addz(out, out->length ? " OR \"" : "\"");
  for (; from < end; from += size > 0 ? size : 1) {
    int32_t c = recase(st_char_read(from, end, &size), as, from == text);
    if (c >= 0x10000) {
      add_code(out, backslash, 0xD800u + (unsigned)((c - 0x10000) >> 10));
      add_code(out, backslash, 0xDC00u + (unsigned)((c - 0x10000) & 0x3FF));
    } else if (c >= 0x80) {
      add_code(out, backslash, (unsigned)c);
    } else if (c >= 0 && c != '"') {
      st_str_addc(out, (char)c);
    }
  }
  st_str_addc(out, '"');
}

static bool is_ascii(const char *text) {
  while (*text && (unsigned char)*text < 0x80) text++;
  return !*text;
}

static void add_substring(st_str *out, const char *text) {
  if (!*text) return;
  add_string(out, text, false);
  if (is_ascii(text)) return;
  for (letters as = AS_TYPED; as <= CAPITALIZED; as++) {
    add_escaped(out, text, "\\", as);
    add_escaped(out, text, "\\\\", as);
  }
}

/* In which ways a word may stand in messages_fts.  One that was cut stands for all that begin so. */
static void add_word(st_str *out, const st_query_token *token, bool prefix) {
  bool cut = token->length > ST_TOKEN_MAX - 4 || !*token->typed;
  add_string(out, token->text, prefix || cut);
  if (strcmp(token->text, token->typed) != 0) add_string(out, token->typed, prefix);
}

/* ---- terms ---- */

static st_ids look_up(finder *f, int method) {
  st_ids none = {0};
  st_value match = {.type = ST_TEXT, .bytes = f->match.text, .length = f->match.length};
  if (f->match.failed) st_fail(f->call, STELE_NOMEM, NULL, "out of memory");
  return f->match.length ? st_ids_read(f->call, f->arena, method, &match) : none;
}

static st_ids of_word(finder *f, const st_query_token *token, bool prefix, double *rows) {
  st_ids all = {.all = true};
  bool is_short = count_characters(token->text) <= SHORT;
  if (is_short && !f->narrow) return all;
  st_str_clear(&f->match);
  add_word(&f->match, token, prefix);
  st_ids words = look_up(f, STELE_M_CONVERSATION_FIND_WORDS);
  if (*rows < 0 || (double)words.count < *rows) *rows = (double)words.count;
  if (is_short) return words;
  st_str_clear(&f->match);
  add_substring(&f->match, token->text);
  if (strcmp(token->text, token->typed) != 0) add_substring(&f->match, token->typed);
  return st_ids_either(f->call, f->arena, words, look_up(f, STELE_M_CONVERSATION_FIND_SUBSTRINGS));
}

static bool has_cjk(const st_query *query) {
  for (int i = 0; i < query->term_count; i++)
    for (int j = 0; j < query->terms[i].count; j++)
      if (query->terms[i].tokens[j].kind == ST_TOKEN_CJK) return true;
  return false;
}

/* The CJK characters from `from` to `to`, without a boundary between them. */
static st_ids of_run(finder *f, const st_term *term, int from, int to, double *rows) {
  st_ids found = {.all = true};
  st_str text, typed;
  if (to - from <= SHORT) return found;
  st_str_init(&text, EXPRESSION_MAX);
  st_str_init(&typed, EXPRESSION_MAX);
  for (int i = from; i < to; i++) {
    st_str_addz(&text, term->tokens[i].text);
    st_str_addz(&typed, term->tokens[i].typed);
  }
  st_str_clear(&f->match);
  if (text.failed || typed.failed) {
    st_fail(f->call, STELE_NOMEM, NULL, "out of memory");
  } else {
    add_substring(&f->match, text.text);
    if (strcmp(text.text, typed.text) != 0) add_substring(&f->match, typed.text);
    found = look_up(f, STELE_M_CONVERSATION_FIND_SUBSTRINGS);
    if (*rows < 0 || (double)found.count < *rows) *rows = (double)found.count;
  }
  st_str_free(&text);
  st_str_free(&typed);
  return found;
}

/* Messages with all words and runs of the term; whether they follow each other is not asked here. */
static st_ids of_term(void *with, const st_term *term) {
  finder *f = with;
  double *rows = &f->rows[term->number];
  st_ids found = {.all = true};
  for (int i = 0, next; i < term->count && st_ok(f->call); i = next) {
    next = i + 1;
    if (term->tokens[i].kind == ST_TOKEN_WORD) {
      bool prefix = term->prefix && next == term->count;
      found = st_ids_both(f->call, f->arena, found, of_word(f, &term->tokens[i], prefix, rows));
    } else if (term->tokens[i].kind == ST_TOKEN_CJK) {
      while (next < term->count && term->tokens[next].kind == ST_TOKEN_CJK) next++;
      found = st_ids_both(f->call, f->arena, found, of_run(f, term, i, next, rows));
    }
  }
  return found;
}

/* Of those in ASCII the messages with all long words of the term in them. */
static st_ids of_parts(void *with, const st_term *term) {
  finder *f = with;
  st_ids found = {.all = true}, none = {0};
  for (int i = 0; i < term->count && st_ok(f->call); i++) {
    if (!st_inside_is_part(&term->tokens[i])) continue;
    if (!is_ascii(term->tokens[i].text)) return none;
    st_str_clear(&f->match);
    add_string(&f->match, term->tokens[i].text, false);
    found = st_ids_both(f->call, f->arena, found, look_up(f, STELE_M_CONVERSATION_FIND_SUBSTRINGS));
  }
  return found;
}

static st_ids find_parts(finder *f, const st_query *query) {
  st_ids found = st_ids_of(f->call, f->arena, query->root, of_parts, f);
  if (found.all) return found;
  return st_ids_either(f->call, f->arena, found, st_ids_read(f->call, f->arena, STELE_M_CONVERSATION_FIND_NOT_ASCII, NULL));
}

static void find_words(finder *f, const st_query *query, bool narrow, st_candidates *out) {
  out->found = st_ids_of(f->call, f->arena, query->root, of_term, f);
  f->narrow = narrow && out->found.all && !has_cjk(query);
  if (f->narrow) out->found = st_ids_of(f->call, f->arena, query->root, of_term, f);
  out->narrowed = f->narrow && !out->found.all;
}

void st_candidates_find(st_call *call, st_arena *arena, const st_query *query, bool narrow, st_candidates *out) {
  finder f = {.call = call, .arena = arena, .rows = out->rows};
  memset(out, 0, sizeof *out);
  st_str_init(&f.match, EXPRESSION_MAX);
  for (int i = 0; i < ST_QUERY_TERMS_MAX; i++) out->rows[i] = -1;
  if (query->inside) out->found = find_parts(&f, query);
  else find_words(&f, query, narrow, out);
  st_str_free(&f.match);
}

void st_candidates_words(const st_query *query, st_str *out) {
  for (int i = 0; i < query->term_count; i++) {
    const st_term *term = &query->terms[i];
    for (int j = 0; j < term->count && !term->negative; j++)
      if (term->tokens[j].kind == ST_TOKEN_WORD) add_word(out, &term->tokens[j], term->prefix && j + 1 == term->count);
  }
}
