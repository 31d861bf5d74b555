/* send.c - see send.h. */
#include "send.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../door/json.h"
#include "frame.h"
#include "place.h"

/* ---- The connection ---- */

/* -1: why tells the reason.  A unix socket connects at once, or its queue is full, which is waited for. */
static int connect_to(const char *home, int64_t until, char why[ST_FALLBACK_WHY]) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  char path[ST_PLACE_MAX];
  bool named = st_place_socket(home, path) && strlen(path) < sizeof address.sun_path;
  snprintf(why, ST_FALLBACK_WHY, "the home has no place for a socket");
  int fd = named ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;
  if (fd < 0) return -1;
  memcpy(address.sun_path, path, strlen(path) + 1);
  int failed = connect(fd, (const struct sockaddr *)&address, sizeof address);
  while (failed && errno == EAGAIN && st_frame_until(0) < until) {
    usleep(1000);
    failed = connect(fd, (const struct sockaddr *)&address, sizeof address);
  }
  if (failed) snprintf(why, ST_FALLBACK_WHY, "%s: %s", path, strerror(errno));
  else if (!st_place_is_ours(fd)) snprintf(why, ST_FALLBACK_WHY, "%s belongs to another user", path);
  else return fd;
  close(fd);
  return -1;
}

/* ---- Envelopes ---- */

static char *ingest_request(const char *envelope) {
  char *request = NULL;
  return asprintf(&request, "{\"type\":\"IngestEvent\",\"data\":%s}", envelope) < 0 ? NULL : request;
}

static st_frame_status send_one(int fd, const char *envelope, int64_t until) {
  char *request = ingest_request(envelope);
  if (!request) return ST_FRAME_NOMEM;
  st_frame_status status = st_frame_send(fd, &ST_FRAME_SOCKET, request, strlen(request), until);
  free(request);
  return status;
}

/* One answer: true, it is stored. */
static bool read_answer(const char *reply, size_t length, char why[ST_FALLBACK_WHY]) {
  json answer = json_read(reply, length);
  if (json_is(json_member(answer, "type"), "Ack")) return true;
  char *reason = json_text(json_member(answer, "data"));
  snprintf(why, ST_FALLBACK_WHY, "%s", reason ? reason : "the server's answer is not understood");
  free(reason);
  return false;
}

/* Read as many answers as frames were sent; they come in the same order. */
static st_frame_status read_answers(int fd, size_t count, int64_t until, bool *stored, char why[ST_FALLBACK_WHY]) {
  st_frames frames = {.form = ST_FRAME_SOCKET};
  st_frame_status status = ST_FRAME_OK;
  for (size_t i = 0; i < count && status == ST_FRAME_OK; i++) {
    char *reply;
    size_t length;
    status = st_frame_receive(fd, &frames, until, &reply, &length);
    if (status == ST_FRAME_OK) stored[i] = read_answer(reply, length, why);
  }
  st_frames_free(&frames);
  return status;
}

#define WINDOW 64 /* frames sent before their answers are read: neither side waits for the other with full buffers */

static void deliver(const char *home, const char *const *envelopes, size_t count, int timeout_ms, bool *stored,
                    char why[ST_FALLBACK_WHY]) {
  int64_t until = st_frame_until(timeout_ms);
  int fd = connect_to(home, until, why);
  if (fd < 0) return;
  why[0] = '\0';
  st_frame_status status = ST_FRAME_OK;
  for (size_t at = 0; at < count && status == ST_FRAME_OK; at += WINDOW) {
    size_t sent = 0, wanted = count - at < WINDOW ? count - at : WINDOW;
    while (sent < wanted && (status = send_one(fd, envelopes[at + sent], until)) == ST_FRAME_OK) sent++;
    st_frame_status answered = read_answers(fd, sent, until, stored + at, why);
    if (status == ST_FRAME_OK) status = answered;
  }
  if (status != ST_FRAME_OK) snprintf(why, ST_FALLBACK_WHY, "%s", st_frame_why(status));
  close(fd);
}

st_sent st_ingest_send_all(const stele_options *place, const char *const *envelopes, size_t count, int timeout_ms) {
  st_sent sent = {0};
  bool *stored = calloc(count ? count : 1, sizeof *stored);
  if (stored) deliver(place->home, envelopes, count, timeout_ms, stored, sent.why);
  for (size_t i = 0; i < count; i++) {
    if (stored && stored[i]) sent.stored++;
    else if (st_fallback_append(place, envelopes[i], sent.why)) sent.kept++;
    else sent.lost++;
  }
  free(stored);
  return sent;
}

st_sent st_ingest_send(const stele_options *place, const char *envelope, int timeout_ms) {
  return st_ingest_send_all(place, &envelope, 1, timeout_ms);
}

char *st_ingest_ask(const char *home, const char *request, int timeout_ms, char why[ST_FALLBACK_WHY]) {
  int64_t until = st_frame_until(timeout_ms);
  int fd = connect_to(home, until, why);
  if (fd < 0) return NULL;
  st_frames frames = {.form = ST_FRAME_SOCKET};
  char *reply = NULL, *copy = NULL;
  size_t length = 0;
  st_frame_status status = st_frame_send(fd, &ST_FRAME_SOCKET, request, strlen(request), until);
  if (status == ST_FRAME_OK) status = st_frame_receive(fd, &frames, until, &reply, &length);
  if (status == ST_FRAME_OK) copy = strdup(reply);
  if (!copy) snprintf(why, ST_FALLBACK_WHY, "%s", st_frame_why(status == ST_FRAME_OK ? ST_FRAME_NOMEM : status));
  st_frames_free(&frames);
  close(fd);
  return copy;
}
