/* memory_edit.c - str_replace and insert: a piece of a memory file is exchanged. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "registry_ids.h"
#include "stores/server/lines.h"
#include "stores/server/memory.h"
#include "stores/server/memory_file.h"

#define AROUND 4 /* lines shown before and behind a change */

typedef struct edit {
  st_place at;
  st_value content;  /* before */
  size_t start, end; /* what goes */
  const char *text;  /* what comes */
  size_t length;
  const char *done; /* what is said first */
} edit;

/* Write the file with the piece exchanged, and say what it looks like there now. */
static st_value make_edit(st_call *call, const edit *e, const st_value *now) {
  size_t rest = e->content.length - e->end, length = e->start + e->length + rest;
  char *text = st_call_alloc(call, length + 1);
  st_str out;
  st_str_init(&out, ST_MEMORY_TEXT);
  if (text) {
    memcpy(text, e->content.bytes, e->start);
    memcpy(text + e->start, e->text, e->length);
    memcpy(text + e->start + e->length, e->content.bytes + e->end, rest);
    text[length] = '\0';
    st_memory_write(call, e->at.path, text, length, now);
    int64_t first = st_lines_count(text, e->start) + (e->start == 0 || text[e->start - 1] == '\n');
    int64_t last = first + st_lines_count(e->text, e->length);
    st_str_addf(&out, "%s Here's the result around the change:\n", e->done);
    st_lines_put(&out, text, length, first > AROUND ? first - AROUND : 1, last + AROUND);
  }
  return st_memory_said(call, &out);
}

/* The lines in which a text begins, for the message that there are several. */
static void too_many(st_call *call, const edit *e, const st_value *old) {
  char lines[200];
  size_t used = 0;
  const char *at = e->content.bytes, *end = at + e->content.length;
  while (used < sizeof lines - 24 && (at = memmem(at, (size_t)(end - at), old->bytes, old->length)) != NULL) {
    int64_t line = st_lines_count(e->content.bytes, (size_t)(at - e->content.bytes) + 1);
    used += (size_t)snprintf(lines + used, sizeof lines - used, "%s%" PRId64, used ? ", " : "", line);
    at++;
  }
  st_fail(call, STELE_INVALID, "old_str",
          "No replacement was performed. Multiple occurrences of old_str in lines: %s. Please ensure it is unique",
          lines);
  st_hint(call, "take more of the text around it into old_str");
}

/* What of a text a message, which is one line, can repeat. */
static int first_line(const st_value *text) {
  size_t length = strcspn(text->bytes, "\n\r");
  return length < 200 ? (int)length : 200;
}

static bool find_once(st_call *call, edit *e, const st_value *old) {
  const char *text = e->content.bytes, *end = text + e->content.length;
  if (old->length == 0) {
    st_fail(call, STELE_INVALID, "old_str", "old_str must not be empty");
    return false;
  }
  const char *at = memmem(text, e->content.length, old->bytes, old->length);
  if (!at) {
    st_fail(call, STELE_INVALID, "old_str",
            "No replacement was performed, old_str `%.*s` did not appear verbatim in %s.", first_line(old), old->bytes,
            e->at.path);
    st_hint(call, "view the file: old_str must be what stands there, without line numbers");
    return false;
  }
  if (memmem(at + 1, (size_t)(end - at - 1), old->bytes, old->length)) {
    too_many(call, e, old);
    return false;
  }
  e->start = (size_t)(at - text);
  e->end = e->start + old->length;
  return true;
}

void st_server_memory_str_replace(st_call *call) {
  const st_value *now = &call->args[ST_P_SERVER_MEMORY_STR_REPLACE_NOW];
  const st_value *text = &call->args[ST_P_SERVER_MEMORY_STR_REPLACE_NEW_STR];
  edit e = {.at = st_memory_place(call, ST_P_SERVER_MEMORY_STR_REPLACE_PATH, "path"),
            .text = text->bytes,
            .length = text->length,
            .done = "The memory file has been edited."};
  if (!st_memory_need(call, &e.at, &e.content) ||
      !find_once(call, &e, &call->args[ST_P_SERVER_MEMORY_STR_REPLACE_OLD_STR]))
    return;
  st_value told = make_edit(call, &e, now), *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_SERVER_MEMORY_STR_REPLACE_PATH] = st_textz(e.at.path);
  reply[ST_R_SERVER_MEMORY_STR_REPLACE_TEXT] = told;
}

/* The text as whole lines between those that are there. */
static void place_lines(st_call *call, edit *e, int64_t line, const st_value *text) {
  const char *bytes = e->content.bytes;
  e->start = e->end = (size_t)(st_lines_at(bytes, e->content.length, line + 1) - bytes);
  bool open_before = e->start > 0 && bytes[e->start - 1] != '\n';
  bool open_behind = e->start < e->content.length && (text->length == 0 || text->bytes[text->length - 1] != '\n');
  char *whole = st_call_alloc(call, text->length + 3);
  if (!whole) return;
  size_t length = 0;
  if (open_before) whole[length++] = '\n';
  memcpy(whole + length, text->bytes, text->length);
  length += text->length;
  if (open_behind) whole[length++] = '\n';
  e->text = whole;
  e->length = length;
}

void st_server_memory_insert(st_call *call) {
  int64_t line = st_arg_int(call, ST_P_SERVER_MEMORY_INSERT_INSERT_LINE);
  char done[ST_MEMORY_PATH + 40];
  edit e = {.at = st_memory_place(call, ST_P_SERVER_MEMORY_INSERT_PATH, "path"), .done = done};
  if (!st_memory_need(call, &e.at, &e.content)) return;
  int64_t lines = st_lines_count(e.content.bytes, e.content.length);
  if (line < 0 || line > lines) {
    st_fail(call, STELE_INVALID, "insert_line",
            "Invalid `insert_line` parameter: %" PRId64
            ". It should be within the range of lines of the file: [0, %" PRId64 "]",
            line, lines);
    return;
  }
  place_lines(call, &e, line, &call->args[ST_P_SERVER_MEMORY_INSERT_INSERT_TEXT]);
  snprintf(done, sizeof done, "The file %s has been edited.", e.at.path);
  if (!st_ok(call)) return;
  st_value told = make_edit(call, &e, &call->args[ST_P_SERVER_MEMORY_INSERT_NOW]), *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_SERVER_MEMORY_INSERT_PATH] = st_textz(e.at.path);
  reply[ST_R_SERVER_MEMORY_INSERT_TEXT] = told;
}
