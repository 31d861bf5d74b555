/* question.c - see question.h. */
#include "question.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../request.h"
#include "../text.h"
#include "../when.h"

#define SHORTEST 3 /* bytes of a beginning: of less there is too much */
#define LONGEST 3  /* words: more are a sentence */

/* ["value"], or NULL. */
static char *list_of(const char *value) {
  char *quoted = value ? text_quote(value) : NULL, *list = quoted ? text_format("[%s]", quoted) : NULL;
  free(quoted);
  return list;
}

static char *call(const argument *arguments) {
  char *text = request_json(arguments);
  request_free(arguments);
  return text;
}

char *question_search(const char *query, const filters *f) {
  const char *since = filter_value(f, FILTER_SINCE);
  return call((argument[]){
      {"query", text_quote(query)},
      {"stores", list_of(filter_value(f, FILTER_STORE))},
      {"kinds", list_of(filter_value(f, FILTER_KIND))},
      {"roles", list_of(filter_value(f, FILTER_ROLE))},
      {"projects", list_of(filter_value(f, FILTER_PROJECT))},
      {"since", since ? when_json(since, false) : NULL},
      {"limit", text_format("%d", QUESTION_MOST)},
      {NULL, NULL},
  });
}

char *question_recent(const filters *f) {
  const char *since = filter_value(f, FILTER_SINCE);
  return call((argument[]){
      {"stores", list_of(filter_value(f, FILTER_STORE))},
      {"kinds", list_of(filter_value(f, FILTER_KIND))},
      {"roles", list_of(filter_value(f, FILTER_ROLE))},
      {"projects", list_of(filter_value(f, FILTER_PROJECT))},
      {"window", since ? text_quote(since) : NULL},
      {"before", text_format("%d", QUESTION_MOST)},
      {"after", text_format("0")},
      {NULL, NULL},
  });
}

/* Letters, digits and single spaces: a query that only names words. */
static bool plain(const char *query, size_t *words) {
  *words = *query ? 1 : 0;
  for (const char *at = query; *at; at++) {
    unsigned char c = (unsigned char)*at;
    if (c == ' ') ++*words;
    else if (c < 0x80 && !isalnum(c) && c != '_') return false;
  }
  return true;
}

char *question_unfinished(const char *query) {
  const char *space = strrchr(query, ' '), *last = space ? space + 1 : query;
  size_t words;
  if (!plain(query, &words) || words > LONGEST || strlen(last) < SHORTEST) return NULL;
  if (strcmp(last, "AND") == 0 || strcmp(last, "NOT") == 0 || strstr(query, " OR ") || strstr(query, "NOT ")) return NULL;
  return text_format("%s*", query);
}
