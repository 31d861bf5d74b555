/* table.c - see table.h. */
#include "table.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "text.h"
#include "when.h"

#define COLUMNS_MAX 16
#define READABLE 16 /* a text is not cut below this while a column can be left out */
#define NARROWEST 6 /* nor below this while another can be cut */
#define GAP 2

typedef struct table {
  const column *columns;
  size_t ncolumns;
  size_t index[COLUMNS_MAX]; /* of the column in the method's rows */
  size_t other[COLUMNS_MAX]; /* of the one in its place where it is null; may be the same */
  size_t width[COLUMNS_MAX];
  bool right[COLUMNS_MAX];   /* numbers stand at the right */
  bool any[COLUMNS_MAX];     /* some row has a value */
  bool dropped[COLUMNS_MAX]; /* there is no room for it */
  char **cells;              /* row by row */
  size_t nrows;
} table;

static size_t index_of(const stele_method *method, const char *result, size_t length) {
  size_t i = 0;
  while (strncmp(method->results[i].name, result, length) != 0 || method->results[i].name[length]) {
    i++;
    assert(i < method->nresults);
  }
  return i;
}

size_t table_index(const stele_method *method, const char *result) {
  return index_of(method, result, strlen(result));
}

double table_seconds(double time) { return fabs(time) > 1e11 ? time / 1000 : time; }

char *table_time(double time, const char *format) {
  struct tm local;
  char text[64] = "";
  time_t seconds = (time_t)floor(table_seconds(time));
  if (localtime_r(&seconds, &local)) strftime(text, sizeof text, format, &local);
  return text_format("%s", text);
}

char *table_number(double number, const char *unit) {
  static const char *const steps[] = {"k", "M", "G", "T"};
  size_t step = 0;
  if (fabs(number) < 999.5) return text_format("%.0f%s%s", number, *unit ? " " : "", unit);
  for (number /= 1000; fabs(number) >= 999.95 && step + 1 < sizeof steps / sizeof *steps; step++) number /= 1000;
  return text_format("%.1f %s%s", number, steps[step], unit);
}

char *table_counted(double number, const char *what) {
  char *digits = table_number(number, ""), *text = text_format("%s %s%s", digits, what, number == 1 ? "" : "s");
  free(digits);
  return text;
}

char *table_money(double dollars) {
  double size = fabs(dollars);
  return text_format(size >= 999.5 ? "$%.0f" : size >= 0.005 || dollars == 0 ? "$%.2f" : "$%.4f", dollars);
}

/* As it is, for programs. */
static char *plain_text(const stele_field *field, stele_stmt *stmt, size_t i) {
  stele_value_type type = stele_column_type(stmt, i);
  if (type == STELE_NULL) return text_format("%s", "");
  if (field->type == STELE_TYPE_TIME && type != STELE_TEXT)
    return table_time(stele_column_real(stmt, i), "%Y-%m-%dT%H:%M:%S%z");
  return type == STELE_TEXT ? text_clean(stele_column_text(stmt, i)) : text_format("%.15g", stele_column_real(stmt, i));
}

static char *cell_text(const stele_field *field, unsigned flags, stele_stmt *stmt, size_t i) {
  stele_value_type type = stele_column_type(stmt, i);
  if (type == STELE_NULL) return text_format("-");
  if (type == STELE_TEXT) return text_clean(stele_column_text(stmt, i));
  if (type == STELE_BLOB) return text_format("%zu bytes", stele_column_bytes(stmt, i));
  if (flags & COLUMN_AGO) return when_ago(stele_column_real(stmt, i));
  if (flags & COLUMN_MONEY) return table_money(stele_column_real(stmt, i));
  if (flags & COLUMN_COUNT) return table_number(stele_column_real(stmt, i), "");
  if (field->type == STELE_TYPE_TIME) return table_time(stele_column_real(stmt, i), "%Y-%m-%d %H:%M:%S");
  if (field->type == STELE_TYPE_BOOL) return text_format(stele_column_int(stmt, i) ? "yes" : "no");
  if (flags & COLUMN_BYTES) return table_number(stele_column_real(stmt, i), "B");
  if (type == STELE_REAL) return text_format("%.1f", stele_column_real(stmt, i));
  return text_format("%" PRId64, stele_column_int(stmt, i));
}

static void start(table *t, const stele_method *method, const column *columns) {
  *t = (table){.columns = columns};
  for (; columns[t->ncolumns].result; t->ncolumns++) {
    size_t i = t->ncolumns;
    assert(i < COLUMNS_MAX);
    const char *name = columns[i].result, *bar = strchr(name, '|');
    t->index[i] = index_of(method, name, bar ? (size_t)(bar - name) : strlen(name));
    t->other[i] = bar ? table_index(method, bar + 1) : t->index[i];
    t->width[i] = text_width(columns[i].heading);
    stele_type type = method->results[t->index[i]].type;
    t->right[i] = type == STELE_TYPE_INT || type == STELE_TYPE_REAL;
  }
}

static void add_row(table *t, const stele_method *method, stele_stmt *stmt, bool plain) {
  t->cells = text_need(realloc(t->cells, (t->nrows + 1) * t->ncolumns * sizeof *t->cells));
  for (size_t i = 0; i < t->ncolumns; i++) {
    size_t at = stele_column_type(stmt, t->index[i]) == STELE_NULL ? t->other[i] : t->index[i];
    char *cell = plain ? plain_text(&method->results[at], stmt, at)
                       : cell_text(&method->results[at], t->columns[i].flags, stmt, at);
    size_t width = text_width(cell);
    if (width > t->width[i]) t->width[i] = width;
    if (stele_column_type(stmt, at) != STELE_NULL) t->any[i] = true;
    t->cells[t->nrows * t->ncolumns + i] = cell;
  }
  t->nrows++;
}

static bool shown(const table *t, size_t i) {
  return !t->dropped[i] && (t->any[i] || !(t->columns[i].flags & COLUMN_IF_ANY));
}

static size_t total_width(const table *t) {
  size_t total = 0;
  for (size_t i = 0; i < t->ncolumns; i++) total += shown(t, i) ? t->width[i] + GAP : 0;
  return total ? total - GAP : 0;
}

/* Take columns off the widest, down to `least`, until the table fits.  `whole`: also of those that are not cut. */
static bool narrow(table *t, size_t limit, size_t least, bool whole) {
  size_t total = total_width(t);
  for (; total > limit; total--) {
    size_t *widest = NULL;
    for (size_t i = 0; i < t->ncolumns; i++)
      if (shown(t, i) && (whole || !(t->columns[i].flags & COLUMN_WHOLE)) && (!widest || t->width[i] > *widest))
        widest = &t->width[i];
    if (!widest || *widest <= least) return false;
    --*widest;
  }
  return true;
}

/* Leave out the column that matters least.  False: all that are left matter. */
static bool drop(table *t) {
  size_t least = t->ncolumns;
  for (size_t i = 0; i < t->ncolumns; i++)
    if (shown(t, i) && t->columns[i].flags >= COLUMN_RANK(1) &&
        (least == t->ncolumns || t->columns[i].flags / COLUMN_RANK(1) >= t->columns[least].flags / COLUMN_RANK(1)))
      least = i;
  if (least < t->ncolumns) t->dropped[least] = true;
  return least < t->ncolumns;
}

/* First texts are cut, as long as they can be read; then columns give way; then all is cut, so that no line is broken. */
static void fit(table *t, size_t limit) {
  if (!limit) return;
  while (!narrow(t, limit, READABLE, false) && drop(t)) continue;
  if (!narrow(t, limit, NARROWEST, false)) narrow(t, limit, 1, true);
}

static void print_cell(output *out, const char *cell, size_t width, bool right, bool last) {
  size_t used = text_width(cell), length = strlen(cell);
  const char *mark = "";
  if (used > width) {
    char *kept = text_need(strndup(cell, length = text_fit(cell, width - 1)));
    mark = out->unicode ? "\u2026" : "~";
    used = text_width(kept) + 1;
    free(kept);
  }
  size_t pad = used < width ? width - used : 0;
  out_format(out, "%*s%.*s%s%*s", right ? (int)pad : 0, "", (int)length, cell, mark, right || last ? 0 : (int)pad, "");
}

static void print_row(output *out, const table *t, char *const *cells) {
  size_t last = t->ncolumns;
  for (size_t i = 0; i < t->ncolumns; i++)
    if (shown(t, i)) last = i;
  if (!cells) out_text(out, out->bold);
  for (size_t i = 0; i < t->ncolumns; i++) {
    if (!shown(t, i)) continue;
    print_cell(out, cells ? cells[i] : t->columns[i].heading, t->width[i], t->right[i], i == last);
    if (i != last) out_format(out, "%*s", GAP, "");
  }
  out_format(out, "%s\n", cells ? "" : out->normal);
}

/* A line for programs: every column, whatever it holds. */
static void print_plain(output *out, const table *t, char *const *cells) {
  for (size_t i = 0; i < t->ncolumns; i++) out_format(out, "%s%s", i ? "\t" : "", cells[i]);
  out_text(out, "\n");
}

stele_status table_print(output *out, const stele_method *method, row_source *from, const column *columns,
                         size_t *count) {
  table t;
  stele_status status;
  start(&t, method, columns);
  while ((status = rows_step(from)) == STELE_ROW) add_row(&t, method, from->stmt, out->plain);
  fit(&t, out->width);
  if (status == STELE_DONE && t.nrows && !out->plain) print_row(out, &t, NULL);
  for (size_t row = 0; row < t.nrows; row++) {
    char **cells = &t.cells[row * t.ncolumns];
    if (status == STELE_DONE) (out->plain ? print_plain : print_row)(out, &t, cells);
    for (size_t i = 0; i < t.ncolumns; i++) free(cells[i]);
  }
  free(t.cells);
  *count = t.nrows;
  return status;
}
