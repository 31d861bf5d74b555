/* frame.c - see frame.h. */
#include "frame.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CHUNK (64u << 10) /* received at a time */

const char *st_frame_why(st_frame_status status) {
  switch (status) {
    case ST_FRAME_OK: return "nothing is wrong";
    case ST_FRAME_MORE: return "a part of it is missing";
    case ST_FRAME_END: return "the other side has closed";
    case ST_FRAME_CUT: return "the other side has closed in the middle of a frame";
    case ST_FRAME_LATE: return "it took too long";
    case ST_FRAME_TOO_LONG: return "the frame is too long";
    case ST_FRAME_BROKEN: return strerror(errno);
    case ST_FRAME_NOMEM: return "out of memory";
  }
  return "";
}

/* ---- What was received ---- */

void st_frame_head(const st_frame_form *form, size_t length, unsigned char head[ST_FRAME_HEAD]) {
  uint32_t number = form->native ? (uint32_t)length : htonl((uint32_t)length);
  memcpy(head, &number, ST_FRAME_HEAD);
}

static size_t length_of(const st_frames *frames) {
  uint32_t number;
  memcpy(&number, frames->bytes + frames->start, ST_FRAME_HEAD);
  return frames->form.native ? number : ntohl(number);
}

static bool has_head(const st_frames *frames) {
  return frames->used - frames->start >= ST_FRAME_HEAD;
}

size_t st_frames_wanted(const st_frames *frames) {
  return has_head(frames) ? ST_FRAME_HEAD + length_of(frames) : 0;
}

st_frame_status st_frames_feed(st_frames *frames, const char *bytes, size_t length) {
  if (frames->start > 0) {
    memmove(frames->bytes, frames->bytes + frames->start, frames->used - frames->start);
    frames->used -= frames->start;
    frames->start = 0;
  }
  if (frames->room - frames->used < length) {
    size_t room = frames->used + length;
    if (room < 2 * frames->room) room = 2 * frames->room;
    char *grown = realloc(frames->bytes, room);
    if (!grown) return ST_FRAME_NOMEM;
    frames->bytes = grown;
    frames->room = room;
  }
  memcpy(frames->bytes + frames->used, bytes, length);
  frames->used += length;
  return ST_FRAME_OK;
}

/* The byte behind a text may be the head of the next frame: the text is moved back over its own head, which makes room for a NUL. */
st_frame_status st_frames_next(st_frames *frames, char **json, size_t *length) {
  if (!has_head(frames)) return ST_FRAME_MORE;
  size_t bytes = length_of(frames);
  if (bytes > frames->form.max) return ST_FRAME_TOO_LONG;
  if (frames->used - frames->start < ST_FRAME_HEAD + bytes) return ST_FRAME_MORE;
  *json = frames->bytes + frames->start;
  *length = bytes;
  memmove(*json, *json + ST_FRAME_HEAD, bytes);
  (*json)[bytes] = '\0';
  frames->start += ST_FRAME_HEAD + bytes;
  return ST_FRAME_OK;
}

void st_frames_free(st_frames *frames) {
  free(frames->bytes);
  *frames = (st_frames){.form = frames->form};
}

/* ---- In time ---- */

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t st_frame_until(int64_t ms) {
  return ms < 0 ? INT64_MAX : now_ms() + ms;
}

/* Until the descriptor can be read from, or written to. */
static st_frame_status wait_for(int fd, short events, int64_t until) {
  for (;;) {
    int64_t left = until == INT64_MAX ? -1 : until - now_ms();
    if (until != INT64_MAX && left < 0) return ST_FRAME_LATE;
    struct pollfd one = {.fd = fd, .events = events};
    int ready = poll(&one, 1, left > INT32_MAX ? INT32_MAX : (int)left);
    if (ready > 0) return ST_FRAME_OK;
    if (ready < 0 && errno != EINTR) return ST_FRAME_BROKEN;
  }
}

/* Sockets are written to without a signal when nobody reads; pipes have no such flag. */
static ssize_t put(int fd, const char *bytes, size_t length) {
  ssize_t wrote = send(fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
  return wrote < 0 && errno == ENOTSOCK ? write(fd, bytes, length) : wrote;
}

static st_frame_status put_all(int fd, const char *bytes, size_t length, int64_t until) {
  while (length > 0) {
    st_frame_status status = wait_for(fd, POLLOUT, until);
    if (status != ST_FRAME_OK) return status;
    ssize_t wrote = put(fd, bytes, length);
    if (wrote < 0 && errno != EINTR && errno != EAGAIN) return ST_FRAME_BROKEN;
    if (wrote < 0) continue;
    bytes += wrote;
    length -= (size_t)wrote;
  }
  return ST_FRAME_OK;
}

st_frame_status st_frame_send(int fd, const st_frame_form *form, const char *json, size_t length, int64_t until) {
  unsigned char head[ST_FRAME_HEAD];
  if (length > form->max) return ST_FRAME_TOO_LONG;
  st_frame_head(form, length, head);
  st_frame_status status = put_all(fd, (const char *)head, sizeof head, until);
  return status == ST_FRAME_OK ? put_all(fd, json, length, until) : status;
}

st_frame_status st_frame_receive(int fd, st_frames *frames, int64_t until, char **json, size_t *length) {
  char chunk[CHUNK];
  for (;;) {
    st_frame_status status = st_frames_next(frames, json, length);
    if (status == ST_FRAME_MORE) status = wait_for(fd, POLLIN, until);
    else return status;
    if (status != ST_FRAME_OK) return status;
    ssize_t got = read(fd, chunk, sizeof chunk);
    if (got == 0) return frames->used > frames->start ? ST_FRAME_CUT : ST_FRAME_END;
    if (got < 0 && errno != EINTR && errno != EAGAIN) return ST_FRAME_BROKEN;
    if (got > 0 && (status = st_frames_feed(frames, chunk, (size_t)got)) != ST_FRAME_OK) return status;
  }
}
