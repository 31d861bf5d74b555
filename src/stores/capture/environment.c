/* environment.c - see environment.h.
**
** A snapshot is a JSON object with sorted names and no white space, found again by its hash: the same environment
** is the same row, whoever wrote it. */
#include "stores/capture/environment.h"

#include "base/json.h"
#include "registry_ids.h"
#include "stores/capture/capture.h"
#include "stores/capture/keep.h"

#define SNAPSHOT_MAX (16u << 20)

/* In the order of their bytes. */
static const char *const HARMLESS[] = {"APP_ENV",
                                       "AWS_DEFAULT_REGION",
                                       "AWS_PROFILE",
                                       "COLORTERM",
                                       "CONDA_DEFAULT_ENV",
                                       "EDITOR",
                                       "HIPPO_SESSION_ID",
                                       "HOME",
                                       "HOSTNAME",
                                       "KUBECONFIG",
                                       "LANG",
                                       "LC_ALL",
                                       "LOGNAME",
                                       "NODE_ENV",
                                       "OLDPWD",
                                       "PATH",
                                       "PWD",
                                       "RAILS_ENV",
                                       "SHELL",
                                       "SHLVL",
                                       "TERM",
                                       "TERM_PROGRAM",
                                       "TMPDIR",
                                       "USER",
                                       "VIRTUAL_ENV",
                                       "VISUAL",
                                       "XDG_CONFIG_HOME",
                                       "XDG_DATA_HOME"};

static void check(st_call *call, const st_json *env) {
  bool texts = env->type == ST_JSON_OBJECT;
  for (const st_json *at = texts ? env->first : NULL; at; at = at->next) texts = texts && at->type == ST_JSON_STRING;
  if (!texts) st_fail(call, STELE_INVALID, "env", "env must be an object of texts");
}

static st_value write_snapshot(st_call *call, const st_json *env) {
  st_str out;
  st_str_init(&out, SNAPSHOT_MAX);
  for (size_t i = 0; i < sizeof HARMLESS / sizeof *HARMLESS; i++) {
    const st_json *variable = st_json_get(env, HARMLESS[i]);
    if (!variable) continue;
    st_str_addf(&out, "%c\"%s\":", out.length ? ',' : '{', HARMLESS[i]);
    st_json_add_string(&out, variable->text, variable->length);
  }
  if (out.length) st_str_addc(&out, '}');
  if (out.length || out.failed) return st_take(call, &out);
  return st_textz(NULL);
}

st_value st_capture_environment(st_call *call, const st_value *env, st_value now) {
  st_value id = st_textz(NULL);
  st_json_error error;
  if (!st_ok(call)) return id;
  const st_json *read = st_json_parse(call->arena, env->bytes, env->length, 0, &error);
  if (!read)
    st_fail(call, error.nomem ? STELE_NOMEM : STELE_INVALID, "env", "env cannot be read: %s", error.message);
  else
    check(call, read);
  if (!st_ok(call)) return id;
  st_value snapshot = write_snapshot(call, read);
  if (snapshot.type != ST_TEXT) return id;
  st_value hash = st_capture_hash(call, snapshot.bytes, snapshot.length);
  st_one(call, STELE_M_CAPTURE_PUT_ENV_SNAPSHOT, (st_value[]){hash, snapshot, now}, &id);
  return id;
}

void st_stele_captured_variables(st_call *call) {
  for (size_t i = 0; i < sizeof HARMLESS / sizeof *HARMLESS; i++) {
    st_value *row = st_reply(call);
    if (!row) return;
    row[ST_R_STELE_CAPTURED_VARIABLES_NAME] = st_textz(HARMLESS[i]);
  }
}
