/* query.c - reads the query language.  First the terms, each with its group and its sign: AND and
** nothing stay in the group, OR begins a new one, NOT makes the sign negative.  Then the tree: an OR of
** the groups, each the AND of its terms without the OR of its negative ones. */
#include "search/query.h"

#include <string.h>

#include "base/chars.h"
#include "search/remark.h"

typedef enum op_kind { OP_NONE, OP_AND, OP_OR, OP_NOT } op_kind;

static const char *const op_name[] = {"", "AND", "OR", "NOT"};

typedef struct parser {
  st_arena *arena;
  st_remark remark;
  const char *at;
  const char *end;
  const char *lonely; /* the last quote, if their number is odd: it is punctuation */
  st_term *terms;
  int *group; /* of each term */
  int count;
  int groups;
  op_kind joint;  /* AND or OR, waiting for its right side */
  bool negate;    /* NOT likewise */
  bool operators; /* one was used */
  bool brackets;  /* one stood where it would group */
  bool nomem;
} parser;

/* ---- remarks ---- */

static void remark(parser *p, const char *sentence) {
  st_remark_add(&p->remark, sentence);
}

/* A sentence about some text of the query: how the sentence begins, the text, and how it goes on with
** the tokens of a term, if there is one. */
static void remark_text(parser *p, const char *before, const char *text, size_t length, const st_term *term) {
  st_str sentence;
  st_str_init(&sentence, 1024);
  st_str_addz(&sentence, before);
  st_remark_quote(&sentence, text, length);
  for (int i = 0; term && i < term->count && i < 5; i++) {
    if (i == 0) st_str_addz(&sentence, term->count == 1 ? " as the word" : " as the words");
    if (term->tokens[i].kind == ST_TOKEN_BOUNDARY) continue;
    st_str_addz(&sentence, i == 4 ? " ..." : " ");
    if (i < 4) st_remark_quote(&sentence, term->tokens[i].text, term->tokens[i].length);
  }
  if (sentence.failed) p->nomem = true;
  else remark(p, sentence.text);
  st_str_free(&sentence);
}

static void remark_operator(parser *p, const char *what, op_kind op) {
  remark_text(p, what, op_name[op], strlen(op_name[op]), NULL);
}

/* ---- characters ---- */

/* The size of the white space at `at`, or 0. */
static int space_size(const char *at, const char *end) {
  int size;
  int32_t c = st_char_read(at, end, &size);
  return c >= 0 && st_char_kind_of(c) == ST_CHAR_SPACE ? size : 0;
}

/* The size of the quote at `at`: one of " “ ” „.  0: there is none. */
static int quote_size(const char *at, const char *end) {
  if (*at == '"') return 1;
  bool curly = end - at >= 3 && !memcmp(at, "\xE2\x80", 2) && strchr("\x9C\x9D\x9E", at[2]) && at[2];
  return curly ? 3 : 0;
}

static const char *find_quote(const char *at, const char *end) {
  while (at < end && !quote_size(at, end)) at++;
  return at;
}

static const char *find_lonely_quote(const char *at, const char *end) {
  const char *last = NULL;
  bool odd = false;
  for (at = find_quote(at, end); at < end; at = find_quote(at + quote_size(at, end), end)) {
    last = at;
    odd = !odd;
  }
  return odd ? last : NULL;
}

static bool is_quote(const parser *p, const char *at) {
  return at != p->lonely && quote_size(at, p->end);
}

static bool is_bracket(char c) {
  return c && strchr("()[]{}", c);
}

/* ---- operators ---- */

/* The operator at p->at, if there is one, perhaps between brackets; then p->at is behind it. */
static op_kind read_operator(parser *p) {
  const char *at = p->at;
  while (at < p->end && is_bracket(*at)) at++;
  for (op_kind op = OP_AND; op <= OP_NOT; op++) {
    size_t length = strlen(op_name[op]);
    if ((size_t)(p->end - at) < length || memcmp(at, op_name[op], length)) continue;
    const char *behind = at + length;
    if (behind < p->end && !is_bracket(*behind) && !is_quote(p, behind) && !space_size(behind, p->end)) continue;
    if (at > p->at || (behind < p->end && is_bracket(*behind))) p->brackets = true;
    p->at = behind;
    return op;
  }
  return OP_NONE;
}

static void use_operator(parser *p, op_kind op) {
  if (op == OP_NOT) {
    if (p->negate) remark_operator(p, "dropped an extra ", op);
    p->negate = true;
  } else if (!p->count) {
    remark_operator(p, "dropped a dangling ", op);
  } else if (p->joint || p->negate) {
    remark_operator(p, "dropped an extra ", op);
  } else {
    p->joint = op;
  }
}

static void drop_dangling(parser *p) {
  if (p->joint) remark_operator(p, "dropped a dangling ", p->joint);
  if (p->negate) remark_operator(p, "dropped a dangling ", OP_NOT);
}

/* ---- terms ---- */

typedef struct collector {
  parser *p;
  const char *text; /* of the term */
  st_query_token tokens[ST_PHRASE_TOKENS_MAX];
  int count;
  size_t end;    /* where the last token ends in the text */
  bool overflow; /* there were more */
} collector;

static bool collect(void *to, const char *token, size_t length, size_t start, size_t end, st_token_kind kind) {
  collector *c = to;
  size_t typed = end - start <= ST_TYPED_MAX ? end - start : 0;
  c->overflow = c->count == ST_PHRASE_TOKENS_MAX;
  if (c->overflow) return false;
  st_query_token made = {.length = length, .kind = kind};
  made.text = st_arena_copy(c->p->arena, token, length);
  made.typed = st_arena_copy(c->p->arena, c->text + start, typed);
  if (!made.text || !made.typed) {
    c->p->nomem = true;
    return false;
  }
  c->tokens[c->count++] = made;
  c->end = end;
  return true;
}

/* Put a term at its place; the operators before it are used up. */
static st_term *place_term(parser *p, const collector *c) {
  st_term *term = &p->terms[p->count];
  *term = (st_term){.count = c->count, .negative = p->negate};
  if (c->tokens[c->count - 1].kind == ST_TOKEN_BOUNDARY) term->count--; /* the rest was cut off */
  size_t size = (size_t)term->count * sizeof *term->tokens;
  term->tokens = st_arena_alloc(p->arena, size);
  if (!term->tokens) {
    p->nomem = true;
    return NULL;
  }
  memcpy(term->tokens, c->tokens, size);
  if (p->joint == OP_OR) p->groups++;
  p->group[p->count++] = p->groups;
  p->operators |= p->joint || p->negate;
  p->joint = OP_NONE;
  p->negate = false;
  return term;
}

/* Make a term of text.  NULL: it has no tokens, or there are too many terms, or no memory. */
static st_term *add_term(parser *p, const char *text, size_t length, collector *c) {
  c->p = p;
  c->text = text;
  c->count = 0;
  c->end = 0;
  c->overflow = false;
  st_tokenize(text, length, collect, c);
  if (p->nomem) return NULL;
  if (!c->count) {
    if (length) remark_text(p, "ignored ", text, length, NULL);
    else remark(p, "ignored an empty phrase");
    return NULL;
  }
  if (p->count == ST_QUERY_TERMS_MAX) {
    remark(p, "searched for the first 64 terms only");
    p->at = p->end;
    p->joint = OP_NONE;
    p->negate = false;
    return NULL;
  }
  if (c->overflow) remark(p, "cut a phrase to its first 64 tokens");
  return place_term(p, c);
}

/* The phrase at p->at, which is a quote.  A star inside is punctuation; one behind makes it a prefix. */
static void read_quoted(parser *p) {
  const char *text = p->at + quote_size(p->at, p->end);
  const char *close = find_quote(text, p->end);
  p->at = close + quote_size(close, p->end);
  bool star = p->at < p->end && *p->at == '*';
  while (p->at < p->end && *p->at == '*') p->at++;
  collector c;
  st_term *term = add_term(p, text, (size_t)(close - text), &c);
  if (term) term->prefix = star && !c.overflow;
}

/* Where the term ends that begins at p->at: before white space or a quote. */
static const char *term_end(const parser *p) {
  const char *at = p->at + 1;
  while (at < p->end && !is_quote(p, at) && !space_size(at, p->end)) at++;
  return at;
}

/* Other engines would read -x as NOT x, and content:x as x in one column. */
static bool may_mislead(const char *text, size_t length) {
  static const char *const columns[] = {"content:", "tool_name:", "tool_calls:"};
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    if (length > strlen(columns[i]) && !memcmp(text, columns[i], strlen(columns[i]))) return true;
  return length > 1 && text[0] == '-' && text[1] != '-';
}

/* The term at p->at.  It is a prefix if a star follows its last token directly, as in (my-app*). */
static void read_plain(parser *p) {
  const char *text = p->at;
  p->at = term_end(p);
  size_t length = (size_t)(p->at - text);
  p->brackets |= is_bracket(*text);
  collector c;
  st_term *term = add_term(p, text, length, &c);
  if (!term) return;
  term->prefix = !c.overflow && c.end < length && text[c.end] == '*';
  if (may_mislead(text, length)) remark_text(p, "read ", text, length, term);
}

static void read_terms(parser *p) {
  p->lonely = find_lonely_quote(p->at, p->end);
  if (p->lonely) remark(p, "ignored a quote without its partner");
  while (p->at < p->end && !p->nomem) {
    int space = space_size(p->at, p->end);
    op_kind op;
    if (space) p->at += space;
    else if (is_quote(p, p->at)) read_quoted(p);
    else if ((op = read_operator(p)) != OP_NONE) use_operator(p, op);
    else read_plain(p);
  }
  drop_dangling(p);
  if (p->brackets && p->operators) remark(p, "brackets do not group");
}

/* ---- the tree ---- */

/* A node over both sides, or the side that there is. */
static const st_query_node *join(parser *p, st_query_kind kind, const st_query_node *left,
                                 const st_query_node *right) {
  if (!left || !right) return left ? left : right;
  st_query_node *node = st_arena_alloc(p->arena, sizeof *node);
  if (!node) {
    p->nomem = true;
    return NULL;
  }
  *node = (st_query_node){.kind = kind, .left = left, .right = right};
  return node;
}

/* Give a term its final place in the query, and a node. */
static const st_query_node *take_term(parser *p, st_query *query, const st_term *term) {
  st_query_node *node = st_arena_zero(p->arena, sizeof *node);
  if (!node) {
    p->nomem = true;
    return NULL;
  }
  st_term *place = &query->terms[query->term_count];
  *place = *term;
  place->number = query->term_count++;
  node->kind = ST_QUERY_TERM;
  node->term = place;
  return node;
}

/* The terms from..to of one sign, joined. */
static const st_query_node *join_terms(parser *p, st_query *query, int from, int to, bool negative) {
  const st_query_node *joined = NULL;
  for (int i = from; i < to && !p->nomem; i++)
    if (p->terms[i].negative == negative)
      joined = join(p, negative ? ST_QUERY_OR : ST_QUERY_AND, joined, take_term(p, query, &p->terms[i]));
  return joined;
}

/* One group.  Without a term to find it is left out: "all but these" is not a search. */
static const st_query_node *join_group(parser *p, st_query *query, int from, int to) {
  const st_query_node *wanted = join_terms(p, query, from, to, false);
  if (wanted) return join(p, ST_QUERY_NOT, wanted, join_terms(p, query, from, to, true));
  const st_query_token *token = p->terms[from].tokens;
  if (!p->nomem) remark_text(p, "NOT alone finds nothing: NOT ", token->text, token->length, NULL);
  return NULL;
}

static void build_tree(parser *p, st_query *query) {
  static const st_query_node empty = {.kind = ST_QUERY_EMPTY};
  int from = 0;
  for (int to = 1; to <= p->count && !p->nomem; to++) {
    if (to < p->count && p->group[to] == p->group[from]) continue;
    query->root = join(p, ST_QUERY_OR, query->root, join_group(p, query, from, to));
    from = to;
  }
  if (query->root) return;
  query->root = &empty;
  remark(p, "nothing to search for");
}

const st_query *st_query_parse(st_arena *arena, const char *text, size_t length) {
  if (!length) text = "";
  st_query *query = st_arena_zero(arena, sizeof *query);
  parser p = {.arena = arena, .at = text, .end = text + length};
  p.terms = st_arena_alloc(arena, ST_QUERY_TERMS_MAX * sizeof *p.terms);
  p.group = st_arena_alloc(arena, ST_QUERY_TERMS_MAX * sizeof *p.group);
  if (!query || !p.terms || !p.group) return NULL;
  st_remark_init(&p.remark);
  read_terms(&p);
  query->terms = st_arena_alloc(arena, (size_t)p.count * sizeof *query->terms);
  if (query->terms && !p.nomem) {
    build_tree(&p, query);
    query->remark = st_remark_text(&p.remark, arena);
  }
  st_remark_free(&p.remark);
  return p.nomem || !query->remark ? NULL : query;
}

int st_query_terms(const st_query *query, const st_term **terms, int max) {
  int count = 0;
  for (int i = 0; i < query->term_count && count < max; i++)
    if (!query->terms[i].negative) terms[count++] = &query->terms[i];
  return count;
}
