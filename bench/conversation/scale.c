/* scale.c - every method of the conversation store that gets, lists or searches, among a million messages in ten thousand sessions.
**
** Each is called with arguments that differ from call to call: old and new sessions, first and deep pages, rare words and
** common ones.  Of a method with several cases all of them are told together, too.  A store that was filled by an earlier run in the same place is used as it is; --only NAME,... measures some.  Times are those of the clock, and those
** that this process and the server spent computing, which a busy machine does not change. */
#include <stdio.h>
#include <string.h>

#include "conversation/filling.h"
#include "conversation/queries.h"
#include "server_cpu.h"

#define ROWS 1000000u
#define PER_SESSION 100u
#define TITLED 1000u /* sessions with a title */
#define CALLS 300

static unsigned rows;

typedef struct scaled {
  const char *name; /* "": as in the case above, with other arguments */
  const char *method;
  bench_write *write;
} scaled;

/* ---- Arguments ---- */

static unsigned any_session(void) { return bench_below(rows / PER_SESSION); }

static void nothing(int i, char *out, size_t size) {
  (void)i;
  snprintf(out, size, "{}");
}
static void session(int i, char *out, size_t size) {
  (void)i;
  snprintf(out, size, "{\"session_id\":\"bench-%06u\"}", any_session());
}
static void session_end(int i, char *out, size_t size) {
  (void)i;
  snprintf(out, size, "{\"session_id\":\"bench-%06u\",\"last\":20}", any_session());
}
static void session_begin(int i, char *out, size_t size) {
  snprintf(out, size, i % 2 ? "{\"session_id\":\"BENCH-%06u\"}" : "{\"session_id\":\"bench-%05u\"}",
           i % 2 ? any_session() : any_session() / 10);
}
static void title(int i, char *out, size_t size) {
  (void)i;
  snprintf(out, size, "{\"title\":\"Title %u\"}", bench_below(TITLED));
}
static void base_title(int i, char *out, size_t size) {
  (void)i;
  snprintf(out, size, "{\"base_title\":\"Title %u\"}", bench_below(TITLED));
}
static void message(int i, char *out, size_t size) {
  (void)i;
  snprintf(out, size, "{\"message_id\":%u}", 1 + bench_below(rows));
}
static void message_of_session(int i, char *out, size_t size) {
  unsigned n = bench_below(rows);
  (void)i;
  snprintf(out, size, "{\"session_id\":\"bench-%06u\",\"around_message_id\":%u}", n / PER_SESSION, n + 1);
}
static void after(int i, char *out, size_t size) {
  (void)i;
  snprintf(out, size, "{\"after\":%u}", bench_below(rows));
}
static void after_in_session(int i, char *out, size_t size) {
  (void)i;
  snprintf(out, size, "{\"after\":%u,\"session\":\"bench-%06u\"}", bench_below(rows), any_session());
}

/* Pages: the first ones, any, and the last ones; of a source, too. */
static void page(int i, char *out, size_t size) {
  unsigned sessions = rows / PER_SESSION;
  unsigned offset = i % 3 == 0 ? 0 : i % 3 == 1 ? bench_below(sessions) : sessions - 20;
  snprintf(out, size, "{\"offset\":%u%s}", offset, i % 4 == 3 ? ",\"source\":\"cli\"" : "");
}
static void active_page(int i, char *out, size_t size) {
  snprintf(out, size, "{\"order_by_last_active\":true,\"offset\":%u}", i % 2 ? 0 : any_session());
}
static void found_page(int i, char *out, size_t size) {
  static const char *const sorts[] = {"active", "started", "tokens", "cost", "messages"};
  snprintf(out, size, "{\"sort\":\"%s\",\"offset\":%u}", sorts[i % 5], i % 2 ? 0 : any_session());
}
static void found_text(int i, char *out, size_t size) {
  snprintf(out, size, "{\"text\":\"%s%u\"}", i % 2 ? "title " : "-00", bench_below(TITLED));
}
static void found_time(int i, char *out, size_t size) {
  double since = 1750000000.0 + 0.5 * PER_SESSION * any_session();
  (void)i;
  snprintf(out, size, "{\"since\":%.1f,\"until\":%.1f}", since, since + 3600);
}

static void rare_word(int i, char *out, size_t size) {
  (void)i;
  snprintf(out, size, "{\"query\":\"%s\"}", bench_word(30000 + bench_below(20000)));
}
static void two_words(int i, char *out, size_t size) {
  (void)i;
  snprintf(out, size, "{\"query\":\"%s %s\"}", bench_word(50 + bench_below(450)), bench_word(500 + bench_below(4500)));
}
static void filtered(int i, char *out, size_t size) {
  double since = 1750000000.0 + 0.5 * bench_below(rows);
  switch (i % 4) {
    case 0: snprintf(out, size, "{\"query\":\"%s\",\"role_filter\":[\"user\"]}", bench_some_word()); break;
    case 1: snprintf(out, size, "{\"query\":\"%s\",\"session\":\"bench-%06u\"}", bench_word(bench_below(500)), any_session()); break;
    case 2: snprintf(out, size, "{\"query\":\"%s\",\"since\":%.1f,\"until\":%.1f}", bench_some_word(), since, since + 86400); break;
    default: snprintf(out, size, "{\"query\":\"%s\",\"source_filter\":[\"cli\"]}", bench_some_word()); break;
  }
}
static void sorted(int i, char *out, size_t size) {
  snprintf(out, size, "{\"query\":\"%s\",\"sort\":\"%s\",\"offset\":%d}", bench_some_word(), i % 2 ? "newest" : "oldest", i % 3 * 20);
}
static void paged(int i, char *out, size_t size) {
  (void)i;
  snprintf(out, size, "{\"query\":\"%s\",\"offset\":%u}", bench_some_word(), bench_below(1000));
}
static void facets(int i, char *out, size_t size) {
  (void)i;
  snprintf(out, size, "{\"query\":\"%s\",\"most\":500}", bench_some_word());
}

static const scaled cases[] = {
    {"list_sessions", "list_sessions_rich", page},
    {"list_sessions_active", "list_sessions_rich", active_page},
    {"search_sessions", "search_sessions", page},
    {"find_sessions", "find_sessions", found_page},
    {"find_sessions_text", "find_sessions", found_text},
    {"find_sessions_time", "find_sessions", found_time},
    {"session_facets", "session_facets", nothing},
    {"top_sessions", "top_sessions", nothing},
    {"usage_by_model", "usage_by_model", nothing},
    {"list_pending_handoffs", "list_pending_handoffs", nothing},
    {"list_harnesses", "list_harnesses", nothing},
    {"list_transcripts", "list_transcripts", nothing},
    {"list_checkpoints", "list_checkpoints", nothing},
    {"get_session", "get_session", session},
    {"get_session_title", "get_session_title", session},
    {"get_session_by_title", "get_session_by_title", title},
    {"resolve_session_by_title", "resolve_session_by_title", title},
    {"get_next_title_in_lineage", "get_next_title_in_lineage", base_title},
    {"resolve_session_id", "resolve_session_id", session_begin},
    {"resolve_resume_session_id", "resolve_resume_session_id", session},
    {"get_compression_tip", "get_compression_tip", session},
    {"get_lineage", "get_lineage", session},
    {"get_descendants", "get_descendants", session},
    {"get_messages", "get_messages", session},
    {"get_messages_last", "get_messages", session_end},
    {"get_messages_as_conversation", "get_messages_as_conversation", session},
    {"get_message", "get_message", message},
    {"get_messages_around", "get_messages_around", message_of_session},
    {"get_anchored_view", "get_anchored_view", message_of_session},
    {"list_recent_user_messages", "list_recent_user_messages", session},
    {"follow", "follow", after},
    {"follow_session", "follow", after_in_session},
    {"export_session", "export_session", session},
    {"search_rare_word", "search_messages", rare_word},
    {"search_two_words", "search_messages", two_words},
    {"search_mixed", "search_messages", bench_write_mixed},
    {"search_common", "search_messages", bench_write_common},
    {"search_chinese", "search_messages", bench_write_chinese},
    {"search_filtered", "search_messages", filtered},
    {"search_sorted", "search_messages", sorted},
    {"search_deep_page", "search_messages", paged},
    {"search_substring", "search_messages", bench_write_substring},
    {"search_typing", "search_messages", bench_write_typing},
    {"search_facets", "search_facets", facets},
};

/* ---- */

static void fill(stele_db *db) {
  bool filled = bench_ask(db, "conversation.message_count", NULL, "count") >= rows;
  if (!filled) bench_put("fill_per_s", rows / bench_fill(db, rows));
  double start = bench_now();
  bench_call(db, "conversation.index_messages", NULL); /* and puts the index in order, as the server does when there is nothing else to do */
  if (!filled) bench_put("index_per_s", rows / (bench_now() - start));
}

static void give_titles(stele_db *db) {
  char args[100];
  for (unsigned n = 0; n < TITLED; n++) {
    snprintf(args, sizeof args, "{\"session_id\":\"bench-%06u\",\"title\":\"Title %u\"}", n, n);
    bench_call(db, "conversation.set_session_title", args);
  }
}

static double computed(void) { return bench_cpu() + bench_server_cpu(); }

static void put(const char *name, bench_samples *ms, bench_samples *cpu) {
  char name_cpu[100];
  bench_put_samples(name, ms);
  snprintf(name_cpu, sizeof name_cpu, "%s_cpu", name);
  bench_put_samples(name_cpu, cpu);
}

/* What all cases of one method took that stand one after another. */
typedef struct method {
  const char *name;
  unsigned cases;
  bench_samples ms, cpu;
} method;

static void end_method(method *of) {
  char name[100];
  snprintf(name, sizeof name, "%s_all_cases", of->name);
  if (of->cases > 1) put(name, &of->ms, &of->cpu);
}

static void measure(stele_db *db, const scaled *what, method *of) {
  bench_samples ms = {0}, cpu = {0};
  char name[100], args[400];
  snprintf(name, sizeof name, "conversation.%s", what->method);
  of->cases++;
  for (int i = -1; i < CALLS; i++) {
    what->write(i + 1, args, sizeof args);
    double start = bench_now(), start_cpu = computed();
    stele_status status = stele_call(db, name, args, NULL);
    double took = computed() - start_cpu;
    if (status != STELE_NOTFOUND) bench_check(db, status);
    if (i < 0) continue; /* prepares, and opens what it needs */
    double ended = (bench_now() - start) * 1e3;
    bench_add(&ms, ended);
    bench_add(&of->ms, ended);
    bench_add(&cpu, took * 1e3);
    bench_add(&of->cpu, took * 1e3);
  }
  put(what->name, &ms, &cpu);
}

static void measure_all(stele_db *db, const bench_options *options) {
  method of = {.name = ""};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (!bench_wanted(options, cases[i].name)) continue;
    if (strcmp(of.name, cases[i].method) != 0) {
      end_method(&of);
      of = (method){.name = cases[i].method};
    }
    measure(db, &cases[i], &of);
  }
  end_method(&of);
}

int main(int argc, char **argv) {
  bench_options options = bench_start(argc, argv);
  bench_session_messages = PER_SESSION;
  rows = bench_whole_batches(options.rows ? (unsigned)options.rows : ROWS);
  stele_db *db = options.database ? bench_open_database(options.database, "conversation")
                                  : bench_open(bench_join(options.dir, "home").text, "conversation", "normal");
  fill(db);
  give_titles(db);
  bench_put("rows", rows);
  measure_all(db, &options);
  stele_close(db);
  return bench_finish();
}
