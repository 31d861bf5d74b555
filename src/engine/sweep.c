/* sweep.c - see sweep.h. */
#include "engine/sweep.h"

#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "engine/dispatch.h"
#include "engine/handle.h"

#define PAGE 500          /* keys read at a time */
#define STEP 50           /* rows deleted by one statement */
#define MOST_STEPS 10     /* of one transaction */
#define LONGEST_TURN_MS 8 /* of deleting before other writers come first; the commit comes on top */
#define PAGE_BYTES ((size_t)64 << 20) /* memory for a page: keys may be long texts */

/* How far a sweep is. */
typedef struct place {
  uint32_t at; /* in the page: those before it are gone */
  int64_t rows, also;
} place;

typedef struct sweep {
  const st_rule *rule;
  st_value before, narrow;
  st_value ids[PAGE];
  uint32_t count;
  place kept;  /* what was committed */
  place ahead; /* what the open transaction has come to */
} sweep;

/* A call of one of the rule's methods.  What a rule lacks is no parameter of them: they are told by their names. */
static bool prepare(st_call *part, const sweep *s, uint16_t method, st_value ids, int64_t limit) {
  part->method = &st_registry.methods[method];
  part->first = part->last = NULL;
  part->text = NULL;
  memset(part->changed, 0, sizeof part->changed);
  part->args = st_call_alloc(part, part->method->public.nparams * sizeof *part->args);
  for (size_t i = 0; part->args && i < part->method->public.nparams; i++) {
    const char *name = part->method->public.params[i].name;
    part->args[i] = strcmp(name, "before") == 0  ? s->before
                    : strcmp(name, "ids") == 0   ? ids
                    : strcmp(name, "limit") == 0 ? st_int(limit)
                                                 : s->narrow;
  }
  return part->args != NULL;
}

/* ---- How much ---- */

void st_sweep_count(st_call *call, const st_rule *rule, st_value before, st_value narrow, st_swept *out) {
  const sweep s = {.rule = rule, .before = before, .narrow = narrow};
  st_value due[ST_DUE_RESULTS];
  st_call part = *call;
  *out = (st_swept){.oldest = {.type = ST_NULL}, .newest = {.type = ST_NULL}};
  if (!prepare(&part, &s, rule->due_method, (st_value){.type = ST_NULL}, 0) || !st_one(&part, rule->due_method, part.args, due)) return;
  *out = (st_swept){due[ST_DUE_ROWS].integer, due[ST_DUE_ALSO].integer, due[ST_DUE_HELD].integer, due[ST_DUE_OLDEST], due[ST_DUE_NEWEST]};
}

/* ---- Deleting ---- */

static void read_page(st_call *part, sweep *s) {
  st_rows rows;
  s->count = s->kept.at = 0;
  if (!prepare(part, s, s->rule->page_method, (st_value){.type = ST_NULL}, PAGE)) return;
  st_rows_start(part, &rows, s->rule->page_method, part->args);
  while (s->count < PAGE && st_rows_next(part, &rows)) st_rows_keep(part, &rows, &s->ids[s->count++]);
  st_rows_end(part, &rows);
}

/* What belongs to the rows goes before them, a part at a time: they follow when it is gone. */
static void delete_step(st_call *call, const sweep *s, place *p) {
  uint32_t left = s->count - p->at, count = left < STEP ? left : STEP;
  const st_value ids = {.type = ST_LIST, .items = &s->ids[p->at], .count = count};
  st_call part = *call;
  if (!prepare(&part, s, s->rule->rows_method, ids, STEP)) return;
  st_run_method(&part);
  call->again = part.again;
  if (!st_ok(call)) return;
  const st_value *deleted = part.first->values;
  int64_t also = part.method->public.nresults > ST_ROWS_ALSO ? deleted[ST_ROWS_ALSO].integer : 0;
  p->rows += deleted[ST_ROWS_ROWS].integer;
  p->also += also;
  if (also < STEP) p->at += count;
}

/* A transaction, which may have to be made again: what it did counts once it was kept. */
static bool delete_some(st_call *call, void *user) {
  sweep *s = user;
  int64_t since = st_monotonic_ms();
  s->ahead = s->kept;
  for (int steps = 0; st_ok(call) && s->ahead.at < s->count && steps < MOST_STEPS && st_monotonic_ms() - since < LONGEST_TURN_MS; steps++)
    delete_step(call, s, &s->ahead);
  return st_ok(call);
}

static void tell_progress(st_call *call, const sweep *s, int64_t expected) {
  const stele_db *db = call->db;
  int64_t done = s->kept.rows;
  char what[200];
  snprintf(what, sizeof what, "%s.%s", call->store->store->name, s->rule->topic);
  bool stopped = atomic_load_explicit(&db->interrupted, memory_order_relaxed);
  if (st_ok(call) && (stopped || (db->progress && db->progress(db->user, what, done, expected > done ? expected : done) != 0)))
    st_fail(call, STELE_CANCELLED, NULL, "stopped after %lld rows of %s", (long long)done, what);
}

/* A page has memory of its own: there may be very many. */
static void delete_page(st_call *call, sweep *s, st_arena *memory, int64_t expected) {
  st_call page = *call;
  st_arena_reset(memory);
  page.arena = memory;
  read_page(&page, s);
  while (st_ok(call) && s->kept.at < s->count) {
    if (st_call_transaction(&page, true, delete_some, s)) s->kept = s->ahead;
    tell_progress(call, s, expected);
  }
}

void st_sweep(st_call *call, const st_rule *rule, st_value before, st_value narrow, int64_t expected, st_swept *out) {
  sweep *s = st_call_alloc(call, sizeof *s);
  st_arena memory;
  int64_t deleted;
  *out = (st_swept){.oldest = {.type = ST_NULL}, .newest = {.type = ST_NULL}};
  if (!s) return;
  *s = (sweep){.rule = rule, .before = before, .narrow = narrow};
  st_arena_init(&memory, PAGE_BYTES);
  do { /* rows that came to be held, or are not due any more, make no next page */
    deleted = s->kept.rows;
    delete_page(call, s, &memory, expected);
  } while (st_ok(call) && s->count == PAGE && s->kept.rows > deleted);
  out->rows = s->kept.rows;
  out->also = s->kept.also;
  st_arena_free(&memory);
}
