/* ingest.c - see ingest.h. */
#include "ingest.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../door/json.h"
#include "../ingest/place.h"
#include "call.h"
#include "ingest_sender.h"
#include "ingest_request.h"
#include "listen.h"
#include "log.h"
#include "metrics_text.h"
#include "server.h"
#include "writer.h"

#define SENDERS 256                      /* who send at a time; others wait to be accepted */
#define BATCH 512                      /* events in one transaction */
#define BATCH_BYTES ((size_t)16 << 20) /* of their texts, */
#define ANSWERS_BYTES ((size_t)1 << 20) /* that may wait for one sender before its next request is looked at, */
#define HELD_BYTES ((size_t)64 << 20)  /* and of all that was received and is no whole frame */

/* Events that came, to be written together. */
typedef struct batch {
  sv_text envelopes; /* with commas between */
  sv_sender *from[BATCH];
  size_t count;
} batch;

struct sv_ingest {
  sv_server *server;
  char path[ST_PLACE_MAX];
  int listening, wake;
  pthread_t thread;
  stele_db *reader; /* for what is asked; opened when something is */
  sv_sender senders[SENDERS];
  batch batch;
  atomic_llong stored, duplicates, refused, failed, present;
};

/* ---- Calls ---- */

/* A write goes to the store's writer, like all others; this thread waits for it. */
typedef struct waiting {
  sv_call call; /* first: the writer hands it back */
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool done;
} waiting;

static void on_done(sv_call *call) {
  waiting *w = (waiting *)call;
  pthread_mutex_lock(&w->mutex);
  w->done = true;
  pthread_cond_signal(&w->changed);
  pthread_mutex_unlock(&w->mutex);
}

/* What came of it is in the call: sv_call_clear(). */
static void write_and_wait(sv_ingest *ingest, const char *method, const char *args, sv_call *out) {
  waiting w = {.call = {.method = stele_method_find(method), .args = args, .done = on_done},
               .mutex = PTHREAD_MUTEX_INITIALIZER,
               .changed = PTHREAD_COND_INITIALIZER};
  sv_writer_submit(ingest->server->writers, &w.call);
  pthread_mutex_lock(&w.mutex);
  while (!w.done) pthread_cond_wait(&w.changed, &w.mutex);
  pthread_mutex_unlock(&w.mutex);
  *out = w.call;
}

static void read_here(sv_ingest *ingest, const char *method, const char *args, sv_call *out) {
  *out = (sv_call){.method = stele_method_find(method), .args = args};
  if (!ingest->reader) ingest->reader = sv_server_open(ingest->server, STELE_OPEN_READONLY);
  if (ingest->reader) sv_call_run(out, ingest->reader);
  else sv_failure_set(&out->failure, STELE_NOMEM, method, "", "out of memory");
}

/* ---- Events ---- */

/* Each event has its answer: null, or why it was refused. */
static void answer_batch(sv_ingest *ingest, const sv_call *call) {
  batch *b = &ingest->batch;
  json reply = json_read(call->reply, strlen(call->reply)), one = {NULL, 0}, answers = json_member(reply, "answers");
  for (size_t i = 0; i < b->count && json_next(answers, &one); i++) {
    char *why = json_kind(one) == 'n' ? NULL : json_text(one);
    if (why) sv_sender_refuse(b->from[i], why);
    else sv_sender_answer(b->from[i], "Ack", NULL);
    free(why);
  }
  atomic_fetch_add(&ingest->stored, json_int(json_member(reply, "stored"), 0));
  atomic_fetch_add(&ingest->duplicates, json_int(json_member(reply, "duplicates"), 0));
  atomic_fetch_add(&ingest->refused, json_int(json_member(reply, "refused"), 0));
}

static void refuse_batch(sv_ingest *ingest, const char *why) {
  batch *b = &ingest->batch;
  for (size_t i = 0; i < b->count; i++) sv_sender_refuse(b->from[i], why);
  atomic_fetch_add(&ingest->failed, (long long)b->count);
  sv_log(STELE_LOG_ERROR, "%zu events could not be kept: %s", b->count, why);
}

static void write_batch(sv_ingest *ingest) {
  batch *b = &ingest->batch;
  sv_text args = {0};
  sv_call call;
  if (!b->count) return;
  sv_addz(&args, "{\"envelopes\":[");
  sv_add(&args, b->envelopes.bytes, b->envelopes.length);
  sv_addz(&args, "]}");
  if (args.failed || b->envelopes.failed) {
    refuse_batch(ingest, "out of memory");
  } else {
    write_and_wait(ingest, "capture.ingest", args.bytes, &call);
    if (call.failure.status == STELE_OK) answer_batch(ingest, &call);
    else refuse_batch(ingest, call.failure.message);
    sv_call_clear(&call);
  }
  sv_text_free(&args);
  sv_text_free(&b->envelopes);
  b->envelopes = (sv_text){0};
  b->count = 0;
}

static void add_event(sv_ingest *ingest, sv_sender *sender, json envelope) {
  batch *b = &ingest->batch;
  if (b->count) sv_addz(&b->envelopes, ",");
  sv_add(&b->envelopes, envelope.text, envelope.length);
  b->from[b->count++] = sender;
  if (b->count == BATCH || b->envelopes.length >= BATCH_BYTES) write_batch(ingest);
}

/* ---- Other requests ---- */

static void answer_status(sv_ingest *ingest, sv_sender *sender) {
  sv_text status = {0};
  sv_addf(&status, "{\"version\":\"%s\",\"uptime_secs\":%lld,\"events_stored\":%lld,\"events_duplicate\":%lld,\"drop_count\":%lld",
          stele_version(), (long long)(sv_now_us() - ingest->server->started_us) / 1000000, (long long)ingest->stored,
          (long long)ingest->duplicates, (long long)(ingest->refused + ingest->failed));
  sv_addf(&status, ",\"connections\":%lld}", (long long)ingest->present);
  if (status.failed) sv_sender_refuse(sender, "out of memory");
  else sv_sender_answer(sender, "Status", status.bytes);
  sv_text_free(&status);
}

static void answer_call(sv_ingest *ingest, sv_sender *sender, const sv_request_kind *kind, json data) {
  sv_text args = {0};
  sv_call call;
  sv_request_arguments(kind, data, &args);
  if (args.failed) {
    sv_sender_refuse(sender, "out of memory");
    return;
  }
  bool reads = strcmp(stele_method_find(kind->method)->access, "read") == 0;
  (reads ? read_here : write_and_wait)(ingest, kind->method, args.bytes, &call);
  if (call.failure.status != STELE_OK) sv_sender_refuse(sender, call.failure.message);
  else sv_sender_answer(sender, kind->answer, kind->told ? call.reply : NULL);
  sv_call_clear(&call);
  sv_text_free(&args);
}

static void answer_request(sv_ingest *ingest, sv_sender *sender, json type, json data) {
  const sv_request_kind *kind = sv_request_find(type);
  write_batch(ingest); /* answers come in the order of the requests */
  if (json_is(type, "GetStatus")) answer_status(ingest, sender);
  else if (!kind) sv_sender_refuse(sender, "there is no request of that type");
  else if (!kind->method) sv_sender_refuse(sender, kind->answer);
  else answer_call(ingest, sender, kind, data);
}

/* ---- Frames ---- */

/* The rest of what it sends cannot be understood. */
static void give_up(sv_ingest *ingest, sv_sender *sender, const char *why) {
  write_batch(ingest);
  sv_sender_refuse(sender, why);
  sender->ending = true;
  atomic_fetch_add(&ingest->refused, 1);
}

static void take_frame(sv_ingest *ingest, sv_sender *sender, const char *text, size_t length) {
  json request = json_read(text, length), type = json_member(request, "type"), data = json_member(request, "data");
  if (json_kind(type) != '"') give_up(ingest, sender, "a frame is an object with the members type and data, as JSON");
  else if (json_is(type, "IngestEvent") && json_kind(data) == '{') add_event(ingest, sender, data);
  else answer_request(ingest, sender, type, data);
}

/* A frame must have come within its time, however slowly: further bytes give no more of it. */
static void set_deadline(sv_ingest *ingest, sv_sender *sender, bool took) {
  const serve_limits *limits = &ingest->server->limits;
  bool partial = sender->in.used > sender->in.start;
  if (took || !partial || !sender->partial)
    sender->until_us = sv_now_us() + (partial ? limits->request : limits->idle) * 1000000;
  sender->partial = partial;
}

static void take_frames(sv_ingest *ingest, sv_sender *sender) {
  char *text;
  size_t length;
  bool took = false;
  st_frame_status status = ST_FRAME_OK;
  while (!sender->ending && sender->out.length < ANSWERS_BYTES && (status = st_frames_next(&sender->in, &text, &length)) == ST_FRAME_OK) {
    take_frame(ingest, sender, text, length);
    took = true;
  }
  if (status == ST_FRAME_TOO_LONG) give_up(ingest, sender, "a frame has at most 10 MiB");
  sender->more = status == ST_FRAME_OK && !sender->ending;
  set_deadline(ingest, sender, took);
}

/* ---- Who sends ---- */

static sv_sender *free_place(sv_ingest *ingest) {
  for (size_t i = 0; i < SENDERS; i++)
    if (ingest->senders[i].fd < 0) return &ingest->senders[i];
  return NULL;
}

static void admit(sv_ingest *ingest, sv_sender *place, int fd) {
  if (!st_place_is_ours(fd)) { /* the socket is private, but may lie in a directory that is not */
    close(fd);
    return;
  }
  place->fd = fd;
  place->until_us = sv_now_us() + ingest->server->limits.request * 1000000;
  atomic_fetch_add(&ingest->present, 1);
}

static void accept_all(sv_ingest *ingest) {
  sv_sender *place;
  int fd = 0;
  while ((place = free_place(ingest)) != NULL && (fd = accept4(ingest->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0)
    admit(ingest, place, fd);
}

static void drop(sv_ingest *ingest, sv_sender *sender) {
  sv_sender_close(sender);
  atomic_fetch_sub(&ingest->present, 1);
}

/* ---- The thread ---- */

/* Who does not take its answers is not read from, nor is anybody new while too much is held. */
static short wanted_of(const sv_sender *sender, size_t held) {
  if (sv_sender_has_answers(sender)) return POLLOUT;
  return sender->ending || sender->more || (held > HELD_BYTES && sender->in.used == sender->in.start) ? 0 : POLLIN;
}

static int wait_for_them(sv_ingest *ingest, struct pollfd *polled) {
  size_t held = 0;
  bool more = false;
  for (size_t i = 0; i < SENDERS; i++) more = more || (ingest->senders[i].more && !sv_sender_has_answers(&ingest->senders[i]));
  for (size_t i = 0; i < SENDERS; i++) held += ingest->senders[i].in.used - ingest->senders[i].in.start;
  for (size_t i = 0; i < SENDERS; i++)
    polled[i] = (struct pollfd){.fd = ingest->senders[i].fd, .events = wanted_of(&ingest->senders[i], held)};
  polled[SENDERS] = (struct pollfd){.fd = ingest->wake, .events = POLLIN};
  polled[SENDERS + 1] = (struct pollfd){.fd = free_place(ingest) ? ingest->listening : -1, .events = POLLIN};
  return poll(polled, SENDERS + 2, more ? 0 : atomic_load(&ingest->present) ? 1000 : -1);
}

/* Send what is there to be taken, and let go who has gone or takes too long. */
static void send_answers(sv_ingest *ingest) {
  int64_t now = sv_now_us();
  for (size_t i = 0; i < SENDERS; i++) {
    sv_sender *sender = &ingest->senders[i];
    if (sender->fd < 0) continue;
    if ((sv_sender_has_answers(sender) && !sv_sender_send(sender)) || now > sender->until_us) drop(ingest, sender);
  }
}

static void serve_turn(sv_ingest *ingest, const struct pollfd *polled) {
  for (size_t i = 0; i < SENDERS; i++) {
    sv_sender *sender = &ingest->senders[i];
    bool readable = polled[i].revents & (POLLIN | POLLHUP | POLLERR);
    if (sender->fd < 0 || polled[i].events == POLLOUT || (!readable && !sender->more)) continue;
    bool here = sender->more || sv_sender_receive(sender);
    take_frames(ingest, sender);
    if (!here) sender->until_us = 0; /* after what it sent was taken */
  }
  write_batch(ingest);
  send_answers(ingest);
  if (polled[SENDERS + 1].revents) accept_all(ingest);
}

static void *run(void *argument) {
  sv_ingest *ingest = argument;
  struct pollfd polled[SENDERS + 2];
  for (;;) {
    int ready = wait_for_them(ingest, polled);
    if (ready < 0 && errno != EINTR) sv_log(STELE_LOG_ERROR, "%s: %s", ingest->path, strerror(errno));
    if (ready < 0) continue;
    if (polled[SENDERS].revents) return NULL;
    serve_turn(ingest, polled);
  }
}

/* ---- Opening, closing ---- */

static void give_back(sv_ingest *ingest) {
  for (size_t i = 0; i < SENDERS; i++) sv_sender_close(&ingest->senders[i]);
  if (ingest->listening >= 0) {
    close(ingest->listening);
    unlink(ingest->path);
  }
  if (ingest->wake >= 0) close(ingest->wake);
  stele_close(ingest->reader);
  free(ingest);
}

bool sv_ingest_open(sv_server *server, sv_ingest **out) {
  char path[ST_PLACE_MAX];
  *out = NULL;
  if (!st_place_socket(server->place.home, path)) return true;
  sv_ingest *ingest = calloc(1, sizeof *ingest);
  if (!ingest) return false;
  ingest->server = server;
  memcpy(ingest->path, path, sizeof path);
  for (size_t i = 0; i < SENDERS; i++) ingest->senders[i] = (sv_sender){.fd = -1, .in.form = ST_FRAME_SOCKET};
  ingest->listening = sv_listen_unix(path);
  ingest->wake = eventfd(0, EFD_CLOEXEC);
  bool there = ingest->listening >= 0;
  if (there && ingest->wake >= 0 && pthread_create(&ingest->thread, NULL, run, ingest) == 0) {
    *out = ingest;
    return true;
  }
  if (!there) sv_log(STELE_LOG_WARNING, "events of shells and browsers are not taken here: another server of this home may take them");
  give_back(ingest);
  return !there;
}

void sv_ingest_close(sv_ingest *ingest) {
  if (!ingest) return;
  eventfd_write(ingest->wake, 1);
  pthread_join(ingest->thread, NULL);
  give_back(ingest);
}

void sv_ingest_metrics(const sv_ingest *ingest, sv_text *out) {
  if (!ingest) return;
  sv_metric(out, "stele_events_stored_total", "counter", "Events of shells and browsers that were kept.", atomic_load(&ingest->stored));
  sv_metric(out, "stele_events_duplicate_total", "counter", "Events that came again.", atomic_load(&ingest->duplicates));
  sv_metric(out, "stele_events_refused_total", "counter", "Events and frames that were not understood.", atomic_load(&ingest->refused));
  sv_metric(out, "stele_events_failed_total", "counter", "Events that could not be written: who sent them keeps them.",
            atomic_load(&ingest->failed));
  sv_metric(out, "stele_events_connections", "gauge", "Connections that send events.", atomic_load(&ingest->present));
}
