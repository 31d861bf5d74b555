/* envelope.c - see envelope.h. */
#include "capture/envelope.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/uuid.h"
#include "engine/args.h"
#include "stores/capture/insert.h"

/* Where a parameter comes from. */
typedef struct field {
  const char *member; /* of the data; behind a point, of the object in it */
  int param;
  bool redact; /* secrets may stand in it */
} field;

#define EVENT(name) ST_P_CAPTURE_INSERT_EVENT_##name
#define VISIT(name) ST_P_CAPTURE_INSERT_BROWSER_EVENT_##name

static const field EVENT_FIELDS[] = {
    {"session_id", EVENT(TERMINAL), false},
    {"username", EVENT(USERNAME), false},
    {"command", EVENT(COMMAND), true},
    {"exit_code", EVENT(EXIT_CODE), false},
    {"duration_ms", EVENT(DURATION_MS), false},
    {"cwd", EVENT(CWD), true},
    {"hostname", EVENT(HOSTNAME), false},
    {"stdout.content", EVENT(STDOUT), true},
    {"stdout.truncated", EVENT(STDOUT_TRUNCATED), false},
    {"stderr.content", EVENT(STDERR), true},
    {"stderr.truncated", EVENT(STDERR_TRUNCATED), false},
    {"env_snapshot", EVENT(ENV), false}, /* as JSON: read_env() */
    {"git_state.repo", EVENT(GIT_REPO), true},
    {"git_state.branch", EVENT(GIT_BRANCH), true},
    {"git_state.commit", EVENT(GIT_COMMIT), false},
    {"git_state.is_dirty", EVENT(GIT_DIRTY), false},
    {"redaction_count", EVENT(REDACTION_COUNT), false},
    {"tool_name", EVENT(TOOL_NAME), false},
    {"harness", EVENT(HARNESS), false},
    {NULL, 0, false},
};

static const field VISIT_FIELDS[] = {
    {"url", VISIT(URL), true},
    {"title", VISIT(TITLE), true},
    {"domain", VISIT(DOMAIN), false},
    {"dwell_ms", VISIT(DWELL_MS), false},
    {"scroll_depth", VISIT(SCROLL_DEPTH), false},
    {"extracted_text", VISIT(EXTRACTED_TEXT), true},
    {"search_query", VISIT(SEARCH_QUERY), true},
    {"referrer", VISIT(REFERRER), true},
    {NULL, 0, false},
};

/* One envelope while it is read. */
typedef struct reading {
  st_call *call;
  st_redact_scratch *scratch;
  st_args args;
  const st_json *data;
} reading;

static bool refuse(st_error *problem, const char *why) {
  if (problem->status == STELE_OK) snprintf(problem->message, sizeof problem->message, "%s", why);
  problem->status = problem->status == STELE_OK ? STELE_INVALID : problem->status;
  return false;
}

static const st_json *member_at(const st_json *object, const char *path) {
  char first[32];
  const char *point = strchr(path, '.');
  if (!object || object->type != ST_JSON_OBJECT) return NULL;
  if (!point) return st_json_get(object, path);
  snprintf(first, sizeof first, "%.*s", (int)(point - path), path);
  return member_at(st_json_get(object, first), point + 1);
}

/* ---- Secrets ---- */

static bool redact(reading *r, st_value *value, bool json) {
  st_redacted out;
  if (value->type != ST_TEXT) return true;
  bool good = json ? st_redact_json(r->scratch, r->call->arena, value->bytes, value->length, &out)
                   : st_redact_text(r->scratch, r->call->arena, value->bytes, value->length, &out);
  if (good && out.text != value->bytes) *value = st_call_text(r->call, out.text, out.length);
  if (!good) st_fail(r->call, STELE_NOMEM, NULL, "out of memory");
  return good;
}

static bool redact_all(reading *r, const field *fields, bool visit) {
  st_redact_forget(r->scratch);
  for (; fields->member; fields++)
    if (fields->redact && !redact(r, &r->args.values[fields->param], false)) return false;
  if (visit) return true;
  r->args.values[EVENT(REDACTION_COUNT)].integer += st_redact_total(r->scratch);
  return redact(r, &r->args.values[EVENT(ENV)], true);
}

/* ---- Members ---- */

/* PostgreSQL has no text with a NUL in it. */
static void replace_nul(reading *r, st_value *value) {
  if (value->type != ST_TEXT || !memchr(value->bytes, '\0', value->length)) return;
  char *copy = st_call_copy(r->call, value->bytes, value->length);
  for (size_t i = 0; copy && i < value->length; i++) copy[i] = copy[i] ? copy[i] : ' ';
  if (copy) value->bytes = copy;
}

static bool set(reading *r, int param, const st_json *value) {
  if (!value || value->type == ST_JSON_NULL) return true; /* then the default holds, or something is missing */
  if (!st_args_set(&r->args, r->args.method->public.params[param].name, value)) return false;
  replace_nul(r, &r->args.values[param]);
  return st_ok(r->call);
}

/* "Zsh", or {"Unknown":"nu"}: kept in small letters. */
static bool set_shell(reading *r) {
  const st_json *shell = st_json_get(r->data, "shell");
  if (shell && shell->type == ST_JSON_OBJECT) shell = st_json_get(shell, "Unknown");
  if (!set(r, EVENT(SHELL), shell)) return false;
  st_value *value = &r->args.values[EVENT(SHELL)];
  char *small = value->type == ST_TEXT ? st_call_copy(r->call, value->bytes, value->length) : NULL;
  for (char *c = small; c && *c; c++) *c = (char)tolower((unsigned char)*c);
  if (small) value->bytes = small;
  return st_ok(r->call);
}

/* insert_event would fail the whole call. */
static bool is_environment(const st_json *env) {
  if (!env || env->type == ST_JSON_NULL) return true;
  if (env->type != ST_JSON_OBJECT) return false;
  for (const st_json *at = env->first; at; at = at->next)
    if (at->type != ST_JSON_STRING) return false;
  return true;
}

static bool read_data(reading *r, const field *fields, bool visit) {
  if (!visit && !is_environment(st_json_get(r->data, "env_snapshot")))
    return refuse(r->args.error, "env_snapshot must be an object of texts");
  for (const field *at = fields; at->member; at++)
    if (!set(r, at->param, member_at(r->data, at->member))) return false;
  return visit || set_shell(r);
}

/* ---- The envelope ---- */

static bool is_uuid(const st_json *id) {
  return id && id->type == ST_JSON_STRING && st_uuid_valid(id->text, id->length);
}

static bool is_text(const st_json *value, const char *text) {
  return value && value->type == ST_JSON_STRING && strcmp(value->text, text) == 0;
}

/* Which of those that are kept it is; false: none. */
static bool read_type(const st_json *payload, bool *visit, bool *tool) {
  const st_json *type = payload && payload->type == ST_JSON_OBJECT ? st_json_get(payload, "type") : NULL;
  *visit = is_text(type, "Browser");
  *tool = is_text(type, "AgenticToolCall");
  return *visit || *tool || is_text(type, "Shell");
}

bool st_envelope_read(st_call *call, const st_redaction *redaction, const st_json *envelope, st_value now, st_envelope *out,
                      st_error *problem) {
  bool visit, tool;
  if (!st_ok(call)) return false;
  if (envelope->type != ST_JSON_OBJECT || !is_uuid(st_json_get(envelope, "envelope_id")))
    return refuse(problem, "an envelope is an object with a UUID as envelope_id");
  const st_json *payload = st_json_get(envelope, "payload");
  if (!read_type(payload, &visit, &tool)) return refuse(problem, "only payloads of the types Shell, AgenticToolCall and Browser are kept");
  const st_method *method = &st_registry.methods[visit ? STELE_M_CAPTURE_INSERT_BROWSER_EVENT : STELE_M_CAPTURE_INSERT_EVENT];
  const field *fields = visit ? VISIT_FIELDS : EVENT_FIELDS;
  *out = (st_envelope){.visit = visit};
  reading r = {.call = call, .scratch = redaction->scratch, .data = st_json_get(payload, "data")};
  r.args = (st_args){.method = method, .time_form = ST_TIME_MILLIS, .arena = call->arena, .error = problem, .values = out->values};
  if (!r.data || r.data->type != ST_JSON_OBJECT) return refuse(problem, "the payload has no data");
  if (tool && !st_json_get(r.data, "tool_name")) return refuse(problem, "a tool call needs tool_name");
  out->values[visit ? (int)VISIT(NOW) : (int)EVENT(NOW)] = now;
  return set(&r, visit ? (int)VISIT(TIMESTAMP) : (int)EVENT(TIMESTAMP), st_json_get(envelope, "timestamp")) &&
         set(&r, visit ? (int)VISIT(ENVELOPE_ID) : (int)EVENT(ENVELOPE_ID), st_json_get(envelope, "envelope_id")) &&
         set(&r, visit ? (int)VISIT(PROBE_TAG) : (int)EVENT(PROBE_TAG), st_json_get(envelope, "probe_tag")) &&
         read_data(&r, fields, visit) && st_args_complete(&r.args) && redact_all(&r, fields, visit);
}

bool st_envelope_keep(st_call *call, const st_envelope *envelope) {
  int64_t id = 0;
  return envelope->visit ? st_capture_keep_visit(call, envelope->values, &id) : st_capture_keep_event(call, envelope->values, &id);
}
