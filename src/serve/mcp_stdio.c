/* mcp_stdio.c - see mcp_stdio.h.
**
** A thread reads, so that a cancellation is heard while a call is under way; the calls are made one after
** the other, in the order they came.  Only protocol goes to standard output. */
#include "mcp_stdio.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mcp.h"

#define LINE_MAX_BYTES ((size_t)64 << 20)
#define WAITING_MAX 1000 /* messages read ahead */

typedef struct message message;
struct message {
  char *text; /* NULL: it was too long */
  size_t length;
  char *id;       /* of a request, as JSON */
  bool cancelled; /* nobody waits for its answer any more */
  message *next;
};

typedef struct stdio {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  message *first, *last; /* that wait */
  message *current;      /* that is being answered */
  size_t waiting;
  bool ended;  /* there is no more input */
  bool broken; /* nobody reads the output */
  bool quiet;
  stele_db *db;
  mcp_caller caller;
  mcp_peer peer;
  mcp_request *request; /* whose call is being made, or NULL */
  char *reply;          /* of the call made last */
} stdio;

static void free_message(message *m) {
  if (!m) return;
  free(m->text);
  free(m->id);
  free(m);
}

static void write_line(stdio *s, const char *text, size_t length) {
  if (fwrite(text, 1, length, stdout) != length || fputc('\n', stdout) == EOF || fflush(stdout) != 0) s->broken = true;
}

/* ---- Reading: on a thread of its own ---- */

/* The request with that id gets no answer; if it is under way, its work is stopped. */
static void cancel(stdio *s, const char *id) {
  pthread_mutex_lock(&s->mutex);
  for (message *m = s->first; m; m = m->next)
    if (m->id && strcmp(m->id, id) == 0) m->cancelled = true;
  if (s->current && s->current->id && strcmp(s->current->id, id) == 0) s->current->cancelled = true;
  pthread_mutex_unlock(&s->mutex);
}

/* Hand a message over; the memory is the queue's from now on. */
static bool push(stdio *s, char *text, size_t length) {
  message *m = calloc(1, sizeof *m);
  if (!m) return false;
  *m = (message){.text = text, .length = length, .id = text ? mcp_id_of(text, length) : NULL};
  pthread_mutex_lock(&s->mutex);
  while (s->waiting >= WAITING_MAX) pthread_cond_wait(&s->changed, &s->mutex);
  if (s->last)
    s->last->next = m;
  else
    s->first = m;
  s->last = m;
  s->waiting++;
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->mutex);
  return true;
}

static bool take_line(stdio *s, char *line, size_t length) {
  while (length && (line[length - 1] == '\r' || line[length - 1] == ' ')) length--;
  if (length == 0) return true; /* an empty line is no message */
  char *text = malloc(length + 1);
  if (!text) return false;
  memcpy(text, line, length);
  text[length] = '\0';
  char *id = mcp_cancels(text, length);
  if (!id) return push(s, text, length);
  cancel(s, id);
  free(id);
  free(text);
  return true;
}

typedef struct input {
  char *bytes;
  size_t length, room;
  bool skipping; /* the rest of a line that was too long */
} input;

/* Take the whole lines out of what has been read.  A line above the limit is passed over, and told. */
static bool take_lines(stdio *s, input *in) {
  char *start = in->bytes, *end = in->bytes + in->length, *stop;
  bool good = true;
  while (good && (stop = memchr(start, '\n', (size_t)(end - start))) != NULL) {
    if (!in->skipping) good = take_line(s, start, (size_t)(stop - start));
    in->skipping = false;
    start = stop + 1;
  }
  in->length = (size_t)(end - start);
  memmove(in->bytes, start, in->length);
  if (good && in->length >= LINE_MAX_BYTES) {
    if (!in->skipping) good = push(s, NULL, 0);
    in->skipping = true;
  }
  if (in->skipping) in->length = 0;
  return good;
}

static bool make_room(input *in) {
  if (in->length < in->room) return true;
  size_t room = in->room ? in->room * 2 : 1 << 16;
  char *bytes = realloc(in->bytes, room);
  if (!bytes) return false;
  in->bytes = bytes;
  in->room = room;
  return true;
}

static void *read_input(void *argument) {
  stdio *s = argument;
  input in = {0};
  ssize_t got = 1;
  bool good = true;
  while (good && got > 0) {
    good = make_room(&in);
    do got = good ? read(STDIN_FILENO, in.bytes + in.length, in.room - in.length) : 0;
    while (got < 0 && errno == EINTR);
    if (got > 0) in.length += (size_t)got;
    if (got > 0) good = take_lines(s, &in);
  }
  if (good && in.length && !in.skipping) good = take_line(s, in.bytes, in.length); /* a last line without its end */
  free(in.bytes);
  if (!good) fputs("stele: out of memory\n", stderr);
  pthread_mutex_lock(&s->mutex);
  s->ended = true;
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->mutex);
  return NULL;
}

/* ---- Answering ---- */

static message *pop(stdio *s) {
  pthread_mutex_lock(&s->mutex);
  while (!s->first && !s->ended) pthread_cond_wait(&s->changed, &s->mutex);
  message *m = s->first;
  if (m) {
    s->first = m->next;
    if (!s->first) s->last = NULL;
    s->waiting--;
    s->current = m;
    pthread_cond_broadcast(&s->changed);
  }
  pthread_mutex_unlock(&s->mutex);
  return m;
}

static bool is_cancelled(stdio *s) {
  pthread_mutex_lock(&s->mutex);
  bool cancelled = s->current && s->current->cancelled;
  pthread_mutex_unlock(&s->mutex);
  return cancelled;
}

static void notify(void *user, const char *text, size_t length) {
  stdio *s = user;
  if (!is_cancelled(s)) write_line(s, text, length);
}

/* For stele_options.progress: non-zero stops the work. */
static int on_progress(void *user, const char *what, int64_t done, int64_t total) {
  stdio *s = user;
  if (s->request) mcp_progress(s->request, what, done, total);
  return is_cancelled(s) || s->broken;
}

static void on_log(void *user, stele_log_level level, const char *text) {
  stdio *s = user;
  if (!s->quiet && level >= STELE_LOG_INFO) fprintf(stderr, "stele: %s\n", text);
}

static void make_call(void *user, mcp_request *r, const mcp_call *call, mcp_outcome *outcome) {
  stdio *s = user;
  s->request = r;
  stele_free(s->reply);
  s->reply = NULL;
  if (stele_call(s->db, call->method->name, call->args, &s->reply) != STELE_OK)
    *outcome = (mcp_outcome){.failure = stele_error(s->db)};
  else
    *outcome = (mcp_outcome){.reply = s->reply, .notes = stele_notes(s->db)};
  s->request = NULL;
}

static void answer(stdio *s, const message *m) {
  static const char too_long[] =
      "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"the message is longer than 64 MiB\"}}";
  static const char no_memory[] = "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32603,\"message\":\"out of memory\"}}";
  char *reply = NULL;
  if (!m->text)
    write_line(s, too_long, sizeof too_long - 1);
  else if (!mcp_handle(&s->caller, m->text, m->length, make_call, s, &reply))
    write_line(s, no_memory, sizeof no_memory - 1);
  else if (reply && !is_cancelled(s))
    write_line(s, reply, strlen(reply));
  free(reply);
}

static void answer_all(stdio *s) {
  message *m;
  while (!s->broken && (m = pop(s)) != NULL) {
    if (!is_cancelled(s)) answer(s, m);
    pthread_mutex_lock(&s->mutex);
    s->current = NULL;
    pthread_mutex_unlock(&s->mutex);
    free_message(m);
  }
}

/* It lives as long as the process: the reader may still wait for input when the output is gone. */
static stdio the_stdio = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

int mcp_stdio_run(const mcp_stdio_options *options) {
  stdio *s = &the_stdio;
  stele_options place = *options->place;
  pthread_t reader;
  place.log = on_log;
  place.progress = on_progress;
  place.user = s;
  s->quiet = options->quiet;
  s->caller = (mcp_caller){
      .all = options->all, .budget = options->tokens * MCP_TOKEN, .peer = &s->peer, .notify = notify, .user = s};
  if (stele_open(&place, &s->db) != STELE_OK) {
    fprintf(stderr, "stele: %s\n", s->db ? stele_error(s->db)->message : "out of memory");
    stele_close(s->db);
    return 1;
  }
  if (pthread_create(&reader, NULL, read_input, s) != 0) {
    fputs("stele: no thread can be started\n", stderr);
    stele_close(s->db);
    return 1;
  }
  pthread_detach(reader);
  answer_all(s);
  stele_free(s->reply);
  stele_close(s->db);
  return s->broken ? 1 : 0;
}
