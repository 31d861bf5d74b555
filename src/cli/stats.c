/* stats.c - stele stats: messages, tokens and costs over time, who used them, and how large the stores are. */
#include "stats.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "said.h"
#include "text.h"
#include "when.h"

#define DAY 86400.0

/* So that there are neither too few columns nor too many. */
static const char *bucket_for(double seconds) {
  return seconds <= 3 * DAY ? "hour" : seconds <= 120 * DAY ? "day" : seconds <= 800 * DAY ? "week" : "month";
}

static int offset_now(void) {
  time_t now = time(NULL);
  struct tm local;
  localtime_r(&now, &local);
  return (int)(local.tm_gmtoff / 60);
}

/* Midnight of the day that began so many days ago. */
static double days_ago(int days) {
  time_t now = time(NULL);
  struct tm day;
  localtime_r(&now, &day);
  day.tm_sec = day.tm_min = day.tm_hour = 0;
  day.tm_mday -= days;
  day.tm_isdst = -1;
  return (double)mktime(&day);
}

/* A time that was said, in seconds, or `otherwise`. */
static double said_seconds(cli *c, local_option id, double otherwise, int *status) {
  char *said = said_time(c, id, status);
  double seconds = said && *said != '"' ? strtod(said, NULL) : otherwise;
  if (said && *said == '"' && !when_rfc3339(c->options.local[id], &seconds) && !*status)
    *status = out_bad(&c->out, "such as 2026-01-31T12:00:00Z", "%s must be a time, not %s", option_of(id)->name,
                      c->options.local[id]);
  free(said);
  return seconds;
}

static void collect(stats *s, int *status) {
  char *since = text_format("%.6f", s->since), *until = text_format("%.6f", s->until);
  char *bucket = text_quote(s->bucket), *offset = text_format("%d", s->utc_offset);
  argument span[] = {{"since", since}, {"until", until}, {NULL, NULL}};
  s->usage = command_ask(s->c, "conversation.usage_over_time",
                 (argument[]){span[0], span[1], {"bucket", bucket}, {"utc_offset", offset}, {NULL, NULL}}, status);
  s->sources =
      command_ask(s->c, "conversation.usage_over_time",
          (argument[]){span[0], span[1], {"bucket", "\"month\""}, {"by_source", "true"}, {NULL, NULL}}, status);
  s->models = command_ask(s->c, "conversation.usage_by_model", span, status);
  s->top = command_ask(s->c, "conversation.top_sessions", (argument[]){span[0], span[1], {"limit", "5"}, {NULL, NULL}}, status);
  s->stores = command_ask(s->c, "stele.status", (argument[]){{NULL, NULL}}, status);
  free(since);
  free(until);
  free(bucket);
  free(offset);
}

static int run(cli *c) {
  int status = 0;
  const char *by = c->options.local[OPTION_BY];
  stats s = {.c = c, .utc_offset = offset_now()};
  s.since = said_seconds(c, OPTION_SINCE, days_ago(29), &status);
  s.until = said_seconds(c, OPTION_UNTIL, (double)time(NULL) + 1, &status);
  s.bucket = by ? by : bucket_for(s.until - s.since);
  if (!status && !(s.since < s.until)) status = out_bad(&c->out, NULL, "--since must be before --until");
  if (!status) collect(&s, &status);
  if (!status && c->options.json)
    out_format(
        &c->out,
        "{\"since\":%.6f,\"until\":%.6f,\"bucket\":\"%s\",\"utc_offset\":%d,\"usage\":%s,\"models\":%s,\"sources\":%s,"
        "\"top_sessions\":%s,\"stores\":%s}\n",
        s.since, s.until, s.bucket, s.utc_offset, s.usage, s.models, s.sources, s.top, s.stores);
  else if (!status)
    stats_show(&s);
  char *const replies[] = {s.usage, s.models, s.sources, s.top, s.stores};
  for (size_t i = 0; i < sizeof replies / sizeof *replies; i++) stele_free(replies[i]);
  return status;
}

const command stats_command = {
    .name = "stats",
    .group = GROUP_WORK,
    .usage = "",
    .summary = "messages, tokens and costs over time; who used them; sizes",
    .examples = "stele stats\n"
                "stele stats --since 1y --by month\n"
                "stele stats --since monday\n"
                "stele stats --json | jq '.usage[] | [.start, .cost_usd]'",
    .details =
        "A session counts whole where it started; costs are estimates, as far as they are known.\n"
        "\n"
        "With --json: one object with since, until, bucket, utc_offset and the replies of conversation.usage_over_time "
        "(usage; by source and month: sources), usage_by_model (models), top_sessions and stele.status (stores).",
    .opens = true,
    .pages = true,
    .takes = (const command_option[]){{OPTION_SINCE, "only sessions started since then (30 days)"},
                                      {OPTION_UNTIL, "only sessions started before then"},
                                      {OPTION_BY, "hour, day, week or month; else what fits the time"},
                                      {0, NULL}},
    .run = run,
};
