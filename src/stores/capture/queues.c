/* queues.c - tickets of the four queues: claimed, settled by whoever holds them, taken back from whoever does not return.
**
** A ticket's lock is its locked_at and locked_by.  Other programs that share a file know only these, so every change
** names the lock that it ends; the token beside it (stele_claims) tells apart claims that have the same lock. */
#include <string.h>

#include "base/uuid.h"
#include "registry_ids.h"
#include "stores/capture/capture.h"
#include "stores/capture/handshake.h"
#include "stores/capture/queues.h"

enum { MILLIS = 1000, SETTLED_SHELL = 120, SETTLED_BROWSER = 60, REAPED_AT_ONCE = 100 };

#define WORD_SHOWN 100 /* bytes of a word of the caller's */

/* A ticket, as list_queue tells it. */
enum {
  ID = ST_R_CAPTURE_LIST_QUEUE_ID,
  SOURCE = ST_R_CAPTURE_LIST_QUEUE_SOURCE_ID,
  STATUS = ST_R_CAPTURE_LIST_QUEUE_STATUS,
  RETRIES = ST_R_CAPTURE_LIST_QUEUE_RETRY_COUNT,
  MAX_RETRIES = ST_R_CAPTURE_LIST_QUEUE_MAX_RETRIES,
  LOCKED_AT = ST_R_CAPTURE_LIST_QUEUE_LOCKED_AT,
  LOCKED_BY = ST_R_CAPTURE_LIST_QUEUE_LOCKED_BY,
  QUEUE = ST_R_CAPTURE_LIST_QUEUE_QUEUE,
  TICKET = ST_R_CAPTURE_LIST_QUEUE_UPDATED_AT + 1
};

/* ---- Settling ---- */

static bool same_text(const st_value *a, const char *b) { return a->type == ST_TEXT && strcmp(a->bytes, b) == 0; }

/* A failure is one more chance, until there were enough. */
static const char *next_status(const st_value *ticket, const st_outcome *outcome) {
  if (strcmp(outcome->status, "failed") != 0) return outcome->status;
  const st_value *max = outcome->max_retries && outcome->max_retries->type == ST_INT ? outcome->max_retries
                                                                                    : &ticket[MAX_RETRIES];
  return ticket[RETRIES].integer + 1 < max->integer ? "pending" : "failed";
}

/* The ticket is through: its source is not looked at again, a segment not before it changes. */
static void close_source(st_call *call, const st_value *ticket, const char *status, const st_value *content_hash) {
  if (strcmp(status, "failed") != 0) {
    st_value args[ST_P_CAPTURE_MARK_ENRICHED_SOURCE_ID + 1] = {ticket[QUEUE], ticket[SOURCE]};
    st_run(call, STELE_M_CAPTURE_MARK_ENRICHED, args);
  }
  if (same_text(&ticket[QUEUE], "agentic") && content_hash->type == ST_TEXT) {
    st_value args[ST_P_CAPTURE_CLOSE_SEGMENT_CONTENT_HASH + 1] = {ticket[SOURCE], *content_hash};
    st_run(call, STELE_M_CAPTURE_CLOSE_SEGMENT, args);
  }
}

/* End the ticket's lock; NULL if it was another by then. */
static const char *settle(st_call *call, const st_value *ticket, const st_value *content_hash, const st_outcome *outcome) {
  const char *status = next_status(ticket, outcome);
  bool failed = strcmp(outcome->status, "failed") == 0;
  st_value args[ST_P_CAPTURE_SETTLE_TICKET_NOW + 1] = {{0}};
  args[ST_P_CAPTURE_SETTLE_TICKET_QUEUE] = ticket[QUEUE];
  args[ST_P_CAPTURE_SETTLE_TICKET_ID] = ticket[ID];
  args[ST_P_CAPTURE_SETTLE_TICKET_LOCKED_AT] = ticket[LOCKED_AT];
  args[ST_P_CAPTURE_SETTLE_TICKET_LOCKED_BY] = ticket[LOCKED_BY];
  args[ST_P_CAPTURE_SETTLE_TICKET_STATUS] = st_textz(status);
  args[ST_P_CAPTURE_SETTLE_TICKET_RETRY_COUNT] = st_int(ticket[RETRIES].integer + (failed ? 1 : 0));
  args[ST_P_CAPTURE_SETTLE_TICKET_ERROR] = outcome->error;
  args[ST_P_CAPTURE_SETTLE_TICKET_NOW] = outcome->now;
  if (st_run(call, STELE_M_CAPTURE_SETTLE_TICKET, args) != 1) return NULL;
  st_run(call, STELE_M_CAPTURE_DROP_CLAIMS, (st_value[]){ticket[QUEUE], ticket[ID]});
  if (strcmp(status, "pending") != 0) close_source(call, ticket, status, content_hash);
  return st_ok(call) ? status : NULL;
}

static bool read_ticket(st_call *call, const st_value *queue, const st_value *id, st_value ticket[TICKET]) {
  st_value args[ST_P_CAPTURE_LIST_QUEUE_LIMIT + 1] = {{0}};
  args[ST_P_CAPTURE_LIST_QUEUE_QUEUE] = *queue;
  args[ST_P_CAPTURE_LIST_QUEUE_ID] = *id;
  args[ST_P_CAPTURE_LIST_QUEUE_LIMIT] = st_int(1);
  return st_one(call, STELE_M_CAPTURE_LIST_QUEUE, args, ticket);
}

enum {
  WORKER = ST_R_CAPTURE_READ_CLAIM_WORKER,
  CLAIMED_AT = ST_R_CAPTURE_READ_CLAIM_CLAIMED_AT,
  CONTENT_HASH = ST_R_CAPTURE_READ_CLAIM_CONTENT_HASH,
  CLAIM = CONTENT_HASH + 1
};

/* Is the ticket locked as this claim locked it? */
static bool is_lock(const st_value *ticket, const st_value *claim) {
  return same_text(&ticket[STATUS], "processing") && ticket[LOCKED_AT].type == ST_INT &&
         ticket[LOCKED_AT].integer == claim[CLAIMED_AT].integer && ticket[LOCKED_BY].type == ST_TEXT &&
         strcmp(ticket[LOCKED_BY].bytes, claim[WORKER].bytes) == 0;
}

const char *st_capture_settle(st_call *call, const st_value *queue, const st_value *id, const st_value *token,
                              const st_outcome *outcome) {
  st_value ticket[TICKET], claim[CLAIM];
  if (!read_ticket(call, queue, id, ticket)) {
    st_fail(call, STELE_NOTFOUND, "id", "id: the queue %s has no ticket %lld", queue->bytes, (long long)id->integer);
    return NULL;
  }
  bool held = st_one(call, STELE_M_CAPTURE_READ_CLAIM, (st_value[]){*queue, *id, *token}, claim) && is_lock(ticket, claim);
  const char *status = held ? settle(call, ticket, &claim[CONTENT_HASH], outcome) : NULL;
  if (!status && st_ok(call)) {
    st_fail(call, STELE_DENIED, "token", "token: ticket %lld of the queue %s is not held with %.*s", (long long)id->integer,
            queue->bytes, WORD_SHOWN, token->bytes);
    st_hint(call, "it was settled, taken back or given to somebody else: drop what was done with it");
  }
  return status;
}

/* Settle the ticket that the arguments name; its status is the reply. */
static void settle_named(st_call *call, const st_outcome *outcome) {
  const st_value *args = call->args;
  const char *status = st_capture_settle(call, &args[ST_P_CAPTURE_COMPLETE_QUEUE], &args[ST_P_CAPTURE_COMPLETE_ID],
                                         &args[ST_P_CAPTURE_COMPLETE_TOKEN], outcome);
  st_value *reply = status ? st_reply(call) : NULL;
  if (reply) reply[0] = st_textz(status);
}
_Static_assert((int)ST_P_CAPTURE_COMPLETE_QUEUE == (int)ST_P_CAPTURE_SKIP_QUEUE &&
                   (int)ST_P_CAPTURE_COMPLETE_ID == (int)ST_P_CAPTURE_SKIP_ID &&
                   (int)ST_P_CAPTURE_COMPLETE_TOKEN == (int)ST_P_CAPTURE_SKIP_TOKEN &&
                   (int)ST_P_CAPTURE_COMPLETE_QUEUE == (int)ST_P_CAPTURE_FAIL_QUEUE &&
                   (int)ST_P_CAPTURE_COMPLETE_ID == (int)ST_P_CAPTURE_FAIL_ID &&
                   (int)ST_P_CAPTURE_COMPLETE_TOKEN == (int)ST_P_CAPTURE_FAIL_TOKEN &&
                   (int)ST_P_CAPTURE_COMPLETE_QUEUE == (int)ST_P_CAPTURE_RELEASE_QUEUE &&
                   (int)ST_P_CAPTURE_COMPLETE_ID == (int)ST_P_CAPTURE_RELEASE_ID &&
                   (int)ST_P_CAPTURE_COMPLETE_TOKEN == (int)ST_P_CAPTURE_RELEASE_TOKEN,
               "complete, skip, fail and release name a ticket in the same way");

void st_capture_complete(st_call *call) {
  settle_named(call, &(st_outcome){.status = "done",
                                   .error = {.type = ST_NULL},
                                   .now = call->args[ST_P_CAPTURE_COMPLETE_NOW]});
}

void st_capture_skip(st_call *call) {
  settle_named(call, &(st_outcome){.status = "skipped",
                                   .error = call->args[ST_P_CAPTURE_SKIP_REASON],
                                   .now = call->args[ST_P_CAPTURE_SKIP_NOW]});
}

void st_capture_fail(st_call *call) {
  settle_named(call, &(st_outcome){.status = "failed",
                                   .error = call->args[ST_P_CAPTURE_FAIL_ERROR],
                                   .max_retries = &call->args[ST_P_CAPTURE_FAIL_MAX_RETRIES],
                                   .now = call->args[ST_P_CAPTURE_FAIL_NOW]});
}

void st_capture_release(st_call *call) {
  settle_named(call, &(st_outcome){.status = "pending",
                                   .error = call->args[ST_P_CAPTURE_RELEASE_REASON],
                                   .now = call->args[ST_P_CAPTURE_RELEASE_NOW]});
}

/* ---- Taking back ---- */

typedef struct reaping {
  st_value queue; /* absent: all */
  st_value now;
  int64_t timeout; /* in seconds */
  int64_t reaped, failed;
} reaping;

/* Tickets with a lock that is too old; they are read before the first is changed. */
static size_t read_stale(st_call *call, const reaping *what, st_value (*stale)[TICKET]) {
  st_value args[ST_P_CAPTURE_LIST_QUEUE_LIMIT + 1] = {{0}};
  args[ST_P_CAPTURE_LIST_QUEUE_QUEUE] = what->queue;
  args[ST_P_CAPTURE_LIST_QUEUE_STATUS] = st_textz("processing");
  args[ST_P_CAPTURE_LIST_QUEUE_LOCKED_UNTIL] = st_int(what->now.integer - what->timeout * MILLIS);
  args[ST_P_CAPTURE_LIST_QUEUE_LIMIT] = st_int(REAPED_AT_ONCE);
  st_rows rows;
  size_t count = 0;
  st_rows_start(call, &rows, STELE_M_CAPTURE_LIST_QUEUE, args);
  for (; count < REAPED_AT_ONCE && st_rows_next(call, &rows); count++) st_rows_keep(call, &rows, stale[count]);
  st_rows_end(call, &rows);
  return st_ok(call) ? count : 0;
}

static void reap_ticket(st_call *call, const st_value *ticket, const st_outcome *outcome, reaping *what) {
  st_value claim[CLAIM], unknown = {.type = ST_NULL};
  st_value args[ST_P_CAPTURE_READ_CLAIM_TOKEN + 1] = {ticket[QUEUE], ticket[ID], {0}};
  bool ours = st_one(call, STELE_M_CAPTURE_READ_CLAIM, args, claim) && is_lock(ticket, claim);
  const char *status = settle(call, ticket, ours ? &claim[CONTENT_HASH] : &unknown, outcome);
  if (!status) return;
  what->reaped++;
  if (strcmp(status, "failed") == 0) what->failed++;
}

static void reap(st_call *call, reaping *what) {
  st_value(*stale)[TICKET] = st_call_alloc(call, REAPED_AT_ONCE * sizeof *stale);
  if (!stale) return;
  st_str why;
  st_str_init(&why, WORD_SHOWN);
  st_str_addf(&why, "stale lock reaped (>=%llds)", (long long)what->timeout);
  st_outcome outcome = {.status = "failed", .error = st_take(call, &why), .now = what->now};
  size_t count = read_stale(call, what, stale);
  for (size_t i = 0; i < count; i++) reap_ticket(call, stale[i], &outcome, what);
}

void st_capture_reap(st_call *call) {
  reaping what = {.now = call->args[ST_P_CAPTURE_REAP_NOW], .timeout = st_arg_int(call, ST_P_CAPTURE_REAP_LOCK_TIMEOUT)};
  reap(call, &what);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CAPTURE_REAP_REAPED] = st_int(what.reaped);
  reply[ST_R_CAPTURE_REAP_FAILED] = st_int(what.failed);
}

/* ---- Claiming ---- */

/* What is newer may be followed by more that belongs to it. */
static st_value settled_until(const st_call *call) {
  const char *queue = st_arg_text(call, ST_P_CAPTURE_CLAIM_QUEUE);
  int64_t idle = strcmp(queue, "shell") == 0 ? SETTLED_SHELL : SETTLED_BROWSER;
  if (st_has(call, ST_P_CAPTURE_CLAIM_IDLE)) idle = st_arg_int(call, ST_P_CAPTURE_CLAIM_IDLE);
  return st_int(st_arg_int(call, ST_P_CAPTURE_CLAIM_NOW) - idle * MILLIS);
}

void st_capture_claim(st_call *call) {
  const st_value *given = call->args;
  st_capture_expects(call, &given[ST_P_CAPTURE_CLAIM_WORKER], &given[ST_P_CAPTURE_CLAIM_EXPECTS], &given[ST_P_CAPTURE_CLAIM_NOW]);
  if (!st_ok(call)) return;
  reaping stale = {.queue = given[ST_P_CAPTURE_CLAIM_QUEUE],
                   .now = given[ST_P_CAPTURE_CLAIM_NOW],
                   .timeout = st_arg_int(call, ST_P_CAPTURE_CLAIM_LOCK_TIMEOUT)};
  if (given[ST_P_CAPTURE_CLAIM_REAP].integer) reap(call, &stale);
  char token[ST_UUID_SIZE];
  if (!st_uuid_v4(token)) {
    st_fail(call, STELE_IO, NULL, "the system gives no random bytes");
    return;
  }
  st_value args[ST_P_CAPTURE_TAKE_TICKETS_NOW + 1] = {{0}};
  args[ST_P_CAPTURE_TAKE_TICKETS_QUEUE] = given[ST_P_CAPTURE_CLAIM_QUEUE];
  args[ST_P_CAPTURE_TAKE_TICKETS_TOKEN] = st_textz(token);
  args[ST_P_CAPTURE_TAKE_TICKETS_WORKER] = given[ST_P_CAPTURE_CLAIM_WORKER];
  args[ST_P_CAPTURE_TAKE_TICKETS_LIMIT] = given[ST_P_CAPTURE_CLAIM_LIMIT];
  args[ST_P_CAPTURE_TAKE_TICKETS_SETTLED] = settled_until(call);
  args[ST_P_CAPTURE_TAKE_TICKETS_HARNESS] = given[ST_P_CAPTURE_CLAIM_HARNESS];
  args[ST_P_CAPTURE_TAKE_TICKETS_NOW] = given[ST_P_CAPTURE_CLAIM_NOW];
  st_run(call, STELE_M_CAPTURE_TAKE_TICKETS, args);
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_CAPTURE_LIST_TAKEN_TICKETS,
                (st_value[]){given[ST_P_CAPTURE_CLAIM_QUEUE], st_textz(token)});
  while (st_rows_next(call, &rows)) st_reply_read(call, &rows, ST_ALL_COLUMNS);
  st_rows_end(call, &rows);
}
