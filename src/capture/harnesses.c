/* harnesses.c - the agents and programs whose transcripts can be taken in. */
#include <string.h>

#include "base/json.h"
#include "capture/capture.h"
#include "capture/reader.h"
#include "registry_ids.h"

#define LIST_MAX 4096

static void add(st_str *list, const char *text, size_t length) {
  st_str_addc(list, list->length ? ',' : '[');
  st_json_add_string(list, text, length);
}

static st_value taken(st_call *call, st_str *list) {
  st_str_addz(list, list->length ? "]" : "[]");
  char *copy = list->failed ? NULL : st_call_copy(call, list->text, list->length);
  if (!copy) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  st_str_free(list);
  return st_textz(copy);
}

static void tell(st_call *call, const st_reader *reader) {
  st_str roots, variables;
  char last[64] = "";
  st_str_init(&roots, LIST_MAX);
  st_str_init(&variables, LIST_MAX);
  for (const char *const *at = reader->roots; *at; at++) {
    size_t length = strcspn(*at, "/");
    add(&roots, *at, strlen(*at));
    if (**at != '$' || length >= sizeof last || strncmp(last, *at + 1, length - 1) == 0) continue;
    memcpy(last, *at + 1, length - 1);
    last[length - 1] = '\0';
    add(&variables, last, length - 1);
  }
  st_value where = taken(call, &roots), names = taken(call, &variables);
  st_value *row = st_reply(call);
  if (!row) return;
  row[ST_R_CONVERSATION_LIST_HARNESSES_HARNESS] = st_textz(reader->harness);
  row[ST_R_CONVERSATION_LIST_HARNESSES_PROGRAM] = st_textz(reader->program);
  row[ST_R_CONVERSATION_LIST_HARNESSES_ROOTS] = where;
  row[ST_R_CONVERSATION_LIST_HARNESSES_VARIABLES] = names;
  row[ST_R_CONVERSATION_LIST_HARNESSES_RESUME] = st_textz(reader->resume);
}

void st_conversation_list_harnesses(st_call *call) {
  for (const st_reader *const *at = st_readers; *at && st_ok(call); at++) tell(call, *at);
}
