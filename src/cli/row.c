/* row.c - see row.h. */
#include "row.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../door/json.h"
#include "text.h"

/* The shortest decimal that is read back as the same number, and never looks like an integer. */
static void put_real(FILE *to, double value) {
  char text[40];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  fprintf(to, "%s%s", text, strpbrk(text, ".en") ? "" : ".0");
}

static void put_text(FILE *to, const stele_field *field, const char *text, size_t length) {
  json value = field->type == STELE_TYPE_JSON ? json_read(text, length) : (json){NULL, 0};
  if (json_kind(value) == '"') { /* as it stands: a text of it would have lost its quotes */
    fwrite(value.text, 1, value.length, to);
  } else if (value.text) {
    char *line = text_need(json_text(value));
    fputs(line, to);
    free(line);
  } else {
    text_json_bytes(to, text, length); /* also JSON that is damaged: it must not damage the line */
  }
}

static void put_value(FILE *to, const stele_field *field, stele_stmt *stmt, size_t i) {
  switch (stele_column_type(stmt, i)) {
    case STELE_NULL: fputs("null", to); break;
    case STELE_REAL: put_real(to, stele_column_real(stmt, i)); break;
    case STELE_INT:
      if (field->type == STELE_TYPE_BOOL)
        fputs(stele_column_int(stmt, i) ? "true" : "false", to);
      else
        fprintf(to, "%" PRId64, stele_column_int(stmt, i));
      break;
    default: put_text(to, field, stele_column_text(stmt, i), stele_column_bytes(stmt, i));
  }
}

char *row_json(const stele_method *method, stele_stmt *stmt) {
  char *line = NULL;
  size_t length = 0;
  FILE *to = text_need(open_memstream(&line, &length));
  for (size_t i = 0; i < method->nresults; i++) {
    fputc(i ? ',' : '{', to);
    text_json(to, method->results[i].name);
    fputc(':', to);
    put_value(to, &method->results[i], stmt, i);
  }
  fputc('}', to);
  if (ferror(to)) text_need(NULL);
  fclose(to);
  return text_need(line);
}
