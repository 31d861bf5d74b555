/* mcp_way.c - see mcp_way.h. */
#include "mcp_way.h"

#include <stdio.h>
#include <string.h>

#include "mcp_core.h"
#include "mcp_cut.h"

const stele_field *mcp_method_param(const stele_method *method, const char *name) {
  for (size_t i = 0; i < method->nparams; i++)
    if (strcmp(method->params[i].name, name) == 0) return &method->params[i];
  return NULL;
}

const stele_method *mcp_step_method(const mcp_way *way, size_t step) {
  return step < MCP_STEPS && way->steps[step].method ? stele_method_find(way->steps[step].method) : NULL;
}

static const char *param_of(const mcp_argument *argument) {
  return argument->param ? argument->param : argument->name;
}

static bool is_end(const mcp_argument *argument) {
  return !argument->name && !argument->param;
}

const stele_field *mcp_way_field(const mcp_way *way, const char *name, const mcp_argument **argument) {
  const stele_method *method;
  for (size_t step = 0; (method = mcp_step_method(way, step)) != NULL; step++) {
    const mcp_argument *at = way->steps[step].arguments;
    for (size_t i = 0; i < MCP_ARGUMENTS && !is_end(&at[i]); i++) {
      if (!at[i].name || strcmp(at[i].name, name) != 0) continue;
      if (argument) *argument = &at[i];
      return mcp_method_param(method, param_of(&at[i]));
    }
  }
  return NULL;
}

/* Is the word in a list of words with spaces between? */
static bool has_word(const char *words, const char *word, size_t length) {
  for (const char *at = words; at; at = strchr(at, ' ')) {
    at += *at == ' ';
    if (strncmp(at, word, length) == 0 && (at[length] == ' ' || at[length] == '\0')) return true;
  }
  return false;
}

bool mcp_step_tells(const mcp_step *step, const char *column) {
  return !step->columns || has_word(step->columns, column, strlen(column));
}

/* ---- Arguments ---- */

/* One text where a list is wanted is a list of one. */
static void put_argument(sv_text *out, const stele_method *method, const char *param, const char *value,
                         size_t length) {
  const stele_field *field = mcp_method_param(method, param);
  bool wrap = field && (field->flags & STELE_LIST) && *value == '"';
  sv_addf(out, "%s\"%s\":%s", out->length > 1 ? "," : "", param, wrap ? "[" : "");
  sv_add(out, value, length);
  if (wrap) sv_addz(out, "]");
}

static void put_arguments(sv_text *out, const mcp_step *step, const stele_method *method, json said) {
  sv_text_free(out);
  sv_addz(out, "{");
  for (size_t i = 0; i < MCP_ARGUMENTS && !is_end(&step->arguments[i]); i++) {
    const mcp_argument *argument = &step->arguments[i];
    json value = argument->name ? json_member(said, argument->name) : (json){NULL, 0};
    if (value.text)
      put_argument(out, method, param_of(argument), value.text, value.length);
    else if (argument->fallback)
      put_argument(out, method, param_of(argument), argument->fallback, strlen(argument->fallback));
  }
  sv_addz(out, "}");
}

/* ---- Replies ---- */

/* A row, without what is null, and without columns that are not told. */
static void put_row(sv_text *out, json row, const char *columns) {
  json name = {NULL, 0}, value;
  bool first = true;
  if (json_kind(row) != '{') {
    sv_add(out, row.text, row.length);
    return;
  }
  sv_addz(out, "{");
  while (json_next_member(row, &name, &value)) {
    if (json_kind(value) == 'n' || (columns && !has_word(columns, name.text + 1, name.length - 2))) continue;
    sv_addz(out, first ? "" : ",");
    sv_add(out, name.text, name.length);
    sv_addz(out, ":");
    sv_add(out, value.text, value.length);
    first = false;
  }
  sv_addz(out, "}");
}

static void put_reply(sv_text *out, const char *key, const char *columns, json reply) {
  json row = {NULL, 0};
  sv_addf(out, ",\"%s\":", key);
  if (json_kind(reply) != '[') {
    put_row(out, reply, columns);
    return;
  }
  sv_addz(out, "[");
  for (bool first = true; json_next(reply, &row); first = false) {
    sv_addz(out, first ? "" : ",");
    put_row(out, row, columns);
  }
  sv_addz(out, "]");
}

static void keep_notes(sv_text *notes, const char *said) {
  while (said && *said) {
    size_t length = strcspn(said, "\n");
    char line[400];
    snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line - 1), said);
    sv_addz(notes, notes->length ? "," : "");
    sv_add_quoted(notes, line);
    said += length + (said[length] == '\n');
  }
}

/* ---- One call after the other ---- */

static void denied(mcp_request *r, const stele_method *method) {
  char message[200];
  snprintf(message, sizeof message, "%s is not allowed to this caller", method->name);
  r->run.wanted = NULL;
  r->run.finish(r, &(stele_failure){STELE_DENIED, method->name, "", message, "ask for a token with that scope"});
}

/* Where one row was asked for there is none. */
static void nothing(mcp_request *r, const stele_method *method) {
  char message[300];
  snprintf(message, sizeof message, "%s found nothing for %.200s", method->name, r->run.args.bytes);
  r->run.wanted = NULL;
  r->run.finish(r, &(stele_failure){STELE_NOTFOUND, method->name, "", message, ""});
}

static void out_of_memory(mcp_request *r) {
  r->run.wanted = NULL;
  mcp_fail(r, MCP_INTERNAL, "out of memory");
}

static void want(mcp_request *r, const stele_method *method) {
  r->run.wanted = method;
  if (r->run.args.failed)
    out_of_memory(r);
  else if (!mcp_may(r, method))
    denied(r, method);
}

static void next_step(mcp_request *r) {
  mcp_way_run *run = &r->run;
  const stele_method *method = mcp_step_method(run->way, run->step);
  run->wanted = NULL;
  if (!method) {
    run->finish(r, NULL);
    return;
  }
  put_arguments(&run->args, &run->way->steps[run->step], method, run->arguments);
  want(r, method);
}

void mcp_way_begin(mcp_request *r, const mcp_way *way, json arguments,
                   void (*finish)(mcp_request *r, const stele_failure *failure)) {
  r->run = (mcp_way_run){.way = way, .arguments = arguments, .finish = finish};
  next_step(r);
}

void mcp_way_begin_method(mcp_request *r, const stele_method *method, json arguments,
                          void (*finish)(mcp_request *r, const stele_failure *failure)) {
  r->run = (mcp_way_run){.only = method, .arguments = arguments, .finish = finish};
  if (arguments.text)
    sv_add(&r->run.args, arguments.text, arguments.length);
  else
    sv_addz(&r->run.args, "{}");
  want(r, method);
}

void mcp_way_give(mcp_request *r, const mcp_outcome *outcome) {
  mcp_way_run *run = &r->run;
  if (outcome->failure) {
    run->wanted = NULL;
    run->finish(r, outcome->failure);
    return;
  }
  keep_notes(&run->notes, outcome->notes);
  if (run->only) {
    run->wanted = NULL;
    sv_addf(&run->body, ",\"%s\":%s", strcmp(run->only->shape, "many") == 0 ? "results" : "result", outcome->reply);
    run->finish(r, NULL);
    return;
  }
  const mcp_step *step = &run->way->steps[run->step++];
  json reply = json_read(outcome->reply, strlen(outcome->reply));
  if (step->key && json_kind(reply) == 'n') {
    nothing(r, run->wanted);
    return;
  }
  if (step->key) put_reply(&run->body, step->key, step->columns, reply);
  next_step(r);
}

/* ---- Telling it ---- */

/* The step whose reply may be a list that goes on, and its method. */
static const mcp_step *list_step(const mcp_way_run *run, const stele_method **method) {
  const mcp_step *found = NULL;
  for (size_t i = 0; run->way && i < run->step; i++) {
    const stele_method *at = mcp_step_method(run->way, i);
    if (!run->way->steps[i].key || strcmp(at->shape, "many") != 0) continue;
    found = &run->way->steps[i];
    *method = at;
  }
  return found;
}

/* What was sent as a number, or its default, or -1. */
static long long sent(const mcp_way_run *run, const stele_method *method, const char *param) {
  json value = json_member(json_read(run->args.bytes, run->args.length), param);
  const stele_field *field = mcp_method_param(method, param);
  if (value.text) return json_int(value, -1);
  return field && field->fallback ? json_int(json_read(field->fallback, strlen(field->fallback)), -1) : -1;
}

/* How to get what comes behind the rows that were told, as members of an object. */
static void put_next(sv_text *out, const mcp_way_run *run, const stele_method *method, const mcp_cut *cut) {
  long long id = json_int(json_member(cut->last, "id"), -1);
  if (mcp_method_param(method, "offset"))
    sv_addf(out, ",\"next\":{\"offset\":%lld}", sent(run, method, "offset") + (long long)cut->kept);
  else if (mcp_method_param(method, "after") && id >= 0)
    sv_addf(out, ",\"next\":{\"after\":%lld}", id);
}

static void put_more(sv_text *out, const mcp_way_run *run, const stele_method *method, const mcp_cut *cut) {
  bool paged = method && cut->kept > 0 && (long long)cut->total == sent(run, method, "limit");
  if (!cut->lists && !cut->texts && !paged) return;
  sv_addz(out, ",\"more\":{\"why\":\"");
  if (cut->kept < cut->total)
    sv_addf(out, "%zu of %zu rows fit into the budget", cut->kept, cut->total);
  else
    sv_addz(out, cut->lists   ? "lists were cut to the budget"
                 : cut->texts ? "long texts were cut to the budget"
                              : "there may be more rows");
  sv_addz(out, "\"");
  if (method && (cut->kept < cut->total || paged)) put_next(out, run, method, cut);
  sv_addz(out, "}");
}

void mcp_way_tell(mcp_request *r, sv_text *out) {
  mcp_way_run *run = &r->run;
  const stele_method *method = run->only && strcmp(run->only->shape, "many") == 0 ? run->only : NULL;
  const mcp_step *step = list_step(run, &method);
  mcp_cut cut = {.list = step ? step->key : "results", .budget = r->caller->budget};
  sv_text whole = {0};
  sv_addz(&whole, "{");
  if (run->body.length) sv_add(&whole, run->body.bytes + 1, run->body.length - 1);
  sv_addz(&whole, "}");
  if (!whole.failed) mcp_cut_put(out, json_read(whole.bytes, whole.length), &cut);
  out->failed |= whole.failed || run->notes.failed;
  if (!out->failed) {
    sv_text tail = {0};
    put_more(&tail, run, method, &cut);
    if (run->notes.length) sv_addf(&tail, ",\"notes\":[%s]", run->notes.bytes);
    out->failed |= tail.failed;
    if (tail.length && !out->failed) {
      bool empty = out->length == 2;
      out->length--; /* the brace */
      sv_add(out, tail.bytes + empty, tail.length - empty);
      sv_addz(out, "}");
    }
    sv_text_free(&tail);
  }
  sv_text_free(&whole);
}
