/* context.c - planner.context: what a planner needs, the most needed first, until the budget is spent. */
#include <string.h>

#include "base/json.h"
#include "registry_ids.h"
#include "stores/planner/planner.h"
#include "stores/planner/told.h"

#define TOKEN_BYTES 4 /* about */
#define TEXT_PART 4   /* no text takes more than this part of the budget */
#define FRAME 300     /* bytes of the reply around what is told */
#define OUT_MAX (64u << 20)

/* ---- Summary, plan, pending ---- */

static st_value tell_summary(st_call *call, st_budget *budget) {
  st_value session[ST_R_PLANNER_GET_SESSION_UPDATED_AT + 1] = {{0}};
  st_str quoted;
  if (!st_one(call, STELE_M_PLANNER_GET_SESSION, &call->args[ST_P_PLANNER_CONTEXT_SESSION], session))
    return st_textz(NULL);
  st_value told = st_told_text(call, &session[ST_R_PLANNER_GET_SESSION_SUMMARY], budget->text_max);
  if (told.type != ST_TEXT) return told;
  st_str_init(&quoted, OUT_MAX);
  st_json_add_string(&quoted, told.bytes, told.length);
  budget->left -= (int64_t)quoted.length;
  st_take(call, &quoted);
  return told;
}

/* The row of the plan, with its tasks as one more member. */
static st_value tell_plan(st_call *call, st_budget *budget, st_told *tasks) {
  const st_method *method = &st_registry.methods[STELE_M_PLANNER_CONTEXT_PLAN];
  st_value plan[ST_R_PLANNER_CONTEXT_PLAN_STATUS + 1];
  st_str out;
  if (!st_one(call, STELE_M_PLANNER_CONTEXT_PLAN, &call->args[ST_P_PLANNER_CONTEXT_SESSION], plan))
    return st_textz(NULL);
  st_value id = plan[ST_R_PLANNER_CONTEXT_PLAN_ID];
  st_value row = st_told_row(call, method, plan, budget->text_max);
  if (st_ok(call)) budget->left -= (int64_t)row.length;
  st_told_rows(call, tasks, budget, STELE_M_PLANNER_CONTEXT_TASKS, &id);
  st_value list = st_told_array(call, tasks, false);
  if (!st_ok(call)) return st_textz(NULL);
  st_str_init(&out, OUT_MAX);
  st_str_add(&out, row.bytes, row.length - 1); /* without its last brace */
  st_str_addf(&out, ",\"tasks\":%s}", list.bytes);
  return st_take(call, &out);
}

static void tell_pending(st_call *call, st_budget *budget, st_told *told) {
  st_value args[ST_P_PLANNER_GET_PENDING_ITEMS_LIMIT + 1] = {{0}};
  args[ST_P_PLANNER_GET_PENDING_ITEMS_SESSION] = call->args[ST_P_PLANNER_CONTEXT_SESSION];
  args[ST_P_PLANNER_GET_PENDING_ITEMS_AFTER] = st_int(0);
  st_told_rows(call, told, budget, STELE_M_PLANNER_GET_PENDING_ITEMS, args);
}

/* ---- Messages ---- */

static void set_messages(const st_call *call, bool trusted, int limit, st_value args[3]) {
  args[ST_P_PLANNER_CONTEXT_MESSAGES_SESSION] = call->args[ST_P_PLANNER_CONTEXT_SESSION];
  args[ST_P_PLANNER_CONTEXT_MESSAGES_TRUSTED] = st_bool(trusted);
  args[ST_P_PLANNER_CONTEXT_MESSAGES_LIMIT] = call->args[limit];
}

static void tell_messages(st_call *call, st_budget *budget, st_told *told, bool trusted, int limit) {
  st_value args[3];
  set_messages(call, trusted, limit, args);
  st_told_rows(call, told, budget, STELE_M_PLANNER_CONTEXT_MESSAGES, args);
}

/* What the facts are to fit: as it was said, or the newest message of the user; null if there is none. */
static st_value query_of(st_call *call) {
  st_value args[3], role, query = {.type = ST_NULL};
  st_rows rows;
  if (st_has(call, ST_P_PLANNER_CONTEXT_QUERY)) return call->args[ST_P_PLANNER_CONTEXT_QUERY];
  set_messages(call, true, ST_P_PLANNER_CONTEXT_MESSAGES, args);
  st_rows_start(call, &rows, STELE_M_PLANNER_CONTEXT_MESSAGES, args);
  while (query.type == ST_NULL && st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_PLANNER_CONTEXT_MESSAGES_ROLE, &role);
    if (strcmp(role.bytes, "user") != 0) continue;
    st_rows_value(call, &rows, ST_R_PLANNER_CONTEXT_MESSAGES_CONTENT, &query);
    query.bytes = st_call_copy(call, query.bytes, query.length);
  }
  st_rows_end(call, &rows);
  return query;
}

/* ---- Facts ---- */

typedef struct fact {
  int64_t id;
  const char *category;
} fact;

typedef struct facts {
  st_told told;
  fact *all; /* by item of told */
  int64_t most, seen;
} facts;

static bool is_known(const facts *f, int64_t id) {
  for (size_t i = 0; i < f->told.count; i++)
    if (f->all[i].id == id) return true;
  return false;
}

/* Add the row that is being read, unless it is there already or there are enough. */
static void add_fact(st_call *call, facts *f, st_budget *budget, st_rows *rows) {
  st_value row[ST_R_PLANNER_CONTEXT_FACTS_CONFIDENCE + 1];
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) st_rows_value(call, rows, i, &row[i]);
  int64_t id = row[ST_R_PLANNER_CONTEXT_FACTS_ID].integer;
  if ((int64_t)f->told.count >= f->most || is_known(f, id)) return;
  const st_value *name = &row[ST_R_PLANNER_CONTEXT_FACTS_CATEGORY];
  const char *category = st_call_copy(call, name->bytes, name->length);
  if (st_told_add(call, &f->told, budget, st_told_row(call, rows->method, row, budget->text_max)))
    f->all[f->told.count - 1] = (fact){id, category};
}

static void add_facts(st_call *call, facts *f, st_budget *budget, const st_value *ids) {
  st_value args[3] = {{0}};
  st_rows rows;
  args[ST_P_PLANNER_CONTEXT_FACTS_SESSION] = call->args[ST_P_PLANNER_CONTEXT_SESSION];
  args[ST_P_PLANNER_CONTEXT_FACTS_IS_ADMIN] = call->args[ST_P_PLANNER_CONTEXT_IS_ADMIN];
  if (ids) args[ST_P_PLANNER_CONTEXT_FACTS_IDS] = *ids;
  st_rows_start(call, &rows, STELE_M_PLANNER_CONTEXT_FACTS, args);
  for (f->seen = 0; st_rows_next(call, &rows); f->seen++) add_fact(call, f, budget, &rows);
  st_rows_end(call, &rows);
}

/* Those that fit the query first, the best of them first; then the others. */
static void tell_facts(st_call *call, st_budget *budget, facts *f) {
  st_planner_viewer viewer = {
      call->args[ST_P_PLANNER_CONTEXT_SESSION], call->args[ST_P_PLANNER_CONTEXT_IS_ADMIN], {.type = ST_ABSENT}};
  st_value query = query_of(call);
  st_found found = {0};
  f->most = st_arg_int(call, ST_P_PLANNER_CONTEXT_FACTS);
  f->all = st_call_alloc(call, ((size_t)f->most + 1) * sizeof *f->all);
  if (query.type == ST_TEXT && f->most > 0) st_planner_find_facts(call, &query, "any", &viewer, (int)f->most, &found);
  for (int i = 0; i < found.count && st_ok(call); i++) {
    st_value id = st_int(found.hits[i].id), list = {.type = ST_LIST, .items = &id, .count = 1, .width = 1};
    add_facts(call, f, budget, &list);
  }
  add_facts(call, f, budget, NULL);
  f->told.left_out = f->seen - (int64_t)f->told.count;
}

static bool is_first_of_category(const facts *f, size_t at) {
  for (size_t i = 0; i < at; i++)
    if (strcmp(f->all[i].category, f->all[at].category) == 0) return false;
  return true;
}

static st_value by_category(st_call *call, const facts *f) {
  st_str out;
  st_str_init(&out, OUT_MAX);
  st_str_addc(&out, '{');
  for (size_t i = 0; st_ok(call) && i < f->told.count; i++) {
    if (!is_first_of_category(f, i)) continue;
    if (out.length > 1) st_str_addc(&out, ',');
    st_json_add_string(&out, f->all[i].category, strlen(f->all[i].category));
    st_str_addz(&out, ":[");
    for (size_t n = i; n < f->told.count; n++)
      if (strcmp(f->all[n].category, f->all[i].category) == 0)
        st_str_addf(&out, "%s%s", n == i ? "" : ",", f->told.items[n]);
    st_str_addc(&out, ']');
  }
  st_str_addc(&out, '}');
  return st_take(call, &out);
}

static st_value ids_of(st_call *call, const facts *f) {
  st_str out;
  st_str_init(&out, OUT_MAX);
  st_str_addc(&out, '[');
  for (size_t i = 0; st_ok(call) && i < f->told.count; i++)
    st_str_addf(&out, "%s%lld", i ? "," : "", (long long)f->all[i].id);
  st_str_addc(&out, ']');
  return st_take(call, &out);
}

/* ---- All of it ---- */

void st_planner_context(st_call *call) {
  int64_t bytes = st_arg_int(call, ST_P_PLANNER_CONTEXT_BUDGET) * TOKEN_BYTES;
  st_budget budget = {.left = bytes - FRAME, .text_max = (size_t)bytes / TEXT_PART};
  st_told tasks = {0}, pending = {0}, messages = {0}, untrusted = {0};
  facts known = {0};
  st_str left_out;
  st_value summary = tell_summary(call, &budget);
  st_value plan = tell_plan(call, &budget, &tasks);
  tell_pending(call, &budget, &pending);
  tell_messages(call, &budget, &messages, true, ST_P_PLANNER_CONTEXT_MESSAGES);
  tell_facts(call, &budget, &known);
  tell_messages(call, &budget, &untrusted, false, ST_P_PLANNER_CONTEXT_UNTRUSTED);
  st_str_init(&left_out, OUT_MAX);
  st_str_addf(&left_out, "{\"tasks\":%lld,\"pending\":%lld,\"messages\":%lld,\"facts\":%lld,\"untrusted\":%lld}",
              (long long)tasks.left_out, (long long)pending.left_out, (long long)messages.left_out,
              (long long)known.told.left_out, (long long)untrusted.left_out);
  st_value lacking = st_take(call, &left_out), *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_PLANNER_CONTEXT_SESSION] = call->args[ST_P_PLANNER_CONTEXT_SESSION];
  reply[ST_R_PLANNER_CONTEXT_SUMMARY] = summary;
  reply[ST_R_PLANNER_CONTEXT_PLAN] = plan;
  reply[ST_R_PLANNER_CONTEXT_PENDING] = st_told_array(call, &pending, false);
  reply[ST_R_PLANNER_CONTEXT_MESSAGES] = st_told_array(call, &messages, true);
  reply[ST_R_PLANNER_CONTEXT_FACTS] = by_category(call, &known);
  reply[ST_R_PLANNER_CONTEXT_UNTRUSTED] = st_told_array(call, &untrusted, true);
  reply[ST_R_PLANNER_CONTEXT_FACT_IDS] = ids_of(call, &known);
  reply[ST_R_PLANNER_CONTEXT_LEFT_OUT] = lacking;
  reply[ST_R_PLANNER_CONTEXT_TOKENS] = st_int((bytes - budget.left + TOKEN_BYTES - 1) / TOKEN_BYTES);
}
