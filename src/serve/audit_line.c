/* audit_line.c - see audit_line.h.
**
** Arguments are told as far as the method declares them, and not as secret; after the library's redaction, and in
** short: what was long is a text, and what a text holds is the store's to tell. */
#include "audit_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../door/json.h"

#define VALUE_MAX 200 /* bytes of one argument, as JSON */

static void find_session(sv_audit_entry *entry, const sv_audited *what) {
  json said = what->args && what->method ? json_read(what->args, what->length) : (json){NULL, 0};
  json named = json_member(said, "session_id");
  if (!named.text) named = json_member(said, "session");
  char *text = json_kind(named) == '"' ? json_text(named) : NULL;
  if (text && strlen(text) < sizeof entry->session) strcpy(entry->session, text);
  free(text);
}

sv_audit_entry *sv_audit_entry_new(const sv_audited *what, bool with_session) {
  size_t kept = what->args && what->method && what->length <= SV_AUDIT_ARGUMENTS ? what->length : 0;
  sv_audit_entry *entry = malloc(sizeof *entry + kept + 1);
  if (!entry) return NULL;
  *entry = (sv_audit_entry){.method = what->method,
                            .route = what->route,
                            .door = what->door,
                            .outcome = what->outcome,
                            .us = what->us,
                            .length = what->args ? what->length : 0};
  clock_gettime(CLOCK_REALTIME, &entry->at);
  memcpy(entry->actor, what->actor, strnlen(what->actor, SV_ACTOR - 1));
  if (kept) memcpy(entry->args, what->args, kept);
  entry->args[kept] = '\0';
  if (with_session) find_session(entry, what);
  return entry;
}

/* A text without secrets, in new memory; NULL: that could not be made sure. */
static char *redacted(const char *said, bool is_json, stele_db *db) {
  stele_stmt *stmt = NULL;
  char *text = NULL;
  stele_status status = stele_prepare(db, "stele.redact", &stmt);
  if (status == STELE_OK) status = stele_bind_text(stmt, "text", said, strlen(said));
  if (status == STELE_OK) status = stele_bind_json(stmt, "json", is_json ? "true" : "false");
  if (status == STELE_OK && stele_step(stmt) == STELE_ROW) text = strdup(stele_column_text(stmt, 0));
  stele_finalize(stmt);
  return text;
}

static const stele_field *declared(const stele_method *method, json name) {
  for (size_t i = 0; i < method->nparams; i++)
    if (json_is(name, method->params[i].name)) return &method->params[i];
  return NULL;
}

/* A name that the method does not know is the caller's own words: it is not told, and counted. */
static void add_members(sv_text *out, const stele_method *method, json said) {
  json name = {NULL, 0}, value;
  const char *separator = "";
  int unknown = 0;
  sv_addz(out, ",\"arguments\":{");
  while (json_next_member(said, &name, &value)) {
    const stele_field *known = declared(method, name);
    unknown += !known;
    if (!known) continue;
    sv_addf(out, "%s\"%s\":", separator, known->name);
    if (known->flags & STELE_SECRET)
      sv_addz(out, "{\"secret\":true}");
    else if (value.length > VALUE_MAX)
      sv_addf(out, "{\"bytes\":%zu}", value.length);
    else
      sv_add(out, value.text, value.length);
    separator = ",";
  }
  sv_addz(out, "}");
  if (unknown) sv_addf(out, ",\"unknown_arguments\":%d", unknown);
}

/* On one line: JSON may have line ends between its parts, and nowhere else. */
static void flatten(char *text) {
  for (; *text; text++)
    if (*text == '\n' || *text == '\r') *text = ' ';
}

static void add_arguments(sv_text *out, const sv_audit_entry *entry, stele_db *db) {
  json said = *entry->args ? json_read(entry->args, strlen(entry->args)) : (json){NULL, 0};
  char *text = json_kind(said) == '{' ? redacted(entry->args, true, db) : NULL;
  if (text) {
    flatten(text);
    add_members(out, entry->method, json_read(text, strlen(text)));
  } else if (entry->length) {
    sv_addf(out, ",\"arguments\":null,\"arguments_bytes\":%zu", entry->length);
  }
  free(text);
}

static void add_time(sv_text *out, const struct timespec *at) {
  struct tm parts;
  char text[32];
  gmtime_r(&at->tv_sec, &parts);
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  sv_addf(out, "%s.%03ldZ", text, at->tv_nsec / 1000000);
}

void sv_audit_line(const sv_audit_entry *entry, stele_db *db, sv_text *out) {
  sv_addz(out, "{\"time\":\"");
  add_time(out, &entry->at);
  sv_addz(out, "\"");
  sv_add_member(out, "method", entry->method ? entry->method->name : entry->route);
  if (*entry->actor)
    sv_add_member(out, "actor", entry->actor);
  else
    sv_addz(out, ",\"actor\":null");
  sv_add_member(out, "door", entry->door);
  sv_add_member(out, "outcome", stele_status_name(entry->outcome));
  sv_addf(out, ",\"ms\":%.3f", (double)entry->us / 1000);
  add_arguments(out, entry, db);
  sv_addz(out, "}\n");
}

/* ---- The log of a session ---- */

/* What is no letter, digit, '-', '_' or '.' is written as %XX, and so is a first '.': any name is a name of a file. */
static void name_file(const char *session, char *name) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
  char *at = name;
  for (const char *from = session; *from; from++) {
    if (strchr(plain, *from) && (*from != '.' || from > session))
      *at++ = *from;
    else
      at += sprintf(at, "%%%02X", (unsigned char)*from);
  }
  strcpy(at, ".log");
}

bool sv_audit_session_file(const sv_audit_entry *entry, stele_db *db, char *name, size_t room) {
  char whole[3 * SV_AUDIT_SESSION + sizeof ".log"];
  char *kept = *entry->session ? redacted(entry->session, false, db) : NULL;
  bool safe = kept && strcmp(kept, entry->session) == 0;
  free(kept);
  if (!safe) return false;
  name_file(entry->session, whole);
  if (strlen(whole) >= room) return false;
  strcpy(name, whole);
  return true;
}

void sv_audit_session_line(const sv_audit_entry *entry, sv_text *out) {
  add_time(out, &entry->at);
  sv_addf(out, " %s %s %.3f ms, ", entry->method->name, stele_status_name(entry->outcome), (double)entry->us / 1000);
  sv_add_words(out, *entry->actor ? entry->actor : "nobody known");
  sv_addf(out, " over %s\n", entry->door);
}
