/* find_common.c - see find_common.h. */
#include "search/find_common.h"

#include "search/common.h"
#include "search/index_file.h"

typedef struct finding {
  st_index *index;
  const st_query *query;
  st_rank *rank;
  st_common terms[ST_QUERY_TERMS_MAX];
  int opened;
} finding;

/* The first row from `from` on that a part of the query finds; ST_NO_ROW: there is none. */
static int64_t find_row(finding *f, const st_query_node *node, int64_t from) {
  if (node->kind == ST_QUERY_TERM) return st_postings_seek(&f->terms[node->term->number].postings, from);
  int64_t left = find_row(f, node->left, from);
  if (node->kind == ST_QUERY_OR) {
    int64_t right = find_row(f, node->right, from);
    return left < right ? left : right;
  }
  for (; left != ST_NO_ROW; left = find_row(f, node->left, from)) {
    int64_t right = find_row(f, node->right, left);
    if ((right == left) == (node->kind == ST_QUERY_AND)) return left;
    from = node->kind == ST_QUERY_AND ? right : left + 1;
  }
  return ST_NO_ROW;
}

/* How often a row has each term that counts. */
static void count_terms(finding *f, int64_t id, double *tf) {
  for (int i = 0, n = 0; i < f->query->term_count; i++) {
    if (f->query->terms[i].negative) continue;
    st_postings *p = &f->terms[i].postings;
    tf[n] = !f->rank->filters_only[n] && st_postings_seek(p, id) == id ? p->now.times : 0;
    n++;
  }
}

static int find_rows(finding *f) {
  double tf[ST_QUERY_TERMS_MAX];
  for (int64_t id = find_row(f, f->query->root, 0); id != ST_NO_ROW && f->rank->error == SQLITE_OK; id = find_row(f, f->query->root, id + 1)) {
    count_terms(f, id, tf);
    st_rank_take(f->rank, id, tf);
  }
  for (int i = 0; i < f->opened; i++)
    if (f->terms[i].postings.broken) return SQLITE_CORRUPT;
  return f->rank->error;
}

/* Some term is common, and of every such one the postings are kept; of a single one they are made. */
static int is_suited(st_index *index, st_arena *arena, const st_query *query, bool *suited) {
  bool common = false, missing = false;
  int code = SQLITE_OK;
  for (int i = 0; i < query->term_count && code == SQLITE_OK; i++) {
    st_kept kept;
    code = st_common_look(index, arena, &query->terms[i], &kept);
    common = common || kept != ST_NOT_COMMON;
    missing = missing || kept == ST_NOT_KEPT;
  }
  *suited = common && (!missing || query->term_count == 1);
  return code;
}

static int open_terms(finding *f, st_arena *arena) {
  int code = SQLITE_OK;
  for (int i = 0, n = 0; i < f->query->term_count && code == SQLITE_OK; i++) {
    code = st_common_open(f->index, arena, &f->query->terms[i], &f->terms[i]);
    f->opened = i + 1;
    if (!f->query->terms[i].negative) f->rank->df[n++] = f->terms[i].rows;
  }
  st_rank_weigh(f->rank);
  return code;
}

static int find(finding *f, st_arena *arena) {
  int code = open_terms(f, arena);
  bool made = f->query->term_count == 1 && f->terms[0].loose.count >= ST_COMMON_ROWS;
  if (code == SQLITE_OK && made) st_common_keep(f->index, &f->query->terms[0], &f->terms[0]);
  if (code == SQLITE_OK) code = find_rows(f);
  for (int i = 0; i < f->opened; i++) st_common_close(&f->terms[i]);
  return code;
}

bool st_find_common(st_call *call, st_index *index, const st_query *query, st_rank *rank) {
  bool suited = false;
  int code = is_suited(index, call->arena, query, &suited);
  finding *f = suited ? st_call_alloc(call, sizeof *f) : NULL;
  if (f) {
    st_arena arena;
    *f = (finding){.index = index, .query = query, .rank = rank};
    st_arena_init(&arena, UINT64_C(1) << 30);
    code = find(f, &arena);
    st_arena_free(&arena);
  }
  if (code != SQLITE_OK) st_index_fail(call, index, code);
  return suited || code != SQLITE_OK;
}
