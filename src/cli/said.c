/* said.c - see said.h. */
#include "said.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "when.h"

static void wrong(cli *c, local_option id, int *status, const char *hint, const char *must) {
  if (!*status)
    *status = out_bad(&c->out, hint, "%s must be %s, not %s", option_of(id)->name, must, c->options.local[id]);
}

static char *quote(cli *c, local_option id, const char *said, int *status) {
  char *quoted = said ? text_quote(said) : NULL;
  if (said && !quoted && !*status) *status = out_bad(&c->out, NULL, "%s is not UTF-8", option_of(id)->name);
  return quoted;
}

char *said_text(cli *c, local_option id, int *status) {
  return quote(c, id, c->options.local[id], status);
}

char *said_directory(cli *c, local_option id, int *status) {
  const char *said = c->options.local[id];
  char whole[PATH_MAX];
  return quote(c, id, said && realpath(said, whole) ? whole : said, status);
}

char *said_texts(cli *c, local_option id, int *status) {
  char *quoted = said_text(c, id, status), *list = NULL;
  size_t length = 0;
  if (!quoted) return NULL;
  FILE *to = text_need(open_memstream(&list, &length));
  fputc('[', to);
  for (const char *at = quoted; *at; at++) fputs(*at == ',' ? "\",\"" : (char[]){*at, '\0'}, to);
  fputc(']', to);
  fclose(to);
  free(quoted);
  return text_need(list);
}

char *said_number(cli *c, local_option id, int *status) {
  const char *said = c->options.local[id];
  if (!said) return NULL;
  size_t sign = *said == '-', digits = strspn(said + sign, "0123456789");
  if (digits && digits <= 18 && !said[sign + digits]) return text_format("%lld", strtoll(said, NULL, 10));
  wrong(c, id, status, NULL, "a whole number");
  return NULL;
}

char *said_time(cli *c, local_option id, int *status) {
  const char *said = c->options.local[id];
  char *time = said ? when_json(said, id == OPTION_EXPIRES) : NULL;
  if (said && !time)
    wrong(c, id, status, "such as 7d, \"3 hours ago\", yesterday, 2026-01-31 or 2026-01-31T12:00:00Z", "a time");
  return time;
}

char *said_flag(cli *c, local_option id) {
  return c->options.local[id] ? text_format("true") : NULL;
}

char *said_words(cli *c) {
  char *text = text_format("%s", command_argument(c, 1));
  for (size_t i = 2; command_argument(c, i); i++) {
    char *longer = text_format("%s %s", text, command_argument(c, i));
    free(text);
    text = longer;
  }
  char *quoted = text_quote(text);
  free(text);
  return quoted;
}

char *said_list_of(char *quoted) {
  char *list = quoted ? text_format("[%s]", quoted) : NULL;
  free(quoted);
  return list;
}
