/* match.c - finds all terms of a query in one pass over the tokens of a text.
**
** Every term has a word of bits: bit i says that its tokens 0 to i have just been read.  A token of the
** text shifts the bits of the terms it occurs in and keeps those whose next token it is; the terms it
** does not occur in are not touched, and begin anew because of their old position.  So a token costs a
** look into a small table, and more only when the query has it.  Where words are looked for inside of
** words, every token is held against every term instead. */
#include "search/match.h"

#include <stdint.h>
#include <string.h>

#include "base/chars.h"
#include "base/fold.h"
#include "search/hash.h"
#include "search/inside.h"
#include "search/match_plain.h"

/* A term that has a token, and where. */
typedef struct use {
  struct use *next;
  int term;
  uint64_t where; /* bit i: it is token i */
} use;

/* A slot of the table of the query's tokens. */
typedef struct slot {
  const st_query_token *token; /* NULL: free */
  use *uses;
} slot;

typedef struct progress {
  uint64_t read;  /* bit i: tokens 0 to i have been read, the last one at position `at` */
  uint64_t whole; /* the bit that says that all have been read; of a prefix, all but the last */
  size_t at;
  int times;
} progress;

/* A token that was read. */
typedef struct span {
  size_t start, end; /* in the text */
  size_t length;     /* folded */
} span;

struct st_matcher {
  const st_query *query;
  slot *table;
  size_t table_mask;
  uint64_t likely[256]; /* by first byte: bit n - 1 is set when a token of n bytes may be in the query */
  progress *progress;   /* by the number of the term */
  size_t position;      /* of the token being read; goes on from text to text, so that nothing is reset */
  size_t tokens;        /* in this row */
  const char *text;     /* that is being read */
  span recent[ST_PHRASE_TOKENS_MAX];   /* the last tokens, by position */
  st_place places[ST_QUERY_TERMS_MAX]; /* that end with this token */
  int place_count;
  char *plain; /* room for a text's words (match_plain.h); NULL: the query does not suit */
};

/* ---- making it ---- */

static uint64_t bit(size_t n) {
  return UINT64_C(1) << n;
}

static int exact_count(const st_term *term) {
  return term->prefix ? term->count - 1 : term->count;
}

static slot *find_slot(const st_matcher *m, const char *token, size_t length) {
  size_t at = st_hash(token, length) & m->table_mask;
  for (;; at = (at + 1) & m->table_mask) {
    slot *s = &m->table[at];
    if (!s->token || (s->token->length == length && !memcmp(s->token->text, token, length))) return s;
  }
}

static bool add_use(st_arena *arena, st_matcher *m, const st_term *term, int i) {
  const st_query_token *token = &term->tokens[i];
  slot *s = find_slot(m, token->text, token->length);
  s->token = token;
  m->likely[(unsigned char)token->text[0]] |= bit(token->length - 1);
  if (!s->uses || s->uses->term != term->number) { /* a term comes at once, so its use is the newest */
    use *u = st_arena_alloc(arena, sizeof *u);
    if (!u) return false;
    *u = (use){.next = s->uses, .term = term->number};
    s->uses = u;
  }
  s->uses->where |= bit((size_t)i);
  return true;
}

static bool add_term(st_arena *arena, st_matcher *m, const st_term *term) {
  int exact = exact_count(term);
  for (int i = 0; i < exact; i++)
    if (!add_use(arena, m, term, i)) return false;
  if (exact) m->progress[term->number].whole = bit((size_t)exact - 1);
  if (term->prefix) { /* its last token, and all longer ones */
    const st_query_token *last = &term->tokens[exact];
    m->likely[(unsigned char)last->text[0]] |= ~UINT64_C(0) << (last->length - 1);
  }
  return true;
}

st_matcher *st_matcher_new(st_arena *arena, const st_query *query) {
  size_t tokens = 0;
  for (int i = 0; i < query->term_count; i++) tokens += (size_t)query->terms[i].count;
  size_t slots = 8;
  while (slots < 2 * tokens) slots *= 2;
  st_matcher *m = st_arena_zero(arena, sizeof *m);
  if (!m) return NULL;
  m->query = query;
  m->table = st_arena_zero(arena, slots * sizeof *m->table);
  m->table_mask = slots - 1;
  m->progress = st_arena_zero(arena, (size_t)query->term_count * sizeof *m->progress);
  if (!m->table || !m->progress) return NULL;
  for (int i = 0; i < query->term_count; i++)
    if (!add_term(arena, m, &query->terms[i])) return NULL;
  if (st_plain_suits(query)) m->plain = st_arena_alloc(arena, ST_PLAIN_TEXT_MAX + 1); /* without, it takes longer */
  return m;
}

const st_query *st_matcher_query(const st_matcher *m) {
  return m->query;
}

/* ---- one token ---- */

/* The token with which a term begins that ends with this one. */
static const span *first_of(const st_matcher *m, const st_term *term) {
  return &m->recent[(m->position - (size_t)term->count + 1) % ST_PHRASE_TOKENS_MAX];
}

static void add_place(st_matcher *m, const st_term *term, size_t start, size_t end) {
  m->progress[term->number].times++;
  m->places[m->place_count++] = (st_place){term, start, end};
}

/* The prefixes that this token completes.  Before the bits move: they say what came before it. */
static void find_prefixes(st_matcher *m, const char *token, size_t length, size_t end) {
  for (int i = 0; i < m->query->term_count; i++) {
    const st_term *term = &m->query->terms[i];
    if (!term->prefix) continue;
    const st_query_token *last = &term->tokens[term->count - 1];
    if (last->length > length || memcmp(last->text, token, last->length)) continue;
    const progress *p = &m->progress[i];
    if (term->count == 1 || (p->at == m->position - 1 && (p->read & p->whole))) add_place(m, term, first_of(m, term)->start, end);
  }
}

static void find_exact(st_matcher *m, const char *token, size_t length, size_t end) {
  for (const use *u = find_slot(m, token, length)->uses; u; u = u->next) {
    progress *p = &m->progress[u->term];
    uint64_t before = p->at == m->position - 1 ? p->read : 0;
    p->read = (before << 1 | 1) & u->where;
    p->at = m->position;
    const st_term *term = &m->query->terms[u->term];
    if (!term->prefix && (p->read & p->whole)) add_place(m, term, first_of(m, term)->start, end);
  }
}

/* Where in the text the folded bytes from..to of a token are: the characters that became them, and the marks
** behind. */
static void unfold(const char *text, const span *token, size_t from, size_t to, size_t *start, size_t *end) {
  const char *at = text + token->start, *stop = text + token->end;
  size_t folded = 0;
  *start = *end = token->start;
  while (at < stop) {
    char out[ST_FOLD_MAX];
    int size;
    int32_t c = st_fold_read(at, stop, &size);
    size_t more = c < 0 || st_char_kind_of(c) == ST_CHAR_NOTHING ? 0 : st_fold_char(c, out);
    if (more > 0 && folded >= to) break;
    if (folded <= from) *start = (size_t)(at - text);
    folded += more;
    at += size;
    *end = (size_t)(at - text);
  }
}

/* A term that ends with the bytes from..to of this token. */
static void add_inside(st_matcher *m, const st_term *term, size_t from, size_t to) {
  const span *first = first_of(m, term), *last = &m->recent[m->position % ST_PHRASE_TOKENS_MAX];
  size_t start, end, ignored;
  unfold(m->text, last, from, to, &start, &end);
  if (first != last) unfold(m->text, first, first->length - term->tokens[0].length, first->length, &start, &ignored);
  add_place(m, term, start, end);
}

static void find_inside(st_matcher *m, const char *token, size_t length) {
  for (int n = 0; n < m->query->term_count; n++) {
    const st_term *term = &m->query->terms[n];
    progress *p = &m->progress[n];
    uint64_t before = p->at == m->position - 1 ? p->read << 1 | 1 : 1, read = 0;
    size_t from = 0, to = 0;
    for (int i = 0; i < term->count && before >> i; i++)
      if ((before & bit((size_t)i)) && st_inside_fits(term, i, token, length, &from, &to)) read |= bit((size_t)i);
    p->read = read;
    p->at = m->position;
    if (read & bit((size_t)term->count - 1)) add_inside(m, term, from, to);
  }
}

static void read_token(st_matcher *m, const char *token, size_t length, size_t start, size_t end) {
  m->position++;
  m->tokens++;
  m->recent[m->position % ST_PHRASE_TOKENS_MAX] = (span){start, end, length};
  m->place_count = 0;
  if (m->query->inside) {
    find_inside(m, token, length);
    return;
  }
  if (!(m->likely[(unsigned char)token[0]] & bit(length - 1))) return;
  find_prefixes(m, token, length, end);
  find_exact(m, token, length, end);
}

/* ---- texts ---- */

/* Leave a gap in the positions, so that no phrase goes on from the text before. */
static void begin_text(st_matcher *m, const char *text) {
  m->position++;
  m->text = text;
}

static void begin_row(st_matcher *m) {
  m->tokens = 0;
  for (int i = 0; i < m->query->term_count; i++) m->progress[i].times = 0;
}

static bool count_token(void *to, const char *token, size_t length, size_t start, size_t end, st_token_kind kind) {
  (void)kind;
  read_token(to, token, length, start, end);
  return true;
}

static bool is_true(const st_matcher *m, const st_query_node *node) {
  switch (node->kind) {
    case ST_QUERY_TERM: return m->progress[node->term->number].times > 0;
    case ST_QUERY_AND: return is_true(m, node->left) && is_true(m, node->right);
    case ST_QUERY_OR: return is_true(m, node->left) || is_true(m, node->right);
    case ST_QUERY_NOT: return is_true(m, node->left) && !is_true(m, node->right);
    case ST_QUERY_EMPTY: break;
  }
  return false;
}

static bool match_plain(st_matcher *m, const st_column *column) {
  if (!m->plain || column->length > ST_PLAIN_TEXT_MAX || !st_plain_read(column->text, column->length, m->plain, &m->tokens)) return false;
  for (int i = 0; i < m->query->term_count; i++) {
    const st_term *term = &m->query->terms[i];
    m->progress[term->number].times = st_plain_count(m->plain, column->length, &term->tokens[0]);
  }
  return true;
}

bool st_match(st_matcher *m, const st_column *columns, int count) {
  begin_row(m);
  if (count == 1 && match_plain(m, columns)) return is_true(m, m->query->root);
  m->tokens = 0;
  for (int i = 0; i < count; i++) {
    begin_text(m, columns[i].text);
    st_tokenize(columns[i].text, columns[i].length, count_token, m);
  }
  return is_true(m, m->query->root);
}

int st_match_times(const st_matcher *m, const st_term *term) {
  return m->progress[term->number].times;
}

size_t st_match_tokens(const st_matcher *m) {
  return m->tokens;
}

typedef struct steps {
  st_matcher *m;
  st_place_fn *fn;
  void *to;
} steps;

static bool step(void *to, const char *token, size_t length, size_t start, size_t end, st_token_kind kind) {
  (void)kind;
  steps *s = to;
  read_token(s->m, token, length, start, end);
  return s->fn(s->to, start, end, s->m->places, s->m->place_count);
}

bool st_match_places(st_matcher *m, const char *text, size_t length, st_place_fn *fn, void *to) {
  steps s = {.m = m, .fn = fn, .to = to};
  begin_row(m);
  begin_text(m, text);
  return st_tokenize(text, length, step, &s);
}
