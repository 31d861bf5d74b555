/* memory.c - memory files are made, deleted and moved. */
#include "stores/server/memory.h"

#include <string.h>

#include "registry_ids.h"
#include "stores/server/memory_file.h"

static void need_room(st_call *call) {
  st_rows rows;
  st_value count = {.type = ST_NULL};
  st_rows_start(call, &rows, STELE_M_SERVER_COUNT_MEMORY, NULL);
  if (st_rows_next(call, &rows)) st_rows_value(call, &rows, ST_R_SERVER_COUNT_MEMORY_COUNT, &count);
  st_rows_end(call, &rows);
  if (!st_ok(call) || count.integer < ST_MEMORY_FILES) return;
  st_fail(call, STELE_INVALID, "path", "path: there are %d memory files already, and no more are allowed",
          ST_MEMORY_FILES);
  st_hint(call, "delete what is no longer needed");
}

void st_server_memory_create(st_call *call) {
  st_place at = st_memory_place(call, ST_P_SERVER_MEMORY_CREATE_PATH, "path");
  const st_value *text = &call->args[ST_P_SERVER_MEMORY_CREATE_FILE_TEXT];
  st_str out;
  if (!at.path) return;
  st_memory_need_free(call, &at, "path");
  need_room(call);
  st_memory_write(call, at.path, text->bytes, text->length, &call->args[ST_P_SERVER_MEMORY_CREATE_NOW]);
  st_str_init(&out, ST_MEMORY_TEXT);
  st_str_addf(&out, "File created successfully at: %s", at.path);
  st_value told = st_memory_said(call, &out), *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_SERVER_MEMORY_CREATE_PATH] = st_textz(at.path);
  reply[ST_R_SERVER_MEMORY_CREATE_TEXT] = told;
}

static void not_root(st_call *call, const st_place *at, const char *name) {
  if (at->path && strcmp(at->path, ST_MEMORY_ROOT) == 0)
    st_fail(call, STELE_INVALID, name, "%s must be something in " ST_MEMORY_ROOT ", not all of it", name);
}

void st_server_memory_delete(st_call *call) {
  st_place at = st_memory_place(call, ST_P_SERVER_MEMORY_DELETE_PATH, "path");
  st_value args[3];
  st_str out;
  not_root(call, &at, "path");
  if (!st_ok(call)) return;
  args[ST_P_SERVER_REMOVE_MEMORY_PATH] = st_textz(at.path);
  args[ST_P_SERVER_REMOVE_MEMORY_FIRST] = st_textz(at.first);
  args[ST_P_SERVER_REMOVE_MEMORY_BEHIND] = st_textz(at.behind);
  int64_t deleted = st_run(call, STELE_M_SERVER_REMOVE_MEMORY, args);
  if (st_ok(call) && deleted == 0) st_memory_not_there(call, "path", at.path);
  st_str_init(&out, ST_MEMORY_TEXT);
  st_str_addf(&out, "Successfully deleted %s", at.path);
  st_value told = st_memory_said(call, &out), *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_SERVER_MEMORY_DELETE_PATH] = st_textz(at.path);
  reply[ST_R_SERVER_MEMORY_DELETE_DELETED] = st_int(deleted);
  reply[ST_R_SERVER_MEMORY_DELETE_TEXT] = told;
}

static int64_t move(st_call *call, const st_place *from, const st_place *to) {
  st_value args[5];
  if (!st_ok(call)) return 0;
  args[ST_P_SERVER_MOVE_MEMORY_PATH] = st_textz(from->path);
  args[ST_P_SERVER_MOVE_MEMORY_FIRST] = st_textz(from->first);
  args[ST_P_SERVER_MOVE_MEMORY_BEHIND] = st_textz(from->behind);
  args[ST_P_SERVER_MOVE_MEMORY_TO] = st_textz(to->path);
  args[ST_P_SERVER_MOVE_MEMORY_NOW] = call->args[ST_P_SERVER_MEMORY_RENAME_NOW];
  return st_run(call, STELE_M_SERVER_MOVE_MEMORY, args);
}

/* The paths of what is in a directory grow with it. */
static void need_short(st_call *call, const st_place *from, const st_place *to) {
  st_rows rows;
  st_value path;
  st_memory_list(call, &rows, from, ST_MEMORY_FILES);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_SERVER_LIST_MEMORY_PATH, &path);
    if (path.length - strlen(from->path) + strlen(to->path) > ST_MEMORY_PATH)
      st_fail(call, STELE_INVALID, "new_path", "new_path makes the path of a file longer than %d bytes",
              ST_MEMORY_PATH);
  }
  st_rows_end(call, &rows);
}

void st_server_memory_rename(st_call *call) {
  st_place from = st_memory_place(call, ST_P_SERVER_MEMORY_RENAME_OLD_PATH, "old_path");
  st_place to = st_memory_place(call, ST_P_SERVER_MEMORY_RENAME_NEW_PATH, "new_path");
  st_value content;
  st_str out;
  not_root(call, &from, "old_path");
  not_root(call, &to, "new_path");
  if (st_ok(call) && !st_memory_read(call, from.path, &content) && !st_memory_is_directory(call, &from))
    st_memory_not_there(call, "old_path", from.path);
  if (st_ok(call) && strncmp(to.path, from.first, strlen(from.first)) == 0)
    st_fail(call, STELE_INVALID, "new_path", "new_path %s is inside of %s", to.path, from.path);
  st_memory_need_free(call, &to, "new_path");
  if (st_ok(call)) need_short(call, &from, &to);
  int64_t moved = move(call, &from, &to);
  if (!st_ok(call)) return;
  st_str_init(&out, ST_MEMORY_TEXT);
  st_str_addf(&out, "Successfully renamed %s to %s", from.path, to.path);
  st_value told = st_memory_said(call, &out), *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_SERVER_MEMORY_RENAME_PATH] = st_textz(to.path);
  reply[ST_R_SERVER_MEMORY_RENAME_MOVED] = st_int(moved);
  reply[ST_R_SERVER_MEMORY_RENAME_TEXT] = told;
}
