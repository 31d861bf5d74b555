/* fuzz_raw_sql.c - any text as raw SQL on an assistant store in memory: nothing breaks, no reply and no error tells what the
** vault holds, and the vault stays as it is.  The first byte chooses the method. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "fuzz/target.h"
#include "stele.h"

#define MARK "zQ7wvault9KxJ"
#define PIECE 5 /* an input with this much of the mark might put it together by itself */

/* The first column of the last row, copied: "" if there is none. */
static void run(stele_db *db, const char *sql, char out[64]) {
  const stele_raw_functions *raw = stele_raw();
  stele_sql *stmt = NULL;
  stele_status status;
  out[0] = '\0';
  must(raw->prepare(db, "assistant", sql, strlen(sql), &stmt) == STELE_OK, sql);
  while ((status = raw->step(stmt)) == STELE_ROW)
    snprintf(out, 64, "%.*s", (int)raw->about(stmt)->row[0].length, raw->about(stmt)->row[0].bytes);
  must(status == STELE_DONE, sql);
  raw->finalize(stmt);
}

static stele_db *open_store(void) {
  stele_db *db = NULL;
  char *reply = NULL, none[64];
  must(stele_open(&(stele_options){.size = sizeof(stele_options), .home = ":memory:"}, &db) == STELE_OK, "no home");
  must(stele_call(db, "assistant.save_note", "{\"id\":\"n\",\"title\":\"Tea\",\"content\":\"green\"}", &reply) == STELE_OK, "no note");
  stele_free(reply);
  run(db, "INSERT INTO vault_credentials VALUES ('" MARK "','" MARK "','" MARK "','" MARK "','" MARK "','" MARK "','" MARK "','" MARK "')", none);
  run(db, "CREATE VIEW leak AS SELECT * FROM vault_credentials", none);
  run(db, "CREATE TABLE stele_secret AS SELECT * FROM vault_credentials", none);
  run(db, "CREATE TRIGGER trap AFTER UPDATE ON tasks BEGIN INSERT INTO notes SELECT id, service, password_enc, created_at, NULL "
          "FROM vault_credentials; END", none);
  run(db, "CREATE VIRTUAL TABLE words USING fts5(word)", none);
  return db;
}

static int has_piece(const char *text, size_t length) {
  static const char mark[] = MARK;
  for (size_t i = 0; i + PIECE < sizeof mark; i++)
    if (memmem(text, length, &mark[i], PIECE)) return 1;
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const methods[] = {"assistant.raw_sql_query", "assistant.raw_sql_dryrun", "assistant.raw_sql_execute"};
  static stele_db *db;
  char *reply = NULL, vault[64];
  st_str args;
  if (!db) db = open_store();
  if (size == 0 || size > 4096 || has_piece((const char *)data, size)) return 0;
  int method = data[0] % 3;
  st_str_init(&args, 1 << 20);
  st_str_addz(&args, "{\"timeout\":0.05,\"limit\":50,\"sql\":");
  st_json_add_string(&args, (const char *)data + 1, size - 1);
  st_str_addc(&args, '}');
  if (method) must(stele_begin(db, "assistant") == STELE_OK, "no transaction");
  stele_status status = stele_call(db, methods[method], args.text, &reply);
  if (status == STELE_OK) must(!strstr(reply, MARK), "a reply tells of the vault");
  else must(!strstr(stele_error(db)->message, MARK), "an error tells of the vault");
  must(status != STELE_INTERNAL && status != STELE_MISUSE && status != STELE_CORRUPT, "a fault of Stele's own");
  run(db, "SELECT service FROM vault_credentials WHERE password_enc = '" MARK "'", vault);
  must(strcmp(vault, MARK) == 0, "the vault was changed");
  run(db, "SELECT group_concat(title || content) FROM notes", vault);
  must(!strstr(vault, MARK), "a note tells of the vault");
  if (method) must(stele_rollback(db) == STELE_OK, "no way back");
  st_str_free(&args);
  stele_free(reply);
  return 0;
}
