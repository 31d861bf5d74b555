/* decay.c - facts that were never meant to last are deleted.  Their keys give them away. */
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "engine/chore.h"
#include "registry_ids.h"
#include "stores/assistant/assistant.h"

static const char *const COMPLETED[] = {"completed_", "done_", "finished_", NULL};
static const char *const EXTERNAL[] = {"jira_", "github_", "slack_", "email_", "calendar_", NULL};
static const char *const MONTHS[] = {"january", "february", "march",     "april",   "may",      "june",
                                     "july",    "august",   "september", "october", "november", "december"};

static bool begins_with_any(st_text key, const char *const *prefixes) {
  for (; *prefixes; prefixes++) {
    size_t length = strlen(*prefixes);
    if (key.length >= length && strncasecmp(key.bytes, *prefixes, length) == 0) return true;
  }
  return false;
}

/* ---- A date in a key: a year next to a month, be it a number behind it or a name on either side ---- */

typedef enum kind { OTHER, YEAR, MONTH_NUMBER, MONTH_NAME, DAY, WHOLE_DATE } kind;

/* The number that digits at `at` are; -1: something else is among them. */
static int number(const char *at, size_t digits) {
  int value = 0;
  for (size_t i = 0; i < digits; i++) {
    if (at[i] < '0' || at[i] > '9') return -1;
    value = value * 10 + (at[i] - '0');
  }
  return value;
}

static bool is_year(const char *at) {
  int year = number(at, 4);
  return year >= 1900 && year <= 2099;
}

static bool is_between(const char *at, size_t digits, int least, int most) {
  int value = number(at, digits);
  return value >= least && value <= most;
}

static bool is_month_name(st_text word) {
  for (size_t i = 0; i < sizeof MONTHS / sizeof *MONTHS; i++)
    if ((word.length == 3 || word.length == strlen(MONTHS[i])) && strncasecmp(word.bytes, MONTHS[i], word.length) == 0)
      return true;
  return false;
}

static kind kind_of(st_text word) {
  const char *at = word.bytes;
  if (is_month_name(word)) return MONTH_NAME;
  if (word.length == 8 && is_year(at) && is_between(at + 4, 2, 1, 12) && is_between(at + 6, 2, 1, 31))
    return WHOLE_DATE;
  if (word.length == 4 && is_year(at)) return YEAR;
  if (word.length == 2 && is_between(at, 2, 1, 12)) return MONTH_NUMBER;
  if ((word.length == 1 || word.length == 2) && is_between(at, word.length, 1, 31)) return DAY;
  return OTHER;
}

/* Do these kinds of words, one behind the other, make a date?  2026_01, 2026_jan, jan_2026, jan_31_2026, 31_jan_2026. */
static bool is_date(kind before, kind last, kind word) {
  if (word == WHOLE_DATE) return true;
  if (last == YEAR) return word == MONTH_NUMBER || word == MONTH_NAME;
  if (word != YEAR) return false;
  return last == MONTH_NAME || (before == MONTH_NAME && (last == DAY || last == MONTH_NUMBER));
}

static bool is_word_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool has_date(st_text key) {
  kind before = OTHER, last = OTHER;
  for (size_t at = 0, end; at < key.length; at = end + 1) {
    for (end = at; end < key.length && is_word_char(key.bytes[end]);) end++;
    kind word = kind_of((st_text){key.bytes + at, end - at});
    if (is_date(before, last, word)) return true;
    before = last;
    last = word;
  }
  return false;
}

/* ---- Decay ---- */

static const char *reason_of(st_text key) {
  if (begins_with_any(key, COMPLETED)) return "completed";
  if (begins_with_any(key, EXTERNAL)) return "external";
  return has_date(key) ? "dated" : NULL;
}

/* A fact that is to go. */
typedef struct stale stale;
struct stale {
  stale *next;
  st_value key;
  const char *reason;
};

static stale *find_stale(st_call *call, const st_value *days, const st_value *now) {
  stale *first = NULL, **end = &first;
  st_value args[2], key;
  st_rows rows;
  args[ST_P_ASSISTANT_FIND_STALE_USER_FACTS_DAYS] = *days;
  args[ST_P_ASSISTANT_FIND_STALE_USER_FACTS_NOW] = *now;
  st_rows_start(call, &rows, STELE_M_ASSISTANT_FIND_STALE_USER_FACTS, args);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_ASSISTANT_FIND_STALE_USER_FACTS_KEY, &key);
    const char *reason = reason_of((st_text){key.bytes, key.length});
    stale *each = reason ? st_call_alloc(call, sizeof *each) : NULL;
    if (!each) continue;
    *each = (stale){.key = st_call_text(call, key.bytes, key.length), .reason = reason};
    *end = each;
    end = &each->next;
  }
  st_rows_end(call, &rows);
  return first;
}

static void delete_stale(st_call *call, const stale *first) {
  for (const stale *each = first; each && st_ok(call); each = each->next) st_run(call, STELE_M_ASSISTANT_DELETE_USER_FACT, &each->key);
}

void st_assistant_decay_user_facts(st_call *call) {
  const st_value *given = call->args;
  stale *first = find_stale(call, &given[ST_P_ASSISTANT_DECAY_USER_FACTS_DAYS], &given[ST_P_ASSISTANT_DECAY_USER_FACTS_NOW]);
  for (const stale *each = first; each; each = each->next) {
    st_value *reply = st_reply(call);
    if (!reply) return;
    reply[ST_R_ASSISTANT_DECAY_USER_FACTS_KEY] = each->key;
    reply[ST_R_ASSISTANT_DECAY_USER_FACTS_REASON] = st_textz(each->reason);
  }
  if (!st_arg_int(call, ST_P_ASSISTANT_DECAY_USER_FACTS_DRY_RUN)) delete_stale(call, first);
}

/* The same as a chore. */
void st_assistant_upkeep_decay(st_call *call) {
  const st_value *given = call->args;
  stale *first = find_stale(call, &given[ST_P_ASSISTANT_UPKEEP_DECAY_USER_FACT_DAYS], &given[ST_P_ASSISTANT_UPKEEP_DECAY_NOW]);
  for (const stale *each = first; each && st_ok(call); each = each->next)
    st_chore_tell(call, st_chore_what(call, "user fact %s", each->key.bytes), "deleted", "not said again, and its key tells that it was not meant to last: %s",
                  each->reason);
  if (st_chore_in_earnest(call, ST_P_ASSISTANT_UPKEEP_DECAY_DRY_RUN)) delete_stale(call, first);
}
