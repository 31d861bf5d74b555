/* request.c - see request.h. */
#include "request.h"

#include <stdio.h>
#include <stdlib.h>

#include "text.h"

char *request_json(const argument *arguments) {
  char *text = NULL;
  size_t length = 0;
  FILE *to = text_need(open_memstream(&text, &length));
  const char *separator = "";
  fputc('{', to);
  for (; arguments->name; arguments++) {
    if (!arguments->json) continue;
    fputs(separator, to);
    text_json(to, arguments->name);
    fprintf(to, ":%s", arguments->json);
    separator = ",";
  }
  fputc('}', to);
  fclose(to);
  return text_need(text);
}

void request_free(const argument *arguments) {
  for (; arguments->name; arguments++) free((char *)arguments->json);
}

stele_status rows_step(row_source *r) {
  stele_status status = STELE_ROW;
  for (; r->skip > 0 && status == STELE_ROW; r->skip--) status = stele_step(r->stmt);
  if (status == STELE_ROW) status = stele_step(r->stmt);
  if (status != STELE_ROW || r->left < 0) return status;
  r->more = r->left == 0;
  return r->left-- == 0 ? STELE_DONE : STELE_ROW;
}

stele_stmt *request_prepare(stele_db *db, const char *method, const argument *arguments) {
  stele_stmt *stmt = NULL;
  stele_status status = stele_prepare(db, method, &stmt);
  for (; status == STELE_OK && arguments->name; arguments++)
    if (arguments->json) status = stele_bind_json(stmt, arguments->name, arguments->json);
  if (status == STELE_OK) return stmt;
  stele_finalize(stmt);
  return NULL;
}
