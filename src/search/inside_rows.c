/* inside_rows.c - see inside_rows.h. */
#include "search/inside_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/index_words.h"
#include "search/inside.h"
#include "search/rowset.h"

#define SAMPLE 20000   /* rows of the last parts tell how many have a word */
#define MANY_WORDS 256 /* are looked for: so some of them are counted before, */
#define SHORTEST 64    /* the shortest, which are the commonest, */
#define COUNTED 64     /* and of the others so many, */
#define EVERYWHERE 2.0 /* and if there are so many in a row, on average, any row may have one */

typedef struct finder {
  st_inside_rows *in;
  const st_ids *few;
  st_words_reader reader;
} finder;

/* ---- How common words are ---- */

typedef struct sample {
  int64_t part; /* the first number of the first part in it */
  double rows;
} sample;

static sample take_sample(const st_postgres_parts *parts) {
  sample taken = {0};
  for (size_t at = parts->count; at > 0 && taken.rows < SAMPLE; at--)
    taken = (sample){parts->all[at - 1].first, taken.rows + (double)parts->all[at - 1].rows};
  return taken;
}

static int by_length(const void *a, const void *b) {
  const st_value *one = a, *other = b;
  return (one->length > other->length) - (one->length < other->length);
}

/* How many of the words are in a row, on average. */
static double count_in_row(finder *f, const st_words_with *words) {
  st_value *sorted = st_words_need(&f->reader, words->count * sizeof *sorted), some[COUNTED];
  sample taken = take_sample(f->in->parts);
  if (!sorted) return 0;
  memcpy(sorted, words->words, words->count * sizeof *sorted);
  qsort(sorted, words->count, sizeof *sorted, by_length);
  size_t others = words->count - SHORTEST;
  for (size_t i = 0; i < COUNTED; i++) some[i] = sorted[SHORTEST + i * others / COUNTED];
  double rows = st_words_count(f->in->call, sorted, SHORTEST, taken.part) + st_words_count(f->in->call, some, COUNTED, taken.part) * (double)others / COUNTED;
  return taken.rows > 0 ? rows / taken.rows : 0;
}

/* ---- Words ---- */

static bool is_beginning(const st_term *term, int i) {
  return i == term->count - 1 && (term->prefix || st_inside_is_part(&term->tokens[i]));
}

static bool is_inside(const st_term *term, int i) { return i == 0 && st_inside_is_part(&term->tokens[i]); }

/* Those that may stand for its first token, unless that is the beginning of any. */
static const st_inside_words *first_words(finder *f, const st_term *term) {
  st_inside_words *words = &f->in->words[term->number];
  if (words->with.token) return words;
  words->with = (st_words_with){.token = &term->tokens[0], .at_end = term->count > 1};
  if (!is_inside(term, 0)) return words;
  st_words_with_find(f->in->call, f->in->arena, &words->with);
  if (st_ok(f->in->call) && words->with.count >= MANY_WORDS) words->everywhere = count_in_row(f, &words->with) >= EVERYWHERE;
  return words;
}

static st_words read_token(finder *f, const st_term *term, int i) {
  st_value word = st_textz(term->tokens[i].text);
  if (is_inside(term, i)) {
    const st_words_with *words = &first_words(f, term)->with;
    return st_words_list(&f->reader, words->words, words->count, (st_words_more){0});
  }
  return is_beginning(term, i) ? st_words_beginning(&f->reader, &term->tokens[i], false) : st_words_list(&f->reader, &word, 1, (st_words_more){0});
}

/* In how many rows of the sample the first token of a term may be, more or less. */
static double count_rows(finder *f, const st_query_node *node) {
  const st_term *term = node->kind == ST_QUERY_NOT ? node->left->term : node->term;
  if (!term || (is_beginning(term, 0) && !is_inside(term, 0))) return INFINITY;
  st_value word = st_textz(term->tokens[0].text);
  const st_inside_words *words = first_words(f, term);
  if (words->everywhere) return INFINITY;
  sample taken = take_sample(f->in->parts);
  return is_inside(term, 0) ? st_words_count(f->in->call, words->with.words, words->with.count, taken.part)
                            : st_words_count(f->in->call, &word, 1, taken.part);
}

/* ---- Rows ---- */

static st_occurrences *start_words(finder *f, const st_words *words) {
  st_occurrences *of = st_words_need(&f->reader, words->count * sizeof *of);
  for (size_t n = 0; of && n < words->count; n++) st_words_start(&words->all[n], &of[n]);
  return of;
}

static st_rowset rows_of_token(finder *f, const st_term *term, int i) {
  st_words words = read_token(f, term, i);
  st_occurrences *of = start_words(f, &words);
  return st_rowset_any(f->in->call, f->in->arena, of, of ? words.count : 0, f->in->parts->last);
}

static st_ids rows_of_term(void *with, const st_term *term) {
  finder *f = with;
  st_ids none = {0}, all = {.all = true};
  int first = first_words(f, term)->everywhere ? 1 : 0; /* of its tokens that is looked up */
  if (first == term->count) return all;
  st_rowset rows = rows_of_token(f, term, first);
  for (int i = first + 1; i < term->count && st_ok(f->in->call); i++) {
    st_rowset more = rows_of_token(f, term, i);
    if (st_ok(f->in->call)) st_rowset_combine(&rows, &more, ST_QUERY_AND);
  }
  if (st_ok(f->in->call)) st_rowset_keep(f->in->call, f->in->arena, &rows, f->few, 0);
  return st_ok(f->in->call) ? st_rowset_list(f->in->call, f->in->arena, &rows) : none;
}

/* ---- The rarest first ---- */

/* Of what must all be there. */
typedef struct conjunct {
  const st_query_node *node;
  double rows;
} conjunct;

static int by_rows(const void *a, const void *b) {
  const conjunct *one = a, *other = b;
  return (one->rows > other->rows) - (one->rows < other->rows);
}

static size_t list_conjuncts(finder *f, const st_query_node *node, conjunct *out) {
  if (node->kind == ST_QUERY_AND) {
    size_t left = list_conjuncts(f, node->left, out);
    return left + list_conjuncts(f, node->right, out + left);
  }
  *out = (conjunct){node, count_rows(f, node)};
  return 1;
}

static const st_query_node *join(finder *f, st_query_kind kind, const st_query_node *left, const st_query_node *right) {
  st_query_node *node = st_words_need(&f->reader, sizeof *node);
  if (node) *node = (st_query_node){.kind = kind, .left = left, .right = right};
  return node ? node : left;
}

/* The same query, in another order.  st_ids_of() ends where few rows are left. */
static const st_query_node *rarest_first(finder *f, const st_query_node *node) {
  conjunct all[ST_QUERY_TERMS_MAX];
  if (node->kind == ST_QUERY_OR) return join(f, ST_QUERY_OR, rarest_first(f, node->left), rarest_first(f, node->right));
  if (node->kind != ST_QUERY_AND) return node;
  size_t count = list_conjuncts(f, node, all);
  qsort(all, count, sizeof *all, by_rows);
  const st_query_node *joined = all[0].node;
  for (size_t i = 1; i < count; i++) joined = join(f, ST_QUERY_AND, joined, all[i].node);
  return joined;
}

/* ---- Parts ---- */

static int by_number(const void *a, const void *b) {
  const st_postgres_part *one = *(const st_postgres_part *const *)a, *other = *(const st_postgres_part *const *)b;
  return (one->first > other->first) - (one->first < other->first);
}

/* Of the rows those that were said by one of the roles: of most queries all that users and assistants said. */
static st_ids keep_roles(finder *f, const st_ids *rows) {
  st_call *call = f->in->call;
  const st_value *roles = f->in->roles;
  st_value *marks = st_words_need(&f->reader, roles->count * sizeof *marks);
  for (uint32_t i = 0; marks && i < roles->count && st_ok(call); i++) marks[i] = st_words_role(call, &roles->items[i]);
  st_words said = {0};
  st_rowset kept;
  if (st_ok(call)) said = st_words_list(&f->reader, marks, roles->count, (st_words_more){0});
  st_occurrences *of = start_words(f, &said);
  if (!of) return (st_ids){0};
  if (rows->all) {
    kept = st_rowset_any(call, f->in->arena, of, said.count, f->in->parts->last);
  } else {
    kept = st_rowset_of(call, f->in->arena, rows, f->in->parts->last);
    if (st_ok(call)) st_rowset_keep_any(call, f->in->arena, &kept, of, said.count);
  }
  return st_ok(call) ? st_rowset_list(call, f->in->arena, &kept) : (st_ids){0};
}

/* Other parts may lie between those in which is looked. */
static void keep_rows(st_ids *rows, const st_postgres_part **parts, size_t count) {
  size_t kept = 0;
  for (size_t i = 0, part = 0; i < rows->count; i++) {
    while (part < count && parts[part]->last < rows->ids[i]) part++;
    if (part < count && parts[part]->first <= rows->ids[i]) rows->ids[kept++] = rows->ids[i];
  }
  rows->count = kept;
}

st_ids st_inside_rows_find(st_inside_rows *in, const st_postgres_part *const *parts, size_t count, const st_ids *few, size_t unread) {
  finder f = {.in = in, .few = few, .reader = {.call = in->call, .arena = in->arena}};
  st_ids none = {0};
  const st_postgres_part **sorted = st_words_need(&f.reader, count * sizeof *sorted);
  if (!sorted || count == 0) return none;
  memcpy(sorted, parts, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, by_number);
  f.reader.parts = (st_part_range){sorted[0]->first, sorted[count - 1]->first};
  if (!in->rarest_first) in->rarest_first = rarest_first(&f, in->query->root);
  st_ids rows = st_ids_of(in->call, in->arena, in->rarest_first, rows_of_term, &f);
  if (st_ok(in->call)) rows = st_ids_both(in->call, in->arena, rows, *few);
  if (st_ok(in->call) && (rows.all || rows.count > unread)) rows = keep_roles(&f, &rows);
  if (st_ok(in->call)) keep_rows(&rows, sorted, count);
  return st_ok(in->call) ? rows : none;
}
