/* retrieval.c - capture.search_knowledge. */
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "search/fuse.h"
#include "stores/capture/capture.h"
#include "stores/capture/nodes.h"

#define CANDIDATES 200 /* of each list, where they are joined or chosen from; more than can be asked for */

#define ARG(name) (&call->args[ST_P_CAPTURE_SEARCH_KNOWLEDGE_##name])

/* A node that was found. */
typedef struct hit {
  int64_t id;
  int fit;                         /* st_fit, if it was found by words; -1: it was not */
  int lexical_rank, semantic_rank; /* from 1; 0: it is not in that list */
  double lexical_score, similarity, score;
} hit;

typedef struct search {
  st_call *call;
  st_value which[ST_NODES_PARAMS];
  st_wanted_words words;
  int limit;
  hit hits[2 * CANDIDATES];
  int count;
} search;

/* ---- lists ---- */

static hit *hit_of(search *s, int64_t id) {
  int at = 0;
  while (at < s->count && s->hits[at].id != id) at++;
  if (at == s->count) s->hits[s->count++] = (hit){.id = id, .fit = -1};
  return &s->hits[at];
}

static void add_words(search *s, const st_found *found) {
  for (int i = 0; i < found->count; i++) {
    hit *h = hit_of(s, found->hits[i].id);
    h->fit = found->hits[i].grade;
    h->lexical_rank = i + 1;
    h->lexical_score = h->score = found->hits[i].score;
  }
}

static void add_near(search *s, const st_found *found) {
  for (int i = 0; i < found->count; i++) {
    hit *h = hit_of(s, found->hits[i].id);
    h->semantic_rank = i + 1;
    h->similarity = h->score = found->hits[i].score;
  }
}

/* The best k by words. */
static void find_words(search *s, int k) {
  st_found found;
  s->words.order = ST_ORDER_RANK;
  s->words.k = k;
  if (!st_words_read(s->call, &s->call->args[ST_P_CAPTURE_SEARCH_KNOWLEDGE_QUERY], &s->words)) return;
  st_nodes_with(s->call, s->which, &s->words, &found);
  add_words(s, &found);
}

static const st_value *vector_of(const search *s) { return &s->call->args[ST_P_CAPTURE_SEARCH_KNOWLEDGE_VECTOR]; }

static void find_near(search *s) {
  st_found found;
  st_nodes_near(s->call, s->which, vector_of(s), CANDIDATES, &found);
  add_near(s, &found);
}

/* ---- choosing ---- */

/* The hits, no longer by score alone: one that says what another says already gives way. */
static void choose(search *s, double most) {
  st_choice *from = st_call_alloc(s->call, (size_t)(s->count + 1) * sizeof *from);
  int64_t *ids = st_call_alloc(s->call, (size_t)(s->count + 1) * sizeof *ids);
  hit *chosen = st_call_alloc(s->call, (size_t)s->limit * sizeof *chosen);
  int *places = st_call_alloc(s->call, (size_t)s->limit * sizeof *places);
  if (!st_ok(s->call) || s->count == 0) return;
  for (int i = 0; i < s->count; i++) {
    ids[i] = s->hits[i].id;
    from[i] = (st_choice){.relevance = s->hits[i].score / most};
  }
  size_t dimension = vector_of(s)->length / ST_VECTOR_BYTES;
  st_nodes_vectors(s->call, s->which, dimension, ids, s->count, from);
  s->count = st_choose(from, s->count, dimension, s->limit, places);
  for (int i = 0; i < s->count; i++) chosen[i] = s->hits[places[i]];
  memcpy(s->hits, chosen, (size_t)s->count * sizeof *chosen);
}

static int by_score(const void *a, const void *b) {
  const hit *one = a, *other = b;
  if (one->score != other->score) return one->score > other->score ? -1 : 1;
  return (one->id > other->id) - (one->id < other->id);
}

/* ---- modes ---- */

static void search_lexical(search *s) {
  find_words(s, s->limit);
}

static void search_semantic(search *s) {
  find_near(s);
  choose(s, 1);
}

static void search_hybrid(search *s) {
  if (vector_of(s)->type != ST_BLOB) {
    st_note(s->call, "without a vector, only words are looked for");
    search_lexical(s);
    return;
  }
  find_near(s);
  find_words(s, CANDIDATES);
  for (int i = 0; i < s->count; i++) s->hits[i].score = st_fuse(s->hits[i].lexical_rank, s->hits[i].semantic_rank);
  qsort(s->hits, (size_t)s->count, sizeof *s->hits, by_score);
  choose(s, s->hits[0].score);
}

/* The latest of those that have all the words, or else some. */
static void find_recent_words(search *s) {
  st_found found;
  s->words.order = ST_ORDER_NEWEST;
  s->words.k = s->limit;
  s->words.least = ST_FIT_ALL;
  st_nodes_with(s->call, s->which, &s->words, &found);
  s->words.least = ST_FIT_SOME;
  if (found.count == 0) st_nodes_with(s->call, s->which, &s->words, &found);
  add_words(s, &found);
}

static void search_recent(search *s) {
  const st_value *query = &s->call->args[ST_P_CAPTURE_SEARCH_KNOWLEDGE_QUERY];
  st_found found;
  if (st_words_read(s->call, query, &s->words)) find_recent_words(s);
  if (s->count > 0 || !st_ok(s->call)) return;
  if (query->type == ST_TEXT) st_note(s->call, "nothing has the words: these are the latest of all");
  st_nodes_latest(s->call, s->which, s->limit, &found);
  for (int i = 0; i < found.count; i++) hit_of(s, found.hits[i].id);
}

static const struct mode {
  const char *name;
  void (*search)(search *s);
  bool needs_query, needs_vector;
} MODES[] = {
    {"hybrid", search_hybrid, false, false},
    {"lexical", search_lexical, true, false},
    {"recent", search_recent, false, false},
    {"semantic", search_semantic, false, true},
};

static const struct mode *mode_of(st_call *call) {
  const struct mode *mode = MODES;
  while (strcmp(mode->name, ARG(MODE)->bytes) != 0) mode++;
  bool query = ARG(QUERY)->type == ST_TEXT, vector = ARG(VECTOR)->type == ST_BLOB;
  if (mode->needs_vector && !vector)
    st_fail(call, STELE_INVALID, "vector", "vector must be given: %s compares embeddings", mode->name);
  else if (!query && (mode->needs_query || (mode->search == search_hybrid && !vector)))
    st_fail(call, STELE_INVALID, "query", "query must be given: %s looks for words", mode->name);
  return mode;
}

/* ---- the reply ---- */

static const char *matched(const hit *h) {
  static const char *const WORDS[] = {"some words", "all words", "phrase"};
  static const char *const BOTH[] = {"some words, meaning", "all words, meaning", "phrase, meaning"};
  if (h->fit < 0) return h->semantic_rank ? "meaning" : NULL;
  return h->semantic_rank ? BOTH[h->fit] : WORDS[h->fit];
}

static void tell_ranks(st_value *reply, const hit *h, bool scored) {
  reply[ST_R_CAPTURE_SEARCH_KNOWLEDGE_MATCHED] = st_textz(matched(h));
  if (scored) reply[ST_R_CAPTURE_SEARCH_KNOWLEDGE_SCORE] = st_real(h->score);
  if (h->lexical_rank) reply[ST_R_CAPTURE_SEARCH_KNOWLEDGE_LEXICAL_RANK] = st_int(h->lexical_rank);
  if (h->lexical_rank && scored) reply[ST_R_CAPTURE_SEARCH_KNOWLEDGE_LEXICAL_SCORE] = st_real(h->lexical_score);
  if (!h->semantic_rank) return;
  reply[ST_R_CAPTURE_SEARCH_KNOWLEDGE_SEMANTIC_RANK] = st_int(h->semantic_rank);
  reply[ST_R_CAPTURE_SEARCH_KNOWLEDGE_SIMILARITY] = st_real(h->similarity);
}

static void tell(st_call *call, const hit *h, bool scored) {
  st_value node[ST_NODE_VALUES];
  if (!st_nodes_find(call, h->id, node)) return; /* it was removed a moment ago */
  st_value summary = st_node_summary(call, &node[ST_R_CAPTURE_SCAN_NODES_CONTENT]);
  st_value names = st_node_names(call, &node[ST_R_CAPTURE_SCAN_NODES_ID]);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CAPTURE_SEARCH_KNOWLEDGE_ID] = node[ST_R_CAPTURE_SCAN_NODES_ID];
  reply[ST_R_CAPTURE_SEARCH_KNOWLEDGE_UUID] = node[ST_R_CAPTURE_SCAN_NODES_UUID];
  reply[ST_R_CAPTURE_SEARCH_KNOWLEDGE_NODE_TYPE] = node[ST_R_CAPTURE_SCAN_NODES_NODE_TYPE];
  reply[ST_R_CAPTURE_SEARCH_KNOWLEDGE_SUMMARY] = summary;
  reply[ST_R_CAPTURE_SEARCH_KNOWLEDGE_CONTENT] = node[ST_R_CAPTURE_SCAN_NODES_CONTENT];
  reply[ST_R_CAPTURE_SEARCH_KNOWLEDGE_OUTCOME] = node[ST_R_CAPTURE_SCAN_NODES_OUTCOME];
  reply[ST_R_CAPTURE_SEARCH_KNOWLEDGE_TAGS] = node[ST_R_CAPTURE_SCAN_NODES_TAGS];
  reply[ST_R_CAPTURE_SEARCH_KNOWLEDGE_ENTITIES] = names;
  reply[ST_R_CAPTURE_SEARCH_KNOWLEDGE_CAPTURED_AT] = node[ST_R_CAPTURE_SCAN_NODES_CAPTURED_AT];
  tell_ranks(reply, h, scored);
}

void st_capture_search_knowledge(st_call *call) {
  const struct mode *mode = mode_of(call);
  search *s = st_call_alloc(call, sizeof *s);
  if (!s || !st_ok(call)) return;
  *s = (search){.call = call, .limit = (int)st_arg_int(call, ST_P_CAPTURE_SEARCH_KNOWLEDGE_LIMIT)};
  st_nodes_filter(call, s->which);
  if (ARG(VECTOR)->type == ST_BLOB) st_vector_check(call, ARG(COLLECTION), ARG(VECTOR), ARG(MODEL));
  if (st_ok(call)) mode->search(s);
  for (int i = 0; i < s->count && st_ok(call); i++) tell(call, &s->hits[i], mode->search != search_recent);
}
