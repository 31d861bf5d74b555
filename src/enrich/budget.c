/* budget.c - see budget.h. */
#include "enrich/budget.h"

#include "registry_ids.h"

enum { SLOT_MS = 300000, MILLION = 1000000 };

typedef struct counting {
  const st_budget *budget;
  const st_holding *by;
  const st_bundle *bundle;
  const st_taken *most, *taken;
  st_spent how;
  st_grant grant;
} counting;

/* True: some are held. */
static bool extend(st_call *call, const st_holding *by) {
  st_value args[ST_P_CAPTURE_EXTEND_CLAIMS_NOW + 1] = {by->queue, by->token, by->now};
  return st_run(call, STELE_M_CAPTURE_EXTEND_CLAIMS, args) > 0;
}

/* ---- Counting ---- */

static double cost(const st_budget *budget, const st_taken *taken) {
  return ((double)taken->prompt_tokens * budget->prompt_price + (double)taken->answer_tokens * budget->answer_price) / MILLION;
}

static void count_use(st_call *call, const counting *c, int64_t calls, int64_t failed, int64_t prompt, int64_t answer) {
  st_value args[ST_P_CAPTURE_COUNT_MODEL_USE_COST + 1];
  int64_t at = c->most->at;
  args[ST_P_CAPTURE_COUNT_MODEL_USE_MODEL] = st_textz(c->budget->model);
  args[ST_P_CAPTURE_COUNT_MODEL_USE_SLOT] = st_int(at - at % SLOT_MS);
  args[ST_P_CAPTURE_COUNT_MODEL_USE_CALLS] = st_int(calls);
  args[ST_P_CAPTURE_COUNT_MODEL_USE_FAILED] = st_int(failed);
  args[ST_P_CAPTURE_COUNT_MODEL_USE_PROMPT_TOKENS] = st_int(prompt);
  args[ST_P_CAPTURE_COUNT_MODEL_USE_COMPLETION_TOKENS] = st_int(answer);
  args[ST_P_CAPTURE_COUNT_MODEL_USE_COST] = st_real(c->taken ? cost(c->budget, c->taken) : 0); /* once it is known */
  st_run(call, STELE_M_CAPTURE_COUNT_MODEL_USE, args);
}

static void count_tickets(st_call *call, const counting *c, int64_t calls) {
  st_value args[ST_P_CAPTURE_COUNT_TICKET_CALLS_CALLS + 1] = {c->by->queue, st_learned_tickets(call, c->bundle), c->by->token, st_int(calls)};
  st_run(call, STELE_M_CAPTURE_COUNT_TICKET_CALLS, args);
}

/* ---- Taking ---- */

static bool is_hour_over(st_call *call, const counting *c) {
  st_value row[ST_R_CAPTURE_READ_HOUR_USE_TOKENS + 1], now = st_int(c->most->at);
  const st_budget *b = c->budget;
  if (!b->calls_per_hour && !b->tokens_per_hour) return false;
  if (!st_one(call, STELE_M_CAPTURE_READ_HOUR_USE, &now, row)) return false;
  int64_t tokens = row[ST_R_CAPTURE_READ_HOUR_USE_TOKENS].integer + c->most->prompt_tokens + c->most->answer_tokens;
  return (b->calls_per_hour && row[ST_R_CAPTURE_READ_HOUR_USE_CALLS].integer >= b->calls_per_hour) || (b->tokens_per_hour && tokens > b->tokens_per_hour);
}

static st_grant grant(st_call *call, const counting *c) {
  st_value args[ST_P_CAPTURE_READ_TICKET_CALLS_SINCE + 1] = {c->by->queue, st_learned_tickets(call, c->bundle), c->by->token, c->by->now};
  st_value row[ST_R_CAPTURE_READ_TICKET_CALLS_HELD + 1];
  extend(call, c->by);
  if (!st_ok(call) || !st_one(call, STELE_M_CAPTURE_READ_TICKET_CALLS, args, row)) return ST_GRANT_FAILED;
  if (row[ST_R_CAPTURE_READ_TICKET_CALLS_HELD].integer < (int64_t)c->bundle->ticket_count) return ST_GRANT_LOST;
  if (row[ST_R_CAPTURE_READ_TICKET_CALLS_CALLS].integer >= c->budget->calls_per_ticket) return ST_GRANT_TICKET;
  return is_hour_over(call, c) ? ST_GRANT_HOUR : ST_GRANTED;
}

static bool take(st_call *call, void *user) {
  counting *c = user;
  c->grant = grant(call, c);
  if (c->grant == ST_GRANTED) {
    count_use(call, c, 1, 0, c->most->prompt_tokens, c->most->answer_tokens);
    count_tickets(call, c, 1);
  }
  return true;
}

st_grant st_budget_take(st_call *call, const st_budget *budget, const st_holding *by, const st_bundle *bundle, const st_taken *most) {
  counting c = {.budget = budget, .by = by, .bundle = bundle, .most = most, .grant = ST_GRANT_FAILED};
  return st_call_transaction(call, true, take, &c) && st_ok(call) ? c.grant : ST_GRANT_FAILED;
}

/* ---- Putting right ---- */

static bool settle(st_call *call, void *user) {
  const counting *c = user;
  bool asked = c->how != ST_UNSPENT;
  count_use(call, c, asked ? 0 : -1, c->how == ST_SPENT_BADLY, c->taken->prompt_tokens - c->most->prompt_tokens,
            c->taken->answer_tokens - c->most->answer_tokens);
  if (!asked) count_tickets(call, c, -1);
  return true;
}

void st_budget_settle(st_call *call, const st_budget *budget, const st_holding *by, const st_bundle *bundle, const st_taken *most,
                      const st_taken *taken, st_spent how) {
  counting c = {.budget = budget, .by = by, .bundle = bundle, .most = most, .taken = taken, .how = how};
  if (st_ok(call)) st_call_transaction(call, true, settle, &c);
}

/* ---- Holding ---- */

static bool hold(st_call *call, void *user) {
  counting *c = user;
  c->grant = extend(call, c->by) ? ST_GRANTED : ST_GRANT_LOST;
  return true;
}

bool st_holding_extend(st_call *call, const st_holding *by) {
  counting c = {.by = by, .grant = ST_GRANT_FAILED};
  return st_call_transaction(call, true, hold, &c) && st_ok(call) && c.grant == ST_GRANTED;
}
