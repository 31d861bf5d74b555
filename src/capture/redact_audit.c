/* redact_audit.c - assistant.log_audit_entry: a call of a tool is noted without its secrets.
**
** First what the rules find is taken out, then every value whose name says that it is a secret. */
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/utf8.h"
#include "capture/redact_handle.h"
#include "registry_ids.h"

#define CLEANED_MAX (256u << 20) /* bytes */
#define SUMMARY_MAX 200          /* characters */
#define SUMMARY_SEEN 4096        /* bytes of a result that are looked at: a secret may begin before the cut */

/* ---- Arguments ---- */

static bool is_secret_name(const char *name, size_t length) {
  static const char *const words[] = {"key", "token", "secret", "password"};
  for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
    size_t size = strlen(words[w]);
    for (size_t i = 0; i + size <= length; i++)
      if (strncasecmp(name + i, words[w], size) == 0) return true;
  }
  return false;
}

/* Write a value as it stood, but for what has the name of a secret. */
static void write_clean(st_str *out, const st_json *value) {
  bool object = value->type == ST_JSON_OBJECT;
  if (!object && value->type != ST_JSON_ARRAY) {
    st_str_add(out, value->raw, value->raw_length);
    return;
  }
  st_str_addc(out, object ? '{' : '[');
  for (const st_json *member = value->first; member; member = member->next) {
    if (member != value->first) st_str_addc(out, ',');
    if (object) {
      st_json_add_string(out, member->key, member->key_length);
      st_str_addc(out, ':');
    }
    if (object && is_secret_name(member->key, member->key_length))
      st_str_addz(out, "\"***\"");
    else
      write_clean(out, member); /* as deep as the reader goes: ST_JSON_MAX_DEPTH */
  }
  st_str_addc(out, object ? '}' : ']');
}

/* What is JSON, by the rules and by its names. */
static st_value clean_json(st_call *call, st_redact_scratch *scratch, const char *text, size_t length) {
  st_value none = {.type = ST_NULL};
  st_redacted redacted;
  st_json_error error;
  st_str out;
  if (!st_redact_json(scratch, call->arena, text, length, &redacted)) {
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
    return none;
  }
  const st_json *value = st_json_parse(call->arena, redacted.text, redacted.length, 0, &error);
  if (!value) {
    st_fail(call, STELE_NOMEM, NULL, "out of memory"); /* what was JSON is JSON afterwards */
    return none;
  }
  st_str_init(&out, CLEANED_MAX);
  write_clean(&out, value);
  return st_take(call, &out);
}

/* A text that may hold JSON, as Kwasi gives it. */
static st_value clean_arguments(st_call *call, st_redact_scratch *scratch, const st_value *arguments) {
  st_json_error error = {0};
  const st_json *given = st_json_parse(call->arena, arguments->bytes, arguments->length, 0, &error);
  if (given && given->type == ST_JSON_NULL) return (st_value){.type = ST_NULL};
  if (given && given->type == ST_JSON_STRING && st_json_parse(call->arena, given->text, given->length, 0, &error))
    return clean_json(call, scratch, given->text, given->length);
  if (error.nomem) {
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
    return (st_value){.type = ST_NULL};
  }
  return clean_json(call, scratch, arguments->bytes, arguments->length);
}

/* ---- The result ---- */

/* The first characters of a text: where they end. */
static size_t cut(const char *text, size_t length, size_t bytes, size_t characters) {
  const char *at = text, *end = text + length;
  for (; at < end && characters > 0 && (size_t)(at - text) < bytes; characters--) {
    int size = st_utf8_char(at, end);
    at += size < 0 ? -size : size;
  }
  return (size_t)(at - text);
}

static st_value clean_summary(st_call *call, st_redact_scratch *scratch, const st_value *summary) {
  st_redacted redacted;
  size_t seen = cut(summary->bytes, summary->length, SUMMARY_SEEN, SIZE_MAX);
  if (!st_redact_text(scratch, call->arena, summary->bytes, seen, &redacted)) {
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
    return (st_value){.type = ST_NULL};
  }
  size_t length = cut(redacted.text, redacted.length, SIZE_MAX, SUMMARY_MAX);
  return st_call_text(call, redacted.text, length);
}

void st_assistant_log_audit_entry(st_call *call) {
  st_redaction *redaction = st_redaction_of(call);
  st_value entry[ST_P_ASSISTANT_INSERT_AUDIT_ENTRY_TOKENS_USED + 1];
  st_value *arguments = &entry[ST_P_ASSISTANT_INSERT_AUDIT_ENTRY_ARGUMENTS];
  st_value *summary = &entry[ST_P_ASSISTANT_INSERT_AUDIT_ENTRY_RESULT_SUMMARY];
  if (!redaction) return;
  memcpy(entry, call->args, sizeof entry); /* the same fields in the same order */
  if (arguments->type == ST_TEXT) *arguments = clean_arguments(call, redaction->scratch, arguments);
  if (summary->type == ST_TEXT) *summary = clean_summary(call, redaction->scratch, summary);
  if (!st_reply_one(call, STELE_M_ASSISTANT_INSERT_AUDIT_ENTRY, entry))
    st_fail(call, STELE_INVALID, "id", "id %.100s exists already", st_arg_text(call, ST_P_ASSISTANT_LOG_AUDIT_ENTRY_ID));
}
_Static_assert((int)ST_P_ASSISTANT_LOG_AUDIT_ENTRY_TOKENS_USED == (int)ST_P_ASSISTANT_INSERT_AUDIT_ENTRY_TOKENS_USED &&
                   (int)ST_P_ASSISTANT_LOG_AUDIT_ENTRY_ARGUMENTS == (int)ST_P_ASSISTANT_INSERT_AUDIT_ENTRY_ARGUMENTS,
               "log_audit_entry and insert_audit_entry have the same fields");
