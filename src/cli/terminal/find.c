/* find.c - the list: what was found for what is typed and chosen, or what happened last. */
#include <stdlib.h>
#include <string.h>

#include "../text.h"
#include "app.h"
#include "question.h"

void find_begin(app *a) {
  asker_ask(a->lists, ASKED_SOURCES, "recall.sources", text_format("{}"));
}

static bool is_blank(const char *text) {
  return text[strspn(text, " ")] == '\0';
}

void find_again(app *a) {
  char *beginning = question_unfinished(a->query.text);
  a->answered = false;
  if (is_blank(a->query.text)) asker_ask(a->lists, ASKED_RECENT, "recall.timeline", question_recent(&a->filters));
  else if (beginning) asker_ask(a->lists, ASKED_BEGINNING, "recall.search", question_search(beginning, &a->filters));
  else asker_ask(a->lists, ASKED_SEARCH, "recall.search", question_search(a->query.text, &a->filters));
  free(beginning);
}

const hit *find_chosen(const app *a) {
  return a->chosen < a->found.count ? &a->found.list[a->chosen] : NULL;
}

void find_choose(app *a, size_t number) {
  size_t last = a->found.count ? a->found.count - 1 : 0;
  a->chosen = number < last ? number : last;
  a->copies = false;
  read_preview(a);
}

static void show(app *a, answer *got) {
  hits_free(&a->found);
  a->found = hits_read(got->reply, got->purpose == ASKED_RECENT);
  a->answered = true;
  a->top = 0;
  filters_offer_hits(&a->filters, &a->found);
  find_choose(a, 0);
  act_pending(a);
}

/* The first remark that is worth the row of the keys, in new memory; NULL: none is. */
static char *remark_of(const answer *got) {
  const char *remark = got->remark;
  while (strncmp(remark, OUT_BY_WORDS, strlen(OUT_BY_WORDS)) == 0) {
    remark += strcspn(remark, "\n");
    remark += *remark == '\n';
  }
  return *remark ? text_format("%.*s", (int)strcspn(remark, "\n"), remark) : NULL;
}

void find_take(app *a, answer *got) {
  free(a->list_remark);
  a->list_remark = remark_of(got);
  if (got->purpose == ASKED_SOURCES) {
    if (got->reply) filters_offer_sources(&a->filters, got->reply);
    find_again(a);
  } else if (got->purpose == ASKED_BEGINNING && got->reply && strcmp(got->reply, "[]") == 0) {
    asker_ask(a->lists, ASKED_SEARCH, "recall.search", question_search(a->query.text, &a->filters));
  } else if (got->reply) {
    show(a, got);
  } else {
    a->answered = true;
    a->pending = ACTION_NONE;
  }
}
