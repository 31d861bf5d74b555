/* search.c - stele search: whatever is in the stores. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "listing.h"
#include "narrowing.h"
#include "progress.h"
#include "said.h"
#include "text.h"
#include "when.h"

#define METHOD "recall.search"
#define MATCH_BEGIN ">>>"
#define MATCH_END "<<<"

/* A snippet with its matches in colour; without colours their marks stay. */
static void print_snippet(output *out, const char *snippet) {
  char *clean = text_clean(snippet);
  const char *at = clean, *begin, *end;
  out_text(out, "  ");
  while (*out->match && (begin = strstr(at, MATCH_BEGIN)) && (end = strstr(begin, MATCH_END))) {
    const char *match = begin + strlen(MATCH_BEGIN);
    out_format(out, "%.*s%s%.*s%s", (int)(begin - at), at, out->match, (int)(end - match), match, out->normal);
    at = end + strlen(MATCH_END);
  }
  out_format(out, "%s\n", at);
  free(clean);
}

/* What a hit is known by: of a message its session, which other commands take; else its title, or what it is. */
static const char *name_of(const stele_method *method, stele_stmt *stmt) {
  const char *title = stele_column_text(stmt, table_index(method, "title"));
  const char *kind = stele_column_text(stmt, table_index(method, "kind"));
  bool message = strcmp(stele_column_text(stmt, table_index(method, "store")), "conversation") == 0;
  if (message) return stele_column_text(stmt, table_index(method, "session"));
  return title && *title ? title : kind;
}

/* Who said it; of a tool's message, the tool too. */
static char *role_of(const stele_method *method, stele_stmt *stmt) {
  const char *role = stele_column_text(stmt, table_index(method, "role"));
  const char *title = stele_column_text(stmt, table_index(method, "title"));
  bool tool = title && strcmp(stele_column_text(stmt, table_index(method, "store")), "conversation") == 0;
  return text_format("%s%s%s%s", role ? role : "", tool ? " " : "", tool ? title : "", role ? "  " : "");
}

static void print_hit(output *out, const stele_method *method, stele_stmt *stmt) {
  char *role = role_of(method, stmt);
  char *line = text_format("%s%s", role, stele_column_text(stmt, table_index(method, "ref"))), *clean = text_clean(line);
  char *name = text_clean(name_of(method, stmt));
  bool dated = stele_column_type(stmt, table_index(method, "time")) != STELE_NULL;
  char *when = dated ? when_ago(stele_column_real(stmt, table_index(method, "time"))) : text_format("%s", "");
  const char *mark = stele_column_text(stmt, table_index(method, "mark"));
  out_format(out, "%s%s%s  %s  %s%s%s%s%s\n", out->bold, name, out->normal, clean, out->dim, when, mark ? "  " : "",
             mark ? mark : "", out->normal);
  print_snippet(out, stele_column_text(stmt, table_index(method, "snippet")));
  free(role);
  free(line);
  free(clean);
  free(name);
  free(when);
}

static int print_hits(cli *c, const listing *l) {
  row_source found = listing_rows(c, l);
  stele_status status = found.stmt ? STELE_ROW : STELE_INVALID;
  int64_t hits = 0;
  while (status == STELE_ROW && (status = rows_step(&found)) == STELE_ROW) {
    if (hits++) out_text(&c->out, "\n");
    print_hit(&c->out, l->method, found.stmt);
  }
  stele_finalize(found.stmt);
  if (status != STELE_DONE) return command_failed(c);
  if (!hits) c->out.hushed = NULL;
  out_notes(&c->out, stele_notes(c->db));
  if (!hits) out_notes(&c->out, "nothing was found");
  if (found.more) listing_more(c, l->start + hits);
  return 0;
}

/* For programs: a line per hit, tabs between. */
static const column PLAIN[] = {{"ref", "REF", 0},     {"session", "SESSION", 0}, {"role", "ROLE", 0},
                               {"title", "TITLE", 0}, {"time", "AT", 0},         {"snippet", "TEXT", 0},
                               {NULL, NULL, 0}};

static char *match_of(cli *c, int *status) {
  bool any = c->options.local[OPTION_ANY], substring = c->options.local[OPTION_SUBSTRING];
  if (any && substring && !*status) *status = out_bad(&c->out, NULL, "--any and --substring: give one");
  return any ? text_quote("any") : substring ? text_quote("substrings") : NULL;
}

static int run(cli *c) {
  int status = 0;
  listing l;
  argument arguments[NARROWING_ARGUMENTS + 5], *more = arguments + NARROWING_ARGUMENTS;
  narrowing_arguments(c, arguments, &status);
  more[0] = (argument){"query", said_words(c)};
  more[1] = (argument){"match", match_of(c, &status)};
  more[2] = (argument){"sort", said_text(c, OPTION_SORT, &status)};
  more[3] = (argument){"tokens", said_number(c, OPTION_TOKENS, &status)};
  more[4] = (argument){NULL, NULL};
  if (!status && !more[0].json) status = out_bad(&c->out, NULL, "the query is not UTF-8");
  progress_begin();
  c->out.hushed = OUT_BY_WORDS;
  if (!status && c->options.plain)
    status = listing_print(c, METHOD, arguments, PLAIN, 20, "nothing was found");
  else if (!status && listing_begin(c, &l, METHOD, arguments, 20, &status))
    status = c->options.json ? listing_json(c, &l) : print_hits(c, &l);
  request_free(arguments);
  return status;
}

const command search_command = {
    .name = "search",
    .group = GROUP_WORK,
    .usage = "QUERY...",
    .summary = "find what was said, done, noted or read",
    .examples = "stele search database timeout\n"
                "stele search '\"connection refused\" OR ECONNREFUSED' --since 7d\n"
                "stele search 'migrat* NOT draft' --role user,assistant --sort newest\n"
                "stele search timeout --project . --since yesterday\n"
                "stele search deploy --kind note,task,event\n"
                "stele search --substring onfig\n"
                "stele search timeout --json",
    .details = "All stores are searched: conversations, commands, pages, notes, facts, tasks.  What was found is shown with its ref,\n"
               "store/kind/id, which `stele show` and `stele timeline` take.\n\n"
               "Words must all be there; \"a phrase\", OR, NOT and prefix* mean what they say, any other punctuation\n"
               "does not count, and no query is an error.  A query that begins with - goes behind --.\n\n"
               "When nothing has all the words, some of them are enough; and when nothing has any, those of three characters\n"
               "and more are looked for inside of words.  A note says so.  --any and --substring do that at once.",
    .least = 1,
    .most = SIZE_MAX,
    .opens = true,
    .pages = true,
    .takes = (const command_option[]){{OPTION_IN, "only in these stores; with commas"},
                                      {OPTION_KIND, "only these: message, event, note, fact, task, ...; with commas"},
                                      {OPTION_ROLE, "only what these said: user, assistant, tool, ...; with commas"},
                                      {OPTION_SOURCE, "only in conversations of these sources; with commas"},
                                      {OPTION_SESSION, "only in this session: an id, the beginning of one, or a title"},
                                      {OPTION_PROJECT, "only what belongs to this directory"},
                                      {OPTION_SINCE, "only from this time on"},
                                      {OPTION_UNTIL, "only before this time"},
                                      {OPTION_SORT, "rank (the best first), newest or oldest"},
                                      {OPTION_ANY, "some of the words are enough"},
                                      {OPTION_SUBSTRING, "look inside of words"},
                                      {OPTION_TOKENS, "about so many tokens of text in all: shorter pieces, then fewer"},
                                      LISTING_OPTIONS("at most this many (20)"),
                                      {OPTION_OFFSET, "after leaving out this many"},
                                      {0, NULL}},
    .run = run,
};
