/* ranking.c - see ranking.h.  The constants were chosen on generated chats (bench/quality), and are mild. */
#include "search/ranking.h"

#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "search/columns.h"
#include "search/neighbours.h"
#include "search/rarity.h"
#include "search/sources.h"

#define K1 0.9 /* turns of a chat are short: a word that is there twice, and the length, say less than in pages */
#define B 0.4
#define TITLE 0.5          /* a word of a title, against one of a text */
#define STRONG 40          /* the best of which the neighbours are looked at */
#define NEIGHBOUR 0.3      /* of a neighbour's score is added */
#define SESSION 0.15       /* of what the words of the question say that the session has */
#define SPEAKER 1.5        /* more for what is said by the one who is asked about */
#define PERSON 0.3         /* the same, by I and you */
#define IN_TIME 0.5        /* of the time that is asked for */
#define SOON_AFTER 0.2
#define OF_MEANING 0.5     /* of the preferences holds for likeness too */

/* A document that may answer. */
typedef struct passage {
  st_ranked ranked;
  double *tf;    /* of each group: in its text, and a part of that in its title */
  double tokens; /* its length */
  uint32_t titled; /* a bit for each group that stands in its title */
  int before, after; /* its neighbours among the passages; -1: none, or not looked at */
} passage;

typedef struct ranker {
  st_call *call;
  const st_question *question;
  const st_document_filter *filter;
  st_matcher *matcher;
  passage *all;
  int count, room;
  uint32_t speakers; /* groups that are names of speakers */
  double rarity[ST_QUESTION_GROUPS];
  double average; /* length */
} ranker;

/* ---- Reading ---- */

/* How often each group stands in the columns that were last matched. */
static double times(const ranker *r, int group) {
  const st_group *g = &r->question->groups[group];
  double count = 0;
  for (int i = 0; i < g->count; i++) count += st_match_times(r->matcher, &r->question->query->terms[g->first + i]);
  return count;
}

static void read_words(ranker *r, passage *p) {
  const st_document *d = &p->ranked.document;
  st_column columns[ST_COLUMNS];
  st_columns_read(r->call, r->call->arena, &d->text, &d->title, &d->extra, columns);
  if (!st_ok(r->call)) return;
  st_match(r->matcher, &columns[1], 1);
  for (int i = 0; i < r->question->ngroups; i++) {
    double titled = times(r, i);
    if (titled > 0) p->titled |= 1u << i;
    p->tf[i] = TITLE * titled;
  }
  columns[1] = columns[2];
  st_match(r->matcher, columns, 2);
  for (int i = 0; i < r->question->ngroups; i++) p->tf[i] += times(r, i);
  p->tokens = (double)st_match_tokens(r->matcher);
}

static int find_passage(const ranker *r, const char *kind, const char *id) {
  for (int i = 0; i < r->count; i++)
    if (!strcmp(r->all[i].ranked.document.id.bytes, id) && !strcmp(r->all[i].ranked.document.kind, kind)) return i;
  return -1;
}

/* Its place; -1: there is no room, or the call has failed. */
static int add(ranker *r, const st_document *document) {
  int at = find_passage(r, document->kind, document->id.bytes);
  if (at >= 0 || r->count == r->room) return at;
  passage *p = &r->all[r->count];
  *p = (passage){.ranked = {.document = *document, .favour = 1}, .before = -1, .after = -1};
  p->tf = st_call_alloc(r->call, ST_QUESTION_GROUPS * sizeof *p->tf);
  if (st_ok(r->call)) read_words(r, p);
  return st_ok(r->call) ? r->count++ : -1;
}

/* Read documents of one kind and add them; *places: where they are. */
static void add_documents(ranker *r, const char *kind, const st_value *ids, int count, int *places) {
  st_document *documents = st_call_alloc(r->call, ((size_t)count + 1) * sizeof *documents);
  if (!st_ok(r->call)) return;
  st_documents_read(r->call, kind, ids, (size_t)count, documents);
  for (int i = 0; i < count && st_ok(r->call); i++)
    places[i] = documents[i].id.type == ST_TEXT ? add(r, &documents[i]) : -1;
}

/* Those of a list, kind by kind; what is found of one is kept in its order. */
static void add_listed(ranker *r, const st_likely *list, int count, int *places) {
  st_value *ids = st_call_alloc(r->call, ((size_t)count + 1) * sizeof *ids);
  int *from = st_call_alloc(r->call, ((size_t)count + 1) * sizeof *from), *at = st_call_alloc(r->call, ((size_t)count + 1) * sizeof *at);
  for (int i = 0; i < count; i++) places[i] = -2; /* not read yet */
  for (int i = 0; i < count && st_ok(r->call); i++) {
    if (places[i] != -2) continue;
    int same = 0;
    for (int n = i; n < count; n++) {
      if (strcmp(list[n].kind, list[i].kind) != 0) continue;
      ids[same] = st_textz(list[n].id);
      from[same++] = n;
    }
    add_documents(r, list[i].kind, ids, same, at);
    for (int n = 0; n < same && st_ok(r->call); n++) places[from[n]] = at[n];
  }
}

static void add_by_words(ranker *r) {
  st_documents_found found;
  st_documents_find(r->call, r->question->query, r->filter, ST_ORDER_RANK, ST_RANKING_DEPTH, &found);
  st_likely *list = st_call_alloc(r->call, ((size_t)found.count + 1) * sizeof *list);
  int *places = st_call_alloc(r->call, ((size_t)found.count + 1) * sizeof *places);
  for (int i = 0; st_ok(r->call) && i < found.count; i++) list[i] = (st_likely){found.hits[i].kind, found.hits[i].id, 0};
  if (st_ok(r->call)) add_listed(r, list, found.count, places);
}

static void add_by_meaning(ranker *r, const st_likely *likely, int count) {
  int *places = st_call_alloc(r->call, ((size_t)count + 1) * sizeof *places);
  if (st_ok(r->call)) add_listed(r, likely, count, places);
  for (int i = 0; st_ok(r->call) && i < count; i++)
    if (places[i] >= 0) r->all[places[i]].ranked.meaning = likely[i].similarity;
}

/* ---- Words ---- */

static bool is_turn(const passage *p) { return strcmp(p->ranked.document.kind, "message") == 0; }

/* Of turns the title is the name of the one who speaks.  A word that is such a name says nothing of what was said, unless
** there is no other. */
static void find_speakers(ranker *r) {
  uint32_t groups = r->question->ngroups < 32 ? (1u << r->question->ngroups) - 1 : UINT32_MAX;
  for (int i = 0; i < r->count; i++)
    if (is_turn(&r->all[i])) r->speakers |= r->all[i].titled;
  if (r->speakers == groups) r->speakers = 0;
}

static void weigh_words(ranker *r) {
  int with[ST_QUESTION_GROUPS] = {0};
  double tokens = 0;
  for (int i = 0; i < r->count; i++) {
    tokens += r->all[i].tokens;
    for (int g = 0; g < r->question->ngroups; g++) with[g] += r->all[i].tf[g] > 0;
  }
  r->average = r->count && tokens > 0 ? tokens / r->count : 1;
  st_rarity(r->call, r->question, with, r->count, r->rarity);
}

static void score_words(const ranker *r, passage *p) {
  double norm = K1 * (1 - B + B * p->tokens / r->average);
  p->ranked.words = 0;
  for (int g = 0; g < r->question->ngroups; g++) {
    if (p->tf[g] <= 0) continue;
    p->ranked.matched |= 1u << g;
    if (!(r->speakers >> g & 1)) p->ranked.words += r->rarity[g] * p->tf[g] * (K1 + 1) / (p->tf[g] + norm);
  }
}

/* ---- Neighbours ---- */

static int by_words(const void *a, const void *b) {
  const passage *p = *(const passage *const *)a, *q = *(const passage *const *)b;
  if (p->ranked.words != q->ranked.words) return p->ranked.words > q->ranked.words ? -1 : 1;
  return p < q ? -1 : 1;
}

static void add_neighbours_of(ranker *r, int at) {
  st_document around[2];
  int places[2];
  st_neighbours(r->call, &r->all[at].ranked.document, r->filter, around);
  for (int i = 0; i < 2 && st_ok(r->call); i++) {
    places[i] = around[i].id.type == ST_TEXT ? add(r, &around[i]) : -1;
    if (places[i] >= 0) score_words(r, &r->all[places[i]]);
  }
  if (!st_ok(r->call)) return;
  r->all[at].before = places[0];
  r->all[at].after = places[1];
}

static void add_neighbours(ranker *r) {
  int count = r->count;
  passage **order = st_call_alloc(r->call, ((size_t)count + 1) * sizeof *order);
  if (!st_ok(r->call)) return;
  for (int i = 0; i < count; i++) order[i] = &r->all[i];
  qsort(order, (size_t)count, sizeof *order, by_words);
  for (int i = 0; i < count && i < STRONG && st_ok(r->call) && order[i]->ranked.words > 0; i++)
    if (is_turn(order[i])) add_neighbours_of(r, (int)(order[i] - r->all));
}

static void give(ranker *r, int to, const passage *from) {
  double near = NEIGHBOUR * from->ranked.words;
  if (to >= 0 && near > r->all[to].ranked.near) r->all[to].ranked.near = near;
}

static bool same_session(const passage *p, const passage *q) {
  const st_value *a = &p->ranked.document.session, *b = &q->ranked.document.session;
  return a->type == ST_TEXT && b->type == ST_TEXT && a->length == b->length && !memcmp(a->bytes, b->bytes, a->length);
}

/* What the words of the question say that some passage of its session has. */
static double session_of(const ranker *r, const passage *p) {
  uint32_t has = 0;
  double said = 0;
  for (int i = 0; i < r->count; i++)
    if (same_session(p, &r->all[i])) has |= r->all[i].ranked.matched;
  has &= ~r->speakers;
  for (int g = 0; g < r->question->ngroups; g++)
    if (has >> g & 1) said += r->rarity[g];
  return said;
}

static void score_context(ranker *r) {
  for (int i = 0; i < r->count; i++) {
    give(r, r->all[i].before, &r->all[i]);
    give(r, r->all[i].after, &r->all[i]);
  }
  for (int i = 0; i < r->count; i++) {
    passage *p = &r->all[i];
    if (p->ranked.words > 0 || p->ranked.near > 0) p->ranked.near += SESSION * session_of(r, p);
  }
}

/* ---- Preferences ---- */

static bool has_role(const passage *p, const char *role) {
  const st_value *value = &p->ranked.document.role;
  return value->type == ST_TEXT && strcmp(value->bytes, role) == 0;
}

static double favour_speaker(const ranker *r, const passage *p) {
  if (r->speakers) return is_turn(p) && (p->titled & r->speakers) ? SPEAKER : 0;
  if (r->question->of_you) return has_role(p, "assistant") ? PERSON : 0;
  return r->question->of_me && has_role(p, "user") ? PERSON : 0;
}

static bool is_of_time(const st_question *q, int year, int month) {
  return (!q->months || q->months >> (month - 1) & 1) && (!q->year || q->year == year);
}

static double favour_time(const ranker *r, const passage *p) {
  const st_question *q = r->question;
  double seconds = st_seconds(r->call, &p->ranked.document.time);
  if ((!q->months && !q->year) || seconds == 0) return 0;
  st_date date = st_date_from_days(st_floor_div((int64_t)seconds, ST_SECONDS_PER_DAY));
  if (is_of_time(q, (int)date.year, date.month)) return IN_TIME;
  if (!q->months) return 0;
  return is_of_time(q, (int)date.year - (date.month == 1), date.month == 1 ? 12 : date.month - 1) ? SOON_AFTER : 0;
}

/* ---- All together ---- */

/* Likeness is less to be trusted in who said it and when. */
static void sum_up(ranker *r) {
  for (int i = 0; i < r->count; i++) {
    st_ranked *ranked = &r->all[i].ranked;
    ranked->favour = (1 + favour_speaker(r, &r->all[i])) * (1 + favour_time(r, &r->all[i]));
    ranked->by_words = (ranked->words + ranked->near) * ranked->favour;
    ranked->by_meaning = ranked->meaning * (1 + OF_MEANING * (ranked->favour - 1));
  }
}

static void rank(ranker *r, const st_likely *likely, int nlikely) {
  if (st_ok(r->call)) add_by_words(r);
  if (st_ok(r->call)) add_by_meaning(r, likely, nlikely);
  if (!st_ok(r->call)) return;
  find_speakers(r);
  weigh_words(r);
  for (int i = 0; i < r->count; i++) score_words(r, &r->all[i]);
  if (st_ok(r->call)) add_neighbours(r);
  if (!st_ok(r->call)) return;
  score_context(r);
  sum_up(r);
}

void st_ranking_find(st_call *call, const st_question *question, const st_document_filter *filter, const st_likely *likely,
                     int nlikely, int k, st_ranking *ranking) {
  ranker r = {.call = call, .question = question, .filter = filter};
  *ranking = (st_ranking){0};
  if (nlikely > ST_RANKING_DEPTH) nlikely = ST_RANKING_DEPTH;
  r.room = ST_RANKING_DEPTH + nlikely + 2 * STRONG;
  r.all = st_call_alloc(call, (size_t)r.room * sizeof *r.all);
  r.matcher = st_ok(call) ? st_matcher_new(call->arena, question->query) : NULL;
  if (st_ok(call) && !r.matcher) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  rank(&r, likely, nlikely);
  st_ranked *hits = st_call_alloc(call, ((size_t)r.count + 1) * sizeof *hits);
  for (int i = 0; st_ok(call) && i < r.count; i++)
    if (r.all[i].ranked.by_words > 0 || r.all[i].ranked.by_meaning > 0) hits[ranking->count++] = r.all[i].ranked;
  if (st_ok(call) && !st_ranked_fuse(hits, ranking->count)) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  ranking->hits = hits;
  if (ranking->count > k) ranking->count = k;
}
