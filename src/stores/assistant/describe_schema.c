/* describe_schema.c - assistant.describe_schema: the tables as they are, as a text for a model's prompt.
**
** A table is a line, `notes (id text, title text NOT NULL, PRIMARY KEY (id))`; an index is an indented one below it.
** The text is kept with the open store until the schema changes. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/confine.h"
#include "engine/handle.h"
#include "registry_ids.h"
#include "stores/assistant/assistant.h"

#define TEXT_MAX (1u << 20)
#define COLUMNS 7 /* of a part */

typedef struct description {
  st_str text;
  st_str key;        /* columns of the primary key: "a, b" */
  const char *table; /* the one that is being told; NULL: none yet */
  bool open;         /* its columns are being told */
} description;

static void end_columns(description *d) {
  if (!d->open) return;
  if (d->key.length) st_str_addf(&d->text, ", PRIMARY KEY (%s)", d->key.text);
  st_str_addz(&d->text, ")\n");
  d->open = false;
}

static void add_column(description *d, const char *name, const char *type, bool strict, bool key) {
  bool bare = key || !strict; /* a key is never null */
  st_str_addf(&d->text, "%s%s%s%s%s", d->open ? ", " : "", name, *type ? " " : "", type, bare ? "" : " NOT NULL");
  if (key) st_str_addf(&d->key, "%s%s", d->key.length ? ", " : "", name);
  d->open = true;
}

static const char *text_of(const st_value *value) { return value->type == ST_TEXT ? value->bytes : ""; }

static void add_part(st_call *call, description *d, const st_value *row) {
  const st_value *table = &row[ST_R_ASSISTANT_SCHEMA_PARTS_TABLE_NAME];
  const char *name = text_of(&row[ST_R_ASSISTANT_SCHEMA_PARTS_NAME]), *type = text_of(&row[ST_R_ASSISTANT_SCHEMA_PARTS_TYPE]);
  bool strict = row[ST_R_ASSISTANT_SCHEMA_PARTS_STRICT].integer != 0;
  if (st_confined_hides(st_assistant_hidden, text_of(table))) return;
  if (!d->table || strcmp(d->table, text_of(table)) != 0) {
    end_columns(d);
    d->table = st_call_copy(call, text_of(table), strlen(text_of(table)));
    st_str_clear(&d->key);
    st_str_addf(&d->text, "%s (", text_of(table));
  }
  if (row[ST_R_ASSISTANT_SCHEMA_PARTS_IS_INDEX].integer) {
    end_columns(d);
    st_str_addf(&d->text, "  %s %s (%s)\n", strict ? "UNIQUE INDEX" : "INDEX", name, type);
  } else {
    add_column(d, name, type, strict, row[ST_R_ASSISTANT_SCHEMA_PARTS_KEY_PLACE].integer > 0);
  }
}

/* The text (st_free), or NULL when the call has failed. */
static char *describe(st_call *call) {
  description d = {.table = NULL};
  st_value row[COLUMNS];
  st_rows parts;
  st_str_init(&d.text, TEXT_MAX);
  st_str_init(&d.key, TEXT_MAX);
  st_rows_start(call, &parts, STELE_M_ASSISTANT_SCHEMA_PARTS, NULL);
  while (st_rows_next(call, &parts)) {
    for (size_t i = 0; i < COLUMNS; i++) st_rows_value(call, &parts, i, &row[i]);
    add_part(call, &d, row);
  }
  st_rows_end(call, &parts);
  end_columns(&d);
  st_str_free(&d.key);
  char *text = st_str_take(&d.text);
  if (!text) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (st_ok(call)) return text;
  st_free(text);
  return NULL;
}

static int64_t schema_mark(st_call *call) {
  st_value mark = st_int(0);
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_ASSISTANT_SCHEMA_MARK, NULL);
  if (st_rows_next(call, &rows)) st_rows_value(call, &rows, 0, &mark);
  st_rows_end(call, &rows);
  return mark.integer;
}

/* The mark is read first: what changes between the two is seen by the next call. */
static void refresh(st_call *call) {
  st_opened *store = call->store;
  int64_t mark = schema_mark(call);
  if (!st_ok(call) || (store->described && store->described_mark == mark)) return;
  char *text = describe(call);
  if (!text) return;
  st_free(store->described);
  store->described = text;
  store->described_mark = mark;
}

/* A prompt is better off without the tables than not made: a failure is told beside an empty text, and noted. */
void st_assistant_describe_schema(st_call *call) {
  char problem[sizeof call->error->message] = "";
  refresh(call);
  if (!st_ok(call)) {
    snprintf(problem, sizeof problem, "%s", call->error->message);
    memset(call->error, 0, sizeof *call->error);
    st_note(call, "%s", problem);
    st_log(call->db, STELE_LOG_WARNING, "%s", problem);
  }
  const char *text = problem[0] ? "" : call->store->described;
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_ASSISTANT_DESCRIBE_SCHEMA_SCHEMA] = st_textz(st_call_copy(call, text, strlen(text)));
  if (problem[0]) reply[ST_R_ASSISTANT_DESCRIBE_SCHEMA_PROBLEM] = st_textz(st_call_copy(call, problem, strlen(problem)));
}
