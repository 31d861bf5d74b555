/* outcome.c - see outcome.h. */
#include "enrich/outcome.h"

#include "enrich/letters.h"
#include "enrich/wording.h"

enum { OUTPUT_TAIL = 4 << 10 }; /* bytes at the end of an output in which tests tell their result */

/* ---- One command ---- */

static bool has_count(st_text line, const char *word) {
  const char *at = line.length ? memmem(line.bytes, line.length, word, strlen(word)) : NULL;
  return at && at > line.bytes && st_is_digit(at[-1]) && !(at[-1] == '0' && (at - 1 == line.bytes || !st_is_digit(at[-2])));
}

/* A line with which a test run or a build ends. */
static st_result verdict_of_line(st_text line) {
  if (has_count(line, " failed") || has_count(line, " errors generated") || has_count(line, " failing") || has_count(line, " failures"))
    return ST_RESULT_BAD;
  if (st_text_begins(line, "test result: FAILED") || st_text_begins(line, "FAIL") || st_text_begins(line, "not ok") ||
      st_text_begins(line, "BUILD FAILED") || st_text_begins(line, "npm ERR!") || st_text_begins(line, "ninja: build stopped"))
    return ST_RESULT_BAD;
  if (st_text_begins(line, "test result: ok") || st_text_begins(line, "BUILD SUCCESS") || st_text_begins(line, "ok  \t") || has_count(line, " passed") ||
      has_count(line, " passing"))
    return ST_RESULT_GOOD;
  return ST_RESULT_NONE;
}

static st_result verdict_of(st_text output) {
  st_result last = ST_RESULT_NONE;
  st_text line;
  if (output.length > OUTPUT_TAIL) output = st_text_from(output, output.length - OUTPUT_TAIL);
  while (st_text_line(&output, &line)) {
    st_result found = verdict_of_line(st_text_trim(line));
    if (found != ST_RESULT_NONE) last = found;
  }
  return last;
}

st_result st_result_of_command(const st_item *item, const st_line *line) {
  enum { INTERRUPTED = 130, PIPE_CLOSED = 141 };
  if (!line->telling) return ST_RESULT_NONE;
  st_result told = verdict_of(item->output);
  if (told == ST_RESULT_NONE) told = verdict_of(item->errors);
  if (!item->numbered) return told;
  if (item->number == 0) return told == ST_RESULT_BAD ? ST_RESULT_BAD : ST_RESULT_GOOD; /* a pipe hides how its first part ended */
  bool answer = line->flags & ST_TOOL_ASKS && item->number == 1;
  return answer || item->number == INTERRUPTED || item->number == PIPE_CLOSED ? ST_RESULT_NONE : ST_RESULT_BAD;
}

/* ---- What was said ---- */

st_result st_result_said(st_text answer) {
  static const char *const bad[] = {"still fail",   "still broken", "does not work", "doesn't work", "not working", "i was unable", "i couldn't",
                                    "could not fix", "couldn't fix", "is blocked",    "giving up",    "tests fail",  "build fails",  "did not succeed",
                                    NULL};
  static const char *const good[] = {"all tests pass", "tests pass",  "tests are passing", "is fixed",    "fixed the",  "now works",    "works now",
                                     "is now working", "is complete", "is done",           "committed",   "implemented", "successfully", "all green",
                                     "everything passes", "i've added", "i added",          "has been added", "merged",    NULL};
  st_text sentence;
  st_result last = ST_RESULT_NONE;
  while (st_sentence_next(&answer, &sentence)) {
    if (st_says(sentence, bad)) last = ST_RESULT_BAD;
    else if (st_says(sentence, good)) last = ST_RESULT_GOOD;
  }
  return last;
}

st_result st_result_concluded(st_text verdict) {
  if (st_text_is(verdict, "success")) return ST_RESULT_GOOD;
  return st_text_listed(verdict, " failure timed_out startup_failure ") ? ST_RESULT_BAD : ST_RESULT_NONE;
}

/* ---- All of it ---- */

static bool is_same_work(const st_deed *a, const st_deed *b) {
  return a->item->kind == b->item->kind && st_text_same(a->line.tool, b->line.tool) && st_text_same(a->line.verb, b->line.verb);
}

/* What was bad, and good later, was mended.  A bundle is short: its items were claimed together. */
static void mark_mended(st_deed *deeds, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (size_t later = i + 1; deeds[i].result == ST_RESULT_BAD && !deeds[i].mended && later < count; later++)
      deeds[i].mended = deeds[later].result == ST_RESULT_GOOD && is_same_work(&deeds[i], &deeds[later]);
}

const char *st_outcome_of(const st_bundle *bundle, st_deed *deeds) {
  st_result last = st_result_concluded(bundle->verdict);
  bool left = false;
  if (last != ST_RESULT_NONE) return last == ST_RESULT_GOOD ? "success" : "failure";
  if (bundle->verdict.length) return "unknown"; /* a run that was cancelled or skipped */
  mark_mended(deeds, bundle->count);
  for (size_t i = 0; i < bundle->count; i++) {
    if (deeds[i].result == ST_RESULT_NONE) continue;
    last = deeds[i].result;
    left = left || (last == ST_RESULT_BAD && !deeds[i].mended);
  }
  if (last == ST_RESULT_NONE) return "unknown";
  if (last == ST_RESULT_BAD) return "failure";
  return left ? "partial" : "success";
}
