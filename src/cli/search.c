/* search.c - stele search: what was said, in every conversation. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "listing.h"
#include "progress.h"
#include "resolve.h"
#include "said.h"
#include "text.h"
#include "when.h"

#define METHOD "conversation.search_messages"
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

static void print_hit(output *out, const stele_method *method, stele_stmt *stmt) {
  const char *tool = stele_column_text(stmt, table_index(method, "tool_name"));
  char *line = text_format("%s%s%s  %s", stele_column_text(stmt, table_index(method, "role")), tool ? " " : "",
                           tool ? tool : "", stele_column_text(stmt, table_index(method, "source")));
  char *session = text_clean(stele_column_text(stmt, table_index(method, "session_id"))), *clean = text_clean(line);
  char *when = when_ago(stele_column_real(stmt, table_index(method, "timestamp")));
  out_format(out, "%s%s%s  %s  %s%s%s\n", out->bold, session, out->normal, clean, out->dim, when, out->normal);
  print_snippet(out, stele_column_text(stmt, table_index(method, "snippet")));
  free(line);
  free(session);
  free(clean);
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
  out_notes(&c->out, stele_notes(c->db));
  if (!hits) out_notes(&c->out, "nothing was found");
  if (found.more) listing_more(c, l->start + hits);
  return 0;
}

/* For programs: a line per hit, tabs between. */
static const column PLAIN[] = {{"session_id", "SESSION", 0}, {"id", "MESSAGE", 0},   {"role", "ROLE", 0},
                               {"source", "SOURCE", 0},      {"timestamp", "AT", 0}, {"snippet", "TEXT", 0},
                               {NULL, NULL, 0}};

/* The words with spaces between them, as JSON; NULL: they are not UTF-8. */
static char *query(const cli *c) {
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

/* ["/srv/project"]: where the sessions worked. */
static char *project(cli *c, int *status) {
  char *quoted = said_directory(c, OPTION_PROJECT, status), *list = quoted ? text_format("[%s]", quoted) : NULL;
  free(quoted);
  return list;
}

static int run(cli *c) {
  const char *session = c->options.local[OPTION_SESSION];
  int status = 0;
  listing l;
  char *id = session ? resolve_session(c, session, &status) : NULL;
  argument arguments[] = {
      {"query", query(c)},
      {"match", c->options.local[OPTION_SUBSTRING] ? text_quote("substrings") : NULL},
      {"source_filter", said_texts(c, OPTION_SOURCE, &status)},
      {"role_filter", said_texts(c, OPTION_ROLE, &status)},
      {"project_filter", project(c, &status)},
      {"session", id ? text_quote(id) : NULL},
      {"since", said_time(c, OPTION_SINCE, &status)},
      {"until", said_time(c, OPTION_UNTIL, &status)},
      {"sort", said_text(c, OPTION_SORT, &status)},
      {NULL, NULL},
  };
  if (!status && !arguments[0].json) status = out_bad(&c->out, NULL, "the query is not UTF-8");
  progress_begin();
  if (!status && c->options.plain)
    status = listing_print(c, METHOD, arguments, PLAIN, 20, "nothing was found");
  else if (!status && listing_begin(c, &l, METHOD, arguments, 20, &status))
    status = c->options.json ? listing_json(c, &l) : print_hits(c, &l);
  free(id);
  request_free(arguments);
  return status;
}

const command search_command = {
    .name = "search",
    .group = GROUP_WORK,
    .usage = "QUERY...",
    .summary = "find what was said",
    .examples = "stele search database timeout\n"
                "stele search '\"connection refused\" OR ECONNREFUSED' --since 7d\n"
                "stele search 'migrat* NOT draft' --role user,assistant --sort newest\n"
                "stele search timeout --project . --since yesterday\n"
                "stele search --substring onfig\n"
                "stele search timeout --json",
    .details = "Words must all be there; \"a phrase\", OR, NOT and prefix* mean what they say, any other punctuation\n"
               "does not count, and no query is an error.  A query that begins with - goes behind --.\n\n"
               "When nothing has the words, those of three characters and more are looked for inside of words, in what\n"
               "users and assistants said; a note says so.  --substring does that at once, and in phrases too.",
    .least = 1,
    .most = SIZE_MAX,
    .opens = true,
    .pages = true,
    .takes = (const command_option[]){{OPTION_ROLE, "only what these said: user, assistant, tool, ...; with commas"},
                                      {OPTION_SOURCE, "only in sessions of these sources; with commas"},
                                      {OPTION_SESSION, "only in this session: an id, the beginning of one, or a title"},
                                      {OPTION_PROJECT, "only in sessions that worked in this directory"},
                                      {OPTION_SINCE, "only from this time on"},
                                      {OPTION_UNTIL, "only before this time"},
                                      {OPTION_SORT, "rank (the best first), newest or oldest"},
                                      {OPTION_SUBSTRING, "look inside of words, in what users and assistants said"},
                                      LISTING_OPTIONS("at most this many (20)"),
                                      {OPTION_OFFSET, "after leaving out this many"},
                                      {0, NULL}},
    .run = run,
};
