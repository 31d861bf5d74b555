/* toml.c - see toml.h. */
#include "toml.h"

#include "stele.h"
#include "text.h"

char *toml_values(const char *text, size_t length, char **problem, long long *line) {
  stele_options nowhere = {.size = sizeof nowhere};
  stele_db *db = NULL;
  stele_stmt *stmt = NULL;
  char *values = NULL;
  stele_status status = stele_open(&nowhere, &db);
  if (status == STELE_OK) status = stele_prepare(db, "stele.read_toml", &stmt);
  if (status == STELE_OK) status = stele_bind_text(stmt, "text", text, length);
  if (status == STELE_OK) status = stele_step(stmt);
  *line = 0;
  if (status != STELE_ROW) {
    *problem = text_format("%s", stele_error(db)->message);
  } else if (stele_column_text(stmt, 1)) {
    *problem = text_format("%s", stele_column_text(stmt, 1));
    *line = stele_column_int(stmt, 2);
  } else {
    values = text_format("%s", stele_column_text(stmt, 0));
  }
  stele_finalize(stmt);
  stele_close(db);
  return values;
}
