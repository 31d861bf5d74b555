/* listing.c - see listing.h. */
#include "listing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../door/cursor.h"
#include "../door/json.h"
#include "said.h"
#include "text.h"

static const stele_field *param(const stele_method *method, const char *name) {
  for (size_t i = 0; i < method->nparams; i++)
    if (strcmp(method->params[i].name, name) == 0) return &method->params[i];
  return NULL;
}

static int64_t number(cli *c, local_option id, int64_t otherwise, int *status) {
  char *said = said_number(c, id, status);
  int64_t value = said ? strtoll(said, NULL, 10) : otherwise;
  free(said);
  return value;
}

bool listing_begin(cli *c, listing *l, const char *method, const argument *arguments, int64_t usual, int *status) {
  const char *cursor = c->options.local[OPTION_CURSOR];
  *l = (listing){.method = stele_method_find(method), .arguments = arguments, .paged = cursor != NULL};
  l->by_number = param(l->method, "after") != NULL;
  l->limit = number(c, OPTION_LIMIT, usual, status);
  l->start = number(c, OPTION_OFFSET, 0, status);
  if (!*status && cursor && strcmp(cursor, "start") != 0 && !cursor_read(cursor, &l->start))
    *status = out_bad(&c->out, "take it as the page before told it, or begin with --cursor start",
                      "--cursor must be a cursor, not %s", cursor);
  if (!*status && cursor && c->options.local[OPTION_OFFSET])
    *status = out_bad(&c->out, NULL, "--cursor and --offset both say where to begin: give one");
  return !*status;
}

/* How many rows to ask the method for: one more than wanted, if it gives so many. */
static int64_t asked(const listing *l) {
  const stele_field *limit = param(l->method, "limit");
  return l->limit >= 0 && (double)l->limit < limit->max && l->limit < INT64_MAX ? l->limit + 1 : l->limit;
}

/* The arguments with where the page begins and ends; the numbers are in new memory, the last two of the list. */
static argument *bounded(const listing *l, int64_t limit) {
  size_t count = 0;
  while (l->arguments[count].name) count++;
  argument *all = text_need(calloc(count + 3, sizeof *all));
  memcpy(all, l->arguments, count * sizeof *all);
  const char *start = l->by_number ? "after" : "offset";
  bool ends = param(l->method, "limit") && !(param(l->method, "limit")->flags & STELE_OPTIONAL && limit < 0);
  bool begins = param(l->method, start) && l->start != 0;
  all[count] = (argument){"limit", ends ? text_format("%" PRId64, limit) : NULL};
  all[count + 1] = (argument){start, begins ? text_format("%" PRId64, l->start) : NULL};
  return all;
}

static void free_bounded(argument *all) {
  size_t count = 0;
  while (all[count].name) count++;
  free((char *)all[count - 1].json);
  free((char *)all[count - 2].json);
  free(all);
}

row_source listing_rows(cli *c, const listing *l) {
  bool cuts = param(l->method, "limit") != NULL;
  argument *all = bounded(l, cuts ? asked(l) : 0);
  row_source found = {
      .stmt = request_prepare(c->db, l->method->name, all), .left = l->limit, .skip = cuts ? 0 : l->start};
  free_bounded(all);
  return found;
}

/* The command line as it was, without where it began. */
void listing_more(cli *c, int64_t next) {
  char cursor[CURSOR_SIZE], *text = NULL;
  size_t length = 0;
  FILE *to = text_need(open_memstream(&text, &length));
  cursor_write(cursor, next);
  fputs("there is more: stele", to);
  for (char *const *word = c->options.line + 1; *word; word++) {
    bool begins = strcmp(*word, "--cursor") == 0 || strcmp(*word, "--offset") == 0;
    if (begins && word[1]) word++;
    if (begins || strncmp(*word, "--cursor=", 9) == 0 || strncmp(*word, "--offset=", 9) == 0) continue;
    char *quoted = text_shell(*word);
    fprintf(to, " %s", quoted);
    free(quoted);
  }
  fprintf(to, " --cursor %s", cursor);
  fclose(to);
  out_notes(&c->out, text_need(text));
  free(text);
}

/* Some elements of an array, and whether there is one behind them. */
static void put_items(output *out, json array, const listing *l, int64_t skip, int64_t *next) {
  json item = {NULL, 0}, last = {NULL, 0};
  int64_t told = 0;
  bool more = false;
  out_text(out, "[");
  while (!more && json_next(array, &item)) {
    if (skip > 0) {
      skip--;
    } else if (l->limit >= 0 && told == l->limit) {
      more = true;
    } else {
      out_format(out, "%s%.*s", told++ ? "," : "", (int)item.length, item.text);
      last = item;
    }
  }
  out_text(out, "]");
  *next = !more ? -1 : l->by_number ? json_int(json_member(last, "id"), 0) : l->start + told;
}

int listing_json(cli *c, const listing *l) {
  char *reply = NULL, cursor[CURSOR_SIZE];
  bool cuts = param(l->method, "limit") != NULL;
  argument *all = bounded(l, cuts && l->paged ? asked(l) : l->limit);
  char *request = request_json(all);
  stele_status status = stele_call(c->db, l->method->name, request, &reply);
  int64_t next = -1;
  free_bounded(all);
  free(request);
  if (status != STELE_OK) return command_failed(c);
  out_notes(&c->out, stele_notes(c->db));
  if (l->paged) out_text(&c->out, "{\"items\":");
  put_items(&c->out, json_read(reply, strlen(reply)), l, cuts ? 0 : l->start, &next);
  if (next >= 0) cursor_write(cursor, next);
  if (l->paged)
    out_format(&c->out, ",\"next\":%s%s%s}", next < 0 ? "null" : "\"", next < 0 ? "" : cursor, next < 0 ? "" : "\"");
  out_text(&c->out, "\n");
  stele_free(reply);
  return 0;
}

int listing_print(cli *c, const char *method, const argument *arguments, const column *columns, int64_t usual,
                  const char *none) {
  listing l;
  size_t count = 0;
  int status = 0;
  if (!listing_begin(c, &l, method, arguments, usual, &status)) return status;
  if (c->options.json) return listing_json(c, &l);
  row_source found = listing_rows(c, &l);
  if (!found.stmt) return command_failed(c);
  stele_status done = table_print(&c->out, l.method, &found, columns, &count);
  stele_finalize(found.stmt);
  if (done != STELE_DONE) return command_failed(c);
  out_notes(&c->out, stele_notes(c->db));
  if (!count) out_notes(&c->out, none);
  if (found.more) listing_more(c, l.start + (int64_t)count);
  return 0;
}
